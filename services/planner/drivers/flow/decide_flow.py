"""What a call of a flow comes to in a sample: an action, another look at the page, or its answer. Pure.

How a call comes to its answer is one machine for all who run flows (:mod:`shared.flows.turns`). Here stands what only
a run has around it: the decisions about its start page, whose record is shown, an element that a planner has chosen,
and that what is read is checked against the page like a model's word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec.structs import replace as replace_part

from services.planner.drivers.flow.absent_record import says_so_in_dialog
from services.planner.drivers.flow.flow_rows import answer_rows
from services.planner.drivers.flow.label_readings import answer_fields
from services.planner.state.attempt_state import Act, Entry, ObserveAgain, SampleView
from services.planner.state.common_decisions import observe_later, observe_more, start_page_decision
from services.planner.state.irreversible_steps import flow_presses, pressed_step
from shared.contracts.actions import BrowserAction, ByRef, Click, Expect, Goto
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import BY_FLOW
from shared.contracts.steps import FieldValue, FlowPlace, Note, plain_note
from shared.contracts.workflows.flows import (
    FlowAnswer,
    FlowWaits,
    OpenAddress,
    ProveRecord,
    ReadFields,
    ReadList,
    ReadWithModel,
)
from shared.contracts.workflows.heals import Heal, Postcondition
from shared.flows.answering import FlowContext, Perform, decide_call, perform_on, proofs_of, readings_of
from shared.flows.changed.popups import MAX_DISMISSED, find_popup_dismissal
from shared.flows.changed.records import (
    heal_of_effect,
    heal_of_popup,
    heal_of_reading,
    heals_of_closings,
    needs_healing,
)
from shared.flows.healing.chosen import unmet_postcondition
from shared.flows.reading import LocatedReading, flow_error, rules_of
from shared.flows.turns import (
    Answered,
    CallTurn,
    Observe,
    TurnStep,
    next_step,
    step_of_action,
    step_of_answer,
    step_of_decision,
)
from shared.flows.waiting import next_pause_s
from shared.pages.identity.identity import identity_proof, read_page
from shared.pages.loading import find_loading_sign
from shared.pages.read.fields import field_values
from shared.task.row_values import expected_identity
from shared.text.normal import quoted
from shared.text.record_words import is_same_id


@dataclass(frozen=True)
class ChosenStep:
    """The element that a planner has chosen for a call, of the page with this snapshot. ``heal``: its record."""

    element: Element
    snapshot_id: str
    heal: Heal
    decided_by: str

    @property
    def expects(self) -> Postcondition:
        return self.heal.expects or Postcondition()


@dataclass(frozen=True)
class FlowTurn:
    """A flow that waits for the answer to a call. ``progress``: how far that has come; what it performs was decided on
    for the step after ``steps`` others. ``dismissed``: times that something over the page was closed for this call.
    ``chosen``: what a planner has said to act on, where the flow did not find it."""

    waits: FlowWaits
    progress: CallTurn
    steps: int = 0
    dismissed: int = 0
    chosen: ChosenStep | None = None

    @property
    def context(self) -> FlowContext:
        return self.progress.context


@dataclass(frozen=True)
class CallAnswered:
    """The answer to the call. ``seen``: what was read for it; ``notes``: for reviewers; ``heals``: what has changed;
    ``proves_record``: the flow's rules have read the whole identity of the sample's record on the page;
    ``may_be_found``: what the answer lacks may be found by the next driver."""

    answer: FlowAnswer
    context: FlowContext
    seen: tuple[FieldValue, ...] = ()
    notes: tuple[Note, ...] = ()
    heals: tuple[Heal, ...] = ()
    proves_record: bool = False
    may_be_found: bool = False


@dataclass(frozen=True)
class ActionChosen:
    """The action for the call, or another look before it, with the turn as it is meanwhile."""

    act: Act | ObserveAgain
    turn: FlowTurn


TurnDecision = CallAnswered | ActionChosen | Act | ObserveAgain


def decide_turn(view: SampleView, turn: FlowTurn) -> TurnDecision:
    """Return what to do about the call that a flow waits with. An `Act` is a decision about the start page."""
    if any(isinstance(entry.action, Goto) for entry in view.state.history):
        shared = start_page_decision(view)
        if shared is not None:
            return shared
    performing = turn.progress.performing
    if performing is None:
        return _decide_call(view, turn)
    step = _step_after_action(view, turn)
    if isinstance(step, Observe):
        further = replace(turn, progress=step.turn)
        if step.after_s > 0:
            return ActionChosen(ObserveAgain(step.after_s, view.state.max_tokens), further)
        return _decide_call(view, further)
    assert isinstance(step, Answered)
    if turn.chosen is not None and step.answer.error is None:
        unmet = unmet_postcondition(turn.chosen.expects, view.page, turn.context.variables)
        pause_s = next_pause_s(view.page, view.state.looks) if unmet else None
        if pause_s is not None:
            return ActionChosen(ObserveAgain(pause_s, view.state.max_tokens), turn)
        step = step_of_answer(turn.progress, flow_error("effect_missing", unmet)) if unmet else step
    heals = _closed_by_pool(view, turn)
    if step.exchanged and view.page is not None:
        heals = (*heals, heal_of_effect(_subject_of(turn), performing.effects, step.exchanged, view.page))
    return CallAnswered(step.answer, step.context, heals=heals)


def _step_after_action(view: SampleView, turn: FlowTurn) -> TurnStep:
    """Return the step after an action that was decided on, by what the sample's history and page say of it."""
    progress = turn.progress
    if progress.result is None:
        entry = _entry_of_action(view, turn)
        if entry is None or entry.refused or entry.result is None:
            why = "the action was not taken" if entry is None else entry.message
            return step_of_answer(progress, flow_error("action_failed", why))
        step = next_step(progress, entry.result)
        if not isinstance(step, Observe) or step.turn.result is None:
            return step
        progress = step.turn  # the page that it leads to is awaited
    return next_step(replace(progress, looks=view.state.looks), view.page)


