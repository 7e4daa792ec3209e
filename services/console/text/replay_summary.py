"""The result of a replay per sample, from its events and from how the samples had ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from services.console.text.tally import to_words
from shared.contracts.base import Part
from shared.contracts.evidence import LoadedSample
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import Note, StepTaken, note_detail, note_text


class SampleReplayed(Part, frozen=True, kw_only=True):
    """How a sample ended ``then`` and ``now``. ``notes`` are remarks that are no differences."""

    sample_id: str
    then: str
    now: str
    differences: tuple[str, ...]
    notes: tuple[str, ...]
    llm_calls: int


class RunReplayed(Part, frozen=True, kw_only=True):
    """The result of a replay. ``left_out``: samples that could not be replayed, because their log is incomplete."""

    run_id: str
    replay_of: str
    samples: tuple[SampleReplayed, ...]
    left_out: tuple[str, ...]
    location: str

    @property
    def same(self) -> bool:
        """Every sample was replayed, and nothing differs."""
        return not self.left_out and not any(sample.differences for sample in self.samples)


@dataclass
class ReplayEvents:
    """Collects the events of a replay, of the latest attempt at each sample."""

    notes: dict[str, dict[Note, None]] = field(default_factory=dict[str, dict[Note, None]])
    attempts: dict[str, int] = field(default_factory=dict[str, int])
    ended: dict[str, SampleFinished] = field(default_factory=dict[str, SampleFinished])

    def add(self, event: object) -> None:
        if not isinstance(event, StepTaken | SampleFinished) or event.attempt < self.attempts.get(event.sample_id, 0):
            return
        if event.attempt > self.attempts.get(event.sample_id, 0):
            self.notes[event.sample_id] = {}
        self.attempts[event.sample_id] = event.attempt
        self.notes[event.sample_id] |= dict.fromkeys(event.notes)
        if isinstance(event, SampleFinished):
            self.ended[event.sample_id] = event


def to_run_replayed(
    run_id: str,
    replay_of: str,
    location: str,
    events: ReplayEvents,
    recorded: Iterable[LoadedSample],
    wanted: Iterable[str] | None,
) -> RunReplayed:
    """Return the result. ``wanted`` are the named samples; None means all."""
    then = {state.sample.sample_id: state for state in recorded}
    return RunReplayed(
        run_id=run_id,
        replay_of=replay_of,
        samples=tuple(_to_sample_replayed(events.ended[each], events, then) for each in then if each in events.ended),
        left_out=() if wanted is not None else tuple(each for each in then if each not in events.ended),
        location=location,
    )


def _to_sample_replayed(
    finished: SampleFinished, events: ReplayEvents, then: Mapping[str, LoadedSample]
) -> SampleReplayed:
    notes = tuple(events.notes[finished.sample_id])
    state = then[finished.sample_id]
    before, now = _outcome_text(state.status or "", state.reason), _outcome_text(finished.status, finished.reason)
    differences = [note_detail(note) for note in notes if note.kind == "differs"]
    if before != now:
        message = "" if finished.reason == "replay_differs" else f" {finished.message}"
        differences.append(f"it ended as {before} then, as {now} now.{message}")
    return SampleReplayed(
        sample_id=finished.sample_id,
        then=before,
        now=now,
        differences=tuple(differences),
        notes=tuple(note_text(note) for note in notes if note.kind != "differs"),
        llm_calls=finished.usage.llm_calls,
    )


def _outcome_text(status: str, reason: str) -> str:
    return to_words(status) + (f" ({to_words(reason)})" if reason else "")


def replay_lines(replayed: RunReplayed) -> list[str]:
    """Return the differences per sample, then the counts."""
    result: list[str] = []
    for sample in replayed.samples:
        if sample.differences:
            result.append(f"{sample.sample_id}:")
            result += [f"  {line}" for line in sample.differences]
    result += [f"{sample_id}: not replayed, because its log is incomplete" for sample_id in replayed.left_out]
    differ = sum(bool(sample.differences) for sample in replayed.samples)
    calls = sum(sample.llm_calls for sample in replayed.samples)
    count = f"{len(replayed.samples)} sample{'' if len(replayed.samples) == 1 else 's'} of {replayed.replay_of}"
    result.append(f"{count} replayed with {calls} model calls: {f'{differ} differ' if differ else 'nothing differs'}")
    result.append(f"evidence of the replay: {replayed.location}")
    return result
