"""What people ask of a run at work, as an attempt at a sample obeys it: pauses, interrupts, messages."""

from __future__ import annotations

from services.planner.deps import PlannerDeps
from services.planner.state.limits import ExceededLimit
from shared.contracts.planner import WorkSample
from shared.contracts.sessions.control import RunControl
from shared.streams import RUN_CONTROL

LOOK_EVERY_S = 1.0
"""While a run is paused."""


class Steering:
    """The controls of the run of one sample, read before each step; those of an earlier round are void.

    ``interrupted`` and ``closing``: as they stood when they were last read. ``messages``: those that this sample was
    not told yet, as notices.
    """

    def __init__(self, message: WorkSample, deps: PlannerDeps) -> None:
        self._run_id, self._base, self._deps = message.run_id, message.attempt_base, deps
        self.interrupted = self.closing = False
        self.messages: tuple[str, ...] = ()
        self._told: tuple[str, ...] = ()

    async def wait_while_paused(self) -> bool:
        """Return once the run is not paused, or is interrupted or closed; whether it was paused."""
        waited = False
        while await self._is_paused():
            waited = True
            await self._deps.wait(LOOK_EVERY_S)
        return waited

    def mark_told(self) -> None:
        """The messages were shown with the step that was just taken."""
        self._told, self.messages = (*self._told, *self.messages), ()

    async def _is_paused(self) -> bool:
        control: RunControl | None = await self._deps.records.read(RUN_CONTROL, self._run_id, RunControl)
        if control is None or control.attempt_base != self._base:
            return False
        self.interrupted, self.closing = control.interrupted, control.closing
        shown = tuple(f"A person says: {text}" for text in control.messages)
        self.messages = tuple(text for text in shown if text not in self._told)
        return bool(control.paused_key) and not (self.interrupted or self.closing)


def interrupted_limit() -> ExceededLimit:
    """Return why a sample ends, or does not begin, in a run that was interrupted or closed."""
    return ExceededLimit("interrupted", "the run was interrupted or closed before the sample was finished")
