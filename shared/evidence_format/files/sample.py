"""The JSON files of a sample's folder: sample.json, result.json, pressed_N.json and stored observations.

A file without a ``version`` was written before there were versions: its shape is that of version 1. In version 1 of
result.json ``notes`` are sentences, and the ``problems`` of artifacts are in the ``message`` only. The step log is in
`steps`, the manifest in `manifest`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from shared.contracts.actions import Judgment
from shared.contracts.base import Part, Usage
from shared.contracts.browser_pool import Element
from shared.contracts.codes import REASONS, Fault, OpenCode, Reason, Status
from shared.contracts.discovery import Sample
from shared.contracts.error_codes import EndCode
from shared.contracts.explained import FieldExplained, NearValue, SettlingKey
from shared.contracts.planner import DriverName, Lessons
from shared.contracts.results import CaptureFacts
from shared.contracts.sessions.settling import Settlement
from shared.contracts.steps import (
    CellValue,
    FieldValue,
    FiledArtifact,
    Note,
    Origin,
    PressClaim,
    ResponseSource,
    RowValue,
    ValueCandidate,
    ValueSource,
)
from shared.evidence_format.files.earlier_versions import parse_message_problems, upgrade
from shared.evidence_format.files.json_files import ArtifactProblem

RESULT_VERSION = 2
MISMATCH: Reason = "artifact_mismatch"
MISSING: Reason = "artifact_missing"
"""Reasons of a sample whose artifacts differ from what was captured, or are missing."""
PROBLEM_REASONS = (MISMATCH, MISSING)


class SampleFile(Part, frozen=True, kw_only=True, gc=False):
    """sample.json: the input row, as discovery read it. A field that is UNSET was not written."""

    version: int = 1
    sample_id: str
    key: str
    row: int
    url: str | None = None
    fields: dict[str, str] = {}
    as_given: dict[str, str] | UnsetType = UNSET
    found_at: datetime
    found_on: str | UnsetType = UNSET
    """Address of the page that listed the sample. UNSET, as ``item`` is, unless it was found by navigating."""
    item: dict[str, Any] | UnsetType = UNSET

    def to_sample(self) -> Sample:
        return Sample(
            sample_id=self.sample_id,
            key=self.key,
            row=self.row,
            url=self.url,
            fields=self.fields,
            as_given=self.as_given or {},
        )


class StoredCell(Part, frozen=True, kw_only=True, gc=False):
    """:class:`shared.contracts.steps.CellValue` without the name of its field or column."""

    state: Literal["value", "not_present", "not_found"]
    value: Any = None
    shown: str | None = None
    source: ValueSource | None = None
    origin: Origin = "page"
    read_by: str = ""
    candidates: tuple[ValueCandidate, ...] | UnsetType = UNSET
    response: ResponseSource | UnsetType = UNSET
    """UNSET unless an API gave the value."""


class StoredRow(Part, frozen=True, kw_only=True, gc=False):
    """A row of a field of rows: each cell under the name of its column."""

    cells: dict[str, StoredCell]

    @classmethod
    def of(cls, row: RowValue) -> StoredRow:
        return cls(cells={cell.field: StoredCell(**_stored(cell)) for cell in row.cells})

    def to_row(self) -> RowValue:
        return RowValue(cells=tuple(CellValue(field=name, **_as_value(cell)) for name, cell in self.cells.items()))


class StoredField(StoredCell, frozen=True, kw_only=True, gc=False):
    """A value of ``fields`` in result.json: :class:`shared.contracts.steps.FieldValue` without the field's name."""

    near: tuple[NearValue, ...] | UnsetType = UNSET
    """As in :class:`shared.contracts.explained.FieldExplained`; UNSET for a field that is certain. So is
    ``settled_by``."""
    settled_by: tuple[SettlingKey, ...] | UnsetType = UNSET
    rows: tuple[StoredRow, ...] | UnsetType = UNSET
    """UNSET unless it is a field of rows that has some."""
    lacking: str | UnsetType = UNSET
    """UNSET where nothing speaks for more rows."""

    @classmethod
    def of(cls, value: FieldValue, explained: FieldExplained | None = None) -> StoredField:
        return cls(
            **_stored(value),
            near=UNSET if explained is None else explained.near,
            settled_by=UNSET if explained is None else explained.settled_by,
            rows=tuple(map(StoredRow.of, value.rows)) or UNSET,
            lacking=value.lacking or UNSET,
        )

    def to_value(self, field: str) -> FieldValue:
        rows = tuple(row.to_row() for row in self.rows or ())
        return FieldValue(field=field, **_as_value(self), rows=rows, lacking=self.lacking or "")


def _stored(value: CellValue) -> dict[str, Any]:
    return {
        "state": value.state,
        "value": value.value,
        "shown": value.shown,
        "source": value.source,
        "origin": value.origin,
        "read_by": value.read_by,
        "candidates": value.candidates or UNSET,
        "response": UNSET if value.response is None else value.response,
    }


def _as_value(stored: StoredCell) -> dict[str, Any]:
    return {
        "state": stored.state,
        "value": stored.value,
        "shown": stored.shown,
        "source": stored.source,
        "origin": stored.origin,
        "read_by": stored.read_by,
        "candidates": stored.candidates or (),
        "response": stored.response or None,
    }


