"""Loads the recorded steps of a sample from evidence, page by page."""

from __future__ import annotations

from shared.bus.ports import Asks
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import LoadSteps, StepsReply, StepsUnknown
from shared.contracts.planner import BY_REPLAY
from shared.contracts.steps import StepTaken
from shared.errors import PermanentError
from shared.subjects import LOAD_STEPS

LOAD_BOUND_S = 60.0


async def load_recorded_steps(record: RunRecord, decider: str, sample_id: str, asks: Asks) -> tuple[StepTaken, ...]:
    """Return the log to repeat; empty if the run is no replay. Raises PermanentError if there is no such log."""
    if decider != BY_REPLAY:
        return ()
    if record.replay_run_id is None:
        message = "the planner 'replay' needs the log of an earlier run: exhibit replay RUN"
        raise PermanentError(message, code="nothing_to_replay")
    steps: list[StepTaken] = []
    attempt: int | None = None
    while True:
        after = steps[-1].step if steps else 0
        request = LoadSteps(run_id=record.replay_run_id, sample_id=sample_id, attempt=attempt, after_step=after)
        reply: StepsReply = await asks.ask(LOAD_STEPS, request, timeout_s=LOAD_BOUND_S)
        problem = reply.message if isinstance(reply, StepsUnknown) else reply.problem
        if isinstance(reply, StepsUnknown) or problem:
            raise PermanentError(f"{sample_id} cannot be replayed: {problem}", code="nothing_to_replay")
        steps += reply.steps
        attempt = reply.attempt
        if len(steps) >= reply.total or not reply.steps:
            return tuple(steps)
