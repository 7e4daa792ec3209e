"""Owned by evidence: what became of a run, and where it lies."""

from __future__ import annotations

from datetime import datetime

from shared.contracts.base import Message, Part
from shared.contracts.discovery import RunRecord, Sample


class Outcome(Part, frozen=True, kw_only=True):
    """How many samples ended this way; ``reason`` is empty for done."""

    status: str
    reason: str
    samples: int


class RunFinished(Message, frozen=True, kw_only=True):
    """Every sample is accounted for and the table is written."""

    run_id: str
    attempt_base: int
    samples: int
    outcomes: tuple[Outcome, ...]
    location: str
    """Folder of the run's evidence."""
    table: str
    """Path of combined.csv."""
    flagged: int = 0
    """Samples, done ones among them, with a remark that a person should read."""
    population_complete: bool = True
    """False: finding the samples was cut short, so there may be more of them."""
    population_note: str = ""
    llm_calls: int
    cost_usd: float
    started_at: datetime
    finished_at: datetime


class EvidenceBlocked(Message, frozen=True, kw_only=True):
    """Evidence cannot be written now (a full disk, say). Nothing is lost: it is tried again."""

    run_id: str
    sample_id: str
    message: str
    at: datetime


class LoadRun(Message, frozen=True, kw_only=True):
    run_id: str


class SampleState(Part, frozen=True, kw_only=True):
    """``status`` is None where no result has been written; ``attempt`` is the highest one seen."""

    sample: Sample
    status: str | None
    reason: str
    attempt: int


class RunLoaded(Message, frozen=True, kw_only=True):
    """``expected`` is None where the population was never closed: then samples may be missing. They may also
    where finding them was cut short: then ``population_complete`` is False."""

    record: RunRecord
    attempt_base: int
    expected: int | None
    samples: tuple[SampleState, ...]
    finished: RunFinished | None
    location: str
    population_complete: bool = True
    discovery_attempt: int = 0
    """The highest attempt seen at finding the samples."""


class RunUnknown(Message, frozen=True, kw_only=True):
    run_id: str
    message: str
    """Names the place that was searched."""


LoadReply = RunLoaded | RunUnknown
