"""The JSON files of a run itself: run.json and memory/*.json.

A file without a ``version`` was written before there were versions: its shape is that of version 1.
"""

from __future__ import annotations

from typing import Any

import msgspec

from shared.contracts.base import Part
from shared.contracts.codes import OpenCode
from shared.contracts.discovery import RunRecord
from shared.contracts.error_codes import EndCode
from shared.contracts.evidence import RunFinished
from shared.contracts.outages import RunPause
from shared.evidence_format.chain import NOT_JSON
from shared.evidence_format.layout import RUN


class RunFile(Part, frozen=True, kw_only=True):
    """run.json: the run record and the progress of the run."""

    version: int = 1
    record: RunRecord
    attempt_base: int = 0
    expected: int | None = None
    finished: RunFinished | None = None
    population_complete: bool = True
    population_reason: OpenCode[EndCode] = ""
    population_counted: int | None = None
    population_note: str = ""
    remarks: tuple[str, ...] = ()
    settlements: int = 0
    """How many times a person has settled a sample; each time the run is sealed again."""
    reviewed: int = 0
    """The number of the decision with which the review was last signed off, if tables and report tell of it."""
    pauses: tuple[RunPause, ...] = ()
    """For which outages the run was paused."""

    @property
    def last_round(self) -> RunFinished | None:
        """The summary of the current round, or None while it is not finished."""
        current = self.finished is not None and self.finished.attempt_base == self.attempt_base
        return self.finished if current else None


class Lesson(Part, frozen=True, kw_only=True):
    """An entry of memory/patterns.json or memory/failures.json: what an attempt at a sample has taught."""

    version: int = 1
    sample_id: str
    attempt: int
    text: str


def parse_run_file(data: bytes) -> RunFile:
    """Return run.json; of a damaged file the fields that can be decoded, with a remark that names the others.

    Raises one of `NOT_JSON` if the record cannot be decoded.
    """
    try:
        return msgspec.json.decode(data, type=RunFile)
    except NOT_JSON:
        parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    fields: dict[str, Any] = {"record": msgspec.json.decode(parts.pop("record", msgspec.Raw(b"null")), type=RunRecord)}
    lost: list[str] = []
    types = {field.encode_name: field.type for field in msgspec.structs.fields(RunFile)}
    for name, part in parts.items():
        try:
            fields[name] = msgspec.json.decode(part, type=types.get(name, Any))
        except NOT_JSON:
            lost.append(name)
    file = RunFile(**{name: value for name, value in fields.items() if name in types})
    return with_remark(file, f"{RUN} was damaged when it was read: {', '.join(sorted(lost))} could not be read")


def with_remark(file: RunFile, remark: str) -> RunFile:
    """Return the file with one more remark for readers of the seal; a remark is never listed twice."""
    return msgspec.structs.replace(file, remarks=tuple(dict.fromkeys((*file.remarks, remark))))


def parse_lessons(data: bytes | None) -> tuple[Lesson, ...]:
    """Return the lessons of a file; none if ``data`` is None. Raises one of `NOT_JSON`."""
    return msgspec.json.decode(data, type=tuple[Lesson, ...]) if data is not None else ()