def _entry_of_action(view: SampleView, turn: FlowTurn) -> Entry | None:
    """Return the step that took the action which was decided on last; None: it was not taken."""
    entries = view.state.history[turn.steps :]
    if isinstance(turn.waits.call, OpenAddress):  # it may have been opened once more by the decision about start pages
        return next((one for one in reversed(entries) if isinstance(one.action, Goto)), None)
    return next((one for one in reversed(entries) if _is_of(one, turn)), None)


def _closed_by_pool(view: SampleView, turn: FlowTurn) -> tuple[Heal, ...]:
    """Return what the browser pool has closed by itself on the way to what the call acts on."""
    if view.spec.heal == "off":
        return ()
    changes = [entry.result.change for entry in view.state.history if _is_of(entry, turn) and entry.result is not None]
    return tuple(heal for one in changes for heal in heals_of_closings(_subject_of(turn), one, turn.waits.line))


def _subject_of(turn: FlowTurn) -> str:
    call = turn.waits.call
    return str(getattr(call, "selector", "") or call.__struct_config__.tag)


def _is_of(entry: Entry, turn: FlowTurn) -> bool:
    return not isinstance(entry.action, Expect) and entry.flow is not None and entry.flow.number == turn.waits.number


# --- a call that is not performed yet


def _decide_call(view: SampleView, turn: FlowTurn) -> TurnDecision:
    call, context = turn.waits.call, turn.context
    if isinstance(call, ReadWithModel):  # the run's own driver finds them once the flow has returned
        return CallAnswered(FlowAnswer(value={}), step_of_answer(turn.progress, FlowAnswer()).context)
    page = None if isinstance(call, OpenAddress) else view.page
    if turn.chosen is not None and page is not None and turn.context.done == 0:
        return _take_chosen(view, turn, turn.chosen, page)
    whole = None if page is None else observe_more(view, page)
    if whole is not None:  # of a part of the page it cannot be said that something is there once, or not at all
        return whole
    decided = decide_call(call, page, context)
    if isinstance(decided, Perform):
        if view.spec.heal == "off" and decided.heal is not None and needs_healing(decided.heal):
            decided = flow_error("element_missing", f"{decided.remark}, which this task does not allow (heal: off)")
        else:
            exchangeable = decided.exchangeable and view.spec.heal != "off"
            return _chosen(view, turn, replace(decided, exchangeable=exchangeable))
    shown = _read_for(view, turn, decided, page)
    if isinstance(shown, ActionChosen):
        return shown
    waits_for = shown.waits_for or shown.answer
    step = step_of_decision(replace(turn.progress, looks=view.state.looks), waits_for, page)
    later = _later(view, step, waits_for, shown.read)
    if later is not None:
        return later
    assert isinstance(step, Answered)
    if not isinstance(call, ReadFields):  # its values say themselves what was not answered
        shown = replace(shown, answer=step.answer)
    over = _dismissed(view, turn, waits_for if shown.answer.error is None else shown.answer)
    return over or _answer_of(view, turn, shown, step.context, page)


