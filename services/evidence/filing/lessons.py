"""What the samples of a run have taught."""

from __future__ import annotations

from services.evidence import layout
from services.evidence.deps import Deps
from services.evidence.filing.contents import with_lessons
from shared.contracts.planner import SampleFinished


async def file_lessons(deps: Deps, message: SampleFinished) -> None:
    """What the samples of a run have taught, each with the sample that did; told twice, it is written once."""
    if message.lessons is None:
        return
    for name in ("patterns", "failures"):
        key = layout.run_key(message.run_id, f"{layout.MEMORY}/{name}.json")
        kept = await deps.store.read(key)
        lessons = with_lessons(kept, message, getattr(message.lessons, name))
        if lessons != kept:
            await deps.store.write(key, lessons)
