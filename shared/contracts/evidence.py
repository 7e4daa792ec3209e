"""Owned by evidence: what became of a run, and where it lies."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode, Status
from shared.contracts.discovery import RunRecord, Sample
from shared.contracts.error_codes import EndCode, SqlCode
from shared.contracts.steps import FieldValue, PressClaim, StepTaken


class OutcomeCount(Part, frozen=True, kw_only=True):
    """How many samples ended this way; ``reason`` is empty for done."""

    status: OpenCode[Status]
    reason: OpenCode[EndCode]
    samples: int


class RunFinished(Message, frozen=True, kw_only=True):
    """Every sample is accounted for and the table is written."""

    run_id: str
    attempt_base: int
    samples: int
    outcomes: tuple[OutcomeCount, ...]
    location: str
    """Folder of the run's evidence."""
    table: str
    """Path of combined.csv; empty where it could not be made."""
    report: str = ""
    """Path of report.html."""
    not_made: tuple[str, ...] = ()
    """What could not be made of the run, and why: a fault of ours, which never holds up the seal."""
    manifest_sha256: str = ""
    """Hash of the run's manifest: whoever has noted it can tell that the seal is the one of this moment."""
    signed_by: str = ""
    """Fingerprint of the key."""
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
    """Please say what is known of a run: 10,000 samples do not fit a message, so they come in pages, in row order.

    ``skip``: how many of them are left out, for they came with earlier pages. ``count_only`` asks for all but the
    samples themselves. `shared.client.load_run` asks for all pages.
    """

    run_id: str
    skip: int = 0
    count_only: bool = False


class LoadedSample(Part, frozen=True, kw_only=True):
    """``status`` is None where no result has been written; ``attempt`` is the highest one seen."""

    sample: Sample
    status: OpenCode[Status] | None
    reason: OpenCode[EndCode]
    attempt: int


class RunLoaded(Message, frozen=True, kw_only=True):
    """``expected`` is None where the population was never closed: then samples may be missing. They may also
    where finding them was cut short: then ``population_complete`` is False. ``total`` counts all samples that are
    known; ``samples`` are as many behind those that were skipped as fit a message."""

    record: RunRecord
    attempt_base: int
    expected: int | None
    samples: tuple[LoadedSample, ...]
    total: int
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


class FindRuns(Message, frozen=True, kw_only=True):
    """Which runs there are of this task and this input; None: of any. Replays are none of them."""

    task_id: str | None = None
    input_sha256: str | None = None


class KnownRun(Part, frozen=True, kw_only=True):
    """``expected``: how many samples it has, None where its population was never closed."""

    run_id: str
    created_at: datetime
    expected: int | None
    finished: bool


class RunsFound(Message, frozen=True, kw_only=True):
    """The latest of them, and the latest that was never finished."""

    latest: KnownRun | None
    unfinished: KnownRun | None


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
    status: OpenCode[Status] | None
    reason: OpenCode[EndCode]
    problem: str


class StepsUnknown(Message, frozen=True, kw_only=True):
    run_id: str
    sample_id: str
    message: str


StepsReply = StepsLoaded | StepsUnknown


class LoadResult(Message, frozen=True, kw_only=True):
    """Please read back what a sample's result says."""

    run_id: str
    sample_id: str


class KeptFile(Part, frozen=True, kw_only=True):
    """An artifact as the result lists it: size and hash are those of the capture."""

    filename: str
    kind: str
    sha256: str
    size_bytes: int


class ResultLoaded(Message, frozen=True, kw_only=True):
    """The result of the latest attempt, as it stands in evidence."""

    run_id: str
    sample: Sample
    spec: dict[str, Any]
    attempt: int
    status: OpenCode[Status]
    reason: OpenCode[EndCode]
    values: tuple[FieldValue, ...]
    artifacts: tuple[KeptFile, ...]


class ResultUnknown(Message, frozen=True, kw_only=True):
    """``known``: the run has such a sample, and no result of it can be read."""

    run_id: str
    sample_id: str
    message: str
    known: bool = False


ResultReply = ResultLoaded | ResultUnknown


class LendArtifact(Message, frozen=True, kw_only=True):
    """Please put an artifact of a sample into the ANSWERS bucket. Whoever asked removes it there."""

    run_id: str
    sample_id: str
    filename: str


class ArtifactLent(Message, frozen=True, kw_only=True):
    """Size and hash are those of the bytes as they lie there now."""

    blob: str
    sha256: str
    size_bytes: int


class ArtifactMissing(Message, frozen=True, kw_only=True):
    filename: str
    message: str


LendReply = ArtifactLent | ArtifactMissing


class ClaimPress(Message, frozen=True, kw_only=True):
    """Before a button is pressed that cannot be taken back: write down whose press it is, unless it is written already.
    ``claim`` False only asks."""

    pressed: PressClaim
    claim: bool = True


class PressHeld(Message, frozen=True, kw_only=True):
    """Whose press it is: it outlives the bus and a power failure. None: nobody's yet."""

    pressed: PressClaim | None


class AskSql(Message, frozen=True, kw_only=True):
    """One SELECT over the evidence of these runs, or of all there are; docs/sql.md has the views and their columns.

    ``max_rows`` bounds the answer; ``timeout_s`` the query itself, not the reading of runs that are not finished.
    """

    query: str
    run_ids: tuple[str, ...] = ()
    format: Literal["json", "csv", "parquet"] = "json"
    max_rows: int = 10_000
    timeout_s: float = 30.0


class SqlColumn(Part, frozen=True, kw_only=True):
    """``type`` as DuckDB writes it, such as ``VARCHAR`` or ``DECIMAL(18,9)``."""

    name: str
    type: str


class SqlAnswered(Message, frozen=True, kw_only=True):
    """``text`` has the rows as they were asked for: JSON, one array of objects, or CSV with a header. What is too large
    for a message, and parquet, is an object of the ANSWERS bucket instead: ``blob`` names it.

    ``cut``: there are more than ``rows``. ``notes``: what else is to be known of the answer, such as that a run is not
    finished.
    """

    columns: tuple[SqlColumn, ...]
    rows: int
    cut: bool
    text: str = ""
    blob: str = ""
    size_bytes: int
    sha256: str
    runs: int
    """How many runs were looked at."""
    elapsed_ms: float
    """Of the query alone."""
    notes: tuple[str, ...] = ()


class SqlRefused(Message, frozen=True, kw_only=True):
    """No answer.

    ``position`` counts the characters of the query before the mistake, where one can be pointed at. ``hints`` say what
    there is instead.
    """

    code: OpenCode[SqlCode]
    message: str
    position: int | None = None
    hints: tuple[str, ...] = ()


SqlReply = SqlAnswered | SqlRefused
