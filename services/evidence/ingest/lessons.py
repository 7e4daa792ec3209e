"""What the samples of a run have taught."""

from __future__ import annotations

from services.evidence.ports import Store
from services.evidence.state.file_contents import with_lessons
from shared.contracts.planner import SampleFinished
from shared.evidence_format import layout
from shared.evidence_format.files.base import encode_file
from shared.evidence_format.files.run import parse_lessons


async def file_lessons(store: Store, message: SampleFinished) -> None:
    """Adds the lessons of this sample to those of its run. Idempotent: a lesson that is there is not written again."""
    if message.lessons is None:
        return
    for name, texts in (("patterns", message.lessons.patterns), ("failures", message.lessons.failures)):
        key = layout.run_key(message.run_id, f"{layout.MEMORY}/{name}.json")
        kept = await store.read(key)
        known = parse_lessons(kept)
        lessons = with_lessons(known, message, texts)
        if kept is None or lessons != known:
            await store.write(key, encode_file(lessons))
