"""The way through the rows of a record that go on: the part around them is scrolled, and their own pager turned.

What a page shows is kept (`SaveProgress`) before it is left, with the values of the record, so that each cell has the
page that shows it. Whether the rows are all is not decided here: the proof of a list says so, on the last page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from services.planner.drivers.rules.row_fields import RowsRead, changes_place, steps_since_kept
from services.planner.judge.list_proof import visited_addresses
from services.planner.judge.rows.reported import finder_cells
from services.planner.state.attempt_state import Act, ObserveAgain, SampleView
from services.planner.state.common_decisions import by_rule, observe_later
from services.planner.state.irreversible_steps import irreversible_steps
from services.planner.state.limits import steps_left
from shared.contracts.actions import AnyAction, ByRef, Click, Goto, SaveProgress, Scroll
from shared.contracts.browser_pool import PageObserved
from shared.contracts.planner import BY_RULE
from shared.contracts.steps import FieldValue, ValueCandidate
from shared.pages.identity.identity import PageRead
from shared.pages.identity.own_pager import own_control
from shared.pages.lists.list_states import parts_around
from shared.pages.read.fields import FieldFound, value_source
from shared.task.row_values import expected_identity
from shared.text.normal import fold

MOST_TURNS, MOST_SCROLLS = 100, 150
SHARE_OF_PART = 0.7
"""Of the height of a part that scrolls: rows that are drawn only in sight are seen twice rather than left out."""
LEAST_SCROLL_PX = 400
LEAST_STEPS_LEFT = 3
"""To keep a page, to leave it, and to end."""


def has_begun(view: SampleView) -> bool:
    """Return whether rows of a page were kept, so that the record has been read and only its rows go on."""
    return bool(steps_since_kept(view))


def goes_on(view: SampleView, page: PageObserved, rows: Mapping[str, RowsRead]) -> frozenset[str]:
    """Return the fields of which more can be had."""
    return frozenset(name for name, one in rows.items() if _way_on(view, page, one) is not None)


def next_action(
    view: SampleView, page: PageObserved, rows: Mapping[str, RowsRead], seen: Iterable[FieldValue]
) -> Act | ObserveAgain | None:
    """Return what brings more rows, or keeps those of this page first; None: there is nothing more to be had."""
    ways = {name: way for name, one in rows.items() if (way := _way_on(view, page, one)) is not None}
    if not ways and not has_begun(view):
        return None
    later = _await_change(view, rows)
    if later is not None:
        return later
    for name, way in ways.items():
        goes_up = isinstance(way, Scroll) and way.direction == "up"
        if goes_up or not rows[name].new:
            return by_rule(way)
        return by_rule(_keep(view, name, rows, seen))
    return None


def contradicted(view: SampleView, page: PageObserved, read: PageRead) -> tuple[FieldValue, ...]:
    """Return the fields of the record of which a later page of its rows shows something else, each open with both."""
    found: list[FieldValue] = []
    for name, value in view.state.seen.items():
        reading = read.readings.get(name)
        if value.rows or name in view.spec.identity or not isinstance(reading, FieldFound) or value.state != "value":
            continue
        shown = reading.candidate.shown
        if shown and fold(shown) != fold(value.shown or ""):
            own = ValueCandidate(shown=value.shown or "", source=value.source)
            other = ValueCandidate(shown=shown, source=value_source(reading.candidate.element, page, shown))
            found.append(FieldValue(field=name, state="not_found", candidates=(own, other)))
    return tuple(found)


def _await_change(view: SampleView, rows: Mapping[str, RowsRead]) -> ObserveAgain | None:
    """Look again at a page that was turned to: until it shows a new row, and once more for those that come late."""
    moved = any(map(changes_place, steps_since_kept(view)))
    if not has_begun(view):
        return observe_later(view, looks=1)
    if not moved:
        return None
    return observe_later(view, looks=1) if any(one.new for one in rows.values()) else observe_later(view)


def _keep(view: SampleView, name: str, rows: Mapping[str, RowsRead], seen: Iterable[FieldValue]) -> SaveProgress:
    """Return the step that keeps what this page shows; the first one also the values of the record."""
    fresh = {field: [dict(finder_cells(row)) for row in one.new] for field, one in rows.items() if one.new}
    others = [value for value in seen if not value.rows and not has_begun(view) and value.field not in rows]
    return SaveProgress(
        values={**{one.field: one.value for one in others if one.state == "value"}, **fresh},
        not_present={one.field: one.shown or "" for one in others if one.state == "not_present"},
        reason=f"{len(rows[name].new)} rows of {name} stand here, and their list goes on.",
    )


# --- the ways


def _way_on(view: SampleView, page: PageObserved, one: RowsRead) -> Goto | Click | Scroll | None:
    """Return what shows more rows; None if nothing does, or the bounds are reached."""
    if not one.last or one.ends or irreversible_steps(view) or steps_left(view) <= LEAST_STEPS_LEFT:
        return None
    return next(_ways(view, page, one), None)


def _ways(view: SampleView, page: PageObserved, one: RowsRead) -> Iterator[Goto | Click | Scroll]:
    of_one_page = view.spec.output_schema[one.value.field].pages == "first"
    own = [entry for entry in view.state.history if changes_place(entry) and entry.decided_by == BY_RULE]
    scrolls = sum(isinstance(entry.action, Scroll) for entry in own)
    parts = parts_around(page, one.scroller)
    target = ByRef(ref=_head_of_last(page, one), snapshot_id=page.snapshot_id)
    if scrolls < MOST_SCROLLS:
        hidden = next((part for part in parts if part.y_px > 1), None)
        if hidden is not None and not isinstance(_last_move(view), Scroll):
            reason = "The part with the rows is not at its top."
            yield Scroll(direction="up", amount_px=int(hidden.y_px) + 1, target=target, reason=reason)
        part = next((part for part in parts if part.y_px < part.max_y_px - 1), None)
        if part is not None:
            amount_px = max(1, int(max(SHARE_OF_PART * part.height_px, one.end_px - part.top_px)))
            reason = "The rows go on below, in the part that scrolls by itself."
            yield Scroll(direction="down", amount_px=amount_px, target=target, reason=reason)
        elif not parts and not of_one_page and _is_below(page, one):
            amount_px = max(LEAST_SCROLL_PX, int(one.end_px - page.scroll_y_px))
            yield Scroll(direction="down", amount_px=amount_px, reason="More rows may come where the last one is seen.")
    if one.value.lacking and not of_one_page and len(own) - scrolls < MOST_TURNS and not _was_turned_in_vain(view, one):
        kept = frozenset(expected_identity(view.spec, view.sample).values())
        control = own_control(page, one.first, one.last, visited_addresses(view.state), kept)
        if control is not None and control.url is not None:
            yield Goto(url=control.url, reason=f"{control.element.name!r} leads to the next page of the rows.")
        elif control is not None:
            target = ByRef(ref=control.element.ref, snapshot_id=page.snapshot_id)
            yield Click(target=target, reason=f"{control.element.name!r} brings more of the rows.")


def _head_of_last(page: PageObserved, one: RowsRead) -> int:
    """Return the first element of the last row: its others may be equal to those of other rows."""
    last = next((element for element in page.elements if element.ref == one.last), None)
    if last is None or last.row is None:
        return one.last
    return next(e.ref for e in page.elements if (e.frame, e.row) == (last.frame, last.row) and e.role != "row")


def _is_below(page: PageObserved, one: RowsRead) -> bool:
    """Return whether the last row is not seen yet, and the page can be scrolled to it."""
    last = next((element for element in page.elements if element.ref == one.last), None)
    return last is not None and not last.in_viewport and page.scroll_y_px < page.scroll_max_y_px - 1


def _was_turned_in_vain(view: SampleView, one: RowsRead) -> bool:
    """Return whether the list was turned since rows were kept, and has brought no new one."""
    moves = [entry.action for entry in steps_since_kept(view) if changes_place(entry)]
    return not one.new and any(isinstance(move, Goto | Click) for move in moves)


def _last_move(view: SampleView) -> AnyAction | None:
    return next((entry.action for entry in reversed(view.state.history) if changes_place(entry)), None)
