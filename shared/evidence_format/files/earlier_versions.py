"""Files of version 1 in the current shape, in which notes, problems and route marks are sentences.

No other module reads sentences of earlier versions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

import msgspec

from shared.contracts.planner import WITHOUT_MODEL
from shared.contracts.steps import Note, NoteKind, RouteMark, note_text, plain_note
from shared.evidence_format.files.json_files import ArtifactProblem

KindT = TypeVar("KindT")

FROM_TEXT = "from_text"
"""Code of a problem of which only the sentence is known."""
_OLD_LEADS: tuple[tuple[str, NoteKind], ...] = (
    ("differs: ", "differs"),
    ("not as it was read: ", "not_as_read"),
    ("the page was not kept: ", "not_kept"),
)
"""How the plain strings of version 1 began, by kind of note."""


def to_note(written: object) -> Note:
    """Return a note of result.json or action_log.json: an object, or a string as older runs have it.

    Anything else, as a damaged file may have, becomes a remark that shows it as JSON.
    """
    if isinstance(written, str):
        return _old_note(written)
    try:
        return msgspec.convert(written, Note)
    except msgspec.ValidationError:
        return plain_note(msgspec.json.encode(written).decode())


def _old_note(sentence: str) -> Note:
    for lead, kind in _OLD_LEADS:
        if sentence.startswith(lead):
            return Note(kind=kind, text=sentence.removeprefix(lead))
    return plain_note(sentence)


def to_notes(written: object) -> tuple[Note, ...]:
    """Return all notes of a result or of a step; an empty tuple where ``written`` is no list."""
    notes: Iterable[object] = cast("list[object]", written) if isinstance(written, list | tuple) else ()
    return tuple(map(to_note, notes))


def note_texts(written: object) -> list[str]:
    """Return the notes as sentences for people."""
    return [note_text(note) for note in to_notes(written)]


_REASON = re.compile(r"Route step (\d+)(?:\.([a-z0-9]+))?: .*", re.S)


def route_mark_of(decided_by: str, reason: str) -> RouteMark | None:
    """Return the route step that an action was taken for, from its ``reason``; None for an action of a model.

    A replay needs it to recognise irreversible steps. ``RouteMark.found`` is not parsed: only the attempt that paged
    through the list reads it. The reason that a model gave is not trusted.
    """
    if decided_by not in WITHOUT_MODEL:
        return None
    found = _REASON.fullmatch(reason)
    return RouteMark(step=int(found[1]), part=found[2] or "") if found is not None else None


def upgrade(data: bytes, kind: type[KindT]) -> KindT:
    """Return the content of a file of version 1 as ``kind``. Raises one of `chain.NOT_JSON`."""
    return msgspec.convert(_upgraded(msgspec.json.decode(data)), kind)


def _upgraded(written: Any) -> Any:
    if isinstance(written, list):
        return [_upgraded(entry) for entry in cast("list[Any]", written)]
    if not isinstance(written, dict):
        return written
    old = cast("dict[str, Any]", written)
    new = {key: msgspec.to_builtins(parse(old[key])) for key, parse in _PARSERS.items() if key in old}
    return {**old, **new}


def _to_problems(written: object) -> list[object]:
    problems: list[object] = cast("list[object]", written) if isinstance(written, list) else []
    return [parse_problem(problem) if isinstance(problem, str) else problem for problem in problems]


def parse_problem(sentence: str) -> ArtifactProblem:
    """Return the problem of a sentence that has the file name, a colon, and what is wrong."""
    filename, colon, text = sentence.partition(": ")
    if not colon:
        return ArtifactProblem(filename="", code=FROM_TEXT, text=sentence)
    return ArtifactProblem(filename=filename, code=FROM_TEXT, text=text)


def parse_message_problems(message: str) -> tuple[ArtifactProblem, ...]:
    """Return the problems of artifacts that the ``message`` of a result of version 1 lists."""
    return tuple(map(parse_problem, message.split("; ")))


_PARSERS: dict[str, Callable[[object], object]] = {"notes": to_notes, "problems": _to_problems}
