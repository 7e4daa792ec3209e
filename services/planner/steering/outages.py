"""Samples that fail one after the other for one cause: they are queued anew, and the run pauses.

A sample that fails for the site, the login or the model is not left failed until it is known that others do not: it is
queued anew, behind them. After as many in a row as the spec says the run is paused; one that waits is tried from time
to time, and when it ends in another way the run goes on (`controls.py`).
"""

from __future__ import annotations

import uuid

from msgspec.structs import replace

from services.planner.deps import PlannerDeps
from services.planner.steering.control_requests import pause_run, resume_run
from services.planner.steering.controls import SampleControls
from services.planner.steering.streaks import Ruling, after_failure, after_other_end
from shared.contracts.outages import Outage
from shared.contracts.planner import SampleFinished, WorkSample
from shared.contracts.sessions.control import OutageStreak
from shared.streams import OUTAGES
from shared.subjects import WORK_SAMPLE
from shared.task.spec import TaskSpec


async def note_other_end(finished: SampleFinished, steering: SampleControls, deps: PlannerDeps) -> None:
    """A sample has ended in another way than for an outage: where it was tried in a pause, the pause is over."""
    base = steering.attempt_base
    known = await deps.records.read(OUTAGES, finished.run_id, OutageStreak)
    if after_other_end(known, base) is not None:
        await deps.records.modify(OUTAGES, finished.run_id, OutageStreak, lambda one: after_other_end(one, base))
    if steering.tried_in and finished.reason != "interrupted":
        await resume_run(finished.run_id, steering.tried_in, deps.asks)


async def requeue(
    message: WorkSample, outage: Outage, spec: TaskSpec, steering: SampleControls, deps: PlannerDeps
) -> bool:
    """Queue a sample anew that has failed for an outage, and pause the run if it is time; False: the failure is its
    own, or the run is to end."""
    if message.discover or not spec.outage.samples:
        return False
    control = await steering.read()
    if steering.interrupted or steering.closing:
        return False
    if control is None or control.outage is None:
        ruling = await _note_failure(message, outage, spec.outage.samples, deps)
        if ruling == "own":
            return False
        if ruling == "outage":
            known = replace(outage, samples=spec.outage.samples)
            await pause_run(message.run_id, known, f"outage_{uuid.uuid4().hex}", deps.asks)
    await deps.publishes.publish(WORK_SAMPLE, replace(message, again=message.again + 1))
    return True


async def _note_failure(message: WorkSample, outage: Outage, most: int, deps: PlannerDeps) -> Ruling:
    ruling: Ruling = "own"

    def failed(known: OutageStreak | None) -> OutageStreak:
        nonlocal ruling
        streak, ruling = after_failure(known, message.attempt_base, outage, message.sample_id, most)
        return streak

    await deps.records.modify(OUTAGES, message.run_id, OutageStreak, failed)
    return ruling
