"""What samples teach, kept on the bus: read once when a sample begins, added to when it has ended.

Learning is never a reason for a sample to fail: what goes wrong here is logged, and the result stands.
"""

from __future__ import annotations

import logging

from msgspec.structs import replace

from services.planner.budget import add_spending
from services.planner.deps import PlannerDeps
from services.planner.model_tasks.memory import Memory, hints, key_of, learned, lessons_of, story, teaches
from services.planner.state.sample_state import SampleState
from shared.contracts.base import add_usage
from shared.contracts.planner import SampleFinished
from shared.errors import ExhibitError
from shared.streams import MEMORY
from shared.task.spec import TaskSpec

log = logging.getLogger(__name__)


async def hints_for(spec: TaskSpec, run_id: str, deps: PlannerDeps) -> tuple[str, ...]:
    """What is shown with every step of a sample that begins now."""
    key = key_of(spec, run_id)
    memory: Memory | None = None if key is None else await deps.records.read(MEMORY, key, Memory)
    return hints(memory) if memory is not None else ()


async def remembered(spec: TaskSpec, finished: SampleFinished, state: SampleState, deps: PlannerDeps) -> SampleFinished:
    """The result with what it has taught, which later samples will be shown; its price is part of the sample's."""
    key = key_of(spec, finished.run_id)
    if key is None or deps.teacher is None:
        return finished
    try:
        memory: Memory = await deps.records.read(MEMORY, key, Memory) or Memory()
        if not teaches(memory, finished, state):
            return finished
        arguments, usage = await deps.teacher.distil(story(spec, finished, state, memory))
        await add_spending(finished.run_id, usage, deps)
        lessons = lessons_of(arguments, finished.sample, finished, state.seen.values())
        await deps.records.modify(MEMORY, key, Memory, lambda known: learned(known or Memory(), lessons))
    except ExhibitError as exc:
        log.warning("nothing was learned of %s: %s: %s", finished.sample_id, exc.code, exc)
        return finished
    return replace(finished, lessons=lessons, usage=add_usage(finished.usage, usage))
