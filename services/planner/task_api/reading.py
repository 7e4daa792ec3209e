"""What the stored response of an API says of a sample: whose record it is, and each field at its pointer. Pure.

The same functions read it during the run and when the sample is re-performed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from services.planner.task_api.json_text import ABSENT, JsonNumber, JsonText, find, read_json
from shared.contracts.browser.responses import is_json_type
from shared.contracts.discovery import Sample
from shared.contracts.planner import BY_API
from shared.contracts.steps import FieldValue, Note, ResponseSource
from shared.field_types import base_type, nullable
from shared.task.integration import IntegrationSpec
from shared.task.output_field import OutputField
from shared.task.row_values import expected_identity
from shared.task.spec import TaskSpec
from shared.task.typed_values import FLOAT_DIGITS, as_shown, find_shown_problem, is_not_present, typed_value
from shared.text.normal import Invalid, Normal, quoted, tidy
from shared.text.record_words import is_same_id

_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Control characters, and halves of characters that JSON can escape alone."""
MOST_WHOLE_DIGITS = 18
"""Every whole number of so many digits fits into 64 bits."""
MOST_EXPONENT = 300
"""Beyond this a number is no amount of anything, and writing it out would take memory."""


@dataclass(frozen=True)
class ResponseRead:
    """The fields of a response. ``problem``: why it is not used at all; then there are no values."""

    values: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()
    absent: frozenset[str] = frozenset()
    """Fields at whose pointer there is nothing; each has a note too."""
    problem: str = ""

    @property
    def proven(self) -> bool:
        """Whether it was proven to be of the record that was asked for."""
        return not self.problem


def read_response(
    spec: TaskSpec, sample: Sample, status: int, content_type: str, body: bytes, source: ResponseSource
) -> ResponseRead:
    """Return what the response says of the sample. ``source``: of the response as a whole, with an empty pointer."""
    assert spec.integration is not None
    text = parse_response(status, content_type, body)
    if isinstance(text, str):
        return ResponseRead(problem=text)
    return read_fields(spec, spec.integration, sample, text, source)


def parse_response(status: int, content_type: str, body: bytes) -> JsonText | str:
    """Return the JSON text of a response, or why there is none."""
    if status != 200:
        return f"it answered HTTP {status}"
    media_type, _, parameters = content_type.partition(";")
    if not is_json_type(media_type.strip().lower()):
        return f"it answered {quoted(media_type.strip() or 'without a content type')}, which is not JSON"
    return read_json(body, _charset(parameters))


def _charset(parameters: str) -> str:
    named = (part.partition("=") for part in parameters.split(";"))
    return next((value.strip() for name, _, value in named if name.strip().lower() == "charset"), "")


def read_fields(
    spec: TaskSpec, integration: IntegrationSpec, sample: Sample, text: JsonText, source: ResponseSource
) -> ResponseRead:
    """Return the fields of a JSON text, if it proves to be of the sample's record."""
    values: list[FieldValue] = []
    notes: list[Note] = []
    absent = frozenset(name for name, pointer in integration.fields.items() if find(text, pointer) is ABSENT)
    for name, pointer in integration.fields.items():
        read = read_value(name, spec.output_schema[name], text, pointer, source)
        if isinstance(read, Note):
            notes.append(read)
        else:
            values.append(read)
    problem = _identity_problem(expected_identity(spec, sample), values, notes)
    return ResponseRead(problem=problem) if problem else ResponseRead(tuple(values), tuple(notes), absent)


def _identity_problem(wanted: Mapping[str, str], values: Sequence[FieldValue], notes: Sequence[Note]) -> str:
    """Return why the response is not proven to be of the record; empty: it is."""
    by_name = {value.field: value for value in values}
    why = {note.field: note.text for note in notes}
    for name, key in wanted.items():
        value = by_name.get(name)
        if value is None or value.state != "value":
            return f"it does not say whose record it is: {name}: {why.get(name, 'there is none')}"
        if not any(is_same_id(as_shown(form), key) for form in (value.shown, value.value) if form is not None):
            return f"it is of another record: {name} is {quoted(value.shown or '')}, asked for was {quoted(key)}"
    return "" if wanted else "the task has no identity, so it could be of another record"