class StoredArtifact(Part, frozen=True, kw_only=True, gc=False):
    """An artifact of result.json, with size, hash and time of its capture."""

    filename: str
    kind: str
    label: str = ""
    sha256: str
    size_bytes: int
    media_type: str = ""
    source_url: str = ""
    timestamp: datetime | None = None

    @classmethod
    def of(cls, filed: FiledArtifact) -> StoredArtifact:
        artifact = filed.artifact
        return cls(
            filename=filed.filename,
            kind=artifact.kind,
            label=artifact.label,
            sha256=artifact.sha256,
            size_bytes=artifact.size_bytes,
            media_type=artifact.media_type,
            source_url=artifact.source_url,
            timestamp=artifact.captured_at,
        )


class OrderRefuted(Part, frozen=True, kw_only=True, gc=False):
    """A date of the result was read in an order that another sample of the run refutes.

    ``settled_by``: what said the order, the ``task`` or the other dates of the ``page``. ``refuted_by``: the id of the
    other sample; ``shown_there``: the text of the same field on its page.
    """

    field: str
    shown: str
    order: str
    settled_by: Literal["task", "page"]
    refuted_by: str
    shown_there: str


class ResultHead(Part, frozen=True, kw_only=True, gc=False):
    """The keys of result.json that its manifest repeats. Decoding only these is five times as fast."""

    sample_id: str
    status: str
    reason: str
    attempt: int


class ResultFile(Part, frozen=True, kw_only=True, gc=False):
    """result.json: the result of the latest attempt at the sample."""

    version: int = 1
    sample_id: str
    key: str
    row: int
    status: OpenCode[Status]
    reason: OpenCode[EndCode]
    message: str
    fault: OpenCode[Fault]
    steps: int
    llm_calls: int
    usage: Usage
    extracted: dict[str, Any]
    fields: dict[str, StoredField]
    artifacts: tuple[StoredArtifact, ...]
    judgment: Judgment | None
    hints: tuple[str, ...] = ()
    lessons: Lessons | None = None
    flagged: bool
    notes: tuple[Note, ...]
    problems: tuple[ArtifactProblem, ...] = ()
    attempt: int
    planner_id: str | UnsetType = UNSET
    """As in :class:`shared.contracts.planner.SampleFinished`; UNSET where it is empty, as in runs of earlier versions.
    So is ``session_id``."""
    session_id: str | UnsetType = UNSET
    decided_by: str
    drivers: tuple[OpenCode[DriverName], ...] = ()
    """As in :class:`shared.contracts.planner.SampleFinished`; empty in runs of earlier versions. So is ``no_flow``."""
    no_flow: str = ""
    taken_over_by: tuple[str, ...] | UnsetType = UNSET
    """As in :class:`shared.contracts.planner.SampleFinished`; UNSET where nobody has taken it over."""
    refuted: tuple[OrderRefuted, ...] | UnsetType = UNSET
    """Why a sample that was done is for a person after all, as all results of the run tell; UNSET where nothing does.
    The result before stays in ``doubted_N/``, after its attempt."""
    settlement: Settlement | UnsetType = UNSET
    """What a person has said of a press whose outcome was not known; UNSET without one. The result before it stays in
    ``settled_N/``."""
    started_at: datetime
    finished_at: datetime


class LostResult(Part, frozen=True, kw_only=True):
    """Used in place of a result that cannot be read, because a file of the sample is damaged."""

    status: OpenCode[Status]
    reason: OpenCode[Reason]
    fault: OpenCode[Fault]
    message: str
    flagged: bool = True

    @classmethod
    def of(cls, reason: Reason, message: str) -> LostResult:
        facts = REASONS[reason]
        return cls(status=facts.status, reason=reason, fault=facts.fault, message=message)


class PressFile(Part, frozen=True, kw_only=True):
    """pressed_N.json: which attempt has claimed the irreversible action of route step N.

    ``given_back``: the action was certainly not made, so that it may be claimed again. ``number``: how many claims of
    it were given back before."""

    version: int = 1
    run_id: str
    sample_id: str
    step: int
    attempt: int
    number: int = 0
    given_back: bool = False

    @classmethod
    def of(cls, pressed: PressClaim, *, given_back: bool = False) -> PressFile:
        return cls(
            run_id=pressed.run_id,
            sample_id=pressed.sample_id,
            step=pressed.step,
            attempt=pressed.attempt,
            number=pressed.number,
            given_back=given_back,
        )

    def to_pressed(self) -> PressClaim:
        return PressClaim(
            run_id=self.run_id,
            sample_id=self.sample_id,
            step=self.step,
            attempt=self.attempt,
            number=self.number,
        )


class SettlementFile(Part, frozen=True, kw_only=True):
    """settled_N/settlement.json: the settlement, beside result.json and manifest.json as they were before it."""

    version: int = 1
    run_id: str
    sample_id: str
    settlement: Settlement


class StoredObservation(Part, frozen=True, kw_only=True):
    """NAME.observation.json.zst: all elements of a captured page, not cut to a budget.

    ``headers`` are those of the main document's response, without values that grant access. The file is compressed with
    zstd.
    """

    version: int = 1
    capture: CaptureFacts
    headers: tuple[tuple[str, str], ...]
    elements: tuple[Element, ...]
    lang: str = ""
    """As in :class:`shared.contracts.browser_pool.PageObserved`."""


def parse_result(data: bytes) -> ResultFile:
    """Return result.json of any version in the current shape. Raises one of `chain.NOT_JSON`."""
    try:
        result = msgspec.json.decode(data, type=ResultFile)
    except msgspec.ValidationError:
        result = upgrade(data, ResultFile)
    if result.version == 1 and result.reason in PROBLEM_REASONS:
        return msgspec.structs.replace(result, problems=parse_message_problems(result.message))
    return result
