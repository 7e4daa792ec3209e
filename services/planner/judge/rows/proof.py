"""Whether the rows of a record are all that its pages have: the proof of a list, asked of the part around them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from msgspec.structs import replace as replace_part

from services.planner.judge.list_proof import list_gaps
from services.planner.page.text import is_heading
from services.planner.state.attempt_state import Entry, SampleView
from shared.contracts.actions import ReportItems
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import RowValue
from shared.flows.page_elements import text_of
from shared.task.output_field import OutputField
from shared.text.normal import quoted


def what_is_lacking(
    view: SampleView, field: OutputField, rows: Sequence[RowValue], here: Collection[int], unreported: Sequence[Element]
) -> str:
    """Return why these may not be all rows, by the page that is shown; empty: nothing speaks for more.

    `here`: the elements of the page that stand in the rows. `unreported`: what begins other rows of the same list.
    """
    if view.page is None:
        return ""
    if unreported:
        first = quoted(text_of(unreported[0]), 40)
        return f"{len(unreported)} rows of the same list were not reported, from {first} on"
    page = _around(view.page, here)
    cells = [cell for row in rows[-1:] for cell in row.cells if cell.state == "value" and cell.value is not None]
    entry = Entry(ReportItems(items=({cell.field: cell.value for cell in cells},) if cells else ()), None, "")
    entry = replace(entry, url=view.page.url)
    of_rows = {"output_schema": dict(field.columns), "pagination": None, "expected_items": None, "limit": None}
    asked = replace(
        view,
        spec=view.spec.model_copy(update=of_rows),
        page=page,
        state=replace(
            view.state, listed=frozenset(map(str, range(len(rows)))), history=(*view.state.history, entry), counts=()
        ),
    )
    return "; ".join(problem.text for problem in list_gaps(asked))


def _around(page: PageObserved, here: Collection[int]) -> PageObserved:
    """Return the page with no more than the part in which the rows stand: from the heading before them to the next one
    behind. What turns another list of the page, or counts it, says nothing of these rows."""
    at = [number for number, element in enumerate(page.elements) if element.ref in here]
    if not at:
        return page
    heads = [number for number, element in enumerate(page.elements) if is_heading(element)]
    start = max((one for one in heads if one <= at[0]), default=0)
    end = min((one for one in heads if one > at[-1]), default=len(page.elements))
    return replace_part(page, elements=page.elements[start:end])
