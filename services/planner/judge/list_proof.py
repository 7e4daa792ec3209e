"""Whether a list was read completely: no way on is left, and all counts that its pages show agree with what was listed.

What is not proven goes to a person, with the reason and the page's own number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urljoin

from services.planner.judge.listed_items import PageLookup
from services.planner.state.attempt_state import AttemptState, Entry, SampleProblem, SampleView
from shared.contracts.actions import Click, Goto, ReportItems
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import BY_RULE
from shared.contracts.steps import ShownCount
from shared.pages.lists.counts import read_counts
from shared.pages.lists.list_states import (
    MANY_ROWS,
    empty_words,
    end_words,
    loading_words,
    parts_around,
    shown_rows,
)
from shared.pages.lists.lists import is_address, same_address
from shared.pages.lists.page_numbers import chosen_page, number_rows
from shared.pages.lists.paging import PagingControl, address_behind, is_paging_label, next_page_control, ways_on
from shared.text.normal import quoted

ROUGHLY = 0.9
"""Of a number that a page calls approximate, so much must have been listed."""


def list_gaps(view: SampleView) -> tuple[SampleProblem, ...]:
    """Return why the list is not proven to be complete; empty: it is."""
    found, page = len(view.state.listed), view.page
    if page is None or has_enough(view):
        return ()
    counts = read_counts(page)
    gaps = list(_unread_parts(page))
    if view.spec.pagination is not False:
        gaps = [*_missing_entries(view.state, counts, found), *gaps]
        gaps += [] if _shows_end(counts, found) else [*_beyond_the_last(view, page, counts), *_ways_on(view, page)]
    if found and not _counted_exactly(view.state, counts):
        gaps += _rows_out_of_sight(view, page, found)
    if found == 0:
        gaps += _unproven_emptiness(page, counts)
    return tuple(gaps)


def has_enough(view: SampleView) -> bool:
    """Return whether as many items were found as the task expects, or as it asks for at most."""
    wanted = [number for number in (view.spec.expected_items, view.spec.limit) if number is not None]
    return any(len(view.state.listed) >= number for number in wanted)


def counted_items(state: AttemptState, page: PageObserved | None) -> int | None:
    """Return how many items the list has by the page's own count; None if no page shows a sure one."""
    counts = _totals((read_counts(page) if page is not None else ()) or state.counts)
    found = len(state.listed)
    agreeing = next((one.total for one in counts if one.total == found), None)
    return (
        agreeing if agreeing is not None else next((one.total for one in counts if one.firm or one.total > found), None)
    )


def visited_addresses(state: AttemptState) -> frozenset[str]:
    """Return the addresses of all pages that were opened."""
    urls = {e.action.url for e in state.history if isinstance(e.action, Goto)} | {e.url for e in state.history}
    return frozenset(same_address(url) for url in urls if url)


def steps_since_gain(state: AttemptState) -> list[Entry]:
    """Return the steps since items were last reported, or since the list was opened."""
    history = list(state.history)
    reported = [at for at, e in enumerate(history) if isinstance(e.action, ReportItems) and not e.refused]
    return history[reported[-1] + 1 :] if reported else [e for e in history[1:] if e.route is None]


# --- counts


def _missing_entries(state: AttemptState, counts: Sequence[ShownCount], found: int) -> Iterator[SampleProblem]:
    totals = _totals(counts or state.counts)
    if any(one.total == found for one in [one for one in totals if one.firm] or totals):
        return  # a number that may count something else says nothing against a sure one
    for one in totals:
        if one.total > found and not (one.rough and found >= ROUGHLY * one.total):
            yield SampleProblem("incomplete_list", f"{found} of {one.total}: the page says {quoted(one.text)}")
            return
        if one.total < found and one.firm and not one.rough and not _is_size_of_page(one, state):
            text = f"{found} items were listed where the page counts {one.total}: it says {quoted(one.text)}"
            yield SampleProblem("uncertain_list", text)
            return
    before = [one for one in counts if one.kind == "page" and one.page < one.pages]
    if before and not totals:
        yield SampleProblem("incomplete_list", f"the last page that was read says {quoted(before[0].text)}")


def _totals(counts: Sequence[ShownCount]) -> list[ShownCount]:
    return [one for one in counts if one.kind in ("range", "total")]


