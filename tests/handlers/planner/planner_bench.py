"""One planner on a bus in memory, with a scripted pool, a run, and controlled clocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from services.planner.deps import Driver, PlannerDeps
from services.planner.drivers.registry import RulesDriver
from services.planner.handlers import work_sample
from shared.bus.actor import Actor
from shared.contracts.browser_pool import PageObserved
from shared.contracts.discovery import RunMode, RunRecord
from shared.contracts.evidence import ClaimPress, LoadSteps, PressHeld, StepsLoaded, StepsReply, StepsUnknown
from shared.contracts.planner import SampleFinished, WorkSample
from shared.contracts.results import ActionResult
from shared.contracts.steps import PressClaim, StepTaken
from shared.errors import Unsupported
from shared.streams import RUNS
from shared.subjects import CLAIM_PRESS, LOAD_STEPS
from shared.testing.bus import MemoryBus
from tests.handlers.planner.scripted_pool import ScriptedPool, pool
from tests.unit.planner.planner_pages import NOW, URL, sample, spec

RUN = "run_1"

Held = dict[tuple[str, str, int], PressClaim]
ledger: Actor[Held] = Actor("evidence")


@ledger.answers(CLAIM_PRESS)
async def claim_press(request: ClaimPress, deps: Held) -> PressHeld:
    """Answer as evidence does: the first claim wins, and who has it may give it back."""
    one = request.pressed
    key = (one.run_id, one.sample_id, one.step)
    if request.give_back and deps.get(key) == one:
        del deps[key]
    return PressHeld(pressed=deps.setdefault(key, one) if request.claim else deps.get(key))


keeper: Actor[MemoryBus] = Actor("evidence")


@keeper.answers(LOAD_STEPS)
async def load_steps(request: LoadSteps, deps: MemoryBus) -> StepsReply:
    """Answer as evidence does: with the steps of an attempt, of the latest one without a number."""
    steps = [step for step in deps.events(StepTaken) if step.sample_id == request.sample_id]
    attempt = request.attempt or max((step.attempt for step in steps), default=0)
    found = tuple(step for step in steps if step.attempt == attempt)
    if not found:
        return StepsUnknown(run_id=RUN, sample_id=request.sample_id, message="no step log")
    page = tuple(step for step in found if step.step > request.after_step)[:5]
    return StepsLoaded(
        run_id=RUN, sample=sample(), spec={}, attempt=attempt, steps=page, total=len(found), status=None, reason="",
        problem="the attempt has no result",
    )  # fmt: skip


@dataclass
class Bench:
    """``clock_s`` is the time of the planner's clock; ``pauses`` has its waits."""

    scripted: ScriptedPool
    driver: Driver = field(default_factory=RulesDriver)
    task: dict[str, Any] = field(default_factory=lambda: spec().model_dump(mode="json", by_alias=True))
    planner: str | None = None
    mode: RunMode = "auto"
    compiles: bool = False
    clock_s: float = 0.0
    pauses: list[float] = field(default_factory=list)
    bus: MemoryBus = field(default_factory=MemoryBus)

    def __post_init__(self) -> None:
        self.bus.host(pool, self.scripted)
        self.bus.host(ledger, {})
        self.bus.host(keeper, self.bus)
        clocks = {"now": lambda: NOW, "elapsed_s": lambda: self.clock_s, "wait": self._wait}
        self.deps = PlannerDeps(self.bus, self.bus, self.bus, self._named, "rules", planner_id="planner_one", **clocks)

    async def run(self, *, attempt: int = 1, **changes: Any) -> SampleFinished:
        await self.record()
        finished = await work_sample(work(**changes), self.deps, attempt)
        while finished is None:
            finished = await work_sample(self.queued[-1], self.deps, 1)
        return finished

    @property
    def queued(self) -> list[WorkSample]:
        """What the planner has queued anew."""
        return self.bus.events(WorkSample)

    async def record(self) -> None:
        record = RunRecord(
            run_id=RUN,
            spec=self.task,
            planner=self.planner,
            concurrency=1,
            created_at=NOW,
            mode=self.mode,
            compiles=self.compiles,
        )
        await self.bus.create(RUNS, RUN, record)

    @property
    def steps(self) -> list[StepTaken]:
        return self.bus.events(StepTaken)

    def _named(self, name: str) -> Driver:
        if name != "rules":
            raise Unsupported(f"no planner {name}", code="unknown_planner")
        return self.driver

    async def _wait(self, pause_s: float) -> None:
        self.pauses.append(pause_s)
        self.clock_s += pause_s


def bench_of(
    *pages: PageObserved, driver: Driver | None = None, pool: dict[str, Any] | None = None, **task: Any
) -> Bench:
    """Return a bench of the ticket task, changed so, whose start page is observed as these pages, one by one."""
    scripted = ScriptedPool({URL: list(pages)} if pages else {}, **(pool or {}))
    return Bench(scripted, driver or RulesDriver(), spec(**task).model_dump(mode="json", by_alias=True))


def values_of(finished: SampleFinished) -> dict[str, Any]:
    return {value.field: value.value for value in finished.values}


def recovers(one: Bench, shown: PageObserved) -> None:
    """Have the start page be this one from the second action on."""
    goes = one.scripted.go

    def go(url: str) -> ActionResult:
        if len(one.scripted.actions) == 2:
            one.scripted.site[URL] = [shown]
        return goes(url)

    one.scripted.go = go


def work(**changes: Any) -> WorkSample:
    given = {"run_id": RUN, "sample_id": "TCK-1001", "sample": sample()}
    return WorkSample(**{**given, **changes})
