"""Messages of evidence: the state, results and location of runs, and queries about them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode, Status
from shared.contracts.discovery import RunRecord, Sample
from shared.contracts.error_codes import EndCode, SqlCode
from shared.contracts.outages import RunPause
from shared.contracts.planner import DriverName
from shared.contracts.steps import FieldValue, PressClaim, StepTaken


class OutcomeCount(Part, frozen=True, kw_only=True):
    """Number of samples with this status and reason. ``reason`` is empty for done."""

    status: OpenCode[Status]
    reason: OpenCode[EndCode]
    samples: int


class NoFlowCount(Part, frozen=True, kw_only=True):
    """``text``: a reason for people. ``samples``: how many had it."""

    text: str
    samples: int


class DriversCount(Part, frozen=True, kw_only=True):
    """Samples on which these drivers have worked, in this order, with their model calls.

    ``done``: how many of the samples are done. ``reasons``: why they were not done by a flow to their end, most
    frequent first, five at most.
    """

    drivers: tuple[OpenCode[DriverName], ...] = ()
    samples: int
    llm_calls: int
    cost_usd: float
    reasons: tuple[NoFlowCount, ...] = ()
    done: int = 0


class ReconciliationCounts(Part, frozen=True, kw_only=True):
    """How the population and the register agree. ``samples`` and ``rows`` are what was compared; the others count
    records, one for each key, by their verdict (:data:`shared.evidence_format.files.reconciliation.RecordVerdict`)."""

    samples: int = 0
    rows: int = 0
    same: int = 0
    other_form: int = 0
    differs: int = 0
    unclear: int = 0
    not_read: int = 0
    missing_here: int = 0
    missing_there: int = 0
    duplicate: int = 0
    no_key: int = 0


class RunFinished(Message, frozen=True, kw_only=True):
    """Every sample has a result, and the outputs of the run are written."""

    run_id: str
    attempt_base: int
    samples: int
    outcomes: tuple[OutcomeCount, ...]
    location: str
    """Folder of the run's evidence."""
    table: str
    """Path of combined.csv; empty if it could not be written."""
    report: str = ""
    """Path of report.html."""
    not_made: tuple[str, ...] = ()
    """Outputs that could not be made, each with the reason. This is an internal error; the run is sealed anyway."""
    manifest_sha256: str = ""
    """SHA-256 of the run's manifest. A copy noted elsewhere proves later that the seal was not replaced."""
    signed_by: str = ""
    """Fingerprint of the key that signed the manifest."""
    flagged: int = 0
    """Number of samples, including done ones, with a remark that a person should read."""
    population_complete: bool = True
    """False: it was not proven that all samples were found."""
    population_reason: OpenCode[EndCode] = ""
    """Why the population is not complete; empty if it is."""
    population_counted: int | None = None
    """How many samples there are by the site's own count; None: not known."""
    population_note: str = ""
    settlements: int = 0
    """How many times a person has settled a sample since the run began; each time it is finished anew."""
    reviewed: int = 0
    """The number of the decision with which the review was signed off, if this was made after it."""
    worked: tuple[DriversCount, ...] = msgspec.field(default=(), name="ways")
    """Who has worked on how many samples; empty in runs of earlier versions."""
    reconciliation: ReconciliationCounts | None = None
    """What the comparison with the register came to; None: there is none."""
    pauses: tuple[RunPause, ...] = ()
    """For which outages the run was paused, over all rounds."""
    llm_calls: int
    cost_usd: float
    started_at: datetime
    finished_at: datetime


def uses_flows(finished: RunFinished) -> bool:
    """Return whether a flow was used in the run, or could have been: then it is told who has worked."""
    return any("flow" in one.drivers or one.reasons for one in finished.worked)


class EvidenceBlocked(Message, frozen=True, kw_only=True):
    """Evidence cannot be written now, for example because the disk is full. The write is retried; nothing is lost."""

    run_id: str
    sample_id: str
    message: str
    at: datetime


WAITING = "waiting"
"""As the status of a sample: it has no result yet."""


