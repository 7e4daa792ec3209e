"""Compares the value of a field with the text of a cell. A difference in form is told apart from one in value.

What cannot be read as a value of the field, or could be two, is ``unclear``: it is never taken for a difference or for
the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from shared.evidence_format.files.reconciliation import FieldDifference, FieldVerdict
from shared.evidence_format.files.sample import StoredField
from shared.field_types import base_type, is_rows
from shared.reconciling.keys import unguarded
from shared.reconciling.rows import compare_rows, read_rows_cell
from shared.task.output_field import OutputField
from shared.task.typed_values import as_shown, is_not_present, recorded_hints, typed_value
from shared.text.normal import Invalid, Normal, plain, plain_form

UNEQUAL_ZONES = "one has a time zone and the other has none"
EQUAL_TO_THE_MINUTE = "they are equal to the minute, and one of them says no seconds"
DIVIDED_OTHERWISE = "the same text, which may be divided into other parts"
NOT_FOUND_HERE = "the run could not find it"
NO_ROWS = "they are no rows of the columns of the field"


def compare_field(name: str, field: OutputField, here: StoredField | None, there: str) -> FieldDifference | None:
    """Return how a field differs, None if it does not. ``here``: of a sample that is done; ``there``: the cell."""
    if here is None or here.state == "not_found":
        return FieldDifference(field=name, verdict="not_read", there=there, why=NOT_FOUND_HERE)
    text = there.strip()
    nothing_there = not text or is_not_present(text, field)
    if here.state == "not_present" or here.value is None:
        read = read_rows_cell(field, text) if is_rows(field.type) else _read(field, text)
        return None if nothing_there or read == [] else _difference(name, here, there, "differs", read_there=read)
    if nothing_there:
        return _difference(name, here, there, "differs")
    if is_rows(field.type):
        return _compare_rows(name, field, here, there)
    if _says_the_same(field, here, text):
        return None
    read = _read(field, text)
    if isinstance(read, Invalid):
        return _difference(name, here, there, "unclear", why=read.message)
    verdict, why = _COMPARED.get(base_type(field.type), _compare_equal)(here.value, read)
    return _difference(name, here, there, verdict, read_there=read, why=why)


def _compare_rows(name: str, field: OutputField, here: StoredField, there: str) -> FieldDifference | None:
    read = read_rows_cell(field, there.strip())
    if isinstance(read, Invalid):
        return _difference(name, here, there, "unclear", why=read.message)
    if read == here.value:
        return None
    verdict, why = compare_rows(field, here.value, read)
    return _difference(name, here, there, verdict, read_there=read, why=why)


def _says_the_same(field: OutputField, here: StoredField, text: str) -> bool:
    """Whether the cell is the value itself as text, or the text of the page, which by the order of dates on that page
    means the value. Another text may mean it too (:data:`_COMPARED`)."""
    if text == as_shown(here.value) and base_type(field.type) != "array":
        return True
    if text not in (as_shown(here.value), (here.shown or "").strip()):
        return False
    read = typed_value(field, text, order=recorded_hints(here.source))
    return isinstance(read, Normal) and read.value == here.value


def _difference(
    name: str, here: StoredField, there: str, verdict: FieldVerdict, *, read_there: Any = msgspec.UNSET, why: str = ""
) -> FieldDifference:
    return FieldDifference(
        field=name,
        verdict=verdict,
        here=here.value,
        shown=here.shown,
        there=there,
        read_there=msgspec.UNSET if isinstance(read_there, Invalid) else read_there,
        why=why,
    )


def _read(field: OutputField, text: str) -> Any | Invalid:
    """Return the cell as a value of the field; a list may be written as JSON."""
    if base_type(field.type) == "array" and text.startswith("["):
        try:
            return [as_shown(item) for item in msgspec.json.decode(text, type=list[Any])]
        except msgspec.DecodeError:
            pass
    read = typed_value(field, text)
    return read if isinstance(read, Invalid) else read.value


Compared = tuple[FieldVerdict, str]
"""The verdict on two values that are not written alike, and the reason where it needs one."""


def compare_values(field: OutputField, one: Any, other: Any, sides: tuple[str, str]) -> Compared:
    """Return the verdict on two values of a field as two results have them: ``other_form`` where they mean the same,
    also where they are written alike. ``sides``: what the reason calls each of them, such as ``in A``."""
    if one == other and type(one) is type(other):
        return "other_form", ""
    kind = base_type(field.type)
    if kind == "string":
        return _compare_equal(_text_form(as_shown(one)), _text_form(as_shown(other)))
    if kind == "enum":
        return _compare_equal(plain_form(as_shown(one)), plain_form(as_shown(other)))
    if not is_rows(field.type):
        return _COMPARED.get(kind, _compare_equal)(one, other)
    try:
        return compare_rows(field, one, other, sides)
    except (AttributeError, TypeError, InvalidOperation):  # a result whose rows are none, or have cells of another type
        return "unclear", NO_ROWS


def _compare_equal(here: Any, there: Any) -> Compared:
    return ("other_form" if here == there else "differs"), ""


def _compare_texts(here: Any, there: Any) -> Compared:
    same = _text_form(as_shown(here)) == _text_form(unguarded(as_shown(there)))
    return ("other_form" if same else "differs"), ""


def _text_form(text: str) -> str:
    """Without what cannot be seen: blanks, direction marks, how a letter is composed. Case counts."""
    return plain(unicodedata.normalize("NFC", text))


def _compare_lists(here: Any, there: Any) -> Compared:
    divided = here != there and as_shown(here) == as_shown(there)
    return ("unclear", DIVIDED_OTHERWISE) if divided else _compare_equal(here, there)


def _compare_numbers(here: Any, there: Any) -> Compared:
    try:
        return _compare_equal(Decimal(str(here)), Decimal(str(there)))
    except InvalidOperation:
        return "unclear", f"{here!r} is no number"


def _compare_moments(here: Any, there: Any) -> Compared:
    if here == there:
        return "other_form", ""
    try:
        one, other = datetime.fromisoformat(str(here)), datetime.fromisoformat(str(there))
    except ValueError:
        return "unclear", f"{here!r} is no date and time"
    if (one.tzinfo is None) != (other.tzinfo is None):
        return "unclear", UNEQUAL_ZONES
    if one == other:
        return "other_form", ""
    cut = [moment.replace(second=0, microsecond=0) for moment in (one, other)]
    if cut[0] == cut[1] and (one == cut[0] or other == cut[1]):
        return "unclear", EQUAL_TO_THE_MINUTE
    return "differs", ""


_COMPARED: dict[str, Callable[[Any, Any], Compared]] = {
    "string": _compare_texts,
    "number": _compare_numbers,
    "decimal": _compare_numbers,
    "date-time": _compare_moments,
    "array": _compare_lists,
}
