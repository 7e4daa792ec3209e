"""The driver for finding samples without a model: read the page, report new items, turn the page, until nothing is
new.

A turned page counts only once it shows something else: another item, or none. All is bounded by the steps of the task,
to which each page with new items adds a few.
"""

from __future__ import annotations

from collections.abc import Iterator

from services.planner.judge.list_proof import has_enough, steps_since_gain, visited_addresses
from services.planner.judge.listed_items import check_items, same_address
from services.planner.judge.record_checks import missing_artifacts, to_kind_and_label
from services.planner.state.attempt_state import Act, Decision, ObserveAgain, SampleView
from services.planner.state.common_decisions import (
    LOGIN,
    by_rule,
    dismiss_dialog,
    fail_with_screenshot,
    observe_later,
    observe_more,
    start_page_decision,
)
from services.planner.state.limits import is_last_step
from shared.contracts.actions import ByRef, Click, Done, Fail, Goto, ReportItems, Screenshot, Scroll
from shared.contracts.browser_pool import PageObserved
from shared.contracts.steps import Note, plain_note
from shared.flows.waiting import ALL_LOOKS, PAUSES_S
from shared.login_walls import login_wall_words
from shared.pages.elements import may_show_no_choice, says_not_found
from shared.pages.listing.list_reader import ListRead, read_list
from shared.pages.lists.counts import read_counts
from shared.pages.lists.list_states import MANY_ROWS, empty_words, parts_around, shown_rows
from shared.pages.lists.lists import is_address
from shared.pages.lists.paging import PagingControl, next_page_control, without_pagers
from shared.pages.loading import find_loading_sign
from shared.text.normal import fold

MAX_PRESSES = 2
MAX_RELOADS = 2
LEAST_SCROLL_PX = 400
SHARE_OF_PART = 0.7
"""Of the height of a part that scrolls: rows that are drawn only in sight are seen twice rather than left out."""
UNFILTERED = frozenset({"all", "any", "-", "alle", "tous", "todos", "everything", "all statuses"})
"""Chosen in a filter, they leave nothing out."""
MAY_PASS = (429, 500, 502, 503, 504)


def decide(view: SampleView) -> Decision:
    """Return the next action. It never waits, and ends in Done or Fail."""
    first = start_page_decision(view)
    if first is not None or view.page is None:
        return first or by_rule(Fail(code="unreachable", note="there is no page to look at"))
    page = view.page
    clicks = sum(isinstance(e.action, Click) for e in steps_since_gain(view.state))
    in_the_way = _error(view, page) or dismiss_dialog(view, page, clicks) or observe_more(view, page)
    in_the_way = in_the_way or _await_answers(view, page)
    if in_the_way is not None:
        return in_the_way
    read = read_list(view.spec, without_pagers(page, view.spec.next_page_words), _place(view))
    top = _from_the_top(view, page, read)
    waits = top or _report(view, read) or _wait_for_items(view, page, read) or _doubt(view, page, read)
    return waits or _next_page(view, page, read)


# --- before reading


def _error(view: SampleView, page: PageObserved) -> Act | ObserveAgain | None:
    """A page that answers with an error is not the end of the list."""
    status = page.http_status
    if status in LOGIN:
        return fail_with_screenshot(view, Fail(code="auth_required", note=f"{page.url} answers with HTTP {status}"))
    if status is None or status < 400:
        return None
    again = sum(isinstance(e.action, Goto) and e.action.url == page.url for e in steps_since_gain(view.state))
    if status in MAY_PASS and again < MAX_RELOADS:
        return by_rule(Goto(url=page.url, reason=f"The page answered with HTTP {status}; once more."))
    return fail_with_screenshot(view, Fail(code="http_error", note=f"{page.url} answers with HTTP {status}"))


def _await_answers(view: SampleView, page: PageObserved) -> Act | ObserveAgain | None:
    """What a page shows while its own request is not answered may stand in for the items."""
    if not page.awaited:
        return None
    sign = f"{page.url} {find_loading_sign(page)}"
    return observe_later(view) or fail_with_screenshot(view, Fail(code="still_loading", note=sign))


def _place(view: SampleView) -> str:
    """Return the place of the list when it was last read."""
    reports = [e.action for e in view.state.history if isinstance(e.action, ReportItems)]
    return reports[-1].place if reports else ""


# --- reading


def _unread_rows(view: SampleView, page: PageObserved, read: ListRead) -> str:
    """Return what is wrong with a later page whose rows are not read as items; empty if nothing is."""
    rows = shown_rows(page) if view.state.listed and not read.items else 0
    return f"{page.url} shows {rows} rows, and no item was read from them" if rows >= MANY_ROWS else ""


