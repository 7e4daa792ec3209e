"""Owned by evidence: what became of a run, and where it lies."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from shared.contracts.base import Message, Part
from shared.contracts.discovery import RunRecord, Sample
from shared.contracts.planner import Pressed, StepTaken


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


class LoadSteps(Message, frozen=True, kw_only=True):
    """Please read back the step log of an attempt, from behind step ``after_step`` on; ``attempt`` None: the latest.

    ``count_only`` asks for all but the steps themselves.
    """

    run_id: str
    sample_id: str
    attempt: int | None = None
    after_step: int = 0
    count_only: bool = False


class StepsLoaded(Message, frozen=True, kw_only=True):
    """As many steps as fit a message, in their order; the next page begins after the last of them.

    ``total`` counts all steps that are kept of the attempt. ``status`` and ``reason`` are those of its result, None
    and empty where none was written. ``problem`` says why it cannot be told from the log how the attempt came to its
    end; empty where the log is whole and ends in a done or a fail that was accepted.
    """

    run_id: str
    sample: Sample
    spec: dict[str, Any]
    attempt: int
    steps: tuple[StepTaken, ...]
    total: int
    status: str | None
    reason: str
    problem: str


class StepsUnknown(Message, frozen=True, kw_only=True):
    run_id: str
    sample_id: str
    message: str


StepsReply = StepsLoaded | StepsUnknown


class ClaimPress(Message, frozen=True, kw_only=True):
    """Before a button is pressed that cannot be taken back: write down whose press it is, unless it is written already.
    ``claim`` False only asks."""

    pressed: Pressed
    claim: bool = True


class PressHeld(Message, frozen=True, kw_only=True):
    """Whose press it is: it outlives the bus and a power failure. None: nobody's yet."""

    pressed: Pressed | None
