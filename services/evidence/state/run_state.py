"""Pure: what is known of a run, and when a round of it is complete.

A round is the first time a run is worked on, or one time it is resumed. Its attempts are those
above its ``attempt_base``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from shared.contracts.codes import OpenCode, Status, is_final
from shared.contracts.discovery import RunRecord, Sample
from shared.contracts.error_codes import EndCode
from shared.contracts.evidence import LoadedSample, OutcomeCount, RunFinished
from shared.text.names import DISCOVERY


@dataclass(frozen=True)
class Ended:
    """What is remembered of a result; all of it is in result.json."""

    status: OpenCode[Status]
    reason: OpenCode[EndCode]
    attempt: int
    llm_calls: int
    cost_usd: float
    flagged: bool
    started_at: datetime


@dataclass
class RunState:
    """``expected`` is None until the population is closed; ``finished`` is the last round that was."""

    record: RunRecord
    samples: dict[str, tuple[Sample, datetime]] = field(default_factory=dict[str, tuple[Sample, datetime]])
    ended: dict[str, Ended] = field(default_factory=dict[str, Ended])
    expected: int | None = None
    attempt_base: int = 0
    open: int = 0
    finished: RunFinished | None = None
    population_complete: bool = True
    population_note: str = ""
    remarks: tuple[str, ...] = ()
    """What whoever trusts its seal should know of how it came to be sealed."""
    discovery: Ended | None = None
    """How the search for the samples ended; it is none of them."""

    @property
    def discovers(self) -> bool:
        """Its samples are found by navigating."""
        return self.record.discovery_spec is not None

    @property
    def lists_only(self) -> bool:
        """Nothing is done on what is found."""
        return self.record.spec.get("phase") == "discovery"

    def found(self, sample: Sample, at: datetime) -> None:
        if sample.sample_id not in self.samples:
            self.samples[sample.sample_id] = (sample, at)
            self.open += not self._counts(sample.sample_id)

    def end(self, sample_id: str, ended: Ended) -> None:
        if sample_id == DISCOVERY:
            self.discovery = ended
            return
        if self.ended.get(sample_id) != ended:
            self.finished = None  # the table and the summary are of another result
        before = self._counts(sample_id)
        self.ended[sample_id] = ended
        if sample_id in self.samples:
            self.open += before - self._counts(sample_id)

    def reopen(self, sample_id: str) -> None:
        """A later attempt is at work, and puts the result of the earlier one aside."""
        before = self._counts(sample_id)
        self.ended.pop(sample_id, None)
        if sample_id in self.samples:
            self.open += before

    def start_round(self, attempt_base: int, *, discovering: bool = False) -> None:
        """From now on only what was done before, or ends in this round, counts. Where more samples are looked for,
        how many there are is open again."""
        if discovering and attempt_base > self.attempt_base:
            self.expected = None
        self.attempt_base = attempt_base
        self.open = sum(not self._counts(sample_id) for sample_id in self.samples)

    @property
    def all_found(self) -> bool:
        return self.expected is not None and len(self.samples) >= self.expected

    @property
    def complete(self) -> bool:
        """Every sample is accounted for."""
        return self.all_found and self.open == 0

    @property
    def said(self) -> RunFinished | None:
        """What was said when this round was finished, where nothing has changed since."""
        current = self.finished is not None and self.finished.attempt_base == self.attempt_base
        return self.finished if current else None

    def _counts(self, sample_id: str) -> bool:
        ended = self.ended.get(sample_id)
        if ended is None:
            return False
        return is_final(ended.status, ended.reason) or ended.attempt > self.attempt_base


def run_finished(state: RunState, location: str, table: str, now: datetime) -> RunFinished:
    """The summary of a complete round, over all samples of the run."""
    counted = Counter[tuple[Status, EndCode]]((ended.status, ended.reason) for ended in state.ended.values())
    all_ended = [*state.ended.values(), *([state.discovery] if state.discovery is not None else [])]
    this_round = [ended.started_at for ended in all_ended if ended.attempt > state.attempt_base]
    return RunFinished(
        run_id=state.record.run_id,
        attempt_base=state.attempt_base,
        samples=len(state.samples),
        outcomes=tuple(
            OutcomeCount(status=status, reason=reason, samples=count)
            for (status, reason), count in sorted(counted.items())
        ),
        location=location,
        table=table,
        flagged=sum(ended.flagged for ended in state.ended.values()),
        population_complete=state.population_complete,
        population_note=state.population_note,
        llm_calls=sum(ended.llm_calls for ended in all_ended),
        cost_usd=sum(ended.cost_usd for ended in all_ended),
        started_at=min(this_round, default=now),
        finished_at=now,
    )


def sample_states(state: RunState) -> list[LoadedSample]:
    """All samples in row order, with how they ended."""
    ordered = sorted((sample for sample, _ in state.samples.values()), key=lambda sample: sample.row)
    return [_state(sample, state.ended.get(sample.sample_id)) for sample in ordered]


def _state(sample: Sample, ended: Ended | None) -> LoadedSample:
    if ended is None:
        return LoadedSample(sample=sample, status=None, reason="", attempt=0)
    return LoadedSample(sample=sample, status=ended.status, reason=ended.reason, attempt=ended.attempt)
