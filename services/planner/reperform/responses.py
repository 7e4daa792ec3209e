"""Verdicts on values that an API gave: the stored response is read again at the JSON pointer of each. Pure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from services.planner.task_api.json_text import JsonText, read_json
from services.planner.task_api.reading import read_value
from shared.contracts.reperform import ValueReperformed, Verdict
from shared.contracts.steps import FieldValue, Note
from shared.task.output_field import OutputField
from shared.task.typed_values import as_shown
from shared.text.normal import quoted


@dataclass(frozen=True)
class StoredResponse:
    """A stored response. ``text``: what it says; otherwise ``lack`` and ``why`` say why it says nothing."""

    filename: str
    sha256: str
    text: JsonText | None = None
    lack: Verdict = "altered"
    why: str = ""


def parse_stored_response(filename: str, sha256: str, body: bytes) -> StoredResponse:
    """Return the stored response as it is read during a run. Its bytes must still have the recorded hash."""
    found = hashlib.sha256(body).hexdigest()
    if found != sha256:
        return StoredResponse(filename, sha256, why=f"SHA-256 of {filename} is {found}, recorded is {sha256}")
    text = read_json(body)
    if isinstance(text, str):
        return StoredResponse(filename, sha256, lack="unreadable", why=f"{filename}: {text}")
    return StoredResponse(filename, sha256, text)


def response_verdict(
    value: FieldValue, field: OutputField, stored: StoredResponse, pointer: str | None
) -> ValueReperformed:
    """Return whether the response still has the recorded text at the pointer, and whether it means the same.

    ``pointer``: that of the task for this field; None: it has none.
    """
    assert value.response is not None
    read = None
    if pointer is None or pointer != value.response.pointer:
        read = Note(kind="api_failed", text=f"the task does not name {value.response.pointer!r} for this field")
    elif stored.text is not None:
        read = read_value(value.field, field, stored.text, pointer, value.response)
    verdict, message = _compared(value, read, stored)
    again = read if isinstance(read, FieldValue) else None
    return ValueReperformed(
        field=value.field,
        verdict=verdict,
        state=value.state,
        recorded=value.shown,
        recorded_value=value.value,
        found=again.shown if again is not None else None,
        found_value=again.value if again is not None else None,
        found_by=(f"JSON pointer {value.response.pointer}",) if again is not None else (),
        page=stored.filename,
        page_sha256=stored.sha256,
        read_by=value.read_by,
        message=message,
    )


def _compared(value: FieldValue, read: FieldValue | Note | None, stored: StoredResponse) -> tuple[Verdict, str]:
    if read is None:
        return stored.lack, stored.why
    if isinstance(read, Note):
        return "not_found", read.text
    then = (value.state, value.shown, value.value, isinstance(value.value, bool))
    now = (read.state, read.shown, read.value, isinstance(read.value, bool))
    if then == now:
        return "same", ""
    recorded, found = quoted(as_shown(value.value)), quoted(as_shown(read.value))
    return "differs", f"the response says {quoted(read.shown or '')}, read as {found}; recorded is {recorded}"
