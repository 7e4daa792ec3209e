"""Pure: notes as the files of a run hold them, those of runs made before notes had types among them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import msgspec

from shared.contracts.steps import Note, NoteKind, note_text, plain_note

_OLD_LEADS: tuple[tuple[str, NoteKind], ...] = (
    ("differs: ", "differs"),
    ("not as it was read: ", "not_as_read"),
    ("the page was not kept: ", "not_kept"),
)
"""How notes of each kind began while they were plain strings."""


def to_note(written: object) -> Note:
    """Return a note of result.json or action_log.json: an object, or a string as older runs have it.

    What is neither, in a file that was changed, is a remark that shows it as JSON.
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
    """Return all notes of a result or of a step; none where there is no list of them."""
    listed: Iterable[object] = cast("list[object]", written) if isinstance(written, list | tuple) else ()
    return tuple(map(to_note, listed))


def note_texts(written: object) -> list[str]:
    """Return the sentences of all notes, as people read them."""
    return [note_text(note) for note in to_notes(written)]
