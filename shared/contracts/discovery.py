"""Messages of discovery: run requests, and the samples of a run."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import EndCode

RunMode = Literal["auto", "agent", "flow"]
"""How the samples of a run are worked out. ``agent``: by the planner; no flow and no workflow is used. ``flow``: by the
published flow of the task, and by the rules where it stops; what they are not certain of goes to a person. ``auto``: by
the flow of the task, then by the rules, and by the planner where there is no flow, or where neither finishes."""
RUN_MODES: tuple[RunMode, ...] = ("auto", "agent", "flow")


def find_run_mode(word: str | None) -> RunMode | None:
    """Return the mode of this name; None for a word that is none."""
    known: dict[str | None, RunMode] = {mode: mode for mode in RUN_MODES}
    return known.get(word)


class ReadAs(Part, frozen=True, kw_only=True):
    """What a person says of how a file is read, where the file leaves it open.

    ``sheets``: names of the sheets of a workbook that are read, hidden ones too; none: the only visible one with rows.
    ``encoding``: of a text; empty: the file has to prove it. ``hidden_rows``: ``take`` or ``leave`` rows that a filter
    or a person has hidden; empty: a file that has some is refused.
    """

    sheets: tuple[str, ...] = ()
    encoding: str = ""
    hidden_rows: str = ""


AS_IT_IS = ReadAs()


class InputFile(Part, frozen=True, kw_only=True):
    """A CSV or XLSX file that was stored before the request, by :class:`StoreInput`. If ``name`` ends in ``.json``, it
    is a list of rows as objects that is too large for a message.

    ``blob``: the name that discovery gave it. ``parts``: how many parts it was stored in; 0: in one, by a service.
    """

    name: str
    blob: str
    size_bytes: int
    sha256: str
    parts: int = 0
    read_as: ReadAs = AS_IT_IS


class StoreInput(Message, frozen=True, kw_only=True):
    """Request to store a part of an input file, until a run is requested with it: for a week.

    ``blob``: the name that the reply to the first part gave; empty with the first part. ``part``: from 0.
    """

    data: bytes
    blob: str = ""
    part: int = 0


class InputStored(Message, frozen=True, kw_only=True):
    """The part is stored. ``blob``: the name of the file, for its further parts and for the request."""

    blob: str


SheetLeftOut = Literal["", "hidden", "not_named", "empty", "no_cells"]
"""Why a sheet was not read: it is hidden; others were named; it has no rows; it is a chart or the like. Empty: it is
read."""
RowsLeftOutReason = Literal["blank", "hidden"]


class RowsLeftOut(Part, frozen=True, kw_only=True):
    """Rows that became no sample. ``spans``: their first and last numbers; of many spans the first only. In a sheet
    they are the numbers that the sheet shows, in a text rows are counted under the header from 1."""

    reason: OpenCode[RowsLeftOutReason]
    rows: int
    spans: tuple[tuple[int, int], ...] = ()


class SheetReading(Part, frozen=True, kw_only=True):
    """What became of one sheet; a text has one without a name. ``rows``: those that were read. ``hidden_rows``: how
    many of them are hidden. ``left_out``: why none was read."""

    name: str = ""
    hidden: bool = False
    rows: int = 0
    hidden_rows: int = 0
    rows_left_out: tuple[RowsLeftOut, ...] = ()
    left_out: OpenCode[SheetLeftOut] = ""


class Problem(Part, frozen=True, kw_only=True):
    """One problem of a request: its location (``spec.max_steps``, or ``row 3, column url``) and what to do about it."""

    where: str
    message: str


class FileReading(Part, frozen=True, kw_only=True):
    """What became of each sheet and row of a file that was read.

    ``form``: ``csv``, ``json``, ``xlsx``, or another. ``encoding``: of a text. ``read_as``: what a person said about
    it. ``notes``: cells whose value cannot be told, in columns that the task does not use. ``untold``: what the format
    or its reader does not tell; empty where all is known.
    """

    name: str
    form: str
    encoding: str = ""
    read_as: ReadAs = AS_IT_IS
    sheets: tuple[SheetReading, ...] = ()
    notes: tuple[Problem, ...] = ()
    untold: str = ""

    @property
    def rows(self) -> int:
        return sum(sheet.rows for sheet in self.sheets)


class Register(Part, frozen=True, kw_only=True):
    """A table of another system that the population is compared with, record by record.

    ``file``: CSV, XLSX, or a JSON list of objects, stored as an input file is. ``key``: the field of the spec whose
    value is the same for a sample and its row. ``fold_keys``: keys that differ only in case, in blanks, in the form of
    their Unicode letters or in a mark such as ``#`` before them are the same key; else keys are compared exactly, but
    for blanks at their ends.
    """

    file: InputFile
    key: str
    fold_keys: bool = False


class SubmitRun(Message, frozen=True, kw_only=True):
    """Request to run a task on samples.

    ``spec`` is a whole task spec (task_specs/schema.json). The samples come from exactly one source:

    - ``samples``: rows as objects.
    - ``input_file``: a stored file.
    - ``discovery``: a task spec of phase ``discovery``. The run finds its samples by navigating, and works on each as
      soon as it is found. If ``spec`` itself has that phase, the run only lists: the items found are its result.
    - ``resume_run_id``: spec and samples of an earlier run, which is continued with the samples that are not done.
    - ``replay_run_id``: spec and samples of an earlier run, the recorded steps of which are repeated in a new run.

    ``discovery_row`` fills the placeholders of the discovery spec and is part of every sample. ``replay_samples``:
    sample ids to replay; None: all that have a log with an end. ``allow_effects``: a replay also repeats steps that
    may change something on the site.

    ``mode``: a :data:`RunMode`. None: ``auto``, without compiling a flow where the planner asks no model, because that
    would save nothing.

    ``register``: what the population is compared with when the run is complete. A resumed round keeps that of the round
    before where it names none.

    ``request_id``: made by the client, so that a request that is sent again counts once; empty: each is one of its own.

    ``schedule``: the schedule that requests it. ``follows``: id of an earlier run of the task, with which the run is
    compared once it is finished.
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
    mode: str | None = None
    requested_by: str = ""
    register: Register | None = None
    request_id: str = ""
    schedule: str = ""
    follows: str = ""


