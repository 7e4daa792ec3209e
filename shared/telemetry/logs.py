"""Logs of this process: as text for people, or as one JSON object a line for programs.

No line has anything of a page, a prompt, a row, a file's name or a secret in it. The text of an error may quote any of
these, so it is not written: of an error there are its class or its code, what the code means, and where it was raised.
A library's messages are written without what it has put into them. A call of ours gives names, codes and numbers only;
tests/end_to_end/test_nothing_given_away.py searches them.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Literal, TextIO

import msgspec

from shared.contracts.error_codes import ERRORS
from shared.errors import ExhibitError
from shared.telemetry.about import about_now
from shared.telemetry.trace_ids import current_trace_id
from shared.text.normal import printable

LogFormat = Literal["text", "json"]
OURS = ("services", "shared", "exhibit", "servers", "practice", "__main__")
"""First parts of the names of our own loggers."""
MAX_FRAMES, MAX_CAUSES = 40, 8
_MEANINGS: Mapping[str, str] = {**ERRORS}
_QUOTES = "<({[\"'`:\n"
"""Where the words of a library end, and what it says something of begins."""

ErrorInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def configure_logs(level: str, form: LogFormat = "text", stream: TextIO | None = None) -> None:
    """Write the logs of this process, ours from ``level`` up and those of libraries from WARNING up.

    ``stream``: where to; standard error without one.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    libraries = max(logging.getLevelNamesMapping()[level.upper()], logging.WARNING)
    logging.basicConfig(level=libraries, handlers=[handler], force=True)
    for name in OURS:
        logging.getLogger(name).setLevel(level.upper())
    logging.getLogger("nats").setLevel(logging.ERROR)


class TextLines(logging.Formatter):
    """One line a record, in which a terminal obeys nothing, and the places of an error below it."""

    def format(self, record: logging.LogRecord) -> str:
        about = about_now()
        name = "/".join(filter(None, (about.run, about.sample, str(about.step or "")))) or "-"
        head = f"{_time(record):%Y-%m-%d %H:%M:%S},{int(record.msecs):03d} {record.levelname:<7} {record.name}"
        lines = [f"{head} [{name}] {printable(message_of(record))}", *map(printable, error_lines(record.exc_info))]
        return "\n".join(lines)


class JsonLines(logging.Formatter):
    """One JSON object a line. Each has every key; what is not known is null."""

    def format(self, record: logging.LogRecord) -> str:
        about = about_now()
        line: dict[str, Any] = {
            "time": f"{_time(record):%Y-%m-%dT%H:%M:%S}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "service": about.service or None,
            "run": about.run or None,
            "sample": about.sample or None,
            "step": about.step or None,
            "trace": current_trace_id() or None,
            "message": message_of(record),
            "error": list(error_lines(record.exc_info)) or None,
        }
        return msgspec.json.encode(line).decode()


def _time(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def message_of(record: logging.LogRecord) -> str:
    """Return the message, in which errors are told by their codes only."""
    if record.name.partition(".")[0] not in OURS:
        return _library_words(record)
    try:
        return str(record.msg) % _safe_args(record.args) if record.args else error_words_or_text(record.msg)
    except (TypeError, ValueError, KeyError):  # a call whose arguments do not fit its message
        return str(record.msg)


def error_words_or_text(value: object) -> str:
    return error_words(value) if isinstance(value, BaseException) else str(value)


def error_words(error: BaseException) -> str:
    """Return what an error is, without its text: the meaning of its code, or its class."""
    if isinstance(error, ExhibitError):
        return _MEANINGS.get(error.code, error.code)
    if isinstance(error, OSError) and error.errno is not None and isinstance(error.strerror, str):
        return f"{type(error).__name__} {error.errno}"
    return type(error).__name__


def error_lines(info: ErrorInfo | None) -> Iterator[str]:
    """Yield a line for an error and each of its causes, and the places where each was raised, the innermost last."""
    error = info[1] if info else None
    for _ in range(MAX_CAUSES):
        if error is None:
            return
        code = f" {error.code}" if isinstance(error, ExhibitError) else ""
        yield f"{type(error).__name__}{code}"
        for place in traceback.extract_tb(error.__traceback__)[-MAX_FRAMES:]:
            yield f"  {place.filename}:{place.lineno} in {place.name}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _safe_args(args: object) -> Any:
    if isinstance(args, Mapping):
        return {key: _safe(value) for key, value in args.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return tuple(map(_safe, args)) if isinstance(args, tuple) else args  # pyright: ignore[reportUnknownArgumentType]


def _safe(value: object) -> object:
    return error_words(value) if isinstance(value, BaseException) else value


def _library_words(record: logging.LogRecord) -> str:
    """Return the words that stand in the library's source: the message before its arguments, or what comes before the
    first thing that it quotes."""
    text = record.msg if isinstance(record.msg, str) else type(record.msg).__name__
    if record.args:
        return text
    end = min((at for at in map(text.find, _QUOTES) if at >= 0), default=len(text))
    return text[: min(end, 120)].rstrip()
