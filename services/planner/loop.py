"""The shell around the decisions on one sample: observe, decide, act, say so. It decides nothing itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from services.planner.deps import Decider, Deps
from services.planner.gates import Bounce, judge_done, judge_fail, limit_reached, saved
from services.planner.identity import keywords, prove
from services.planner.opening import BY_RULE
from services.planner.sample_state import (
    Act,
    Ending,
    Look,
    SampleState,
    Unusable,
    View,
    accepted,
    acted,
    bounced,
    changes_page,
    kept,
    looked,
    misunderstood,
    noted,
    read,
    shown_record,
    spent,
)
from shared.contracts.actions import ActionResult, BrowserAction, Goto, Wait
from shared.contracts.browser_pool import ActOnPage, ObservePage, PageObserved, SessionLeased
from shared.contracts.planner import (
    AnyAction,
    Done,
    Fail,
    FieldValue,
    ObservationRef,
    SampleFinished,
    SaveProgress,
    StepTaken,
    WorkSample,
)
from shared.subjects import ACT, OBSERVE, STEP_TAKEN
from shared.task_spec import TaskSpec

OBSERVE_TIMEOUT_S = 60.0
ACT_TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Task:
    """One attempt at one sample; ``attempt`` counts over resumed rounds."""

    message: WorkSample
    attempt: int
    spec: TaskSpec
    decider: Decider


@dataclass
class Stopwatch:
    """Of one step. ``browser_ms`` holds pauses for the page too: they are spent on the site, not by us."""

    started_at: datetime
    started_s: float
    browser_ms: float = 0.0
    decide_ms: float = 0.0


class SampleWork:
    """Works on one sample in one browser session."""

    def __init__(self, task: Task, session: SessionLeased, deps: Deps) -> None:
        self.task, self.session, self.deps = task, session, deps
        self.state = SampleState()
        self.page: PageObserved | None = None
        self.stale = False
        self.started_at, self.started_s = deps.now(), deps.elapsed_s()
        self.watch = Stopwatch(self.started_at, self.started_s)

    async def run(self) -> SampleFinished:
        """Steps until an ending. Errors of the browser pool or the model pass through: the sample is tried again."""
        while True:
            ending = limit_reached(self.view, self.deps.elapsed_s() - self.started_s) or await self._turn()
            if ending is not None:
                return self._finished(ending)

    @property
    def view(self) -> View:
        return View(self.task.spec, self.task.message.sample, self.state, self.page)

    async def _turn(self) -> Ending | None:
        """One decision, and what follows from it."""
        if self.stale:
            await self._observe()
        before_s = self.deps.elapsed_s()
        decision = await self.task.decider.decide(self.view)
        self.watch.decide_ms += (self.deps.elapsed_s() - before_s) * 1000
        if isinstance(decision, Look):
            self.state = read(self.state, decision.seen)
            return await self._look(decision)
        self.state = noted(spent(self.state, decision.usage), decision.notes)
        if isinstance(decision, Unusable):
            return await self._could_not_use(decision)
        self.state = read(self.state, decision.seen)
        if isinstance(decision.action, Done | Fail | SaveProgress):
            return await self._conclude(decision, decision.action)
        return await self._act(decision, decision.action)

    # --- the page

    async def _observe(self) -> None:
        request = ObservePage(
            session_id=self.session.session_id,
            instance_id=self.session.instance_id,
            keywords=keywords(self.task.spec, self.task.message.sample),
            max_tokens=self.state.max_tokens,
        )
        self.page = await self.deps.asks.ask(OBSERVE, request, timeout_s=OBSERVE_TIMEOUT_S)
        self.stale = False
        self.watch.browser_ms += self.page.browser_ms
        self.state = shown_record(self.state, prove(self.task.spec, self.task.message.sample, self.page).state)

    async def _look(self, look: Look) -> None:
        if look.after_s:
            before_s = self.deps.elapsed_s()
            await self.deps.wait(look.after_s)
            self.watch.browser_ms += (self.deps.elapsed_s() - before_s) * 1000
        self.state = looked(self.state, look)
        await self._observe()

    async def _act(self, decision: Act, action: BrowserAction) -> None:
        request = ActOnPage(session_id=self.session.session_id, instance_id=self.session.instance_id, action=action)
        timeout_s = ACT_TIMEOUT_S + (action.timeout_s if isinstance(action, Wait) else 0.0)
        result = await self.deps.asks.ask(ACT, request, timeout_s=timeout_s)
        self.watch.browser_ms += result.browser_ms
        decided_on = self.page
        self.state = acted(self.state, action, result, result.message, decision.remark)
        self.stale = self.stale or changes_page(action)
        if self._never_opened():
            self.page, self.stale = None, False
        await self._publish(decision, action, decided_on, result=result, message=result.message)

    def _never_opened(self) -> bool:
        """Nothing has been reached yet: there is no page worth looking at."""
        last = self.state.last
        only_goto = all(isinstance(entry.action, Goto) for entry in self.state.history)
        no_answer = last is not None and last.result is not None and last.result.change.http_status is None
        return only_goto and no_answer and last is not None and not last.ok

    # --- what ends in the planner

    async def _conclude(self, decision: Act, action: Done | Fail | SaveProgress) -> Ending | None:
        if isinstance(action, SaveProgress):
            values, notes, unconfirmed = saved(self.view, action)
            done = acted(self.state, action, None, "saved", decision.remark)
            self.state = noted(kept(done, values, unconfirmed), notes)
            await self._publish(decision, action, self.page, values=values, message="saved")
            return None
        by_model = decision.decided_by != BY_RULE
        if isinstance(action, Fail):
            ruling, values = judge_fail(self.view, action, by_model=by_model), ()
        else:
            ruling, values = judge_done(self.view, action, by_model=by_model)
        told = ruling.message or "accepted"
        after = bounced if isinstance(ruling, Bounce) else accepted
        self.state = after(self.state, action, told, decision.remark)
        await self._publish(decision, action, self.page, values=values, message=told)
        return None if isinstance(ruling, Bounce) else ruling

    async def _could_not_use(self, decision: Unusable) -> None:
        self.state = misunderstood(self.state, decision.message, decision.remark)
        await self._publish(decision, None, self.page, message=decision.message)

    # --- what is said

    async def _publish(
        self,
        decision: Act | Unusable,
        action: AnyAction | None,
        page: PageObserved | None,
        *,
        message: str,
        result: ActionResult | None = None,
        values: tuple[FieldValue, ...] = (),
    ) -> None:
        filed = self.state.last.filed if self.state.last is not None else ()
        watch, now_s = self.watch, self.deps.elapsed_s()
        step = StepTaken(
            run_id=self.task.message.run_id,
            sample_id=self.task.message.sample_id,
            attempt=self.task.attempt,
            step=self.state.steps,
            started_at=watch.started_at,
            ended_at=self.deps.now(),
            observation=observation_ref(page),
            decided_by=decision.decided_by,
            action=action,
            result=result,
            message=f"{message} {decision.remark}".strip(),
            artifacts=filed,
            values=values,
            usage=decision.usage,
            browser_ms=round(watch.browser_ms, 3),
            decide_ms=round(watch.decide_ms, 3),
            total_ms=round((now_s - watch.started_s) * 1000, 3),
        )
        await self.deps.publishes.publish(STEP_TAKEN, step)
        self.watch = Stopwatch(self.deps.now(), self.deps.elapsed_s())

    def _finished(self, ending: Ending) -> SampleFinished:
        return SampleFinished(
            run_id=self.task.message.run_id,
            sample_id=self.task.message.sample_id,
            attempt=self.task.attempt,
            status=ending.status,
            reason=ending.reason,
            message=ending.message,
            fault=ending.fault,
            sample=self.task.message.sample,
            values=ending.values,
            artifacts=self.state.artifacts,
            steps=self.state.steps,
            usage=self.state.usage,
            decided_by=self.task.decider.name,
            flagged=ending.flagged,
            notes=ending.notes,
            started_at=self.started_at,
            finished_at=self.deps.now(),
        )


def observation_ref(page: PageObserved | None) -> ObservationRef | None:
    if page is None:
        return None
    return ObservationRef(
        snapshot_id=page.snapshot_id,
        sha256=page.sha256,
        url=page.url,
        title=page.title,
        http_status=page.http_status,
        dom_confidence=page.dom_confidence,
    )