@dataclass(frozen=True)
class _ReadForCall:
    """What a page shows of what a call asks for: its answer, what was read for it, and notes. ``waits_for``: the answer
    by which the page is looked at again before this one counts; None: this one."""

    answer: FlowAnswer
    seen: tuple[FieldValue, ...] = ()
    read: tuple[LocatedReading, ...] = ()
    notes: tuple[Note, ...] = ()
    waits_for: FlowAnswer | None = None
    may_be_found: bool = False


def _read_for(
    view: SampleView, turn: FlowTurn, decided: FlowAnswer, page: PageObserved | None
) -> _ReadForCall | ActionChosen:
    """Return what the page shows for a call that reads, by the task too; or the action of the reader of its list."""
    call, context = turn.waits.call, turn.context
    match call:
        case ReadFields() if page is not None:
            read = answer_fields(decided, readings_of(call, page, context), view, page, context.files.fields)
            return _ReadForCall(read.answer, read.seen, read.read, read.notes, read.waits_for, read.may_be_found)
        case ReadList() if page is not None:
            rows = answer_rows(call, decided, view, page)
            if rows.first is None:
                return _ReadForCall(rows.answer, rows.seen, notes=rows.notes)
            flow = place_of(turn.waits)  # it is a step of the list's own reader, in this line of the flow
            act = replace(rows.first, flow=flow, notes=rows.notes) if isinstance(rows.first, Act) else rows.first
            return ActionChosen(act, turn)
        case ProveRecord() if page is not None:
            return _ReadForCall(_proof(view, page, decided), _identity_shown(view, page))
        case _:
            return _ReadForCall(decided)


def _answer_of(
    view: SampleView, turn: FlowTurn, shown: _ReadForCall, after: FlowContext, page: PageObserved | None
) -> CallAnswered:
    """Return the answer to a call with what has changed of what it read."""
    call = turn.waits.call
    healed = (plain_note("some of its rules find nothing now", one.field) for one in shown.read if one.healed)
    notes = (*shown.notes, *healed)
    if shown.answer.error is not None or page is None:
        kept = shown.seen if isinstance(call, ReadFields) else ()
        return CallAnswered(shown.answer, after, kept, notes, may_be_found=shown.may_be_found)
    heals = [heal_of_reading(one, page) for one in shown.read]
    proves = False
    if isinstance(call, ProveRecord):
        proofs = proofs_of(call, page, turn.context)
        heals = [heal_of_reading(one, page, "proof") for one in proofs]
        proves = _names_record(view, proofs)
    found = tuple(one for one in heals if one is not None)
    if view.spec.heal == "off" and found:
        names = ", ".join(one.subject for one in found)
        why = f"{page.url}: some of the rules of {names} find nothing now, which this task does not allow (heal: off)"
        return CallAnswered(flow_error("value_uncertain", why), after, notes=notes)
    return CallAnswered(shown.answer, after, shown.seen, notes, found, proves)


def _take_chosen(view: SampleView, turn: FlowTurn, chosen: ChosenStep, page: PageObserved) -> TurnDecision:
    """Return the action on the element that a planner has chosen, on the page that it was chosen on."""
    if page.snapshot_id != chosen.snapshot_id:
        return CallAnswered(
            flow_error("element_missing", "the page has changed since a planner was asked"), turn.context
        )
    perform = perform_on(turn.waits.call, chosen.element, page, turn.context)
    if isinstance(perform, FlowAnswer):
        made = step_of_answer(turn.progress, perform, performed=perform.error is None)
        return CallAnswered(made.answer, made.context)
    effects = () if perform.more else chosen.expects.effects
    return _chosen(view, turn, replace(perform, effects=effects, heal=chosen.heal), chosen.decided_by)


