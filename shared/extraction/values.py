"""What values of a field look like, and where in a text one stands that a person wrote in another form.

A person writes ``2026-11-21`` and ``1234.50``; a page shows "21 Nov 2026" and "$1,234.50". Both are compared in their
normal form, that of the field's type (:mod:`shared.task.typed_values`).
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from decimal import Decimal

from shared.contracts.base import Part
from shared.field_types import base_type, nullable
from shared.task.output_field import OutputField
from shared.task.typed_values import Context, is_not_present, normalise
from shared.text.date_names import DateOrder
from shared.text.normal import Normal, fold, plain, plain_form, tidy

MAX_WORDS = 8
"""Of a value that is a part of a text."""
MAX_TEXT = 600
"""Characters of a text in whose parts a typed value is looked for."""
TEXT_TYPES = ("string", "enum")

Span = tuple[int, int]


class FieldType(Part, frozen=True, kw_only=True, omit_defaults=True):
    """How a field's text becomes a value, as in a task's `OutputField`. ``not_present``: words for none."""

    type: str = "string"
    values: tuple[str, ...] = ()
    date_order: DateOrder | None = None
    not_present: tuple[str, ...] = ()


def form_of(field: OutputField) -> FieldType:
    """Return the form that a task spec gives a field."""
    return FieldType(
        type=field.type, values=tuple(field.values), date_order=field.date_order, not_present=tuple(field.not_present)
    )


def value_key(form: FieldType, text: str) -> str | None:
    """Return the normal form of a text as JSON, equal for equal values; None where it is not of the type.

    Texts that differ in their capitals only are equal: an address often writes them small."""
    read = normalise(form.type, text, Context(form.values, form.date_order))
    if not isinstance(read, Normal):
        return None
    if base_type(form.type) == "decimal":
        return f"{Decimal(read.value).normalize():f}"
    value = _moment(read.value) if base_type(form.type) == "date-time" else read.value
    text = json.dumps(value, ensure_ascii=False)
    return fold(text) if base_type(form.type) == "string" else text


def _moment(written: str) -> str:
    """Return a moment with an offset as it is written at the offset zero, so that equal moments are equal texts."""
    moment = datetime.fromisoformat(written)
    return written if moment.tzinfo is None else moment.astimezone(UTC).isoformat()


def is_value(text: str) -> bool:
    """Return whether a text may be a value: a dash that stands for none is not."""
    return any(map(str.isalnum, text)) or plain_form(text) in ("✓", "✔", "☑", "✗", "✘", "☐")


def is_absent(form: FieldType, text: str) -> bool:
    """Return whether a text says that there is no value."""
    return not is_value(text) or is_not_present(text, form)


def may_be_absent(form: FieldType) -> bool:
    return nullable(form.type) or bool(form.not_present)


def find_spans(form: FieldType, text: str, written: str) -> list[Span]:
    """Return where a value stands in a text, whole words only. ``text``: white space collapsed."""
    if base_type(form.type) in TEXT_TYPES:
        return _spans_of_text(text, tidy(written))
    key = value_key(form, written)
    if key is None or not _may_show(form, text, key):
        return []
    if value_key(form, text) == key:
        return [(0, len(text))]
    return _spans_of_parts(form, text, key) if len(text) <= MAX_TEXT else []


def _spans_of_text(text: str, written: str) -> list[Span]:
    if not written:
        return []
    spans = _positions(text, written)
    lowered, low = text.lower(), written.lower()
    if not spans and len(lowered) == len(text) and len(low) == len(written):
        spans = _positions(lowered, low)
    return spans


def _positions(text: str, written: str) -> list[Span]:
    found: list[Span] = []
    at = text.find(written)
    while at >= 0:
        end = at + len(written)
        if not (_is_inside(text, at) or _is_inside(text, end)):
            found.append((at, end))
        at = text.find(written, end)
    return found


def _is_inside(text: str, at: int) -> bool:
    """Return whether the place between two characters is within a word. Scripts without blanks have no such places."""
    before, after = text[at - 1 : at], text[at : at + 1]
    return (before + after).isascii() and before.isalnum() and after.isalnum()


def _may_show(form: FieldType, text: str, key: str) -> bool:
    """Return whether the text has the last digits of each number in the value, so that most texts cost nothing."""
    digits = "".join(re.findall(r"\d", plain(text)))
    numbers = re.findall(r"\d+", key)
    if base_type(form.type) in ("date", "date-time"):
        # A month may be a word, and at another offset it is another day.
        numbers = [numbers[0]] if key.endswith('+00:00"') else [numbers[0], numbers[2]]
    return all(number.lstrip("0")[-2:] in digits for number in numbers[:2])


def _spans_of_parts(form: FieldType, text: str, key: str) -> list[Span]:
    """Return the shortest parts of whole words that have this normal form."""
    words = [(one.start(), one.end()) for one in re.finditer(r"\S+", text)]
    found: list[Span] = []
    for count in range(1, min(MAX_WORDS, len(words)) + 1):
        for first in range(len(words) - count + 1):
            begin, end = _trimmed(text, words[first][0], words[first + count - 1][1])
            inside = any(begin <= one and other <= end for one, other in found)
            if begin < end and not inside and value_key(form, text[begin:end]) == key:
                found.append((begin, end))
    return sorted(found)


def _trimmed(text: str, begin: int, end: int) -> Span:
    """Return the span without the marks of a sentence around it."""
    while begin < end and text[begin] in "([\"'“‘":
        begin += 1
    while begin < end and text[end - 1] in ",;:.)]\"'”’!?":
        end -= 1
    return begin, end
