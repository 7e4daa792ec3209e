"""Lessons from samples, in the bucket MEMORY: loaded when a sample begins, saved when it has ended.

A failure here never fails a sample: it is logged, and the result stays as it is.
"""

from __future__ import annotations

import logging

from msgspec.structs import replace

from services.planner.budget import add_spending
from services.planner.deps import PlannerDeps
from services.planner.model_tasks.memory import (
    Memory,
    is_instructive,
    memory_hints,
    memory_key,
    parse_lessons,
    to_transcript,
    with_lessons,
)
from services.planner.state.attempt_state import AttemptState
from shared.contracts.base import add_usage
from shared.contracts.discovery import Sample
from shared.contracts.planner import SampleFinished
from shared.errors import ExhibitError
from shared.streams import MEMORY
from shared.task.spec import TaskSpec

log = logging.getLogger(__name__)


async def load_hints(spec: TaskSpec, sample: Sample, run_id: str, deps: PlannerDeps) -> tuple[str, ...]:
    """Return the hints that every step of a new sample is shown."""
    key = memory_key(spec, sample, run_id)
    memory: Memory | None = None if key is None else await deps.records.read(MEMORY, key, Memory)
    return memory_hints(memory) if memory is not None else ()


async def save_lessons(
    spec: TaskSpec, finished: SampleFinished, state: AttemptState, deps: PlannerDeps
) -> SampleFinished:
    """Ask the teacher for lessons and save them. Returns the result with its lessons and their cost."""
    key = memory_key(spec, finished.sample, finished.run_id)
    if key is None or deps.teacher is None:
        return finished
    try:
        memory: Memory = await deps.records.read(MEMORY, key, Memory) or Memory()
        if not is_instructive(memory, finished, state):
            return finished
        arguments, usage = await deps.teacher.distil(to_transcript(spec, finished, state, memory))
        await add_spending(finished.run_id, usage, deps)
        lessons = parse_lessons(arguments, finished.sample, finished, state.seen.values())
        await deps.records.modify(MEMORY, key, Memory, lambda known: with_lessons(known or Memory(), lessons))
    except ExhibitError as exc:
        log.warning("nothing was learned of %s: %s: %s", finished.sample_id, exc.code, exc)
        return finished
    return replace(finished, lessons=lessons, usage=add_usage(finished.usage, usage))
