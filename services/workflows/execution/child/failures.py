"""Failures as they cross the border: what is said of an exception, and the exception that a failed call raises."""

from __future__ import annotations

import builtins
import linecache
from collections.abc import Mapping
from traceback import TracebackException
from typing import Any

from shared.flows.code.functions import FlowStopped

MAX_MESSAGE_CHARS = 10_000
MAX_TRACEBACK_CHARS = 20_000
_CALL = "__host_call__"
_NOT_RAISED_BY_NAME = (StopIteration, StopAsyncIteration)
"""Python turns them into another exception where they leave a generator or a coroutine."""


class WorkflowError(RuntimeError):
    """A call failed with an exception that is not built in. ``type``: its class."""

    type = ""


def failure_of(error: BaseException, sources: Mapping[str, str], *, code: str = "raised") -> dict[str, Any]:
    """Return what is told of an exception: code, class, message, and the traceback of the lines of ``sources``.

    ``call``: the number of the call of the host that raised it, if one did.
    """
    if isinstance(error, MemoryError):
        code = "memory"
    return {
        "code": code,
        "type": type(error).__qualname__,
        "message": _cut(_message(error), MAX_MESSAGE_CHARS),
        "traceback": _cut(_traceback(error, sources), MAX_TRACEBACK_CHARS),
        "call": _call_number(error),
    }


def exception_of(type_: str, message: str, note: str, number: int, flow_code: str = "") -> Exception:
    """Return the exception that a failed call raises: the built-in one of that name, else a `WorkflowError`.

    ``flow_code``: of a call of a flow, which raises `FlowStopped`."""
    error = FlowStopped(message, flow_code) if flow_code else _exception_named(type_, message)
    if note:
        error.add_note(note)
    setattr(error, _CALL, number)
    return error


def _exception_named(type_: str, message: str) -> Exception:
    kind = getattr(builtins, type_, None)
    error: Exception
    try:
        if not (isinstance(kind, type) and issubclass(kind, Exception)) or issubclass(kind, _NOT_RAISED_BY_NAME):
            raise TypeError
        error = kind(message)
    except TypeError:  # no such exception, or one that is not made of a message, such as UnicodeDecodeError
        error = WorkflowError(f"{type_}: {message}" if type_ else message)
        error.type = type_
    return error


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  its __str__ is workflow code
        return "<the message of the exception cannot be had>"


def _traceback(error: BaseException, sources: Mapping[str, str]) -> str:
    for file, source in sources.items():
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        # No lines of library files are read: they are left out below, and an interruption there leaves a file open.
        told = TracebackException.from_exception(error, lookup_lines=False, compact=True)
        _keep_own_lines(told, sources)
        return "".join(told.format())
    except Exception:  # noqa: BLE001  attributes of the exception are workflow code
        return f"{type(error).__qualname__}: <its traceback cannot be had>\n"
    finally:
        for file in sources:
            linecache.cache.pop(file, None)


def _keep_own_lines(told: TracebackException, sources: Mapping[str, str]) -> None:
    told.stack[:] = [frame for frame in told.stack if frame.filename in sources]
    for other in (told.__cause__, told.__context__, *(getattr(told, "exceptions", None) or ())):
        if other is not None:
            _keep_own_lines(other, sources)


def _call_number(error: BaseException) -> int | None:
    seen = 0
    at: BaseException | None = error
    while at is not None and seen < 100:
        number = getattr(at, _CALL, None)
        if isinstance(number, int):
            return number
        at = at.__cause__ or at.__context__
        seen += 1
    return None


def _cut(text: str, most: int) -> str:
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= most else f"{text[: most // 2]}\n[...]\n{text[-most // 2 :]}"
