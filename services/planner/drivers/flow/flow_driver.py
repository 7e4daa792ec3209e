"""The driver of a sample whose run uses a flow: begins the flow, performs its calls one by one, and ends it.

The flow's process is no part of the sample's state: a sample that is delivered again begins a new one. No model is
asked while the flow runs, but for an element that is lost, where the task allows that (`heal: planner`).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from services.planner.drivers.flow.absent_record import absence_texts, absent_record, site_asked
from services.planner.drivers.flow.decide_flow import (
    ActionChosen,
    CallAnswered,
    ChosenStep,
    FlowTurn,
    decide_turn,
    place_of,
)
from services.planner.drivers.flow.ending import (
    FlowResult,
    compare_with_rules,
    ending_of_flow,
    reset_flow,
)
from services.planner.drivers.handing_over import NOTHING, Carried, HandedOver
from services.planner.state.attempt_state import Act, Decision, ObserveAgain, SampleView, UnusableAnswer
from services.planner.state.common_decisions import fail_with_screenshot, start_page_decision
from services.planner.state.irreversible_steps import flow_presses
from services.planner.state.transitions import with_readings
from services.planner.state.workflow_choice import WorkflowChoice, arguments_for
from services.planner.workflow_use.element_choices import ElementChoices, NoElementChosen
from services.planner.workflow_use.element_prompts import lost_element
from shared.bus.ports import Asks
from shared.client.workflow_calls import begin_flow, end_flow, resume_flow
from shared.contracts.actions import Expect, Fail
from shared.contracts.planner import BY_FLOW, DriverName
from shared.contracts.steps import FlowPlace, plain_note
from shared.contracts.workflows.flows import (
    FlowError,
    FlowReply,
    FlowWaits,
    ProveRecord,
    ReadWithModel,
    SetOutput,
)
from shared.contracts.workflows.heals import Heal
from shared.contracts.workflows.invocations import WorkflowFailure
from shared.errors import ExhibitError
from shared.flows.answering import FlowContext
from shared.flows.files import FlowFiles
from shared.flows.healing.chosen import heal_of_chosen, may_be_chosen
from shared.flows.turns import begin_call
from shared.flows.variables import typed_row
from shared.pages.elements import description_of
from shared.task.row_values import template_values
from shared.task.typed_values import as_shown

log = logging.getLogger(__name__)

FLOW_S = 120.0
"""For all of a flow, without the time in which its calls are performed."""
MAX_CHOSEN = 3
"""Elements of one sample that a planner may choose."""
PATIENCE_S = 900.0
"""How long a flow waits for the answer to a call: an action, with its waits and the page that is stored before it."""


@dataclass(frozen=True)
class FlowUse:
    """The flow of a run: its version with arguments, its files, and flow.json (``filed_as``).

    ``elements``: what a planner says about elements that it has lost. None: no planner is asked."""

    choice: WorkflowChoice
    files: FlowFiles
    elements: ElementChoices | None = None
    filed_as: bytes = b""


class FlowDriver:
    """Has the flow of the run work. What it leaves open, or the gates refuse, it hands over.

    ``followed_by``: the drivers after it. ``has_last_word``: what it returns they do not change."""

    name = BY_FLOW
    asks_model = False

    def __init__(
        self, use: FlowUse, asks: Asks, followed_by: Sequence[DriverName] = (), *, has_last_word: bool = False
    ) -> None:
        self._use, self._asks, self._followed_by = use, asks, tuple(followed_by)
        self._has_last_word = has_last_word
        self._turn: FlowTurn | None = None
        self._context: FlowContext | None = None
        self._result: FlowResult | None = None
        self._carried: Carried = NOTHING
        self._healed: tuple[Heal, ...] = ()
        self._proven_at = ""
        self._outputs: dict[str, Any] = {}
        self._left: tuple[str, ...] = ()
        self._at: FlowPlace | None = None
        self._error: FlowError | None = None
        self._may_be_found = False
        self._chosen = 0
        self._said_before: frozenset[str] = frozenset()
        """Words for what is not there, of pages before the site was asked for the record."""
        self._proven = False
        """A page was proven to show the record."""

    @property
    def has_left_fields(self) -> bool:
        """Whether it has returned and left fields to a model."""
        return self._result is not None and bool(self._result.left)

    @property
    def use(self) -> FlowUse:
        return self._use

    @property
    def filed_as(self) -> bytes:
        return self._use.filed_as

    @property
    def healed(self) -> tuple[Heal, ...]:
        """What was found in another way than recorded, so far."""
        return self._healed

    def check(self) -> None: ...

    async def aclose(self) -> None:
        """End the flow if it still waits."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        try:
            await end_flow(self._asks, turn.waits)
        except ExhibitError as exc:  # it ends by itself when nobody answers it
            log.info("the flow %s was not ended: %s: %s", turn.waits.flow_id, exc.code, exc)

    async def decide(self, view: SampleView) -> Decision | HandedOver:
        if not view.state.history and self._turn is None and self._result is None:
            first = start_page_decision(view)
            if first is not None and isinstance(first.action, Fail):  # the row lacks a column
                return first
            await self._begin(view)
        if view.page is not None and site_asked(view) is None:
            self._said_before |= absence_texts(view, view.page)
        while self._turn is not None:
            decided = decide_turn(view, self._turn)
            if isinstance(decided, CallAnswered):
                chosen = await self._choose_element(view, self._turn, decided)
                if chosen is not None:
                    return self._attached(chosen)
                self._carried = self._carried.with_more(decided.seen, decided.notes, decided.heals)
                if decided.proves_record and view.page is not None:
                    self._proven_at = view.page.url
                await self._resume(self._turn, decided)
                continue
            if isinstance(decided, ActionChosen):
                self._turn = decided.turn
                return self._with_proof(view, self._attached(decided.act))
            return self._with_proof(view, self._attached(decided))
        assert self._result is not None
        view = replace(view, state=with_readings(view.state, self._carried.seen))
        ended = ending_of_flow(view, self._result, () if self._has_last_word else self._followed_by)
        if not isinstance(ended, HandedOver):
            return self._with_proof(view, self._attached(ended))
        return replace(ended, carried=self._carried, anew=reset_flow(view))

    def reviewed(self, view: SampleView, decision: Decision | HandedOver) -> Decision | HandedOver:
        """Return what a later driver has decided without the values of which the flow's rules say something else; an
        action is then the end of the sample."""
        if isinstance(decision, UnusableAnswer) or view.page is None or self._context is None:
            return decision
        read = decision.carried.seen if isinstance(decision, HandedOver) else decision.seen
        seen, doubt = compare_with_rules(view, view.page, self._context, read)
        if not doubt:
            return decision
        if isinstance(decision, HandedOver):
            return replace(decision, carried=replace(decision.carried, seen=seen))
        if isinstance(decision, ObserveAgain):
            return replace(decision, seen=seen)
        return replace(fail_with_screenshot(view, Fail(code="ambiguous", note=doubt)), seen=seen)

    def _with_proof(self, view: SampleView, decision: Decision) -> Decision:
        """Return the decision with what was proven since the last action, if the page is still at that address."""
        if not isinstance(decision, Act):
            return decision
        proven_at, self._proven_at = self._proven_at, ""
        is_there = view.page is not None and view.page.url == proven_at
        return replace(decision, proves_record=True) if is_there else decision

    def _attached(self, decision: Decision) -> Decision:
        """Return the decision with what was read and noted since the last one."""
        decision, self._carried = self._carried.attach(decision)
        if isinstance(decision, Act):
            self._healed = (*self._healed, *decision.heals)
        return decision

    # --- elements that are lost

    async def _choose_element(self, view: SampleView, turn: FlowTurn, answered: CallAnswered) -> Act | None:
        """Return the step that writes down what must come of acting on the element that a planner has chosen; None: no
        planner is asked, or it has chosen none."""
        elements, error, call = self._use.elements, answered.answer.error, turn.waits.call
        if elements is None or error is None:
            return None
        if turn.chosen is not None:
            await elements.set_missed(turn.chosen.heal.subject, error.message)
            return None
        lacks = error.code == "element_missing" and may_be_chosen(call)
        if not lacks or view.page is None or flow_presses(view) or self._chosen >= MAX_CHOSEN:
            return None
        if absent_record(view, self._said_before, proven_by_flow=self._proven) is not None:
            return None
        self._chosen += 1
        lost = lost_element(call, turn.context, error.message)
        found = await elements.find(view, lost, turn.context)
        if isinstance(found, NoElementChosen):
            why = plain_note(f"{lost.key} is lost, and no planner has found it: {found.why}")
            self._carried = self._carried.with_more(notes=(why,), usage=found.usage)
            return None
        heal = heal_of_chosen(lost.key, found.element, found.chosen, found.led, lost.facts, view.page)
        step = ChosenStep(found.element, view.page.snapshot_id, heal, found.chosen.decided_by)
        self._turn = replace(turn, chosen=step)
        expects = Expect(
            subject=lost.key,
            element=description_of(found.element),
            effects=step.expects.effects,
            shows=step.expects.shows,
            reason=found.chosen.reason,
        )
        return Act(expects, step.decided_by, found.usage, flow=place_of(turn.waits))

    # --- turns

    async def _begin(self, view: SampleView) -> None:
        choice = self._use.choice
        try:
            arguments = arguments_for(choice, template_values(view.sample))
        except KeyError as exc:
            self._end(stopped=f"the row has no column {exc}")
            return
        words = {name: field.not_present for name, field in view.spec.output_schema.items()}
        texts = {name: as_shown(value) for name, value in arguments.items()}
        arguments = {**arguments, **typed_row(self._use.files.variables, texts)}
        context = self._context = FlowContext(self._use.files, texts, words)
        try:
            reply = await begin_flow(
                self._asks,
                f"{choice.name}@{choice.hash}",
                arguments,
                timeout_s=FLOW_S,
                patience_s=PATIENCE_S,
                run_id=view.run_id,
                sample_id=view.sample.sample_id,
            )
        except ExhibitError as exc:
            self._end(stopped=f"it could not be begun: {exc}")
            return
        self._take(reply, context)

    async def _resume(self, turn: FlowTurn, answered: CallAnswered) -> None:
        self._error, self._may_be_found, waits = answered.answer.error, answered.may_be_found, turn.waits
        if isinstance(waits.call, ReadWithModel):
            self._left = (*self._left, *waits.call.fields)
        self._proven |= isinstance(waits.call, ProveRecord) and answered.answer.error is None
        if isinstance(waits.call, SetOutput):
            self._outputs[waits.call.key] = waits.call.value
        try:
            reply = await resume_flow(self._asks, waits, answered.answer, timeout_s=FLOW_S)
        except ExhibitError as exc:
            self._end(stopped=f"its process does not answer: {exc}")
            return
        self._take(reply, answered.context)

    def _take(self, reply: FlowReply, context: FlowContext) -> None:
        if isinstance(reply, FlowWaits):
            self._turn = FlowTurn(reply, begin_call(reply.call, context).turn)
            self._at = FlowPlace(
                name=reply.name, hash=reply.hash, number=reply.number, line=reply.line, section=reply.section
            )
        elif reply.error is not None:
            self._end(stopped=self._error.message if self._error is not None else _failure(reply.error))
        else:
            value = cast("dict[str, Any]", reply.value if isinstance(reply.value, dict) else {})
            self._end(values={**self._outputs, **value})

    def _end(self, *, values: Mapping[str, Any] | None = None, stopped: str = "") -> None:
        self._turn = None
        error = self._error if stopped else None
        found = error is not None and self._may_be_found
        fields = self._use.files.fields
        given_up = tuple(name for name in fields.given_up if name not in fields.fields)
        self._result = FlowResult(
            self._use.choice.name, values or {}, self._at, stopped, error, self._left, found, given_up,
            self._said_before, self._proven,
        )  # fmt: skip


def _failure(error: WorkflowFailure) -> str:
    return f"{error.type}: {error.message}"