def _report(view: SampleView, read: ListRead) -> Act | None:
    said = f"{len(read.items)} items stand on this page."
    action = ReportItems(items=read.items, place=read.place, addresses=read.addresses, reason=said)
    listed = check_items(view, action)
    return by_rule(action) if listed.new else None


def _wait_for_items(view: SampleView, page: PageObserved, read: ListRead) -> Act | ObserveAgain | None:
    """Nothing is new: the items may still load, may need a login, or the list may not exist."""
    just_reported = view.state.last is not None and isinstance(view.state.last.action, ReportItems | Screenshot)
    if just_reported and view.state.listed:
        return None
    done = view.state.looks
    if done < ALL_LOOKS and not (read.items and not _turned(view)):
        return ObserveAgain(PAUSES_S[done], view.state.max_tokens)
    asked = "" if read.items else login_wall_words(page)
    if asked:
        return fail_with_screenshot(view, Fail(code="auth_required", note=f"{page.url} {asked}"))
    words = says_not_found(page, tuple(view.spec.not_found_texts)) if not view.state.listed else None
    if words is not None and view.spec.not_found_texts:
        return fail_with_screenshot(view, Fail(code="not_found", note=f"the page says: {words}"))
    return None


def _doubt(view: SampleView, page: PageObserved, read: ListRead) -> Act | ObserveAgain | None:
    """What is not certain goes to a person, once the page has had time to show all of it."""
    doubt = read.doubt or _unread_rows(view, page, read)
    if not doubt or list_end_reason(view) is not None:
        return None
    if view.state.looks < ALL_LOOKS:
        return ObserveAgain(PAUSES_S[view.state.looks], view.state.max_tokens)
    return fail_with_screenshot(view, Fail(code="uncertain_list", note=doubt))


# --- turning the page


def _next_page(view: SampleView, page: PageObserved, read: ListRead) -> Act:
    picture = _picture(view)
    if picture is not None:
        return picture
    over = list_end_reason(view)
    if over is not None:
        return _end(view, over)
    if view.spec.pagination is False and view.state.listed:
        return _end(view, "the task asks for one page")
    further = _further_in_part(view, page, read)
    if further is not None:
        return further
    control = next_page_control(page, read.last, visited_addresses(view.state), view.spec.next_page_words)
    turned = _turned(view)
    if isinstance(turned, Goto):
        return _end(view, _nothing_new(read))
    if control is None and turned is None and not view.state.listed:
        return _scroll(view, page, read) or _unread(view, page, read) or _end(view, "no page showed an item")
    if control is None:
        return _scroll(view, page, read) or _end(
            view, "nothing leads on from here" if turned is None else _nothing_new(read)
        )
    presses = sum(isinstance(e.action, Click) for e in steps_since_gain(view.state))
    if control.url is None and presses >= MAX_PRESSES:
        note = f"{control.element.name!r} brought nothing new when it was pressed, {presses} times; it is still there"
        return _end(view, note, (plain_note(note),))
    return _turn(view, page, control)


def list_end_reason(view: SampleView) -> str | None:
    """Return why the list counts as read; None: it does not yet."""
    limit, found = view.spec.limit, len(view.state.listed)
    if limit is not None and found >= limit:
        return f"the first {limit} items are listed, as many as the task asks for"
    if has_enough(view):
        return f"all {found} items that were expected have been found"
    reports = [e for e in view.state.history if isinstance(e.action, ReportItems) and not e.refused]
    if len(reports) >= 2 and not any(e.new_items for e in reports[-2:]):
        return "two pages in a row showed nothing new"
    return None


def _nothing_new(read: ListRead) -> str:
    return "the page after the last shows only what was known" if read.items else "the page after the last is empty"


def _turn(view: SampleView, page: PageObserved, control: PagingControl) -> Act:
    name = control.element.name
    if control.url is not None:
        if same_address(control.url) in visited_addresses(view.state):
            return _end(view, f"{name!r} leads back to a page that was read already")
        return by_rule(Goto(url=control.url, reason=f"{name!r} leads to the next page of the list."))
    target = ByRef(ref=control.element.ref, snapshot_id=page.snapshot_id)
    return by_rule(Click(target=target, reason=f"{name!r} brings more of the list."))