def read_value(
    name: str, field: OutputField, text: JsonText, pointer: str, source: ResponseSource
) -> FieldValue | Note:
    """Return the value at the pointer, or a note that says why there is none of the field's type."""
    raw = find(text, pointer)
    where = f"at {pointer or 'the top'}"
    if raw is ABSENT:
        return Note(kind="api_failed", field=name, text=f"there is nothing {where}")
    shown = _shown(raw)
    if _UNWRITABLE.search(shown):
        return Note(kind="api_failed", field=name, text=f"the text {where} has characters that no text has")
    place = ResponseSource(url=source.url, sha256=source.sha256, pointer=pointer)
    absent = FieldValue(field=name, state="not_present", shown=shown, origin="api", read_by=BY_API, response=place)
    if raw is None or (isinstance(raw, str) and is_not_present(raw, field)):
        if nullable(field.type):
            return absent
        told = f"{shown} {where} is no value, and the task does not allow it to be absent"
        return Note(kind="api_failed", field=name, text=told)
    read = typed_json(field, raw)
    if isinstance(read, Invalid):
        return Note(kind="api_failed", field=name, text=f"{where}: {read.message}")
    return FieldValue(
        field=name, state="value", value=read.value, shown=shown, origin="api", read_by=BY_API, response=place
    )


def _shown(raw: Any) -> str:
    """Return the text of a JSON value: of a string what it says, of a number its characters."""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, JsonNumber):
        return raw.text
    if isinstance(raw, list):
        return ", ".join(map(_shown, cast("list[Any]", raw)))
    return "null" if raw is None else as_shown(raw) if isinstance(raw, bool) else "an object"


# --- JSON values as values of the field's type


def typed_json(field: OutputField, raw: Any) -> Normal | Invalid:
    """Return a JSON value as a value of the field, or why it is none. Types are not bent: true is no text."""
    kind = base_type(field.type)
    if isinstance(raw, list):
        return _items(field, cast("list[Any]", raw)) if kind == "array" else _wrong("an array", kind)
    if isinstance(raw, dict):
        return _wrong("an object", kind)
    if isinstance(raw, bool):
        return Normal(raw) if kind == "boolean" else _wrong(as_shown(raw), kind)
    if isinstance(raw, JsonNumber):
        return _with_pattern(field, raw.text, _number(raw, kind, field))
    if not tidy(raw):
        return Invalid("the text is empty")
    if kind == "array":
        return _wrong(f"the text {quoted(raw)}", kind)
    return _with_pattern(field, raw, typed_value(field, raw))


def _number(raw: JsonNumber, kind: str, field: OutputField) -> Normal | Invalid:
    if kind == "string":
        return Normal(raw.text)
    if kind == "enum":
        return typed_value(field, raw.text)
    if kind not in ("number", "decimal"):
        return _wrong(f"the number {raw.text}", kind)
    exact = Decimal(raw.text)
    if not exact.is_finite() or abs(exact.adjusted()) > MOST_EXPONENT:
        return Invalid(f"the number {raw.text} is beyond all that is kept")
    if kind == "decimal":
        return Normal(f"{exact:f}")
    if exact == exact.to_integral_value() and abs(exact.adjusted()) < MOST_WHOLE_DIGITS:
        return Normal(int(exact))
    digits = "".join(map(str, exact.as_tuple().digits)).strip("0")
    if len(digits) > FLOAT_DIGITS:
        return Invalid(f"{raw.text} has more digits than a number can hold; a decimal can")
    return Normal(float(exact))


def _items(field: OutputField, raw: Sequence[Any]) -> Normal | Invalid:
    if any(not isinstance(one, str | JsonNumber) for one in raw):
        return Invalid("the array has items that are neither texts nor numbers")
    items = [tidy(_shown(one)) for one in raw]
    problem = next((found for one in items if (found := find_shown_problem(field, one))), "")
    return Invalid(problem) if problem else Normal(items)


def _with_pattern(field: OutputField, shown: str, read: Normal | Invalid) -> Normal | Invalid:
    problem = "" if isinstance(read, Invalid) else find_shown_problem(field, shown)
    return Invalid(problem) if problem else read


def _wrong(what: str, kind: str) -> Invalid:
    return Invalid(f"{what} is no {kind}")