class RunAccepted(Message, frozen=True, kw_only=True):
    """The run was started."""

    run_id: str
    samples: int
    """How many samples will be worked on, without ``already_done``."""
    already_done: int = 0
    """Samples of a resumed run that are done and are skipped."""
    attempt_base: int = 0
    """Attempts made in earlier rounds; attempts of this round have higher numbers."""
    discovering: bool = False
    """Further samples are found by navigating; ``samples`` counts only the known ones."""


class RunRejected(Message, frozen=True, kw_only=True):
    """The run was not started. All problems are listed, not only the first."""

    problems: tuple[Problem, ...]


SubmitReply = RunAccepted | RunRejected


class Sample(Part, frozen=True, kw_only=True):
    """One record to collect evidence of.

    ``sample_id`` is safe as a folder name and as a subject token. ``key``: the record's key, as written in the input.
    ``row``: number of the data row, from 1. ``fields``: all columns of the input by name.
    """

    sample_id: str
    key: str
    row: int
    url: str | None = None
    fields: dict[str, str] = {}
    as_given: dict[str, str] = {}
    """Cells of the input that had leading or trailing spaces, with these spaces."""
    sheet: str = ""
    sheet_row: int = 0
    """Where it stands in a workbook, by the numbers that the sheet shows; empty and 0 elsewhere."""


class RunRecord(Part, frozen=True, kw_only=True):
    """The definition of a run, readable by every service. It is written once and kept in the RUNS bucket."""

    run_id: str
    spec: dict[str, Any]
    planner: str | None
    concurrency: int
    created_at: datetime
    requested_by: str = ""
    discovery_spec: dict[str, Any] | None = None
    """The task spec that finds the samples; equal to ``spec`` if the run only lists."""
    discovery_row: dict[str, str] = {}
    input_columns: tuple[str, ...] = ()
    """The header of the input as written, including columns without a name; empty if there was no input."""
    input_sha256: str = ""
    """SHA-256 of the source of the samples (see `shared.hashing`): equal for two runs of the same input."""
    replay_run_id: str | None = None
    """Id of the run that this run replays; None: this is no replay."""
    allow_effects: bool = False
    mode: RunMode = "auto"
    compiles: bool = False
    """Where its task has no flow, one is compiled from the first samples that are done, for the others."""
    register: Register | None = None
    """What the population is compared with; None: with nothing."""
    input_reading: FileReading | None = None
    """What became of each sheet and row of the input file; None: there was none, or an earlier version read it."""
    register_reading: FileReading | None = None
    """The same of the register."""
    schedule: str = ""
    """The schedule that has requested it; empty: a person or a program has."""
    follows: str = ""
    """The run with which it is compared once it is finished; empty: with none."""


class RunStarted(Message, frozen=True, kw_only=True):
    """A run, or a resumed round of it, has started. ``attempt_base``: attempts made in earlier rounds; 0 for a new
    run."""

    run_id: str
    record: RunRecord
    attempt_base: int = 0
    discovering: bool = False
    """Samples are found by navigating, so their number is unknown until :class:`PopulationClosed`."""


class SampleFound(Message, frozen=True, kw_only=True):
    """A sample of the run is known, from the request or from a list."""

    run_id: str
    sample_id: str
    sample: Sample
    found_at: datetime
    found_on: str = ""
    """Address of the page that listed it; empty if it came with the request."""
    item: dict[str, Any] = {}
    """The item as listed on the page, with typed values."""


class PopulationClosed(Message, frozen=True, kw_only=True):
    """All samples of the run are known; ``samples`` is their number. ``attempt_base`` is above 0 in a resumed round."""

    run_id: str
    samples: int
    attempt_base: int = 0
    complete: bool = True
    """False: it was not proven that all of the list was found, so samples may be missing."""
    reason: OpenCode[EndCode] = ""
    """Why it is not complete, as for samples; empty if it is."""
    counted: int | None = None
    """How many the list has by the page's own count; None: not known."""
    note: str = ""
    """Why it is not complete, or another remark for reviewers about how the samples were found."""


class SubmissionRejected(Message, frozen=True, kw_only=True):
    """A run request was rejected. It is an event, for clients that publish a request without waiting for a reply."""

    run_id: str
    problems: tuple[Problem, ...]
