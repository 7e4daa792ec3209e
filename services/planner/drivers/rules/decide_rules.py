"""The driver without a model: pages of labels and values, tables, forms. No site is known by name.

Order: open the page, close what is over it, follow the route of the task, read the fields, prove that it is the right
record, and only then capture anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from services.planner.drivers.rules import route, row_pages
from services.planner.drivers.rules.absence import is_asked, no_such_record
from services.planner.drivers.rules.route_context import is_on_trail
from services.planner.drivers.rules.row_fields import RowsRead, read_rows
from services.planner.judge.login_page import login_page_words
from services.planner.judge.press_outcome import is_older
from services.planner.judge.record_checks import missing_artifacts, to_kind_and_label
from services.planner.state.attempt_state import Act, Decision, ObserveAgain, SampleView
from services.planner.state.common_decisions import (
    ALL_LOOKS,
    MAX_TRIES,
    by_rule,
    dismiss_dialog,
    fail_with_screenshot,
    observe_later,
    observe_more,
    observe_while_changing,
    scroll_down,
    start_page_decision,
)
from services.planner.state.transitions import with_readings
from shared.contracts.actions import ByRef, Click, Done, Download, Fail, Screenshot
from shared.contracts.browser_pool import PageObserved
from shared.contracts.steps import FieldValue, Note
from shared.login_walls import login_wall_words
from shared.pages.identity.identity import PageRead, read_page
from shared.pages.loading import find_loading_sign
from shared.pages.read.fields import FieldAmbiguous, field_values, told_open
from shared.text.normal import label_form, quoted

NO_ROWS: Mapping[str, RowsRead] = {}


def decide(view: SampleView) -> Decision:
    """Return the next action. It never waits, and ends in Done or Fail within a bounded number of steps."""
    first = start_page_decision(view) or route.missing_columns_decision(view)
    if first is not None or view.page is None:
        return first or by_rule(Fail(code="unreachable", note="there is no page to look at"))
    page, read = view.page, read_page(view.spec, view.sample, view.page)
    if row_pages.has_begun(view):
        return _through_the_rows(view, page, read)
    if view.spec.route:
        return _along_the_route(view, page, read)
    if page.dialog is not None:
        return _unforeseen(view, page.dialog)
    rows = read_rows(view, page)
    seen = _with_rows(field_values(view.spec, read.readings, page), rows)
    decision = _dismiss_overlay(view, page, read)
    decision = decision or (no_such_record(view, page, read) if is_asked(view) else None)
    decision = decision or _finish(view, page, read, seen, rows) or done_decision(seen, page, rows)
    # Values of another record's page must never be kept as this one's.
    return replace(decision, seen=seen if read.proof.state == "proven" else ())


def _unforeseen(view: SampleView, dialog: str) -> Act:
    return fail_with_screenshot(view, Fail(code="off_route", note=f"the page asks {quoted(dialog)}"))


def _through_the_rows(view: SampleView, page: PageObserved, read: PageRead) -> Decision:
    """Go on through the rows of a record that has been read. Of a page that shows another record nothing is kept."""
    if page.dialog is not None:
        return _unforeseen(view, page.dialog)
    if read.proof.state == "mismatch":
        why = f"what leads on from the rows has come to another record: {read.proof.wrong}"
        return observe_later(view, looks=2) or fail_with_screenshot(view, Fail(code="uncertain_list", note=why))
    rows = read_rows(view, page)
    seen = (*row_pages.contradicted(view, page, read), *(one.value for one in rows.values()))
    after = with_readings(view.state, seen)
    decision = (
        _dismiss_overlay(view, page, read)
        or observe_more(view, page)
        or observe_while_changing(view, page)
        or row_pages.next_action(view, page, rows, seen)
        or done_decision(_all_values(view, {**after.doubts, **after.seen}), page, rows)
    )
    return replace(decision, seen=seen)


def _all_values(view: SampleView, found: Mapping[str, FieldValue]) -> tuple[FieldValue, ...]:
    return tuple(found.get(name, FieldValue(field=name, state="not_found")) for name in view.spec.output_schema)


def _along_the_route(view: SampleView, page: PageObserved, read: PageRead) -> Decision:
    """Values of earlier pages count. A page without an identity belongs to the record whose page led to it."""
    if page.dialog is None and not route.needs_dialog(view, page, read):
        cleared = _dismiss_overlay(view, page, read)
        if cleared is not None:
            return cleared
    if not view.state.proven and route.may_say_not_found(view):
        gone = no_such_record(view, page, read)
        if gone is not None:
            return gone
    walked = route.route_decision(view, page, read)
    seen = (*walked.seen, *route.unnamed_readings(view, page, read))
    rows: dict[str, RowsRead] = {}
    if walked.decision is None and is_on_trail(view, read):
        rows = read_rows(view, page)
        seen = (*(one for one in seen if one.field not in rows), *(one.value for one in rows.values()))
    awaits = page.awaits_data or page.awaited
    later = observe_while_changing(view, page) if seen and awaits else None
    if later is not None:  # what was read may be replaced before the route leads on
        return _with(later, seen, ())
    if walked.decision is not None:
        return _with(walked.decision, seen, walked.notes)
    after = with_readings(view.state, seen)
    told = route.told_otherwise(view, page, read)
    if told is not None:
        return _with(told, seen, walked.notes)
    known = {name: value for name, value in after.seen.items() if not is_older(view, value)}
    found = {**after.doubts, **known}
    values = _all_values(view, found)
    decision = _finish(view, page, read, values, rows, known=frozenset(known)) or done_decision(values, page, rows)
    return _with(decision, seen, walked.notes)


def _with_rows(seen: tuple[FieldValue, ...], rows: Mapping[str, RowsRead]) -> tuple[FieldValue, ...]:
    """Return the readings with those of the fields of rows, in the order of the task."""
    return tuple(rows[one.field].value if one.field in rows else one for one in seen)


def _with(decision: Act | ObserveAgain, seen: tuple[FieldValue, ...], notes: tuple[Note, ...]) -> Decision:
    if isinstance(decision, ObserveAgain):
        return replace(decision, seen=seen)
    return replace(decision, seen=seen, notes=(*decision.notes, *notes))


def _finish(
    view: SampleView,
    page: PageObserved,
    read: PageRead,
    seen: tuple[FieldValue, ...],
    rows: Mapping[str, RowsRead],
    known: frozenset[str] = frozenset(),
) -> Act | ObserveAgain | None:
    """Wait until all is read, then check the record, then capture, then go on to further rows. `known`: fields that
    this page need not show."""
    read = replace(read, readings={name: reading for name, reading in read.readings.items() if name not in known})
    own = read.proof.state == "proven" or bool(known)
    further = row_pages.goes_on(view, page, rows) if own else frozenset[str]()
    return (
        _wait_for_fields(view, page, read, seen, further)
        or _wrong_page(view, page, read, seen)
        or observe_while_changing(view, page)
        or missing_artifact_action(view, page, read)
        or (row_pages.next_action(view, page, rows, seen) if further else None)
    )


# --- what lies over the page


def _dismiss_overlay(view: SampleView, page: PageObserved, read: PageRead) -> Act | ObserveAgain | None:
    """Close a banner or a dialog, unless the record itself is in it."""
    tried = sum(isinstance(entry.action, Click) and entry.route is None for entry in view.state.history)
    return None if read.is_in_dialog else dismiss_dialog(view, page, tried)


# --- is all of it there yet


def _wait_for_fields(
    view: SampleView, page: PageObserved, read: PageRead, seen: tuple[FieldValue, ...], further: frozenset[str]
) -> Act | ObserveAgain | None:
    """Observe more of the page, or the same page later, while something needed is missing. `further`: fields of which
    the rest can be had elsewhere."""
    needed = set(view.spec.required_fields) | set(view.spec.identity)
    lacking = {v.field for v in seen if v.lacking} - (frozenset() if page.left_out else further)
    missing = [v.field for v in seen if (v.state == "not_found" and not v.candidates) or v.field in lacking]
    unsure = any(isinstance(r, FieldAmbiguous) for r in read.readings.values()) or read.proof.state == "mismatch"
    more = observe_more(view, page) if missing else None
    if more is not None:
        return more
    if needed & set(missing):
        return observe_later(view, looks=2 if login_wall_words(page) else ALL_LOOKS) or scroll_down(view, page)
    empty = _is_empty(seen)
    if (missing or empty) and find_loading_sign(page):
        return observe_later(view)
    # An empty value may still be loading, so it is read twice.
    return observe_later(view, looks=2) if unsure else observe_later(view, looks=1) if missing or empty else None


def _is_empty(seen: Iterable[FieldValue]) -> bool:
    """Return whether the place of a value is there and shows nothing."""
    return any(v.state == "not_present" and not v.shown and v.source is not None for v in seen)


# --- pages that do not show the record


def _wrong_page(
    view: SampleView, page: PageObserved, read: PageRead, seen: tuple[FieldValue, ...]
) -> Act | ObserveAgain | None:
    asked = login_page_words(view, page, seen)
    if asked:
        return fail_with_screenshot(view, Fail(code="auth_required", note=f"{page.url} {asked}"))
    if read.proof.state == "mismatch":
        return fail_with_screenshot(view, Fail(code="identity_mismatch", note=read.proof.wrong))
    sign = find_loading_sign(page) if _is_empty(seen) or any(v.state == "not_found" for v in seen) else ""
    if sign:
        return fail_with_screenshot(view, Fail(code="still_loading", note=f"{page.url} {sign}"))
    # Where the page leaves open whose record it is, nothing of it is kept.
    doubtful = {name: r.texts for name, r in read.readings.items() if isinstance(r, FieldAmbiguous)}
    is_open = not (read.proof.state == "proven" or view.state.proven) or bool(
        doubtful.keys() & view.spec.identity.keys()
    )
    if doubtful and is_open:
        message = "; ".join(f"{name}: {told_open(texts)}" for name, texts in doubtful.items())
        return fail_with_screenshot(view, Fail(code="ambiguous", note=f"more than one value on the page for {message}"))
    return None


# --- pictures and files that the task asks for, and the end


def missing_artifact_action(view: SampleView, page: PageObserved, read: PageRead) -> Act | None:
    """Return the capture of the next missing artifact, once the record is proven."""
    if read.proof.state != "proven":
        return None
    for wanted in missing_artifacts(view):
        kind, label = to_kind_and_label(wanted)
        action = _screenshot(view, label) if kind == "screenshot" else _download(page, label)
        if action is not None and _tries(view, action) < MAX_TRIES:
            return by_rule(action)
    return None


def _screenshot(view: SampleView, label: str) -> Screenshot:
    return Screenshot(label=label or view.spec.task_id or "page", reason="The task asks for a picture of the record.")


def _download(page: PageObserved, label: str) -> Download | None:
    """Return the download by the one link or button with the file's name."""
    name = label_form(label.replace("_", " ")) or "download"
    links = [e for e in page.elements if e.role in ("link", "button") and not e.in_dialog]
    fitting = [e for e in links if label_form(e.name) == name] or [e for e in links if name in label_form(e.name)]
    if len(fitting) != 1:
        return None
    target = ByRef(ref=fitting[0].ref, snapshot_id=page.snapshot_id)
    return Download(target=target, label=label or "download", reason="The task asks for this file.")


def _tries(view: SampleView, action: Screenshot | Download) -> int:
    return sum(isinstance(e.action, type(action)) and e.action.label == action.label for e in view.state.history)


def done_decision(seen: Iterable[FieldValue], page: PageObserved, rows: Mapping[str, RowsRead] = NO_ROWS) -> Act:
    """Return the end of the work. A ref is given only for values of elements of the current page."""
    values = tuple(seen)
    here = [v for v in values if v.source is not None and v.source.ref and v.source.snapshot_id == page.snapshot_id]
    ended = by_rule(
        Done(
            values={v.field: v.value for v in values if v.state == "value"},
            not_present={v.field: v.shown or "" for v in values if v.state == "not_present"},
            refs={v.field: v.source.ref for v in here if v.source is not None},
            reason="Every field the page shows has been read.",
        )
    )
    return replace(ended, notes=tuple(note for one in rows.values() for note in one.notes))
