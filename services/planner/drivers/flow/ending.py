"""How a sample ends whose flow has returned or stopped: its fields are reported, and the gates check them; what they
refuse, and where the flow stopped, the run's own driver works on. After an irreversible press a person does. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from services.planner.drivers.decide_workflow import find_refs, reported_fields
from services.planner.drivers.flow.absent_record import absent_record
from services.planner.drivers.flow.flow_rows import is_as_read
from services.planner.drivers.flow.label_readings import left_between, shows_same
from services.planner.drivers.handing_over import HandedOver
from services.planner.drivers.rules.decide_rules import decide as decide_by_rules
from services.planner.drivers.rules.decide_rules import missing_artifact_action
from services.planner.drivers.rules.row_fields import read_rows
from services.planner.judge.login_page import login_page_words
from services.planner.judge.reported_values import is_same_value
from services.planner.state.attempt_state import Act, ObserveAgain, SampleView
from services.planner.state.common_decisions import by_rule, ends_by_page, fail_with_screenshot
from services.planner.state.irreversible_steps import flow_presses
from shared.actions.table import changes_page
from shared.contracts.actions import Done, Fail, Goto
from shared.contracts.browser_pool import PageObserved
from shared.contracts.planner import BY_FLOW, DriverName
from shared.contracts.steps import FieldValue, FlowPlace, plain_note
from shared.contracts.workflows.flows import FlowError, ReadFields
from shared.field_types import is_rows
from shared.flows.answering import FlowContext, readings_of
from shared.flows.reading import LocatedReading, candidates_text
from shared.pages.identity.identity import read_page
from shared.pages.read.fields import field_values
from shared.task.output_field import OutputField
from shared.task.row_values import start_url
from shared.task.typed_values import as_shown, is_not_present
from shared.text.normal import fold, quoted

NOT_BROUGHT = "the flow was published without it, as whoever did that has accepted"


@dataclass(frozen=True)
class FlowResult:
    """What a flow has come to. ``stopped``: why, for people; empty: it returned. ``error``: of the last call, where it
    stopped at one. ``at``: where in its source it was last. ``left``: fields that it has left to a model.
    ``may_be_found``: what it stopped for lacks may be found by the next driver. ``given_up``: fields that it does
    not read, as a person has accepted. ``said_before``, ``proven``: as for `absent_record`."""

    name: str
    values: Mapping[str, Any]
    at: FlowPlace | None
    stopped: str = ""
    error: FlowError | None = None
    left: tuple[str, ...] = ()
    may_be_found: bool = False
    given_up: tuple[str, ...] = ()
    said_before: frozenset[str] = frozenset()
    proven: bool = False


def ending_of_flow(
    view: SampleView, result: FlowResult, followed_by: Sequence[DriverName]
) -> Act | ObserveAgain | HandedOver:
    """Return the next action after a flow has ended, or that the next driver is to decide.

    Where the page says that there is no such record, the sample ends so: no driver begins anew to learn the same.

    What a flow has left to a model, a driver without one does not find either: the sample ends with what there is.
    So it does where nobody follows, and where two readings of a field differ, which a person settles.
    """
    if result.stopped:
        return _after_stop(view, result)
    refused = any(isinstance(entry.action, Done) and entry.decided_by == BY_FLOW for entry in view.state.history)
    ends_so = not followed_by or (bool(result.left) and "model" not in followed_by) or _is_for_a_person(view)
    if refused and not ends_so and not flow_presses(view):
        return HandedOver(plain_note(f"what the flow {result.name} returned was not accepted"))
    found = reported_fields(dict(result.values), view.spec.output_schema)
    if view.page is None or not (found or view.state.seen):
        return _given_up(view, result, f"the flow {result.name} returned no field of the task")
    read = read_page(view.spec, view.sample, view.page)
    capture = missing_artifact_action(view, view.page, read)
    if capture is not None:
        return replace(capture, decided_by=BY_FLOW, flow=result.at)
    given, absent = _as_read(found, view.state.seen, view.spec.output_schema)
    fresh = {name: value for name, value in given.items() if name not in view.state.seen}
    refs = find_refs(fresh, view.spec.output_schema, view.page)
    # What it neither read nor returned is read from the page.
    proven = read.proof.state == "proven"
    rules = (*field_values(view.spec, read.readings, view.page), *_rows(view, view.page)) if proven else ()
    known = {one.field: one for one in rules}  # rows come last, and their values with them
    told = {*view.state.seen, *view.state.doubts, *given}
    seen = tuple(one for name, one in known.items() if name not in told)
    done = Done(values=given, not_present=absent, refs=refs, reason=f"What the flow {result.name} has returned.")
    brought = {*told, *(name for name, one in known.items() if one.state != "not_found")}
    lacking = [name for name in result.given_up if name in view.spec.output_schema and name not in brought]
    notes = tuple(plain_note(f"{NOT_BROUGHT}, and its label does not tell it", name) for name in lacking)
    return Act(done, BY_FLOW, seen=seen, notes=notes, flow=result.at)


def _is_for_a_person(view: SampleView) -> bool:
    """Return whether all is read that must be, and the page leaves another field open."""
    return bool(view.state.doubts) and all(name in view.state.seen for name in view.spec.required_fields)


def _rows(view: SampleView, page: PageObserved) -> list[FieldValue]:
    return [one.value for one in read_rows(view, page).values()]


def _as_read(
    found: Mapping[str, Any], seen: Mapping[str, FieldValue], schema: Mapping[str, OutputField]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values in the words of the pages that they were read on, and the words of those that are absent.

    A value that the flow has only put into another form counts as the one that was read.
    """
    given: dict[str, Any] = {}
    absent: dict[str, str] = {}
    for name, value in found.items():
        before = seen.get(name)
        if is_rows(schema[name].type) and before is not None and is_as_read(value, before):
            continue  # they count as they were read: the page that is shown now may be another one
        read_empty = before is not None and before.state == "not_present"
        if value is None and not read_empty:
            continue
        if value is None or (read_empty and _is_nothing(value, before, schema[name])):
            absent[name] = (before.shown if before is not None else None) or ""
        elif before is not None and before.state == "value" and _is_form_of(value, before, schema[name]):
            given[name] = before.value
        else:
            given[name] = value
    return given, absent