class LoadRun(Message, frozen=True, kw_only=True):
    """Request for the state of a run, with one page of its samples in row order: 10,000 samples do not fit a message.

    ``skip``: number of samples in earlier pages. ``count_only``: the reply has no samples.
    `shared.client.load_run` loads all pages.

    ``text``: words that the id, the key or the reason of a sample has, in any case. ``status``: how it ended, or
    `WAITING`. Empty: of all samples. ``limit``: the most samples on the page; 0: as many as fit. ``beside``: the id of
    a sample: the page has this one, between the one before and the one after it.
    """

    run_id: str
    skip: int = 0
    count_only: bool = False
    text: str = ""
    status: str = ""
    limit: int = 0
    beside: str = ""


class LoadedSample(Part, frozen=True, kw_only=True):
    """A sample with its end. ``status``: None if there is no result yet. ``attempt``: the highest one recorded."""

    sample: Sample
    status: OpenCode[Status] | None
    reason: OpenCode[EndCode]
    attempt: int


class RunLoaded(Message, frozen=True, kw_only=True):
    """State of a run, with one page of its samples.

    ``samples``: as many after the skipped ones as fit a message. ``total``: number of all known samples. ``expected``:
    number of samples in the population; None if the population was never closed, so samples may be missing.
    ``population_complete``: False if the search for samples ended early.
    """

    record: RunRecord
    attempt_base: int
    expected: int | None
    samples: tuple[LoadedSample, ...]
    total: int
    finished: RunFinished | None
    location: str
    population_complete: bool = True
    discovery_attempt: int = 0
    """The highest recorded attempt of the search for samples."""
    latest_attempt: int = 0
    """The highest attempt of which something was refused; 0: none."""
    tags: tuple[str, ...] = ()
    """Those that people have set, sorted; with the first page of samples, and with each page that has a limit."""
    fitting: int = 0
    """Number of samples that the request asks for, over all pages; 0 where it asks for a count only."""


class RunUnknown(Message, frozen=True, kw_only=True):
    """There is no evidence of this run."""

    run_id: str
    message: str
    """Names the folder or bucket that was searched."""


LoadReply = RunLoaded | RunUnknown


class FindRuns(Message, frozen=True, kw_only=True):
    """Request for the runs of a task and an input; None matches any. Replays are not included."""

    task_id: str | None = None
    input_sha256: str | None = None


class KnownRun(Part, frozen=True, kw_only=True):
    """A run in evidence. ``expected``: number of its samples; None if its population was never closed. ``finished``:
    its last round has ended, and its population is complete. ``not_done``: number of samples on which a resumed round
    of a finished run works again."""

    run_id: str
    created_at: datetime
    expected: int | None
    finished: bool
    not_done: int = 0


class RunsFound(Message, frozen=True, kw_only=True):
    """The latest of the runs, and the latest of those that are not finished."""

    latest: KnownRun | None
    unfinished: KnownRun | None


class LoadSteps(Message, frozen=True, kw_only=True):
    """Request for the step log of an attempt, after step ``after_step``. ``attempt``: None for the latest.

    ``count_only``: the reply has no steps.
    """

    run_id: str
    sample_id: str
    attempt: int | None = None
    after_step: int = 0
    count_only: bool = False


class StepsLoaded(Message, frozen=True, kw_only=True):
    """One page of a step log: as many steps in order as fit a message. The next page begins after the last of them.

    ``total``: number of all stored steps of the attempt. ``status`` and ``reason``: of its result; None and empty if
    there is none. ``problem``: why the log does not explain the end of the attempt; empty if the log is complete and
    ends with an accepted `done` or `fail`.
    """

    run_id: str
    sample: Sample
    spec: dict[str, Any]
    attempt: int
    steps: tuple[StepTaken, ...]
    total: int
    status: OpenCode[Status] | None
    reason: OpenCode[EndCode]
    problem: str


class StepsUnknown(Message, frozen=True, kw_only=True):
    """There is no step log of this sample."""

    run_id: str
    sample_id: str
    message: str


StepsReply = StepsLoaded | StepsUnknown


class LoadResult(Message, frozen=True, kw_only=True):
    """Request for the result of a sample."""

    run_id: str
    sample_id: str


