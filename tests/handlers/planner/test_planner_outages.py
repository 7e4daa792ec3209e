"""Samples that fail one after the other for one cause: the run pauses once, nothing is left failed, and it goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from services.discovery.steering.controls import applied
from services.planner.handlers import give_up, work_sample
from services.planner.state.attempt_state import Decision, SampleView
from shared.bus.actor import Actor
from shared.contracts.planner import SampleFinished, WorkSample
from shared.contracts.sessions.control import (
    AnyControl,
    ControlRefused,
    ControlReply,
    ControlRun,
    PauseRun,
    ResumePaused,
    RunControl,
    RunControlled,
)
from shared.errors import ExhibitError, PermanentError, TransientError, Unavailable
from shared.streams import RUN_CONTROL
from shared.subjects import CONTROL_RUN, RUN_CONTROLLED
from tests.handlers.planner.planner_bench import RUN, Bench, bench_of
from tests.unit.planner.planner_pages import NOW, URL, page, sample, ticket

SHOWN = page(*ticket())
steerer: Actor[Bench] = Actor("discovery")


@steerer.answers(CONTROL_RUN)
async def control(request: ControlRun, deps: Bench) -> ControlReply:
    """Answer as discovery does."""
    stored = await deps.bus.read(RUN_CONTROL, RUN, RunControl) or RunControl(attempt_base=0)
    after = applied(stored, request, deps.deps.now())
    if isinstance(after, ControlRefused):
        return after
    await deps.bus.modify(RUN_CONTROL, RUN, RunControl, lambda _: after)
    await deps.bus.publish(RUN_CONTROLLED, after.last[-1])
    return after.last[-1]


class Run:
    """A run of samples of one ticket, worked on one after the other as its queue delivers them."""

    def __init__(self, samples: int, *, fails: Callable[[Bench, str], None] = lambda one, sample_id: None, **task: Any):
        self.bench, self.fails = bench_of(SHOWN, **task), fails
        self.bench.bus.host(steerer, self.bench)
        self.bench.deps.now = lambda: NOW + timedelta(seconds=self.bench.clock_s)
        ids = [f"S-{number}" for number in range(1, samples + 1)]
        self.queue = [WorkSample(run_id=RUN, sample_id=one, sample=sample(sample_id=one)) for one in ids]
        self.ends: dict[str, SampleFinished] = {}

    async def work(self) -> Counter[tuple[str, str]]:
        """Return how many samples ended how."""
        await self.bench.record()
        while self.queue:
            message = self.queue.pop(0)
            before = len(self.bench.queued)
            finished = await self._deliver(message)
            self.queue += self.bench.queued[before:]
            if finished is not None:
                assert message.sample_id not in self.ends, "each ends once"
                self.ends[message.sample_id] = finished
        return Counter((one.status, one.reason) for one in self.ends.values())

    async def _deliver(self, message: WorkSample) -> SampleFinished | None:
        error = ExhibitError("it was not delivered")
        for attempt in range(1, 5):
            self.fails(self.bench, message.sample_id)
            try:
                return await work_sample(message, self.bench.deps, attempt)
            except TransientError as exc:
                error = exc
            except PermanentError as exc:
                return give_up(message, self.bench.deps, attempt, exc)
        last = ExhibitError(str(error), code="retries_exhausted")
        return give_up(message, self.bench.deps, 4, last)

    @property
    def told(self) -> list[AnyControl]:
        return [one.control for one in self.bench.bus.events(RunControlled)]


def unreachable(one: Bench, *, out: bool) -> None:
    one.scripted.unreachable = out


def server_error(one: Bench, *, out: bool) -> None:
    one.scripted.site[URL] = [page(*ticket(), http_status=503)] if out else [SHOWN]


def login(one: Bench, *, out: bool) -> None:
    one.scripted.paused = "record desk again" if out else ""


def model(error: ExhibitError) -> Callable[..., None]:
    def fails(one: Bench, *, out: bool) -> None:
        rules = type(one.driver).decide

        async def decide(view: SampleView) -> Decision:
            if out:
                raise error
            return await rules(one.driver, view)

        one.driver.decide = decide

    return fails


CAUSES = {
    "unreachable": (unreachable, ("site", "127.0.0.1:8000", "unreachable")),
    "server_error": (server_error, ("site", "127.0.0.1:8000", "http_error")),
    "login": (login, ("login", "desk", "login_required")),
    "unpaid": (model(PermanentError("no credit", code="model_unpaid")), ("model", "rules", "model_unpaid")),
    "overloaded": (model(Unavailable("busy", code="model_overloaded")), ("model", "rules", "model_overloaded")),
}


@pytest.mark.parametrize("cause", CAUSES)
async def test_the_run_pauses_once_says_why_and_goes_on_when_it_is_mended(cause: str):
    """After two samples that are done, and until a minute after that."""
    breaks, known = CAUSES[cause]

    def fails(one: Bench, sample_id: str) -> None:
        breaks(one, out=sample_id not in ("S-1", "S-2") and one.clock_s < 60)

    run = Run(9, fails=fails, auth_profile="desk")
    waits = run.bench.deps.wait

    async def wait(pause_s: float) -> None:
        await waits(pause_s)
        fails(run.bench, "S-3")

    run.bench.deps.wait = wait
    assert await run.work() == {("done", ""): 9}
    paused, resumed = run.told
    assert isinstance(paused, PauseRun)
    assert paused.outage is not None
    assert (paused.outage.kind, paused.outage.where, paused.outage.code, paused.outage.samples) == (*known, 5)
    assert isinstance(resumed, ResumePaused)
    assert 60 <= run.bench.clock_s < 120
    assert max(one.again for one in run.bench.queued) >= 2, "some were tried in the pause"


async def test_it_goes_on_by_command_and_all_that_failed_are_tried_again():
    run = Run(6, fails=lambda one, _: unreachable(one, out=not one.pauses), outage={"samples": 3})
    waits = run.bench.deps.wait

    async def wait(pause_s: float) -> None:
        await waits(pause_s)
        request = ControlRun(run_id=RUN, control_id="by_ann", control=ResumePaused())
        assert isinstance(await run.bench.bus.ask(CONTROL_RUN, request), RunControlled)
        unreachable(run.bench, out=False)

    run.bench.deps.wait = wait
    assert await run.work() == {("done", ""): 6}
    assert [type(one) for one in run.told] == [PauseRun, ResumePaused]
    assert [one.again for one in run.bench.queued] == [1, 1, 1]
    assert {end.attempt for end in run.ends.values()} == {1, 5}, "no attempt has the number of an earlier one"


async def test_samples_that_fail_alone_end_so_at_their_second_try_and_pause_nothing():
    def fails(one: Bench, sample_id: str) -> None:
        unreachable(one, out=int(sample_id[2:]) % 3 == 0)

    run = Run(24, fails=fails, outage={"samples": 3})
    assert await run.work() == {("done", ""): 16, ("failed", "unreachable"): 8}
    assert run.told == []
    assert [one.again for one in run.bench.queued] == [1] * 8


@pytest.mark.parametrize(("samples", "most"), [(1, 5), (3, 5), (6, 0)])
async def test_fewer_samples_than_pause_a_run_end_as_they_are(samples: int, most: int):
    run = Run(samples, fails=lambda one, _: unreachable(one, out=True), outage={"samples": most})
    assert await run.work() == {("failed", "unreachable"): samples}
    assert run.told == []


async def test_what_is_not_mended_in_time_closes_the_run_and_leaves_no_sample_failed():
    run = Run(7, fails=lambda one, _: unreachable(one, out=True), outage={"samples": 3, "wait_s": 120})
    assert await run.work() == {("failed", "interrupted"): 7}
    assert [type(one).__name__ for one in run.told] == ["PauseRun", "CloseRun"]
    assert "the site 127.0.0.1:8000 failed 3 samples in a row (unreachable)" in run.ends["S-1"].message
    assert 120 <= run.bench.clock_s < 130


async def test_what_a_person_interrupts_is_not_tried_again():
    run = Run(5, fails=lambda one, _: unreachable(one, out=True), outage={"samples": 3})
    waits = run.bench.deps.wait

    async def wait(pause_s: float) -> None:
        await waits(pause_s)
        await run.bench.bus.modify(
            RUN_CONTROL, RUN, RunControl, lambda one: RunControl(attempt_base=0, interrupted=True)
        )

    run.bench.deps.wait = wait
    assert await run.work() == {("failed", "interrupted"): 5}


async def test_failures_that_are_the_records_own_pause_nothing():
    run = Run(8, outage={"samples": 3})
    run.bench.scripted.site[URL] = [page(*ticket(), http_status=404)]
    assert await run.work() == {("failed", "not_found"): 8}
    run = Run(8, outage={"samples": 3})
    run.bench.scripted.site[URL] = [page(*ticket(), http_status=400)]
    assert await run.work() == {("failed", "http_error"): 8}
    assert (run.told, run.bench.queued) == ([], [])
