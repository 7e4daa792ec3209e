"""Work on one sample outside of any run, for a try: in its own session, by the loop, drivers and gates of a run."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from services.planner.deps import PlannerDeps, lease_request
from services.planner.judge.gates import to_finished
from services.planner.sample_loop import Attempt, SampleWork
from services.planner.state.attempt_state import SampleView, ending_of
from shared.contracts.browser_pool import ProfilePaused, SessionLeased
from shared.contracts.discovery import Sample
from shared.contracts.planner import SampleFinished, WorkSample
from shared.task.spec import TaskSpec

LABEL = "try"


@dataclass(frozen=True)
class TriedWork:
    """``finished``: how it ended. ``view``: what the loop saw at the end. ``session``: in which, held within the
    block."""

    finished: SampleFinished
    view: SampleView
    session: SessionLeased


@asynccontextmanager
async def tried_work(
    spec: TaskSpec, sample: Sample, planner: str | None, deps: PlannerDeps
) -> AsyncGenerator[TriedWork | SampleFinished]:
    """Work on the sample; within the block its session is still held. SampleFinished: nothing was done, as the login
    that it needs is not usable.

    Args:
        planner: None is the default one.
        deps: what the loop publishes goes to their ``publishes``: of a try nothing is for the bus.
    """
    driver = deps.driver(planner or deps.default_planner)
    driver.check()
    work = WorkSample(run_id=f"{LABEL}_{uuid.uuid4().hex}", sample_id=sample.sample_id, sample=sample)
    async with deps.lease(lease_request(spec, work)) as lease:
        if isinstance(lease, ProfilePaused):
            now = deps.now()
            yield to_finished(work, 1, deps.planner_id, ending_of("login_required", lease.reason), now, now)
            return
        loop = SampleWork(Attempt(work, 1, spec, driver), lease.session, deps)
        finished = await loop.run()
        yield TriedWork(finished, loop.view, lease.session)