class ListedArtifact(Part, frozen=True, kw_only=True):
    """An artifact as listed in the result, with size and SHA-256 at the time of capture."""

    filename: str
    kind: str
    sha256: str
    size_bytes: int


class ResultLoaded(Message, frozen=True, kw_only=True):
    """The stored result of the latest attempt."""

    run_id: str
    sample: Sample
    spec: dict[str, Any]
    attempt: int
    status: OpenCode[Status]
    reason: OpenCode[EndCode]
    values: tuple[FieldValue, ...]
    artifacts: tuple[ListedArtifact, ...]


class ResultUnknown(Message, frozen=True, kw_only=True):
    """The result cannot be read. ``known``: the run has this sample; False: there is no such sample."""

    run_id: str
    sample_id: str
    message: str
    known: bool = False


ResultReply = ResultLoaded | ResultUnknown


class ProvideArtifact(Message, frozen=True, kw_only=True, tag="LendArtifact"):
    """Request to copy an artifact of a sample into the ANSWERS bucket. The requester deletes the copy."""

    run_id: str
    sample_id: str
    filename: str


class ArtifactProvided(Message, frozen=True, kw_only=True, tag="ArtifactLent"):
    """The copy of the artifact. ``sha256`` and ``size_bytes`` are those of the copied bytes."""

    blob: str
    sha256: str
    size_bytes: int


class ArtifactMissing(Message, frozen=True, kw_only=True):
    """The artifact cannot be read."""

    filename: str
    message: str


ProvideReply = ArtifactProvided | ArtifactMissing


class ClaimPress(Message, frozen=True, kw_only=True):
    """Request to claim an irreversible click before it is made (at most once). An existing claim is not replaced.
    ``claim``: False only reads the claim. ``give_back``: this very claim is given back, since the click was certainly
    not made; any other one stays."""

    pressed: PressClaim
    claim: bool = True
    give_back: bool = False


class PressHeld(Message, frozen=True, kw_only=True):
    """The stored claim, which survives a restart of the bus and a power failure. None: not claimed."""

    pressed: PressClaim | None


class AskSql(Message, frozen=True, kw_only=True):
    """Request to execute one SELECT over the evidence. docs/sql.md lists the views and their columns.

    ``run_ids``: the runs to query; empty: all. ``max_rows``: limit of the answer. ``timeout_s``: limit of the query,
    without the time to read unfinished runs.
    """

    query: str
    run_ids: tuple[str, ...] = ()
    format: Literal["json", "csv", "parquet"] = "json"
    max_rows: int = 10_000
    timeout_s: float = 30.0


class SqlColumn(Part, frozen=True, kw_only=True):
    """A column of the answer. ``type``: in DuckDB's notation, such as ``VARCHAR`` or ``DECIMAL(18,9)``."""

    name: str
    type: str


class SqlAnswered(Message, frozen=True, kw_only=True):
    """Result of a query.

    ``text``: the rows in the requested format: a JSON array of objects, or CSV with a header. ``blob``: a name by which
    :class:`LoadAnswer` loads them instead, for parquet and for answers that are too large for a message.
    ``rows``: number of rows in the answer. ``cut``: the query had more rows. ``notes``: remarks about the answer, such
    as that a run is not finished.
    """

    columns: tuple[SqlColumn, ...]
    rows: int
    cut: bool
    text: str = ""
    blob: str = ""
    size_bytes: int
    sha256: str
    runs: int
    """Number of runs queried."""
    elapsed_ms: float
    """Duration of the query itself."""
    notes: tuple[str, ...] = ()


class SqlRefused(Message, frozen=True, kw_only=True):
    """The query was refused or failed.

    ``position``: offset of the error in the query, in characters; None if unknown. ``hints``: valid alternatives.
    """

    code: OpenCode[SqlCode]
    message: str
    position: int | None = None
    hints: tuple[str, ...] = ()


SqlReply = SqlAnswered | SqlRefused


class LoadAnswer(Message, frozen=True, kw_only=True):
    """Request for a part of the answer to a query: its bytes from ``offset`` on. It is kept for an hour."""

    blob: str
    offset: int = 0


class AnswerPart(Message, frozen=True, kw_only=True):
    """Bytes of an answer, not always all that are left; empty at its end."""

    data: bytes
