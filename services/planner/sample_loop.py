"""The loop of one attempt at a sample: observe, decide, act, publish the step. It makes no decision itself.

Its state changes in two ways only (`state/transitions.py`): a page is observed, or a step is taken and published. The
step is built first and the state is made from it, so that the step log holds everything the loop knew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from services.planner.budget import add_spending, fetch_budget_ending, fetch_exceeded_run_budget
from services.planner.deps import Driver, FlowProgress, PlannerDeps
from services.planner.execute import ActionOutcome, execute_action, save_partial_values
from services.planner.irreversible import EvidenceClaims, give_back_unmade, guard_irreversible
from services.planner.judge.gates import cut_short, limit_reached, refusal, to_finished, with_partial_values
from services.planner.judge.list_proof import counted_items
from services.planner.prompt_file import file_prompt
from services.planner.state.asked_for import as_answer
from services.planner.state.attempt_state import (
    Act,
    AttemptState,
    Decision,
    Ending,
    ObserveAgain,
    SampleView,
    UnusableAnswer,
)
from services.planner.state.batching import next_batched_call, stop_reason
from services.planner.state.irreversible_steps import refused_press
from services.planner.state.recalling import recalled_decision
from services.planner.state.step_parts import observation_ref, to_filed, with_page, with_proof
from services.planner.state.transitions import after_look, after_observation, after_step, with_notes, with_readings
from services.planner.state.value_sources import merged_readings, stored_pages, with_files
from services.planner.state.vision_policy import due_question
from services.planner.steering.controls import SampleControls, interrupted_limit
from services.planner.taking_over.person_at_work import PersonAtWork
from services.planner.taking_over.sample_hold import SampleHold
from services.planner.task_api.asking import ApiBus, ask_api
from services.planner.workflow_use.flow_file import file_flow
from shared.actions.table import changes_page
from shared.contracts.actions import AnyAction, BrowserAction, SaveProgress
from shared.contracts.base import Usage, add_usage
from shared.contracts.browser_pool import ObservePage, PageObserved, SessionLeased
from shared.contracts.planner import BY_API, BY_RULE, WITHOUT_MODEL, SampleFinished, WorkSample
from shared.contracts.steps import FieldValue, FiledArtifact, ObservationRef, StepTaken
from shared.evidence_format.files.prompt import PromptFile
from shared.pages.identity.identity import keywords
from shared.pages.loading import without_background
from shared.recordings.logged_rows import LoggedRows
from shared.subjects import OBSERVE, STEP_TAKEN
from shared.task.spec import TaskSpec
from shared.telemetry.about import set_step

OBSERVE_TIMEOUT_S = 60.0
PERSON_TOKENS = 24_000
"""Of an observation for a person, who may point at anything in sight."""


@dataclass(frozen=True)
class Attempt:
    """One attempt at one sample. `attempt` counts over resumed runs."""

    message: WorkSample
    attempt: int
    spec: TaskSpec
    driver: Driver
    hints: tuple[str, ...] = ()
    log: tuple[StepTaken, ...] = ()
    allow_effects: bool = False
    flow: FlowProgress | None = None
    tried_in: str = ""
    """The key of the pause in which the sample is tried."""
    earlier: tuple[StepTaken, ...] = ()
    """Steps of an attempt that was cut off, whose decisions are taken again."""

    @property
    def on_flow(self) -> bool:
        return self.flow is not None


@dataclass
class StepTimer:
    """Times of one step. `browser_ms` includes pauses for the page, because they are spent on the site."""

    started_at: datetime
    started_s: float
    browser_ms: float = 0.0
    decide_ms: float = 0.0


@dataclass(frozen=True)
class StepFacts:
    """What a step records beside the decision and its outcome: the observation, the number of the call, the remark."""

    observation: ObservationRef | None
    call: int
    remark: str


class SampleWork:
    """Works on one sample in one browser session."""

    def __init__(
        self, task: Attempt, session: SessionLeased, deps: PlannerDeps, person: PersonAtWork | None = None
    ) -> None:
        """``person``: who may take the sample over; by default nobody is told of it."""
        self.person = person or PersonAtWork(SampleHold(deps.elapsed_s, task.attempt, task.driver.name))
        self.task, self.session, self.deps = task, session, deps
        self.state_after_step = AttemptState()
        """As of the last step. Each observation since is applied to it anew, so that only the last one counts."""
        self.state = self.state_after_step
        self.page: PageObserved | None = None
        self.observation: ObservationRef | None = None
        self.stale = False
        self.earlier = task.earlier
        self.unlogged_readings: tuple[FieldValue, ...] = ()
        self.logged_rows = LoggedRows()
        self.asked: PromptFile | None = None
        """What a model was asked for the next step, until it is filed with it."""
        self.started_at, self.started_s = deps.now(), deps.elapsed_s()
        self.timer = StepTimer(self.started_at, self.started_s)
        self.steering = SampleControls(task.message, deps, task.tried_in)

    async def run(self) -> SampleFinished:
        """Take steps until the sample ends. Errors of the browser pool or the model are raised: the sample is tried
        again."""
        ending = await self._ask_api()
        if ending is not None:
            return msgspec.structs.replace(self._to_finished(ending), decided_by=BY_API)
        while True:
            due = limit_reached(self.view, self.deps.elapsed_s() - self.started_s)
            ending = await self._take_turn() if due is None else await self._end_at_limit(due)
            if ending is not None:
                return self._to_finished(ending)

    @property
    def view(self) -> SampleView:
        task, work, state = self.task, self.task.message, with_readings(self.state, self.unlogged_readings)
        if self.steering.messages or self.person.notices:
            state = replace(state, notices=self._notices())
        return SampleView(
            task.spec, work.sample, state, self.page, task.hints, task.log, work.run_id, task.attempt,
            task.allow_effects, task.on_flow,
        )  # fmt: skip

    async def _ask_api(self) -> Ending | None:
        """Ask the API of the task, if it names one. Whoever decides afterwards, it is asked here, and it is one step.

        Returns how the sample ends if that was enough.
        """
        task = self.task
        if task.spec.integration is None or task.spec.phase == "discovery":
            return None
        bus = ApiBus(self.deps.asks, self.deps.blobs)
        asked = await ask_api(task.spec, task.spec.integration, task.message.sample, self.session, bus)
        self.timer.browser_ms += asked.browser_ms
        outcome = ActionOutcome(
            asked.action, asked.message, values=asked.values, notes=asked.notes, page_files=asked.files
        )
        await self._publish_step(Act(asked.action, BY_API), outcome, StepFacts(None, 1, ""))
        return None if asked.ending is None else replace(asked.ending, notes=asked.notes, flagged=bool(asked.notes))

    async def _take_turn(self) -> Ending | None:
        """Make one decision and execute it."""
        set_step(self.state.steps + 1)
        stopped = await self._await_permission()
        if stopped is not None:
            return await self._end_at_limit(stopped)
        await self._refresh_state()
        due = limit_reached(self.view, self.deps.elapsed_s() - self.started_s)
        due = due or await fetch_budget_ending(self.view, self.task.driver, self.deps)
        if due is not None:
            return await self._end_at_limit(due)
        decision = await self._decide()
        if isinstance(decision, ObserveAgain):
            return await self._observe_again(decision)
        if isinstance(decision, UnusableAnswer):
            facts = StepFacts(self.observation, 1, decision.remark)
            await self._publish_step(decision, ActionOutcome(None, decision.message, refused=True), facts)
            return None
        return await self._execute_calls(decision)

    async def _await_permission(self) -> Ending | None:
        """Wait while the run is paused or a person has the sample; return how the sample ends if it was interrupted,
        else None. Such time does not count."""
        before_s = self.deps.elapsed_s()
        waited = await self.steering.wait_while_paused(self._let_person_act)
        while await self._let_person_act():
            waited = True
            await self.steering.wait_while_paused(self._let_person_act)
        if waited:
            paused_s = self.deps.elapsed_s() - before_s
            self.started_s += paused_s
            self.timer.started_s += paused_s
            self.stale = self.stale or self.page is not None
        return cut_short(self.view, interrupted_limit(self.steering.outage)) if self.steering.interrupted else None

    # --- a person who takes the sample over

    async def _let_person_act(self) -> bool:
        """Carry out what a person does who has taken the sample over; return whether one had."""
        if not self.person.hold.by or self.state.is_unreached or not self.state.history:
            return False  # there is no page yet
        return await self.person.carry_on(self, self._is_interrupted)

    async def _is_interrupted(self) -> bool:
        await self.steering.read()
        return self.steering.interrupted

    @property
    def observed(self) -> PageObserved | None:
        """See WorkInHand."""
        return self.page

    async def look(self) -> None:
        """See WorkInHand."""
        self.timer = StepTimer(self.deps.now(), self.deps.elapsed_s())
        await self._observe(max_tokens=PERSON_TOKENS)
        self.state = after_observation(self.state_after_step, self.task.spec, self.observation)

    async def act_for(self, action: BrowserAction, by: str) -> StepTaken:
        """See WorkInHand. What the task presses once is pressed once by a person too."""
        decision = await self._guarded(Act(action, by, taken_over=True), self.deps.elapsed_s())
        refused = "" if isinstance(decision, Act) and decision.action is action else "it may have been pressed already"
        decision = decision if isinstance(decision, Act) and not refused else Act(action, by, taken_over=True)
        outcome = ActionOutcome(action, refused, refused=True) if refused else await self._execute(decision, action)
        step = await self._publish_step(decision, outcome, StepFacts(self.observation, 1, ""))
        await self.look()
        self.stale = True  # whoever goes on sees it within his own budget
        return step

    async def _decide(self) -> Decision:
        before_s = self.deps.elapsed_s()
        on_flow = self.task.flow is not None and not self.task.flow.may_ask
        if (recalled := self._recall()) is not None:
            return await self._guarded(recalled, before_s)
        asked = None if on_flow else due_question(self.view, asks_model=self.task.driver.asks_model)
        if asked is not None and await fetch_exceeded_run_budget(self.view, self.deps):
            asked = None  # a model reads the picture, even for a driver without one
        decision = asked or await self.task.driver.decide(self.view)
        self.asked = None if isinstance(decision, ObserveAgain) else decision.asked
        if not isinstance(decision, ObserveAgain):  # the call is paid even if its action is refused
            await add_spending(self.task.message.run_id, decision.usage, self.deps)
        return await self._guarded(decision, before_s)

    def _recall(self) -> Decision | None:
        """Return the next decision of the attempt that was cut off; None from the first that does not fit on."""
        decision = recalled_decision(self.view, self.earlier) if self.earlier else None
        if decision is None:
            self.earlier = ()
        return decision

    async def _guarded(self, decision: Decision, since_s: float) -> Decision:
        decision = await guard_irreversible(self.view, decision, EvidenceClaims(self.deps.asks))
        self.timer.decide_ms += (self.deps.elapsed_s() - since_s) * 1000
        return decision

    # --- the page

    async def _refresh_state(self) -> None:
        """Observe the page if it may have changed, and apply the observation to the state."""
        if self.stale:
            await self._observe()
        self.state = after_observation(self.state_after_step, self.task.spec, self.observation)

    async def _observe(self, max_tokens: int = 0) -> None:
        request = ObservePage(
            session_id=self.session.session_id,
            instance_id=self.session.instance_id,
            keywords=keywords(self.task.spec, self.task.message.sample),
            max_tokens=max_tokens or self.state.max_tokens,
            locators=bool(self.task.log or self.earlier) or self.task.on_flow,
        )
        page = await self.deps.asks.ask(OBSERVE, request, timeout_s=OBSERVE_TIMEOUT_S)
        spec, sample = self.task.spec, self.task.message.sample
        self.page = as_answer(without_background(page, spec), spec, sample, self.state_after_step.history)
        self.observation = observation_ref(self.page, spec, sample)
        self.stale = False
        self.timer.browser_ms += self.page.browser_ms
        if self.person.hold.is_followed:
            self.person.show(self.page, self.task.driver.name)

    async def _observe_again(self, look: ObserveAgain) -> None:
        """Observe the page again without a step. What was read so far is recorded with the next step."""
        self.unlogged_readings = (*self.unlogged_readings, *look.seen)
        if look.after_s:
            before_s = self.deps.elapsed_s()
            await self.deps.wait(look.after_s)
            self.timer.browser_ms += (self.deps.elapsed_s() - before_s) * 1000
        self.state_after_step = after_look(self.state_after_step, look)
        self.state = after_look(self.state, look)
        await self._observe()

    # --- what was decided

    async def _end_at_limit(self, due: Ending) -> Ending:
        """End the sample at a limit. Storing the page of its values is a step too, so that the log has it.

        A page that may have changed is not observed again: it may be the reason why the time is up.
        """
        if not self.stale:
            await self._refresh_state()
        outcome = await save_partial_values(self.view, due, self.session, self.deps)
        if outcome is None or outcome.action is None:
            return due
        self.timer.browser_ms += outcome.browser_ms
        await self._publish_step(
            Act(outcome.action, BY_RULE), outcome, StepFacts(None if self.stale else self.observation, 1, "")
        )
        return with_partial_values(self.view, due)

    async def _execute_calls(self, decision: Act) -> Ending | None:
        """Execute the calls of one answer in order, as long as the page stays the one that they were chosen on."""
        if decision.proves_record:
            self.observation = with_proof(self.observation)
            self.state = after_observation(self.state_after_step, self.task.spec, self.observation)
        action, chosen_on = decision.action, self.page
        for number, following in enumerate((*decision.then, None), 1):
            decided_on = self.observation
            outcome = await self._execute(decision, action)
            action, why = await self._next_call(action, outcome, following, chosen_on)
            remark = " ".join(filter(None, (decision.remark if number == 1 else "", why)))
            await self._publish_step(decision, outcome, StepFacts(decided_on, number, remark))
            if outcome.ending is not None or action is None:
                return outcome.ending
            await self._refresh_state()
        return None

    async def _execute(self, decision: Act, action: AnyAction) -> ActionOutcome:
        if decision.taken_over:
            refused = refused_press(self.view, action)
        else:
            refused = refusal(self.view, action, by_rule=decision.decided_by in WITHOUT_MODEL)
        if refused:
            return ActionOutcome(action, refused, refused=True)
        # If the action ends the sample, the result includes what its own decision has read and noted.
        view = self.view
        view = replace(view, state=with_notes(with_readings(view.state, decision.seen), decision.notes))
        by, once = decision.decided_by, decision.claimed > 0
        outcome = await execute_action(
            view, action, by, self.session, self.deps, decision.answered, once=once, by_hand=decision.taken_over
        )
        await give_back_unmade(view, decision, outcome, EvidenceClaims(self.deps.asks))
        self.timer.browser_ms += outcome.browser_ms
        if outcome.result is not None:
            self.timer.browser_ms += outcome.result.browser_ms
            self.stale = self.stale or changes_page(action)
        if outcome.workflow is not None or (isinstance(action, SaveProgress) and by == BY_RULE):
            self.stale = True  # pictures of values scroll parts of the page, which may draw their rows anew
        return outcome

    async def _next_call(
        self, action: AnyAction, outcome: ActionOutcome, following: AnyAction | None, chosen_on: PageObserved | None
    ) -> tuple[AnyAction | None, str]:
        """Return the next call with refs of the current observation, or None and the reason.

        Its refs are those of the page that all calls of the answer were chosen on.
        """
        if following is None:
            return None, ""
        stopped = stop_reason(action, outcome)
        if stopped:
            return None, stopped
        if self.stale:
            await self._observe()
        return (following, "") if self.page is chosen_on else next_batched_call(following, chosen_on, self.page)

    def _notices(self) -> tuple[str, ...]:
        """Return what the driver is told beside the page: notices of the loop, and messages of people."""
        return (*self.state.notices, *self.steering.messages, *self.person.notices)

    async def _publish_step(
        self, decision: Act | UnusableAnswer, outcome: ActionOutcome, facts: StepFacts
    ) -> StepTaken:
        """Build the step, make the state from it, and publish it. Return it."""
        flow_file = await file_flow(self.task.flow, decision, self.state, self.task.message, self.deps)
        prompt_file = await file_prompt(self.asked, self.state.steps + 1, self.task.message, self.deps)
        self.asked = None
        step = self._build_step(decision, outcome, facts, (*flow_file, *prompt_file))
        self.state_after_step = self.state = after_step(self.state, step)
        self.unlogged_readings = ()
        if not step.taken_over:
            self.steering.mark_told()
            self.person.mark_told()
        if self.state.is_unreached:
            self.page, self.observation, self.stale = None, None, False
        await add_spending(step.run_id, outcome.usage, self.deps)
        await self.deps.publishes.publish(STEP_TAKEN, self.logged_rows.shorten(step))
        self.timer = StepTimer(self.deps.now(), self.deps.elapsed_s())
        self.person.tell_step(step)
        return step

    # --- what is said

    def _build_step(
        self,
        decision: Act | UnusableAnswer,
        outcome: ActionOutcome,
        facts: StepFacts,
        own_files: tuple[FiledArtifact, ...],
    ) -> StepTaken:
        first = facts.call == 1
        artifacts = (*to_filed(self.state, outcome.result), *outcome.page_files, *own_files)
        seen = decision.seen if isinstance(decision, Act) and first else ()
        taken_over = isinstance(decision, Act) and decision.taken_over
        watch, now_s = self.timer, self.deps.elapsed_s()
        return StepTaken(
            run_id=self.task.message.run_id,
            sample_id=self.task.message.sample_id,
            attempt=self.task.attempt,
            step=self.state.steps + 1,
            planner_id=self.deps.planner_id,
            session_id=self.session.session_id,
            started_at=watch.started_at,
            ended_at=self.deps.now(),
            observation=with_page(facts.observation, (*self.state.stored, *artifacts)),
            decided_by=decision.decided_by,
            action=outcome.action,
            result=outcome.result,
            message=outcome.message,
            refused=outcome.refused,
            remark=facts.remark,
            notices=self._notices() if first and not taken_over else (),
            route=decision.route if isinstance(decision, Act) and first else None,
            call=facts.call,
            artifacts=artifacts,
            values=outcome.values,
            seen=merged_readings((*self.unlogged_readings, *seen), outcome.seen),
            unconfirmed=outcome.unconfirmed,
            items=outcome.items,
            counts=outcome.counts,
            list_pages=outcome.list_pages,
            vision=outcome.vision,
            workflow=outcome.workflow,
            flow=decision.flow if isinstance(decision, Act) and first else None,
            reflection=decision.reflection if isinstance(decision, Act) and first else None,
            taken_over=taken_over,
            decided_in=decision.decided_in,
            claimed=decision.claimed if isinstance(decision, Act) and first else 0,
            stood=outcome.stood,
            stood_under=outcome.stood_under,
            heals=decision.heals if isinstance(decision, Act) and first else (),
            target_context=outcome.target_context,
            summary=decision.summary if first else None,
            notes=(*(decision.notes if first else ()), *outcome.notes),
            looks=self.state.looks,
            observe_tokens=self.state.max_tokens,
            prompt_chars=decision.prompt_chars if first else 0,
            prompt_weight=decision.prompt_weight if first else 0.0,
            usage=add_usage(decision.usage if first else Usage(), outcome.usage),
            browser_ms=round(watch.browser_ms, 3),
            decide_ms=round(watch.decide_ms, 3),
            total_ms=round((now_s - watch.started_s) * 1000, 3),
        )

    def _to_finished(self, due: Ending) -> SampleFinished:
        task, state = self.task, self.state
        ended = to_finished(task.message, task.attempt, self.deps.planner_id, due, self.started_at, self.deps.now())
        return msgspec.structs.replace(
            ended,
            session_id=self.session.session_id,
            values=with_files(ended.values, stored_pages(state.stored)),
            hints=task.hints,
            artifacts=state.stored,
            steps=state.steps,
            usage=state.usage,
            decided_by=task.driver.name,
            counted=counted_items(state, self.page) if task.spec.phase == "discovery" else None,
            listed_pages=state.listed_pages,
            taken_over_by=tuple(self.person.acted),
            flagged=ended.flagged or bool(self.person.acted),
            notes=(*ended.notes, *self.person.notes),
        )
