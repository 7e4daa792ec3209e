"""A list of texts that several pages show: what was saved from other pages stands beside what this page shows, and no
page of it is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from msgspec.structs import replace

from services.planner.judge.reported_values import is_shown_here
from services.planner.state.attempt_state import SampleProblem, SampleView
from shared.contracts.actions import SaveProgress
from shared.contracts.steps import FieldValue, ListPage
from shared.field_types import base_type
from shared.pages.lists.list_page import list_page
from shared.pages.lists.lists import same_address
from shared.task.output_field import OutputField
from shared.task.typed_values import as_shown
from shared.text.normal import fold, quoted


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


def lists_here(view: SampleView, values: Sequence[FieldValue]) -> tuple[ListPage, ...]:
    """Return what the page says of the lists of which it shows items."""
    page = view.page
    if page is None:
        return ()
    asked = ((value.field, _texts(value, view)) for value in values)
    return tuple(found for name, items in asked if items and (found := list_page(page, name, items)) is not None)


def unread_list_problems(view: SampleView, values: Sequence[FieldValue]) -> list[SampleProblem]:
    """Return a problem for each list of which a page is left: one that its pager names and nothing was taken from."""
    here = {one.field: one for one in lists_here(view, values)}
    found = ((value.field, _way_on(view, value, here.get(value.field))) for value in values)
    return [SampleProblem("incomplete_list", text, name) for name, text in found if text]


def _way_on(view: SampleView, value: FieldValue, here: ListPage | None) -> str:
    pages = {one.url: one for one in view.state.list_pages if one.field == value.field}
    if here is not None:
        pages.pop(here.url, None)
        pages[here.url] = here
    if not pages:
        return ""
    read = {*pages, *_saved_from(view, value.field)}
    field, page = view.spec.output_schema[value.field], view.page
    if page is not None and any(is_shown_here(one, value.field, field, view) for one in _items(value, field)):
        read.add(same_address(page.url))
    left = next((url for one in pages.values() for url in one.leads_to if url not in read), None)
    if left is not None:
        return f"the list goes on at {quoted(left)}, and nothing was saved of that page"
    last = list(pages.values())[-1]
    if last.pressed:
        return f"{quoted(last.pressed)} leads on from the last page that was saved, and was not followed"
    return f"the last page that was saved says {quoted(last.counted)}" if last.counted else ""


def _saved_from(view: SampleView, name: str) -> set[str]:
    """Return the addresses of the pages from which items of a field were saved."""
    saves = (e for e in view.state.history if isinstance(e.action, SaveProgress) and not e.refused)
    return {same_address(e.url) for e in saves if isinstance(e.action, SaveProgress) and name in e.action.values}


def _texts(value: FieldValue, view: SampleView) -> list[str]:
    field = view.spec.output_schema.get(value.field)
    if field is None or value.origin != "page":
        return []
    return [as_shown(one) for one in _items(value, field)]


def _items(value: FieldValue | None, field: OutputField) -> list[object]:
    if value is None or value.state != "value" or base_type(field.type) != "array":
        return []
    return cast("list[object]", value.value) if isinstance(value.value, list) else []


def _form(item: object) -> str:
    return fold(as_shown(item))
