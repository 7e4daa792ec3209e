"""The shell around the decisions on one sample: observe, decide, act, say so. It decides nothing itself.

Its state changes in two ways only (``state/transitions.py``): a page is observed, or a step is taken and published. The
step is built first and the state made from it, so that the step log never knows less than the loop did.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from services.planner.budget import add_spending, fetch_budget_ending, fetch_exceeded_run_budget
from services.planner.deps import Decider, PlannerDeps
from services.planner.execute import Outcome, carry_out, cut_off
from services.planner.irreversible import EvidenceClaims, guard_irreversible
from services.planner.judge.early_end import limit_reached, refusal, with_partial_values
from services.planner.judge.gates import to_finished
from services.planner.page.identity import keywords
from services.planner.state.batching import goes_on, stops
from services.planner.state.sample_state import Act, Decision, Ending, Look, SampleState, Unusable, View, changes_page
from services.planner.state.step_parts import filed, observation_ref, with_page
from services.planner.state.transitions import advanced, looked, noted, observed, read
from services.planner.state.value_sources import kept_pages, latest, with_files
from services.planner.state.vision_policy import question_due
from shared.contracts.actions import AnyAction, Goto
from shared.contracts.base import Usage, add_usage
from shared.contracts.browser_pool import ObservePage, PageObserved, SessionLeased
from shared.contracts.planner import BY_RULE, WITHOUT_MODEL, SampleFinished, WorkSample
from shared.contracts.steps import FieldValue, ObservationRef, StepTaken
from shared.subjects import OBSERVE, STEP_TAKEN
from shared.task.spec import TaskSpec

OBSERVE_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Task:
    """One attempt at one sample; ``attempt`` counts over resumed rounds."""

    message: WorkSample
    attempt: int
    spec: TaskSpec
    decider: Decider
    hints: tuple[str, ...] = ()
    log: tuple[StepTaken, ...] = ()
    allow_effects: bool = False


@dataclass
class Stopwatch:
    """Of one step. ``browser_ms`` holds pauses for the page too: they are spent on the site, not by us."""

    started_at: datetime
    started_s: float
    browser_ms: float = 0.0
    decide_ms: float = 0.0


@dataclass(frozen=True)
class Told:
    """What a step says beside what was decided and what came of it."""

    decided_on: ObservationRef | None
    call: int
    remark: str


class SampleWork:
    """Works on one sample in one browser session."""

    def __init__(self, task: Task, session: SessionLeased, deps: PlannerDeps) -> None:
        self.task, self.session, self.deps = task, session, deps
        self.settled = SampleState()
        """As the last step has left it: what is looked at meanwhile is weighed on top of it, the last look alone."""
        self.state = self.settled
        self.page: PageObserved | None = None
        self.ref: ObservationRef | None = None
        self.stale = False
        self.glanced: tuple[FieldValue, ...] = ()
        self.started_at, self.started_s = deps.now(), deps.elapsed_s()
        self.watch = Stopwatch(self.started_at, self.started_s)

    async def run(self) -> SampleFinished:
        """Steps until an ending. Errors of the browser pool or the model pass through: the sample is tried again."""
        while True:
            due = limit_reached(self.view, self.deps.elapsed_s() - self.started_s)
            ending = await self._turn() if due is None else await self._cut_off(due)
            if ending is not None:
                return self._finished(ending)

    @property
    def view(self) -> View:
        task, work, state = self.task, self.task.message, read(self.state, self.glanced)
        return View(
            task.spec, work.sample, state, self.page, task.hints, task.log, work.run_id, task.attempt,
            task.allow_effects,
        )  # fmt: skip

    async def _turn(self) -> Ending | None:
        """One decision, and what follows from it."""
        await self._weigh()
        due = limit_reached(self.view, self.deps.elapsed_s() - self.started_s)
        due = due or await fetch_budget_ending(self.view, self.task.decider, self.deps)
        if due is not None:
            return await self._cut_off(due)
        decision = await self._decided()
        if isinstance(decision, Look):
            return await self._look(decision)
        if isinstance(decision, Unusable):
            await self._take(
                decision, Outcome(None, decision.message, refused=True), Told(self.ref, 1, decision.remark)
            )
            return None
        return await self._calls(decision)

    async def _decided(self) -> Decision:
        before_s = self.deps.elapsed_s()
        asked = question_due(self.view, asks_model=self.task.decider.asks_model)
        if asked is not None and await fetch_exceeded_run_budget(self.view, self.deps):
            asked = None  # a picture is read by a model, whoever decides
        decision = asked or await self.task.decider.decide(self.view)
        if not isinstance(decision, Look):  # paid, whatever becomes of the action
            await add_spending(self.task.message.run_id, decision.usage, self.deps)
        decision = await guard_irreversible(self.view, decision, EvidenceClaims(self.deps.asks))
        self.watch.decide_ms += (self.deps.elapsed_s() - before_s) * 1000
        return decision

    # --- the page

    async def _weigh(self) -> None:
        """Before every decision: the page as it is now, and what the steps before have led to."""
        if self.stale:
            await self._observe()
        self.state = observed(self.settled, self.task.spec, self.ref)

    async def _observe(self) -> None:
        request = ObservePage(
            session_id=self.session.session_id,
            instance_id=self.session.instance_id,
            keywords=keywords(self.task.spec, self.task.message.sample),
            max_tokens=self.state.max_tokens,
            locators=bool(self.task.log),
        )
        self.page = await self.deps.asks.ask(OBSERVE, request, timeout_s=OBSERVE_TIMEOUT_S)
        self.ref = observation_ref(self.page, self.task.spec, self.task.message.sample)
        self.stale = False
        self.watch.browser_ms += self.page.browser_ms

    async def _look(self, look: Look) -> None:
        """No step: what was read meanwhile is said with the next one."""
        self.glanced = (*self.glanced, *look.seen)
        if look.after_s:
            before_s = self.deps.elapsed_s()
            await self.deps.wait(look.after_s)
            self.watch.browser_ms += (self.deps.elapsed_s() - before_s) * 1000
        self.settled = looked(self.settled, look)
        self.state = looked(self.state, look)
        await self._observe()

    # --- what was decided

    async def _cut_off(self, due: Ending) -> Ending:
        """A bound ends the sample: what is kept for its values is a step like any other, so that the log has it. A page
        that may have changed is not looked at anew: time may be up because it does not answer."""
        if not self.stale:
            await self._weigh()
        outcome = await cut_off(self.view, due, self.session, self.deps)
        if outcome is None or outcome.action is None:
            return due
        self.watch.browser_ms += outcome.browser_ms
        await self._take(Act(outcome.action, BY_RULE), outcome, Told(None if self.stale else self.ref, 1, ""))
        return with_partial_values(self.view, due)

    async def _calls(self, decision: Act) -> Ending | None:
        """The calls of one answer, in their order, for as long as the page stays what they were chosen on."""
        action, chosen_on = decision.action, self.page
        for number, following in enumerate((*decision.then, None), 1):
            decided_on = self.ref
            outcome = await self._outcome(decision, action)
            action, why = await self._following(action, outcome, following, chosen_on)
            remark = " ".join(filter(None, (decision.remark if number == 1 else "", why)))
            await self._take(decision, outcome, Told(decided_on, number, remark))
            if outcome.ending is not None or action is None:
                return outcome.ending
            await self._weigh()
        return None

    async def _outcome(self, decision: Act, action: AnyAction) -> Outcome:
        refused = refusal(self.view, action, by_rule=decision.decided_by in WITHOUT_MODEL)
        if refused:
            return Outcome(action, refused, refused=True)
        # What the decision itself has read and remarked is known where it ends the sample.
        view = self.view
        view = replace(view, state=noted(read(view.state, decision.seen), decision.notes))
        outcome = await carry_out(view, action, decision.decided_by, self.session, self.deps)
        self.watch.browser_ms += outcome.browser_ms
        if outcome.result is not None:
            self.watch.browser_ms += outcome.result.browser_ms
            self.stale = self.stale or changes_page(action)
        return outcome

    async def _following(
        self, action: AnyAction, outcome: Outcome, following: AnyAction | None, chosen_on: PageObserved | None
    ) -> tuple[AnyAction | None, str]:
        """The next call as it is to be carried out now, or None and why not. Its refs are of the page that all calls
        were chosen on, however often it was looked at since."""
        if following is None:
            return None, ""
        stopped = stops(action, outcome)
        if stopped:
            return None, stopped
        if self.stale:
            await self._observe()
        return (following, "") if self.page is chosen_on else goes_on(following, chosen_on, self.page)

    async def _take(self, decision: Act | Unusable, outcome: Outcome, told: Told) -> None:
        """The step is made, the state made from it, and the step published."""
        step = self._step(decision, outcome, told)
        self.settled = self.state = advanced(self.state, step)
        self.glanced = ()
        if self._never_opened():
            self.page, self.ref, self.stale = None, None, False
        await self.deps.publishes.publish(STEP_TAKEN, step)
        await add_spending(step.run_id, outcome.usage, self.deps)
        self.watch = Stopwatch(self.deps.now(), self.deps.elapsed_s())

    def _never_opened(self) -> bool:
        """Nothing has been reached yet: there is no page worth looking at."""
        last = self.state.last
        only_goto = all(isinstance(entry.action, Goto) for entry in self.state.history)
        no_answer = last is not None and last.result is not None and last.result.change.http_status is None
        return only_goto and no_answer and last is not None and not last.ok

    # --- what is said

    def _step(self, decision: Act | Unusable, outcome: Outcome, told: Told) -> StepTaken:
        first = told.call == 1
        artifacts = (*filed(self.state, outcome.result), *outcome.kept)
        seen = decision.seen if isinstance(decision, Act) and first else ()
        watch, now_s = self.watch, self.deps.elapsed_s()
        return StepTaken(
            run_id=self.task.message.run_id,
            sample_id=self.task.message.sample_id,
            attempt=self.task.attempt,
            step=self.state.steps + 1,
            started_at=watch.started_at,
            ended_at=self.deps.now(),
            observation=with_page(told.decided_on, (*self.state.stored, *artifacts)),
            decided_by=decision.decided_by,
            action=outcome.action,
            result=outcome.result,
            message=outcome.message,
            refused=outcome.refused,
            remark=told.remark,
            notices=self.state.notices if first else (),
            route=decision.route if isinstance(decision, Act) and first else None,
            call=told.call,
            artifacts=artifacts,
            values=outcome.values,
            seen=latest((*self.glanced, *seen), outcome.seen),
            unconfirmed=outcome.unconfirmed,
            items=outcome.items,
            vision=outcome.vision,
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

    def _finished(self, ending: Ending) -> SampleFinished:
        task, state = self.task, self.state
        ended = to_finished(task.message, task.attempt, ending, self.started_at, self.deps.now())
        return msgspec.structs.replace(
            ended,
            values=with_files(ended.values, kept_pages(state.stored)),
            hints=task.hints,
            artifacts=state.stored,
            steps=state.steps,
            usage=state.usage,
            decided_by=task.decider.name,
        )
