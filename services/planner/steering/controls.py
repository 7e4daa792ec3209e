"""What people ask of a run at work, as an attempt at a sample obeys it: pauses, interrupts, messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

from services.planner.deps import PlannerDeps
from services.planner.state.limits import ExceededLimit
from services.planner.steering.control_requests import close_run
from services.planner.steering.streaks import with_try
from shared.contracts.outages import Outage, outage_text
from shared.contracts.planner import WorkSample
from shared.contracts.sessions.control import OutageStreak, RunControl
from shared.streams import OUTAGES, RUN_CONTROL

LOOK_EVERY_S = 1.0
"""While a run is paused."""


class SampleControls:
    """The controls of the run of one sample, read before each step; those of an earlier round are void.

    ``interrupted`` and ``closing``: as they stood when they were last read. ``messages``: those that this sample was
    not told yet, as notices. ``outage``: what the run is or was paused for. ``tried_in``: the key of the pause in which
    this sample is tried, and which does not hold it. ``attempt_base``: of the round.
    """

    def __init__(self, message: WorkSample, deps: PlannerDeps, tried_in: str = "") -> None:
        self._run_id, self._deps = message.run_id, deps
        self.attempt_base = message.attempt_base
        self.interrupted = self.closing = False
        self.messages: tuple[str, ...] = ()
        self.outage: Outage | None = None
        self.tried_in = tried_in
        self._told: tuple[str, ...] = ()

    async def wait_while_paused(self, meanwhile: Callable[[], Awaitable[bool]]) -> bool:
        """Return once the run is not paused, or is interrupted or closed; whether it was paused. ``meanwhile``: is
        awaited while it is; returns whether it has taken time."""
        waited = False
        while _holds(await self.read(), self.tried_in):
            waited = True
            if not await meanwhile():
                await self._deps.wait(LOOK_EVERY_S)
        return waited

    async def wait_to_begin(self, most_s: float) -> None:
        """As `wait_while_paused`, for a sample that has not begun: where the run is paused for an outage it may be the
        one that is tried, and after ``most_s`` it closes the run."""
        while _holds(control := await self.read(), self.tried_in):
            assert control is not None
            if control.outage is not None and control.paused_at is not None:
                if self._deps.now() - control.paused_at >= timedelta(seconds=most_s):
                    await close_run(self._run_id, control, self._deps.asks)
                elif await self._takes_turn(control):
                    self.tried_in = control.paused_key
                    return
            await self._deps.wait(LOOK_EVERY_S)

    def mark_told(self) -> None:
        """The messages were shown with the step that was just taken."""
        self._told, self.messages = (*self._told, *self.messages), ()

    async def read(self) -> RunControl | None:
        """Return the controls of this round; None: there are none."""
        control: RunControl | None = await self._deps.records.read(RUN_CONTROL, self._run_id, RunControl)
        if control is None or control.attempt_base != self.attempt_base:
            return None
        self.interrupted, self.closing = control.interrupted, control.closing
        self.outage = control.outage
        shown = tuple(f"A person says: {text}" for text in control.messages)
        self.messages = tuple(text for text in shown if text not in self._told)
        return control

    async def _takes_turn(self, control: RunControl) -> bool:
        """Return whether this sample is the next that is tried."""
        now = self._deps.now()

        def tried(known: OutageStreak | None) -> OutageStreak | None:
            return with_try(known, control, now)

        return await self._deps.records.modify(OUTAGES, self._run_id, OutageStreak, tried) is not None


def _holds(control: RunControl | None, tried_in: str) -> bool:
    """Return whether a sample waits."""
    if control is None or control.interrupted or control.closing:
        return False
    return bool(control.paused_key) and control.paused_key != tried_in


def interrupted_limit(outage: Outage | None = None) -> ExceededLimit:
    """Return why a sample ends, or does not begin, in a run that was interrupted or closed. ``outage``: what it was
    paused for."""
    because = "" if outage is None else f"; it was paused because {outage_text(outage)}"
    message = f"the run was interrupted or closed before the sample was finished{because}"
    return ExceededLimit("interrupted", message)
