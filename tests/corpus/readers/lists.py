"""What the list reader says of a page: its items, what leads on, and whether the list is proven complete with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from services.planner.drivers.rules.decide_listing import decide
from services.planner.judge.list_proof import list_gaps
from services.planner.judge.listed_items import check_items
from services.planner.state.attempt_state import Act, AttemptState, Entry, SampleView
from services.planner.state.transitions import item_key
from shared.contracts.actions import Click, Done, Fail, Goto, ReportItems, Screenshot
from shared.contracts.browser_pool import PageObserved
from shared.contracts.discovery import Sample
from shared.pages.listing.list_reader import read_list
from shared.pages.lists.counts import read_counts
from shared.pages.lists.paging import without_pagers
from shared.task.spec import TaskSpec
from shared.task.typed_values import as_shown
from tests.corpus.readers.asking import told_element
from tests.corpus.readers.values import MANY_LOOKS
from tests.corpus.rows import Row

MOST_ITEMS = 12
"""Items that are written one by one; of more, the first and the last are."""


def list_rows(reader: str, spec: TaskSpec, sample: Sample, page: PageObserved) -> list[Row]:
    """Return the items of the page, the next step, and why the list is not complete with them."""
    read = read_list(spec, without_pagers(page, spec.next_page_words))
    state = _read_state(spec, sample, page, read.items, read.place)
    view = SampleView(spec, sample, state, page)
    told = [_told_item(item) for item in read.items]
    shown = [*told[: MOST_ITEMS - 1], "...", told[-1]] if len(told) > MOST_ITEMS else told
    rows = [Row(reader, "items", "doubt" if read.doubt else "items", str(len(told)), doubt=read.doubt)]
    rows += [Row(reader, f"item {at}", "value", text) for at, text in enumerate(shown, 1)]
    counts = [f"{one.text}" for one in read_counts(page)]
    rows += [Row(reader, "counts", "value", " | ".join(counts))] if counts else []
    gaps = list_gaps(view)
    rows.append(Row(reader, "complete", "doubt" if gaps else "complete", doubt=" | ".join(one.message for one in gaps)))
    rows.append(Row(reader, "then", _told_step(view, page)))
    return rows


def _read_state(
    spec: TaskSpec, sample: Sample, page: PageObserved, items: tuple[dict[str, Any], ...], place: str
) -> AttemptState:
    """Return the state after the items of this page were reported."""
    opened = Entry(Goto(url=page.url), None, "", url=page.url)
    empty = SampleView(spec, sample, AttemptState(history=(opened,)), page)
    action = ReportItems(items=items, place=place)
    new = check_items(empty, action).new if items else ()
    report = (Entry(action, None, "", url=page.url, new_items=len(new)),) if new else ()
    return AttemptState(
        history=(opened, *report),
        steps=1 + len(report),
        looks=MANY_LOOKS,
        listed=frozenset(item_key(item) for item in new),
        listed_pages=len(report),
        counts=read_counts(page),
    )


def _told_item(item: dict[str, Any]) -> str:
    return " | ".join(_told_value(name, value) for name, value in item.items())


def _told_value(name: str, value: object) -> str:
    text = as_shown(value)
    if not text.startswith("http"):
        return text
    parts = urlsplit(text)
    return f"{parts.path}{'?' if parts.query else ''}{parts.query}"


def _told_step(view: SampleView, page: PageObserved) -> str:
    decision = decide(view)
    if isinstance(decision, Act) and isinstance(decision.action, Screenshot):
        pictured = Entry(decision.action, None, "", url=page.url)
        decision = decide(replace(view, state=replace(view.state, history=(*view.state.history, pictured))))
    if not isinstance(decision, Act):
        return "waits"
    action = decision.action
    match action:
        case Done():
            return "ends"
        case Fail():
            return f"fails {action.code}"
        case Goto():
            return f"goes to {_told_value('url', action.url)}"
        case Click():
            element = next((one for one in page.elements if one.ref == getattr(action.target, "ref", 0)), None)
            return f"presses {told_element(element)}"
        case _:
            return type(action).__name__.lower()