def _dismissed(view: SampleView, turn: FlowTurn, answer: FlowAnswer) -> ActionChosen | None:
    """Return the click that closes what lies over a page that lacks something, or over the record that it proves:
    pictures of it would show what covers it. Nothing is closed after a press that cannot be taken back: what is over
    the page then may be its outcome."""
    page = view.page
    if page is None or turn.dismissed >= MAX_DISMISSED or flow_presses(view) or view.spec.heal == "off":
        return None
    if _is_about_dialog(turn) or (answer.error is not None and says_so_in_dialog(view, page)):
        return None
    if answer.error is None:
        covers = isinstance(turn.waits.call, ProveRecord) and not read_page(view.spec, view.sample, page).is_in_dialog
    else:
        covers = answer.error.code in ("element_missing", "record_unproven", "value_missing")
    if not covers:
        return None
    button = find_popup_dismissal(page, turn.context.files.locators)
    if button is None:
        return None
    heal = heal_of_popup(_subject_of(turn), button, page, turn.waits.line)
    remark = f"{quoted(button.name)} was pressed to send away what lay over the page"
    click = Click(target=ByRef(ref=button.ref, snapshot_id=page.snapshot_id))
    chosen = _chosen(view, turn, Perform(click, heal=heal, remark=remark))
    return replace(chosen, turn=replace(turn, dismissed=turn.dismissed + 1))


def _is_about_dialog(turn: FlowTurn) -> bool:
    """Return whether the call is about values that stood in a dialog on the samples: it is not what lies in the way."""
    file = turn.context.files.fields
    match turn.waits.call:
        case ProveRecord(expected=names):
            rules = [rules_of(name, file, proof=True) for name in names]
        case ReadFields(fields=names):
            rules = [rules_of(name, file) for name in names]
        case _:
            rules = []
    return any(one is not None and one.over_page for one in rules)


def place_of(waits: FlowWaits, *, irreversible: bool = False) -> FlowPlace:
    """Return the place in a flow's source of the call that it waits with."""
    return FlowPlace(
        name=waits.name,
        hash=waits.hash,
        number=waits.number,
        line=waits.line,
        section=waits.section,
        irreversible=irreversible,
    )


def _chosen(view: SampleView, turn: FlowTurn, perform: Perform, decided_by: str = BY_FLOW) -> ActionChosen:
    claimed = pressed_step(view, perform.action, BY_FLOW) is not None
    flow = place_of(turn.waits, irreversible=perform.irreversible or claimed)
    notes = (plain_note(perform.remark),) if perform.remark else ()
    heals = () if perform.heal is None else (perform.heal,)
    act = Act(_with_reason(perform.action, flow), decided_by, notes=notes, flow=flow, heals=heals)
    progress = step_of_action(turn.progress, perform, view.page).turn
    return ActionChosen(act, replace(turn, progress=progress, steps=len(view.state.history)))


def _with_reason(action: BrowserAction, flow: FlowPlace) -> BrowserAction:
    section = f", {flow.section}" if flow.section else ""
    return replace_part(action, reason=f"The flow {flow.name} does this in line {flow.line}{section}.")


def _later(
    view: SampleView, step: TurnStep, answer: FlowAnswer, read: tuple[LocatedReading, ...]
) -> ObserveAgain | None:
    """Return another look at a page that may show more, or something else, a moment later."""
    if isinstance(step, Observe):
        return ObserveAgain(step.after_s, view.state.max_tokens)
    page, some_empty = view.page, any(one.state == "empty" for one in read)
    loading = page is not None and answer.error is None and some_empty and find_loading_sign(page)
    return observe_later(view) if loading else None


# --- what is read


def _identity_shown(view: SampleView, page: PageObserved) -> tuple[FieldValue, ...]:
    """Return the fields that identify the record, as the page that proves it shows them."""
    read = read_page(view.spec, view.sample, page)
    if read.proof.state != "proven":
        return ()
    known = {name: reading for name, reading in read.readings.items() if name in view.spec.identity}
    return tuple(one for one in field_values(view.spec, known, page) if one.state == "value")


def _names_record(view: SampleView, proofs: Sequence[LocatedReading]) -> bool:
    """Return whether rules have read every field that identifies the record, with the value of this sample."""
    shown = {one.field: one.text for one in proofs if one.state == "value"}
    wanted = expected_identity(view.spec, view.sample)
    return bool(wanted) and all(name in shown and is_same_id(shown[name], value) for name, value in wanted.items())


def _proof(view: SampleView, page: PageObserved, answer: FlowAnswer) -> FlowAnswer:
    """Return whether the page shows the record: by the task's own identity too, which decides where they differ."""
    if not view.spec.identity:
        return answer
    proof = identity_proof(view.spec, view.sample, page)
    if proof.state == "mismatch":
        return flow_error("wrong_record", f"{page.url}: {proof.wrong}")
    unproven = answer.error is not None and answer.error.code == "record_unproven"
    return FlowAnswer(value=True) if unproven and proof.state == "proven" else answer
