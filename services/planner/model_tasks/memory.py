"""Pure: what the samples of a run teach the ones after them.

A lesson is made of what pages and a model said, so it is shown as data and never as an order, and it never holds what
belongs to one record. What a sample is shown is fixed when it begins and is in its result: the order in which
samples run changes nothing of what is known about how each was worked on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from services.planner.state.attempt_state import AttemptState
from services.planner.values.typed_values import as_shown
from shared.contracts.base import Part
from shared.contracts.codes import Reason
from shared.contracts.discovery import Sample
from shared.contracts.planner import Lessons, SampleFinished
from shared.contracts.steps import FieldValue
from shared.task.spec import TaskSpec
from shared.text.normal import fold, tidy

MAX_EACH, MAX_KEPT, MAX_SHOWN = 2, 20, 5
LESSON_CHARS = 200
FIRST_SAMPLES, MAX_SAMPLES = 2, 30
"""The first samples always teach; later ones where something went wrong, so many in all."""
STORY_CHARS = 6000
NOTHING_LEFT: tuple[Reason, ...] = ("budget_exceeded", "run_budget_exceeded")
"""Where a model may not be asked any more, it is not asked what was learned either."""
_LEAST_PRIVATE_CHARS = 4
_ADDRESS = re.compile(r"\bhttps?://\S+", re.I)


class RememberedLesson(Part, frozen=True, kw_only=True):
    """A lesson, and how many samples have taught it."""

    text: str
    samples: int = 1


class Memory(Part, frozen=True, kw_only=True):
    """What a run has taught so far; ``samples``: how many were asked."""

    patterns: tuple[RememberedLesson, ...] = ()
    failures: tuple[RememberedLesson, ...] = ()
    samples: int = 0


def memory_key(spec: TaskSpec, run_id: str) -> str | None:
    """Under what it is kept; None where the task wants none."""
    return {"off": None, "run": run_id, "task": f"task.{spec.task_id}"}[spec.memory]


def memory_hints(memory: Memory) -> tuple[str, ...]:
    """What a sample is shown for as long as it is worked on, what most samples taught first."""
    patterns = [f"What worked: {one.text}" for one in _best(memory.patterns)]
    return (*patterns, *(f"What failed: {one.text}" for one in _best(memory.failures)))


def with_lessons(memory: Memory, lessons: Lessons) -> Memory:
    """With what one more sample has taught; the same lesson twice is one."""
    return Memory(
        patterns=_merged(memory.patterns, lessons.patterns),
        failures=_merged(memory.failures, lessons.failures),
        samples=memory.samples + 1,
    )


def is_instructive(memory: Memory, finished: SampleFinished, state: AttemptState) -> bool:
    """Whether the fast model is asked what this sample has taught."""
    if memory.samples >= MAX_SAMPLES or not state.history or finished.reason in NOTHING_LEFT:
        return False
    rough = any(not entry.ok or entry.refused or entry.notices for entry in state.history)
    return memory.samples < FIRST_SAMPLES or rough or finished.status not in ("done",)


# --- asking what was learned


@dataclass(frozen=True)
class Transcript:
    """What is told of a sample: how it went, not what it holds."""

    task: str
    text: str
    known: tuple[str, ...] = ()
    """What was learned before."""


def to_transcript(spec: TaskSpec, finished: SampleFinished, state: AttemptState, memory: Memory) -> Transcript:
    lines: list[str] = []
    for number, entry in enumerate(state.history, 1):
        what = entry.action.__struct_config__.tag if entry.action is not None else "no call"
        found = entry.result.target if entry.result is not None else None
        on = f' on {found.role} "{tidy(found.name)[:60]}"' if found is not None else ""
        outcome = "refused" if entry.refused else "ok" if entry.ok else "FAILED"
        lines.append(f"{number}. {what}{on}: {outcome} - {tidy(entry.message)[:160]}")
    why = f" ({finished.reason}: {tidy(finished.message)[:200]})" if finished.reason else ""
    known = tuple(one.text for one in (*memory.patterns, *memory.failures))
    return Transcript(
        spec.goal.strip()[:600], "\n".join(lines)[:STORY_CHARS] + f"\nIt ended as {finished.status}{why}.", known
    )


def parse_lessons(
    arguments: object, sample: Sample, finished: SampleFinished, seen: Iterable[FieldValue] = ()
) -> Lessons:
    """What a model says was learned, without what belongs to this record alone: a sample that failed has no values in
    its result, but has ``seen`` some. Anything else is left out."""
    given: Mapping[str, Any] = arguments if isinstance(arguments, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
    private = _private(sample, (*finished.values, *seen))
    return Lessons(
        patterns=tuple(_usable(given.get("patterns"), private))[:MAX_EACH],
        failures=tuple(_usable(given.get("failures"), private))[:MAX_EACH],
    )


def _usable(written: object, private: frozenset[str]) -> Iterable[str]:
    for one in written if isinstance(written, list | tuple) else ():  # pyright: ignore[reportUnknownVariableType]
        text = tidy(one) if isinstance(one, str) else ""
        if (
            text
            and len(text) <= LESSON_CHARS
            and not _ADDRESS.search(text)
            and not any(p in fold(text) for p in private)
        ):
            yield text


def _private(sample: Sample, values: Iterable[FieldValue]) -> frozenset[str]:
    """The words of one record: its id, its row, its values as shown and as they were understood."""
    known = [value for value in values if value.state == "value"]
    meant = [as_shown(one) for value in known for one in (value.value, *_items(value.value))]
    words = (sample.key, sample.sample_id, *sample.fields.values(), *(value.shown or "" for value in known), *meant)
    return frozenset(fold(word) for word in words if len(fold(word)) >= _LEAST_PRIVATE_CHARS)


def _items(value: object) -> Iterable[object]:
    return value if isinstance(value, list | tuple) else ()  # pyright: ignore[reportUnknownVariableType]


def _best(kept: tuple[RememberedLesson, ...]) -> list[RememberedLesson]:
    return sorted(kept, key=lambda one: -one.samples)[:MAX_SHOWN]


def _merged(kept: tuple[RememberedLesson, ...], fresh: tuple[str, ...]) -> tuple[RememberedLesson, ...]:
    merged = {fold(one.text): one for one in kept}
    for text in fresh:
        known = merged.get(fold(text))
        merged[fold(text)] = (
            RememberedLesson(text=text) if known is None else msgspec.structs.replace(known, samples=known.samples + 1)
        )
    # Of too many, what only one sample taught goes first, the oldest of it.
    ordered = sorted(enumerate(merged.values()), key=lambda pair: (-pair[1].samples, -pair[0]))
    keep = {at for at, _ in ordered[:MAX_KEPT]}
    return tuple(one for at, one in enumerate(merged.values()) if at in keep)
