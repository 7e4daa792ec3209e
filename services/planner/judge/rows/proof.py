"""Whether the rows of a record are all that its pages have: the proof of a list, asked of the part around them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from msgspec.structs import replace as replace_part

from services.planner.judge.list_proof import before_last_turn, list_gaps
from services.planner.state.attempt_state import Entry, SampleView
from shared.contracts.actions import ReportItems
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import FieldValue, RowValue, ShownCount
from shared.field_types import is_rows
from shared.pages.elements import is_heading, text_of, words_of_name
from shared.pages.lists.counts import own_nouns, read_counts, says_own_total
from shared.pages.lists.lists import is_in_noise, same_address
from shared.pages.lists.page_numbers import number_rows
from shared.task.output_field import OutputField
from shared.task.route import words
from shared.text.normal import fold, quoted


def what_is_lacking(
    view: SampleView,
    name: str,
    field: OutputField,
    rows: Sequence[RowValue],
    here: Collection[int],
    unreported: Sequence[Element],
) -> str:
    """Return why these may not be all rows, by the page that is shown; empty: nothing speaks for more.

    `here`: the elements of the page that stand in the rows. `unreported`: what begins other rows of the same list.
    """
    if view.page is None:
        return ""
    if unreported:
        first = quoted(text_of(unreported[0]), 40)
        more = (
            f"{len(unreported)} rows of the same list were" if len(unreported) > 1 else "one row of the same list was"
        )
        return f"{more} not reported, from {first} on"
    asked = _as_list(view, name, field, rows, here)
    if field.pages == "first":
        return _not_the_first(asked, rows) or "; ".join(problem.text for problem in list_gaps(_of_one_page(asked)))
    return _what_goes_on(asked, rows, here)


def what_goes_on(
    view: SampleView, name: str, field: OutputField, rows: Sequence[RowValue], here: Collection[int]
) -> str:
    """Return how the list goes on of which the task asks for the first page only; empty: it does not."""
    if view.page is None or field.pages != "first":
        return ""
    return _what_goes_on(_as_list(view, name, field, rows, here), rows, here)


def _what_goes_on(asked: SampleView, rows: Sequence[RowValue], here: Collection[int]) -> str:
    told = [problem.text for problem in list_gaps(asked)]
    return "; ".join(told or (_signs_of_a_part(asked.page, len(rows), here) if asked.page is not None else ()))


def _of_one_page(asked: SampleView) -> SampleView:
    """Return the list as one that is not turned. What the page declares of its size is that of all its pages."""
    page = asked.page
    elements = tuple(replace_part(one, set_size=0) for one in page.elements) if page is not None else ()
    alone = replace_part(page, elements=elements) if page is not None else None
    return replace(asked, page=alone, spec=asked.spec.model_copy(update={"pagination": False}))


def _not_the_first(asked: SampleView, rows: Sequence[RowValue]) -> str:
    """Return why what is shown is not the first page of the list, where no other page of it was seen."""
    page = asked.page
    if page is None or len({cell.source.url for row in rows for cell in row.cells if cell.source is not None}) > 1:
        return ""
    for one in read_counts(page):
        if (one.kind == "range" and one.first > 1) or (one.kind == "page" and one.page > 1):
            return f"this is not the first page of the list: it says {quoted(one.text)}"
    later = next((row.current for row in number_rows(page) if row.current is not None and row.current > 1), None)
    return f"this is not the first page of the list: {later} is the number of this one" if later is not None else ""


def _as_list(
    view: SampleView, name: str, field: OutputField, rows: Sequence[RowValue], here: Collection[int]
) -> SampleView:
    """Return the part of the page around the rows as the page of a list of its own, with these as its items. What the
    head of the record and the tab of the rows say of their number is a part of it."""
    if view.page is None:
        return view
    page = _around(view.page, here)
    page = replace_part(page, title=" ".join([page.title, words_of_name(name), *field.labels, *words(field.under)]))
    page = replace_part(page, elements=(*_counted_elsewhere(view.page, page), *page.elements))
    cells = [cell for row in rows[-1:] for cell in row.cells if cell.state == "value" and cell.value is not None]
    entry = Entry(ReportItems(items=({cell.field: cell.value for cell in cells},) if cells else ()), None, "")
    entry = replace(entry, url=view.page.url)
    # A page that shows no row of its own was turned to in vain.
    own = {cell.source.url for row in rows for cell in row.cells if cell.source is not None}
    history = view.state.history
    at = len(history) if same_address(page.url) in set(map(same_address, own)) else before_last_turn(history)
    of_rows = {"output_schema": dict(field.columns), "pagination": None, "expected_items": None, "limit": None}
    return replace(
        view,
        spec=view.spec.model_copy(update=of_rows),
        page=page,
        state=replace(
            view.state,
            listed=frozenset(map(str, range(len(rows)))),
            history=(*history[:at], entry, *history[at:]),
            counts=view.state.counts if _has_one_list(view) else (),
        ),
    )


_ALL = re.compile(
    r"^(?:show|view|see|display|load|expand|browse|open)\b.{0,30}\ball\b|^all \d+"
    r"|^alle\b.{0,30}\b(?:anzeigen|ansehen|laden)$"
    r"|^(?:tout|voir|afficher)\b.{0,30}\btou(?:t|s|tes)\b|^(?:ver|mostrar)\b.{0,30}\btod[oa]s?\b"
    r"|^(?:mostra|vedi)\b.{0,30}\btutt[aeio]\b|^(?:toon|bekijk)\b.{0,30}\balle[ns]?\b"
)
_MORE = re.compile(r"(?:^|\band |\+ ?)\d+ more\b|\b(?:und )?\d+ weitere\b|\b\d+ de plus\b|\b\d+ más\b")
_IN_HEADING = re.compile(r"\((?:\d{1,6} ?(?:of|von|de|di|/) ?)?(\d{1,6})\)\s*$|\b\d{1,6} ?(?:of|von|/) ?(\d{1,6})\b")
_PRESSED = frozenset({"link", "button", "tab", "option", "menuitem"})
_ARROWS = frozenset({"›", "→", ">", "❯", "▶", "⟩", "»"})


def _signs_of_a_part(page: PageObserved, rows: int, here: Collection[int]) -> list[str]:
    """Return what tells that a table on the page of a record is only the beginning of a list, as such tables often are:
    a number in its heading, "view all", "2 more", an arrow."""
    for element in (one for one in page.elements if one.ref not in here):
        name = element.name.strip()
        found = _IN_HEADING.search(name) if is_heading(element) or element.role == "caption" else None
        number = next(filter(None, found.groups()), "") if found is not None else ""
        if number and int(number) != rows:
            return [f"{rows} of {number}: the heading says {quoted(name, 60)}"]
        pressed = element.role in ("link", "button") and "disabled" not in element.states
        if (pressed and (name in _ARROWS or _ALL.search(fold(name)))) or _MORE.search(fold(name)):
            return [f"{quoted(name, 60)} stands beside the rows, which may not be all"]
    return []


def counts_beside(view: SampleView, values: Sequence[FieldValue]) -> tuple[ShownCount, ...]:
    """Return what this page says of the number of the rows, where the task asks for one list of them only: a later page
    need not repeat it."""
    asked = view.spec.output_schema
    value = next((one for one in values if one.rows and one.field in asked), None)
    if view.page is None or value is None or not _has_one_list(view):
        return ()
    sources = [cell.source for row in value.rows for cell in row.cells if cell.source is not None]
    here = {one.ref for one in sources if one.snapshot_id == view.page.snapshot_id}
    part = _as_list(view, value.field, asked[value.field], value.rows, here).page
    return read_counts(part) if here and part is not None else ()


def _has_one_list(view: SampleView) -> bool:
    return sum(is_rows(field.type) for field in view.spec.output_schema.values()) == 1


def _counted_elsewhere(page: PageObserved, part: PageObserved) -> list[Element]:
    """Return what counts the rows outside of their part, by its own words: a fact in the head of the record, before any
    heading but its title; the tab that is chosen, and the badge of a heading."""
    nouns, own = own_nouns(part), {element.ref for element in part.elements}
    heads = [at for at, element in enumerate(page.elements) if is_heading(element)]
    end = heads[1] if len(heads) > 1 else 0
    facts = [e for e in page.elements[:end] if e.ref not in own and e.row is None and e.role not in _PRESSED]
    named = [
        e for e in page.elements if (e.role == "tab" and "selected" in e.states) or (is_heading(e) and e.ref in own)
    ]
    badges = [replace_part(e, role="text", tag="span", level=None, name=_with_badge(e)) for e in named]
    return [e for e in (*facts, *badges) if not is_in_noise(e) and says_own_total(e, nouns)]


def _with_badge(element: Element) -> str:
    """Return the name of a tab or heading with its badge in parentheses, where that is a number."""
    texts = [part.text.strip("() ") for part in element.parts]
    return f"{' '.join(texts[:-1])} ({texts[-1]})" if len(texts) > 1 and texts[-1].isdecimal() else element.name


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