def _from_the_top(view: SampleView, page: PageObserved, read: ListRead) -> Act | None:
    """Scroll the part that holds the list to its top, if it is further down: its first rows may not be drawn."""
    part = next((one for one in parts_around(page, read.scroller) if one.y_px > 1), None)
    moves = [e.action for e in view.state.history if isinstance(e.action, Goto | Click | Scroll) and not e.refused]
    if part is None or not read.items or isinstance(moves[-1] if moves else None, Scroll):
        return None
    reason = "The part with the list is not at its top."
    return by_rule(Scroll(direction="up", amount_px=int(part.y_px) + 1, target=_last_of(page, read), reason=reason))


def _further_in_part(view: SampleView, page: PageObserved, read: ListRead) -> Act | None:
    """Scroll the part that holds the list, so that its last item comes to its top and no row is left out."""
    part = next((one for one in parts_around(page, read.scroller) if one.y_px < one.max_y_px - 1), None)
    if part is None or not read.items:
        return None
    amount_px = max(SHARE_OF_PART * part.height_px, read.end_px - part.top_px)
    reason = "The list may go on below, in the part that scrolls by itself."
    return by_rule(
        Scroll(direction="down", amount_px=max(1, int(amount_px)), target=_last_of(page, read), reason=reason)
    )


def _last_of(page: PageObserved, read: ListRead) -> ByRef:
    return ByRef(ref=read.last, snapshot_id=page.snapshot_id)


def _scroll(view: SampleView, page: PageObserved, read: ListRead) -> Act | None:
    """Scroll to where the known part of the list ends: far enough to load more, not so far that items are skipped."""
    if page.scroll_y_px >= page.scroll_max_y_px - 1:
        return None
    amount_px = max(LEAST_SCROLL_PX, int(read.end_px - page.scroll_y_px))
    return by_rule(Scroll(direction="down", amount_px=amount_px, reason="The list may go on below."))


def _picture(view: SampleView) -> Act | None:
    """Take one picture of each page with new items, if the task asks for pictures."""
    named = map(to_kind_and_label, view.spec.required_artifacts)
    wanted = next((label for kind, label in named if kind == "screenshot"), None)
    taken = sum(isinstance(e.action, Screenshot) for e in view.state.history)
    if wanted is None or is_last_step(view) or (taken >= view.state.listed_pages and not _lacking(view)):
        return None
    label = wanted or "list"
    name = label if taken == 0 else f"{label}_{taken + 1}"
    return by_rule(Screenshot(label=name, reason="Evidence of what the list shows here."))


def _lacking(view: SampleView) -> bool:
    tried = any(isinstance(e.action, Screenshot) for e in view.state.history)
    return not tried and bool(missing_artifacts(view))


def _unread(view: SampleView, page: PageObserved, read: ListRead) -> Act | None:
    """Something repeats on the page, and it does not say that its list is empty: say what it is, and what it lacks."""
    if not read.lacks or empty_words(page) or any(one.total == 0 and one.kind != "page" for one in read_counts(page)):
        return None
    return fail_with_screenshot(view, Fail(code="uncertain_list", note=f"no item was read: {read.lacks}"))


def _remarks(view: SampleView) -> Iterator[Note]:
    """Yield what a reader of the list should know: that it was filtered, and fields that no item shows."""
    for e in view.page.elements if view.page is not None else ():
        chosen = e.value if e.role in ("combobox", "listbox") and "placeholder" not in e.states else None
        if e.area == "search" and chosen and not may_show_no_choice(e) and fold(chosen) not in UNFILTERED:
            yield plain_note(f"the list is filtered: {e.name or e.header or 'a field'} is {chosen!r}")
    reports = [e.action for e in view.state.history if isinstance(e.action, ReportItems) and not e.refused]
    items = [item for report in reports for item in report.items]
    empty = [name for name in view.spec.output_schema if items and all(item.get(name) is None for item in items)]
    if empty:
        yield plain_note(f"no item shows {', '.join(empty)}")
    has_field = any(is_address(name) for name in view.spec.output_schema)
    if items and not has_field and not any(address for report in reports for address in report.addresses):
        yield plain_note("no item has an address of its own, or which of its links that is is not certain")


def _end(view: SampleView, why: str, notes: tuple[Note, ...] = ()) -> Act:
    act = by_rule(Done(values={}, reason=f"The list has been read: {why}."))
    return Act(act.action, act.decided_by, notes=(*notes, *_remarks(view)))


# --- what was done


def _turned(view: SampleView) -> Goto | Click | Scroll | None:
    """Return the last action that turned the page since items were last reported."""
    moves = [e.action for e in steps_since_gain(view.state) if isinstance(e.action, Goto | Click | Scroll)]
    return moves[-1] if moves and view.state.listed else None
