"""Stores the lessons that the samples of a run have taught."""

from __future__ import annotations

from collections.abc import Sequence

from services.evidence.ports import Store
from shared.contracts.planner import SampleFinished
from shared.evidence_format import layout
from shared.evidence_format.files.base import encode_file
from shared.evidence_format.files.run import Lesson, parse_lessons


async def store_lessons(store: Store, message: SampleFinished) -> None:
    """Add the lessons of this sample to those of its run. Idempotent."""
    if message.lessons is None:
        return
    for name, texts in (("patterns", message.lessons.patterns), ("failures", message.lessons.failures)):
        key = layout.run_key(message.run_id, f"{layout.MEMORY}/{name}.json")
        written = await store.read(key)
        known = parse_lessons(written)
        lessons = _with_lessons(known, message, texts)
        if written is None or lessons != known:
            await store.write(key, encode_file(lessons))


def _with_lessons(known: Sequence[Lesson], message: SampleFinished, texts: Sequence[str]) -> tuple[Lesson, ...]:
    """Return the known lessons followed by the new ones of this sample."""
    present = {(lesson.sample_id, lesson.attempt, lesson.text) for lesson in known}
    lessons = (Lesson(sample_id=message.sample_id, attempt=message.attempt, text=text) for text in texts)
    return (*known, *(new for new in lessons if (new.sample_id, new.attempt, new.text) not in present))
