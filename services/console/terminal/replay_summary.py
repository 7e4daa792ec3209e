"""Pure: what a replay came to, sample by sample, from its events and from how the samples had ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from services.console.terminal.tally import words
from shared.contracts.base import Part
from shared.contracts.evidence import LoadedSample
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import Note, StepTaken, note_detail, note_text


class SampleReplayed(Part, frozen=True, kw_only=True):
    """``then`` and ``now``: how the sample ended. ``notes``: what is no difference and should be known."""

    sample_id: str
    then: str
    now: str
    differences: tuple[str, ...]
    notes: tuple[str, ...]
    llm_calls: int


class RunReplayed(Part, frozen=True, kw_only=True):
    """``left_out``: samples that could not be replayed, for their log does not tell how they ended."""

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
class Heard:
    """The events of a replay so far, of the latest attempt at each sample."""

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


def run_replayed(
    run_id: str,
    replay_of: str,
    location: str,
    heard: Heard,
    recorded: Iterable[LoadedSample],
    wanted: Iterable[str] | None,
) -> RunReplayed:
    """``wanted``: the samples that were named; None: all were asked for."""
    then = {state.sample.sample_id: state for state in recorded}
    return RunReplayed(
        run_id=run_id,
        replay_of=replay_of,
        samples=tuple(_sample(heard.ended[one], heard, then) for one in then if one in heard.ended),
        left_out=() if wanted is not None else tuple(one for one in then if one not in heard.ended),
        location=location,
    )


def _sample(finished: SampleFinished, heard: Heard, then: Mapping[str, LoadedSample]) -> SampleReplayed:
    notes = tuple(heard.notes[finished.sample_id])
    state = then[finished.sample_id]
    before, now = _ended(state.status or "", state.reason), _ended(finished.status, finished.reason)
    differences = [note_detail(note) for note in notes if note.kind == "differs"]
    if before != now:
        said = "" if finished.reason == "replay_differs" else f" {finished.message}"
        differences.append(f"it ended as {before} then, as {now} now.{said}")
    return SampleReplayed(
        sample_id=finished.sample_id,
        then=before,
        now=now,
        differences=tuple(differences),
        notes=tuple(note_text(note) for note in notes if note.kind != "differs"),
        llm_calls=finished.usage.llm_calls,
    )


def _ended(status: str, reason: str) -> str:
    return words(status) + (f" ({words(reason)})" if reason else "")


def lines(replayed: RunReplayed) -> list[str]:
    """For people: what differs first, then what it came to."""
    told: list[str] = []
    for sample in replayed.samples:
        if sample.differences:
            told.append(f"{sample.sample_id}:")
            told += [f"  {line}" for line in sample.differences]
    told += [f"{one}: not replayed, for its log does not tell how it ended" for one in replayed.left_out]
    differ = sum(bool(sample.differences) for sample in replayed.samples)
    calls = sum(sample.llm_calls for sample in replayed.samples)
    count = f"{len(replayed.samples)} sample{'' if len(replayed.samples) == 1 else 's'} of {replayed.replay_of}"
    told.append(f"{count} replayed with {calls} model calls: {f'{differ} differ' if differ else 'nothing differs'}")
    told.append(f"evidence of the replay: {replayed.location}")
    return told
