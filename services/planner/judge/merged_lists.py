"""A list of texts that several pages show: what was saved from other pages stands beside what this page shows."""

from __future__ import annotations

from typing import cast

from msgspec.structs import replace

from services.planner.judge.reported_values import is_shown_here
from services.planner.state.attempt_state import SampleView
from shared.contracts.steps import FieldValue
from shared.field_types import base_type
from shared.task.output_field import OutputField
from shared.task.typed_values import as_shown
from shared.text.normal import fold


def with_other_pages(raw: object, before: FieldValue | None, field: OutputField, view: SampleView) -> object:
    """Return the reported list with the items that were saved before and that this page does not show.

    An item that this page shows and that is not reported again was taken back."""
    saved = _items(before, field)
    if not isinstance(raw, list) or before is None or not saved:
        return cast("object", raw)
    reported = cast("list[object]", raw)
    again = {_form(one) for one in reported}
    kept = [one for one in saved if _form(one) in again or not is_shown_here(one, before.field, field, view)]
    known = {_form(one) for one in kept}
    return [*kept, *(one for one in reported if _form(one) not in known)]


def of_this_page(
    value: FieldValue, before: FieldValue | None, field: OutputField, view: SampleView
) -> FieldValue | None:
    """Return the value with no more than this page has to confirm: items that are new, or that it shows. None if that
    is nothing."""
    saved = {_form(one) for one in _items(before, field)}
    items = _items(value, field)
    if not saved or not items:
        return value
    asked = [one for one in items if _form(one) not in saved or is_shown_here(one, value.field, field, view)]
    return replace(value, value=asked, shown=as_shown(asked)) if asked else None


def _items(value: FieldValue | None, field: OutputField) -> list[object]:
    if value is None or value.state != "value" or base_type(field.type) != "array":
        return []
    return cast("list[object]", value.value) if isinstance(value.value, list) else []


def _form(item: object) -> str:
    return fold(as_shown(item))