def _is_size_of_page(count: ShownCount, state: AttemptState) -> bool:
    """Return whether the number is that of the items of one page: "25 results" on each page."""
    reports = [entry.action for entry in state.history if isinstance(entry.action, ReportItems)]
    return count.kind == "total" and any(len(report.items) == count.total for report in reports)


def _shows_end(counts: Sequence[ShownCount], found: int) -> bool:
    """Return whether the page says of itself that it is the last one."""
    ranges = [one for one in counts if one.kind == "range" and not one.rough]
    pages = [one for one in counts if one.kind == "page"]
    if ranges:
        return any(one.total == found and one.last in (one.total, one.total - 1) for one in ranges)
    return bool(pages) and all(one.page == one.pages for one in pages)


# --- what is left


def _unread_parts(page: PageObserved) -> Iterator[SampleProblem]:
    if page.left_out:
        yield SampleProblem("incomplete_list", f"{page.left_out} elements of the last page were not read")
    words = loading_words(page)
    if words:
        yield SampleProblem("incomplete_list", f"the page still says {quoted(words)}")


def _rows_out_of_sight(view: SampleView, page: PageObserved, found: int) -> Iterator[SampleProblem]:
    """Yield what tells of more rows than were read: the part that holds the last item goes on, or its set is larger."""
    ref = _last_item(view, page)
    last = next((e for e in page.elements if e.ref == ref), None)
    if last is None:
        if page.scrollers and not turns_without_gain(view.state):
            text = "a part of the page scrolls by itself, and the last item is not in sight: scroll it to its end"
            yield SampleProblem("incomplete_list", text)
        return
    for part in parts_around(page, last.scroller):
        if part.y_px < part.max_y_px - 1:
            where = f"at {part.y_px:.0f} of {part.max_y_px:.0f} px"
            yield SampleProblem("incomplete_list", f"the part that holds the list scrolls on: it is {where}")
            return
    if _is_drawn_no_further(page, last):
        text = "the part that holds the list is at its end, and shows no row where there is room for one"
        yield SampleProblem("incomplete_list", text)
    size, at = last.set_size, max((e.set_at for e in page.elements if e.set_size == last.set_size), default=0)
    heads = max(1, len({e.row for e in page.elements if e.role == "columnheader" and e.row is not None}))
    rows = size - (heads if last.row is not None else 0)
    if found < rows or 0 < at < size:
        yield SampleProblem("incomplete_list", f"{found} items were listed; the page declares a set of {size}")


def _is_drawn_no_further(page: PageObserved, last: Element) -> bool:
    """Return whether the part around the last item is scrolled to its end and shows nothing there, though a row would
    fit: its rows were not drawn."""
    part, box = next(iter(parts_around(page, last.scroller)), None), last.box
    if part is None or box is None or part.y_px <= 0:
        return False
    inside = [e for e in page.elements if e.scroller == last.scroller and e.box is not None]
    if any(e.box is not None and e.box.y > box.y + box.height for e in inside):
        return False
    tops = sorted({e.box.y for e in inside if e.box is not None and e.role == last.role and e.box.y < box.y})
    row_px = box.y - tops[-1] if tops else box.height
    return part.top_px + part.height_px - (box.y + box.height) >= row_px - 1


def _ways_on(view: SampleView, page: PageObserved) -> Iterator[SampleProblem]:
    """Yield what leads on and was not followed, wherever it stands: what turns a list is not asked alone."""
    visited = visited_addresses(view.state)
    control = next_page_control(page, _last_item(view, page), visited, view.spec.next_page_words)
    leads_back = control is not None and control.url is not None and same_address(control.url) in visited
    followed = control is not None and control.url is not None and bool(turns_without_gain(view.state))
    own = _reported_texts(view.state)
    others = [e for e in ways_on(page, visited) if e.name not in own and urljoin(page.url, e.url or "") not in own]
    if control is not None and not leads_back:
        if not followed:  # the page behind it showed nothing new, which is a problem of its own
            presses = sum(isinstance(e.action, Click) for e in steps_since_gain(view.state))
            yield SampleProblem("incomplete_list", _way_on(control, presses))
    elif others:
        name = quoted(others[0].name or others[0].title or "")
        yield SampleProblem("incomplete_list", f"{name} leads on, and was not followed")
    else:
        yield from _unread_numbers(page, visited)


