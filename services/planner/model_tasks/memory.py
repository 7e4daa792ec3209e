"""Lessons that samples of a run teach the later ones.

A lesson comes from pages and a model, so it is shown as data, never as an order, and it holds nothing of one record.
The hints of a sample are fixed when it begins and recorded in its result, so each result tells what it was based on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from services.planner.state.attempt_state import AttemptState
from shared.contracts.base import Part
from shared.contracts.codes import Reason
from shared.contracts.discovery import Sample
from shared.contracts.planner import Lessons, SampleFinished
from shared.contracts.steps import FieldValue
from shared.evidence_format.cells import with_cells
from shared.hosts import Origin, browser_form, parse_origin
from shared.task.row_values import missing_columns, start_url
from shared.task.spec import TaskSpec
from shared.task.typed_values import as_shown
from shared.text.normal import fold, tidy

MAX_EACH, MAX_KEPT, MAX_SHOWN = 2, 20, 5
LESSON_CHARS = 200
FIRST_SAMPLES, MAX_SAMPLES = 2, 30
"""The first samples always teach; later ones only after problems, and this many in all."""
STORY_CHARS = 6000
NOTHING_LEFT: tuple[Reason, ...] = ("budget_exceeded", "run_budget_exceeded")
"""With these endings the budget is used up, so no model is asked for lessons."""
_LEAST_PRIVATE_CHARS = 4
_NO_KEY = re.compile(r"[^A-Za-z0-9.-]")
_ADDRESS = re.compile(r"\bhttps?://\S+", re.I)


class RememberedLesson(Part, frozen=True, kw_only=True):
    """A lesson, and how many samples have taught it."""

    text: str
    samples: int = 1


class Memory(Part, frozen=True, kw_only=True):
    """The lessons of a run. `samples`: how many samples were asked."""

    patterns: tuple[RememberedLesson, ...] = ()
    failures: tuple[RememberedLesson, ...] = ()
    samples: int = 0


def memory_key(spec: TaskSpec, sample: Sample, run_id: str) -> str | None:
    """Return the key of the memory, or None if the task wants none. What was learned of a site is for that site."""
    return {"off": None, "run": run_id, "task": f"task.{_host_key(spec, sample)}.{spec.task_id}"}[spec.memory]


def _host_key(spec: TaskSpec, sample: Sample) -> str:
    origin = None if missing_columns(spec, sample) else parse_origin(browser_form(start_url(spec, sample)))
    return _NO_KEY.sub("-", origin.netloc) if isinstance(origin, Origin) else "-"


def memory_hints(memory: Memory) -> tuple[str, ...]:
    """Return the hints for a sample, those that most samples taught first."""
    patterns = [f"What worked: {one.text}" for one in _best(memory.patterns)]
    return (*patterns, *(f"What failed: {one.text}" for one in _best(memory.failures)))


def with_lessons(memory: Memory, lessons: Lessons) -> Memory:
    """Return the memory with the lessons of one more sample. Equal lessons are one."""
    return Memory(
        patterns=_merged(memory.patterns, lessons.patterns),
        failures=_merged(memory.failures, lessons.failures),
        samples=memory.samples + 1,
    )


def is_instructive(memory: Memory, finished: SampleFinished, state: AttemptState) -> bool:
    """Return whether the fast model is asked for lessons of this sample."""
    if memory.samples >= MAX_SAMPLES or not state.history or finished.reason in NOTHING_LEFT:
        return False
    rough = any(not entry.ok or entry.refused or entry.notices for entry in state.history)
    return memory.samples < FIRST_SAMPLES or rough or finished.status not in ("done",)


# --- asking what was learned


@dataclass(frozen=True)
class Transcript:
    """Facts about a sample for a model: how the work went, without its values."""

    task: str
    text: str
    known: tuple[str, ...] = ()
    """Lessons that are known already."""


def to_transcript(spec: TaskSpec, finished: SampleFinished, state: AttemptState, memory: Memory) -> Transcript:
    """Return the transcript of a sample's steps and its end."""
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
    """Return the lessons without those that name something of this record.

    `seen`: readings of a failed sample, which its result does not have.
    """
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
    """Return the words of one record: its id, its row, its values as shown and as typed."""
    known = [one for value in values for one in with_cells(value) if one.state == "value"]
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
    # If there are too many, lessons of only one sample are dropped first, the oldest of them before others.
    ordered = sorted(enumerate(merged.values()), key=lambda pair: (-pair[1].samples, -pair[0]))
    keep = {at for at, _ in ordered[:MAX_KEPT]}
    return tuple(one for at, one in enumerate(merged.values()) if at in keep)