def _is_nothing(value: Any, before: FieldValue | None, field: OutputField) -> bool:
    shown = before.shown if before is not None else ""
    return fold(as_shown(value)) == fold(shown or "") or is_not_present(as_shown(value), field)


def _is_form_of(value: Any, before: FieldValue, field: OutputField) -> bool:
    shown = before.shown or as_shown(before.value)
    title = before.source.title if before.source is not None else None
    return fold(as_shown(value)) == fold(shown) or is_same_value(value, field, shown, title=title)


def _after_stop(view: SampleView, result: FlowResult) -> Act | ObserveAgain | HandedOver:
    where = f" in line {result.at.line}{_section(result.at)}" if result.at is not None and result.at.line else ""
    message = f"the flow {result.name} stopped{where}: {result.stopped}"
    uncertain = result.error is not None and result.error.code == "value_uncertain"
    if uncertain and not result.may_be_found and not flow_presses(view):
        return fail_with_screenshot(view, Fail(code="ambiguous", note=message))
    return _given_up(view, result, message)


def _given_up(view: SampleView, result: FlowResult, message: str) -> Act | ObserveAgain | HandedOver:
    """Return the end of a sample in which something was pressed that cannot be taken back, or that has no record; else
    the hand-over."""
    if not flow_presses(view):
        absent = absent_record(view, result.said_before, proven_by_flow=result.proven)
        return absent or HandedOver(plain_note(message))
    why = f"{message}; it had pressed what cannot be taken back, so nobody but a person goes on"
    return fail_with_screenshot(view, Fail(code="unknown_outcome", note=why))


def compare_with_rules(
    view: SampleView, page: PageObserved, context: FlowContext, seen: Sequence[FieldValue]
) -> tuple[tuple[FieldValue, ...], str]:
    """Return what was read after a flow has handed over, and for which of it the flow's rules say something else on
    this page; empty: for none. Such a field is left open, with the texts of both.

    Who goes on after the flow reads by labels alone. The rules know the places of the recorded samples too, so they
    tell where two labels have been exchanged."""
    by_name = {one.field: one for one in seen if one.field in context.files.fields.fields}
    differing = {
        one.field: one
        for one in readings_of(ReadFields(fields=tuple(by_name)), page, context)
        if _says_otherwise(one, by_name[one.field], view.spec.output_schema[one.field])
    }
    values = tuple(left_between(one, differing[one.field], page) if one.field in differing else one for one in seen)
    found = "; ".join(
        f"{name}: {candidates_text(one) if one.candidates else quoted(one.text)}" for name, one in differing.items()
    )
    return values, f"{page.url} does not say for certain {found}" if found else ""


def _says_otherwise(one: LocatedReading, value: FieldValue, field: OutputField) -> bool:
    if one.state == "uncertain":
        return len(set(one.candidates)) > 1
    return one.state == "value" and value.state == "value" and not shows_same(value, one.text, field)


def reset_flow(view: SampleView) -> Act | None:
    """Return the way back to the start page for a driver that follows the route of the task from its beginning; None
    where the flow has left the start page as it was."""
    moved = [one for one in view.state.history if one.flow is not None and one.action is not None]
    if not any(
        changes_page(one.action) and not isinstance(one.action, Goto) for one in moved if one.action is not None
    ):
        return None
    return by_rule(Goto(url=start_url(view.spec, view.sample), reason="The flow has stopped: the work begins anew."))


def unfinished_sample(view: SampleView, why: str) -> Act:
    """Return the end of a sample that its flow could not finish, and that nobody goes on with.

    Where the page itself says why (no such record, another one, a login), the sample ends as always.
    """
    act = decide_by_rules(view) if view.page is not None else None
    if isinstance(act, Act) and ends_by_page(act):
        return act
    if view.page is not None:  # the rules may ask for another look first, but no look makes a record of a login page
        read = field_values(view.spec, read_page(view.spec, view.sample, view.page).readings, view.page)
        asked = login_page_words(view, view.page, read)
        if asked:
            return fail_with_screenshot(view, Fail(code="auth_required", note=f"{view.page.url} {asked}"))
    return fail_with_screenshot(view, Fail(code="flow_stopped", note=why))


def _section(at: FlowPlace) -> str:
    return f" ({at.section})" if at.section else ""