def _beyond_the_last(view: SampleView, page: PageObserved, counts: Sequence[ShownCount]) -> Iterator[SampleProblem]:
    """Yield a problem where the page behind a way on showed nothing new, and nothing of the list proves its end.

    An error, another page or the first one again brings nothing new either.
    """
    turns, found = turns_without_gain(view.state), len(view.state.listed)
    if not turns or found == 0 or _counted_exactly(view.state, counts or view.state.counts):
        return
    message = next((e.name for e in page.elements if e.role == "alert" and e.name.strip()), "")
    pressed_only = not any(isinstance(entry.action, Goto) for entry in turns)
    if not message and (end_words(page) or (pressed_only and _last_item(view, page))):
        return
    said = f": it says {quoted(message, 80)}" if message else ", and does not say that the list ends"
    yield SampleProblem("incomplete_list", f"the page behind the last one shows no new item{said}")


def turns_without_gain(state: AttemptState) -> list[Entry]:
    """Return the steps by which the list was turned since items were last reported."""
    return [entry for entry in steps_since_gain(state) if _is_turn(entry)]


def before_last_turn(history: Sequence[Entry]) -> int:
    """Return how many steps were taken before the list was turned last; all, if it was not."""
    return next((at for at in reversed(range(len(history))) if _is_turn(history[at])), len(history))


def _is_turn(entry: Entry) -> bool:
    if isinstance(entry.action, Goto):
        return entry.ok and same_address(entry.action.url) != same_address(entry.url)
    if not isinstance(entry.action, Click) or entry.result is None:
        return False
    target, change = entry.result.target, entry.result.change
    moved = same_address(change.url_before) != same_address(change.url_after)
    return moved or entry.decided_by == BY_RULE or (target is not None and is_paging_label(target.name))


def _counted_exactly(state: AttemptState, counts: Sequence[ShownCount]) -> bool:
    """Return whether the list's own count is the number of items that were listed."""
    found = len(state.listed)
    return any(one.total == found and not one.rough and not _is_size_of_page(one, state) for one in _totals(counts))


def _reported_texts(state: AttemptState) -> frozenset[str]:
    reports = [entry.action for entry in state.history if isinstance(entry.action, ReportItems)]
    return frozenset(str(value) for report in reports for item in report.items for value in item.values())


def _last_item(view: SampleView, page: PageObserved) -> int:
    """Return the ref of the last item on the page that was reported; 0 if none of it is shown."""
    reports = [entry.action for entry in view.state.history if isinstance(entry.action, ReportItems)]
    items = next((report.items for report in reversed(reports) if report.items), ())
    shown, refs = PageLookup(page), [0]
    for name, value in items[-1].items() if items else ():
        field = view.spec.output_schema.get(name)
        if field is None or value is None:
            continue
        if is_address(name):
            refs += [element.ref for element in shown.links_to(str(value))[1]]
        else:
            refs += [element.ref for element in shown.elements_showing(field, value)][:1]
    return max(refs)


def _unread_numbers(page: PageObserved, visited: frozenset[str]) -> Iterator[SampleProblem]:
    """Yield a problem for page numbers that lead to other pages, if none of them is known to be the next; and for a
    field in which a page is chosen, unless it is known to be the last."""
    if (chosen := chosen_page(page)) is not None and chosen[1] != chosen[2]:
        field, number, last = chosen
        of = f" of {last}" if last else ""
        yield SampleProblem("incomplete_list", f"{quoted(field.name)} chooses the page of the list: {number}{of}")
        return
    for row in number_rows(page):
        addresses = [address_behind(element, page) for element in row.controls]
        left = [url for url in addresses if url is None or same_address(url) not in visited]
        higher = row.current is not None and row.numbers[-1][0] > row.current
        if left and (row.current is None or higher):
            yield SampleProblem("incomplete_list", f"the page shows page numbers up to {row.numbers[-1][0]}")
            return


def _way_on(control: PagingControl, presses: int) -> str:
    name = quoted(control.element.name or control.element.title or "")
    if control.url is None and presses:
        return f"{name} brought nothing new when it was pressed, and is still there"
    return f"{name} leads on, and was not followed"


def _unproven_emptiness(page: PageObserved, counts: Sequence[ShownCount]) -> Iterator[SampleProblem]:
    rows = shown_rows(page)
    if rows >= MANY_ROWS:
        yield SampleProblem("uncertain_list", f"the page shows {rows} rows, and no item was read from them")
    elif not empty_words(page) and not any(one.total == 0 for one in _totals(counts)):
        yield SampleProblem("unproven_empty", "no item was found, and the page does not say that there is none")
