"""The state of a run, and when a round of it is complete.

A round is the first time a run is worked on, or one time that it is resumed. The attempts of a round are those above
its ``attempt_base``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from shared.contracts.codes import OpenCode, Status, is_final
from shared.contracts.discovery import RunRecord, Sample
from shared.contracts.error_codes import EndCode
from shared.contracts.evidence import (
    WAITING,
    DriversCount,
    LoadedSample,
    LoadRun,
    NoFlowCount,
    OutcomeCount,
    RunFinished,
)
from shared.contracts.outages import RunPause
from shared.contracts.planner import DRIVERS, DriverName
from shared.evidence_format.files.sample import ResultFile, parse_result
from shared.text.names import DISCOVERY

MAX_REASONS = 5
"""Different reasons why samples were not done by a flow, in the summary of a run."""


@dataclass(frozen=True)
class SampleEnd:
    """How a sample ended: the part of result.json that stays in memory."""

    status: OpenCode[Status]
    reason: OpenCode[EndCode]
    attempt: int
    llm_calls: int
    cost_usd: float
    flagged: bool
    started_at: datetime
    drivers: tuple[OpenCode[DriverName], ...] = ()
    no_flow: str = ""

    @classmethod
    def of(cls, result: ResultFile) -> SampleEnd:
        return cls(
            status=result.status,
            reason=result.reason,
            attempt=result.attempt,
            llm_calls=result.llm_calls,
            cost_usd=result.usage.cost_usd,
            flagged=result.flagged,
            started_at=result.started_at,
            drivers=result.drivers,
            no_flow=result.no_flow,
        )


def parse_sample_end(result: bytes) -> SampleEnd:
    """Parse a result.json. Raises one of `chain.NOT_JSON`."""
    return SampleEnd.of(parse_result(result))


@dataclass
class RunState:
    """``expected``: the number of samples, None until the population is closed. ``finished``: the summary of the last
    round that was finished. ``open_samples``: known samples that have not settled in this round."""

    record: RunRecord
    samples: dict[str, tuple[Sample, datetime]] = field(default_factory=dict[str, tuple[Sample, datetime]])
    ends: dict[str, SampleEnd] = field(default_factory=dict[str, SampleEnd])
    expected: int | None = None
    attempt_base: int = 0
    open_samples: int = 0
    finished: RunFinished | None = None
    population_complete: bool = True
    population_reason: EndCode = ""
    population_counted: int | None = None
    population_note: str = ""
    remarks: tuple[str, ...] = ()
    """What a reader of the seal should know about how the run came to be sealed."""
    settlements: int = 0
    """How many times a person has settled a sample; each time the round is closed anew."""
    reviewed: int = 0
    """As in :class:`shared.evidence_format.files.run.RunFile`."""
    pauses: tuple[RunPause, ...] = ()
    """For which outages it was paused, over all rounds."""
    discovery: SampleEnd | None = None
    """How the search for samples ended. It is not a sample itself."""
    _in_row_order: tuple[Sample, ...] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def in_row_order(self) -> tuple[Sample, ...]:
        """All samples, sorted by their row."""
        if self._in_row_order is None:
            self._in_row_order = tuple(sorted((sample for sample, _ in self.samples.values()), key=lambda one: one.row))
        return self._in_row_order

    @property
    def discovers(self) -> bool:
        """Whether the samples are found by navigating."""
        return self.record.discovery_spec is not None

    @property
    def lists_only(self) -> bool:
        """Whether the run only lists its samples and does no work on them."""
        return self.record.spec.get("phase") == "discovery"

    def add_sample(self, sample: Sample, found_at: datetime) -> None:
        """Idempotent."""
        if sample.sample_id not in self.samples:
            self.samples[sample.sample_id] = (sample, found_at)
            self._in_row_order = None
            self.open_samples += not self._is_settled(sample.sample_id)

    def set_end(self, sample_id: str, end: SampleEnd) -> None:
        """Record how a sample, or the search for samples, ended. Idempotent."""
        if sample_id == DISCOVERY:
            self.discovery = end
            return
        if self.ends.get(sample_id) != end:
            self.finished = None  # tables and summary were made of another result
        was_settled = self._is_settled(sample_id)
        self.ends[sample_id] = end
        if sample_id in self.samples:
            self.open_samples += was_settled - self._is_settled(sample_id)

    def reopen(self, sample_id: str) -> None:
        """Drop the end of a sample, because a later attempt works on it."""
        was_settled = self._is_settled(sample_id)
        self.ends.pop(sample_id, None)
        if sample_id in self.samples:
            self.open_samples += was_settled

    def has_ended(self, sample_id: str) -> bool:
        """Whether a sample has its result in this round, or the search for samples is over."""
        if sample_id != DISCOVERY:
            return self._is_settled(sample_id)
        return self.expected is not None or (self.discovery is not None and self.discovery.attempt > self.attempt_base)

    def has_sample(self, sample_id: str) -> bool:
        """Whether a sample was asked for, or is the search for samples."""
        return self.discovers if sample_id == DISCOVERY else sample_id in self.samples

    def start_round(self, attempt_base: int, *, discovering: bool = False) -> None:
        """Count from now on only final results and those of this round. A round that searches for more samples makes
        their number unknown again."""
        if discovering and attempt_base > self.attempt_base:
            self.expected = None
        self.attempt_base = attempt_base
        self.open_samples = sum(not self._is_settled(sample_id) for sample_id in self.samples)

    @property
    def all_found(self) -> bool:
        return self.expected is not None and len(self.samples) >= self.expected

    @property
    def is_complete(self) -> bool:
        """Whether every sample is accounted for."""
        return self.all_found and self.open_samples == 0

    @property
    def current_summary(self) -> RunFinished | None:
        """The summary of this round, if it was finished and nothing has changed since."""
        current = self.finished is not None and self.finished.attempt_base == self.attempt_base
        return self.finished if current else None

    def _is_settled(self, sample_id: str) -> bool:
        end = self.ends.get(sample_id)
        return end is not None and (is_final(end.status, end.reason) or end.attempt > self.attempt_base)


def round_summary(state: RunState, location: str, table: str, now: datetime) -> RunFinished:
    """Return the summary of a complete round, over all samples of the run."""
    ends = all_ends(state)
    this_round = [end.started_at for end in ends if end.attempt > state.attempt_base]
    return RunFinished(
        run_id=state.record.run_id,
        attempt_base=state.attempt_base,
        samples=len(state.samples),
        outcomes=outcome_counts(state),
        location=location,
        table=table,
        flagged=sum(end.flagged for end in state.ends.values()),
        population_complete=state.population_complete,
        population_reason=state.population_reason,
        population_counted=state.population_counted,
        population_note=state.population_note,
        settlements=state.settlements,
        reviewed=state.reviewed,
        worked=count_drivers(state.ends.values()),
        pauses=state.pauses,
        llm_calls=sum(end.llm_calls for end in ends),
        cost_usd=sum(end.cost_usd for end in ends),
        started_at=min(this_round, default=now),
        finished_at=now,
    )


def all_ends(state: RunState) -> list[SampleEnd]:
    """Return the ends of all samples that have one, and of the search for samples."""
    return [*state.ends.values(), *([state.discovery] if state.discovery is not None else [])]


def count_drivers(ends: Iterable[SampleEnd]) -> tuple[DriversCount, ...]:
    """Return on how many samples which drivers have worked, with their model calls; in the order of the drivers. Of
    samples of which that is not known nothing is told."""
    by_drivers: dict[tuple[str, ...], list[SampleEnd]] = {}
    for end in ends:
        if end.drivers:
            by_drivers.setdefault(end.drivers, []).append(end)
    order: dict[str, int] = {name: at for at, name in enumerate(DRIVERS)}
    return tuple(
        DriversCount(
            drivers=found[0].drivers,
            samples=len(found),
            llm_calls=sum(end.llm_calls for end in found),
            cost_usd=sum(end.cost_usd for end in found),
            reasons=_most_common(end.no_flow for end in found if end.no_flow),
            done=sum(end.status == "done" for end in found),
        )
        for _, found in sorted(by_drivers.items(), key=lambda one: [order.get(name, len(order)) for name in one[0]])
    )


def _most_common(reasons: Iterable[str]) -> tuple[NoFlowCount, ...]:
    counted = Counter(reasons)
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_REASONS]
    return tuple(NoFlowCount(text=text, samples=count) for text, count in ordered)


def outcome_counts(state: RunState) -> tuple[OutcomeCount, ...]:
    """Return how many samples ended how, sorted."""
    counted = Counter[tuple[Status, EndCode]]((end.status, end.reason) for end in state.ends.values())
    return tuple(
        OutcomeCount(status=status, reason=reason, samples=count) for (status, reason), count in sorted(counted.items())
    )


def sample_states(state: RunState) -> list[LoadedSample]:
    """Return all samples in row order, with how they ended."""
    return [_sample_state(sample, state.ends.get(sample.sample_id)) for sample in state.in_row_order]


def asked_samples(state: RunState, request: LoadRun) -> tuple[Iterator[LoadedSample], int]:
    """Return the samples that a request asks for after the skipped ones, or beside one, in row order, and how many
    there are of them over all pages."""
    ordered: Sequence[Sample] = state.in_row_order
    if request.text or request.status:
        words = request.text.casefold().split()
        ordered = [one for one in ordered if _fits(one, state.ends.get(one.sample_id), words, request.status)]
    begin = max(request.skip, 0)
    end = begin + request.limit if request.limit > 0 else len(ordered)
    if request.beside:
        at = next((i for i, one in enumerate(ordered) if one.sample_id == request.beside), None)
        begin, end = (max(at - 1, 0), at + 2) if at is not None else (0, 0)
    shown = ordered[begin:end]
    return (_sample_state(one, state.ends.get(one.sample_id)) for one in shown), len(ordered)


def _fits(sample: Sample, end: SampleEnd | None, words: Sequence[str], status: str) -> bool:
    if status and status != (WAITING if end is None else end.status):
        return False
    if not words:
        return True
    reason = "" if end is None else end.reason
    told = f"{sample.sample_id} {sample.key} {reason} {reason.replace('_', ' ')}".casefold()
    return all(word in told for word in words)


def _sample_state(sample: Sample, end: SampleEnd | None) -> LoadedSample:
    if end is None:
        return LoadedSample(sample=sample, status=None, reason="", attempt=0)
    return LoadedSample(sample=sample, status=end.status, reason=end.reason, attempt=end.attempt)
