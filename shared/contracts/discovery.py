"""Owned by discovery: run requests, and the samples they turn into."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from shared.contracts.base import Message, Part


class InputFile(Part, frozen=True, kw_only=True):
    """A CSV or XLSX file put into the INPUTS bucket under ``blob`` before the request; or, where ``name`` ends in
    ``.json``, a list of rows as objects, for more of them than a message holds."""

    name: str
    blob: str
    size_bytes: int
    sha256: str


class SubmitRun(Message, frozen=True, kw_only=True):
    """Please run this task on these samples.

    ``spec`` is a whole task spec (task_specs/schema.json). The samples come from exactly one
    of ``samples`` (rows as objects), ``input_file``, ``discovery``, ``resume_run_id``, which takes the spec
    and the samples of an earlier run and works on those that are not done, or ``replay_run_id``, which takes those
    of an earlier run too and takes its steps again, in a run of its own.

    ``replay_samples``: the ids of those that are replayed; None: of all whose log tells how they ended.
    ``allow_effects``: also steps that may change something on the site are taken again.

    ``discovery`` is a task spec of phase ``discovery``: the run begins with finding its samples by navigating, and
    works on each as soon as it is found. Where ``spec`` itself is of that phase the run only lists: what is found is
    what it brings back. ``discovery_row`` fills the placeholders of the discovery spec, and is part of every sample.
    """

    spec: dict[str, Any] | None = None
    samples: tuple[dict[str, Any], ...] | None = None
    input_file: InputFile | None = None
    resume_run_id: str | None = None
    replay_run_id: str | None = None
    replay_samples: tuple[str, ...] | None = None
    allow_effects: bool = False
    discovery: dict[str, Any] | None = None
    discovery_row: dict[str, str] = {}
    planner: str | None = None
    concurrency: int | None = None
    requested_by: str = ""


class Problem(Part, frozen=True, kw_only=True):
    """One thing wrong: where (``spec.max_steps``, or ``row 3, column url``), and what to do about it."""

    where: str
    message: str


class RunAccepted(Message, frozen=True, kw_only=True):
    run_id: str
    samples: int
    """How many samples will be worked on; those already done in a resumed run are not among them."""
    already_done: int = 0
    attempt_base: int = 0
    """Attempts made in earlier rounds; events of this round are of later attempts."""
    discovering: bool = False
    """More samples are looked for by navigating; ``samples`` counts only those that are known already."""


class RunRejected(Message, frozen=True, kw_only=True):
    """Nothing was started; every problem is listed, not just the first."""

    problems: tuple[Problem, ...]


SubmitReply = RunAccepted | RunRejected


class Sample(Part, frozen=True, kw_only=True):
    """One thing to open and bring evidence of.

    ``sample_id`` is safe as a folder name and as a subject token; ``key`` is what the input said.
    ``row`` counts data rows from 1. ``fields`` holds every input column, extra ones too.
    """

    sample_id: str
    key: str
    row: int
    url: str | None = None
    fields: dict[str, str] = {}
    as_given: dict[str, str] = {}
    """Cells of ``fields`` that the input had with spaces around them, with those."""


class RunRecord(Part, frozen=True, kw_only=True):
    """What every service may know of a run; written once, kept in the RUNS bucket."""

    run_id: str
    spec: dict[str, Any]
    planner: str | None
    concurrency: int
    created_at: datetime
    requested_by: str = ""
    discovery_spec: dict[str, Any] | None = None
    """By which the samples are found; equal to ``spec`` where the run only lists."""
    discovery_row: dict[str, str] = {}
    input_columns: tuple[str, ...] = ()
    """The header of the input as it was written, columns without a name among them; empty where there was no input."""
    input_sha256: str = ""
    """Hash of what the samples came from, as `shared.hashing` makes it: two runs of one input have the same."""
    replay_run_id: str | None = None
    """The run whose recorded steps are taken again."""
    allow_effects: bool = False


class RunStarted(Message, frozen=True, kw_only=True):
    """``attempt_base`` is 0 for a new run; a resumed run counts its attempts on from there."""

    run_id: str
    record: RunRecord
    attempt_base: int = 0
    discovering: bool = False
    """Samples are found by navigating: how many there are is not known before the population is closed."""


class SampleFound(Message, frozen=True, kw_only=True):
    run_id: str
    sample_id: str
    sample: Sample
    found_at: datetime
    found_on: str = ""
    """Address of the page that listed it; empty where it came with the request."""
    item: dict[str, Any] = {}
    """As the page listed it, each value in its type."""


class PopulationClosed(Message, frozen=True, kw_only=True):
    """No more samples will be found; ``attempt_base`` tells a resumed round from the first."""

    run_id: str
    samples: int
    attempt_base: int = 0
    complete: bool = True
    """False: finding them was cut short, so there may be more."""
    note: str = ""
    """Why it was cut short, or what else a reviewer should know of how the samples were found."""


class SubmissionRejected(Message, frozen=True, kw_only=True):
    """Said as an event too, for clients that publish a request and wait for no reply."""

    run_id: str
    problems: tuple[Problem, ...]
