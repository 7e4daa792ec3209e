"""Pure: what is still known where a file of a run is damaged: what can be read counts, and what cannot is named."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from services.evidence import layout
from shared.contracts.base import Part
from shared.contracts.codes import REASONS, Reason
from shared.contracts.discovery import RunRecord, Sample
from shared.contracts.evidence import RunFinished
from shared.contracts.steps import plain_note
from shared.evidence_format import chain

RESULT_UNREADABLE: Reason = "result_unreadable"
SAMPLE_UNREADABLE: Reason = "sample_unreadable"
"""Why a sample counts as failed whose result.json is none any more."""


class RunFile(Part, frozen=True, kw_only=True):
    """run.json: what was asked, and how far it got."""

    record: RunRecord
    attempt_base: int = 0
    expected: int | None = None
    finished: RunFinished | None = None
    population_complete: bool = True
    population_note: str = ""
    remarks: tuple[str, ...] = ()


class FoundSample(Sample, frozen=True, kw_only=True):
    """What of sample.json is remembered."""

    found_at: datetime


def run_file_in(data: bytes) -> RunFile:
    """Of a damaged one what can be read, and a remark for whoever trusts the seal. Raises one of `chain.NOT_JSON` where
    not even what was asked can be read."""
    try:
        return msgspec.json.decode(data, type=RunFile)
    except chain.NOT_JSON:
        parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    read = {"record": msgspec.json.decode(parts.pop("record", msgspec.Raw(b"null")), type=RunRecord)}
    lost: list[str] = []
    kinds = {field.encode_name: field.type for field in msgspec.structs.fields(RunFile)}
    for name, part in parts.items():
        try:
            read[name] = msgspec.json.decode(part, type=kinds.get(name, Any))
        except chain.NOT_JSON:
            lost.append(name)
    file = msgspec.convert({name: msgspec.to_builtins(value) for name, value in read.items()}, RunFile)
    return remarked(file, f"{layout.RUN} was damaged when it was read: {', '.join(sorted(lost))} could not be read")


def remarked(file: RunFile, remark: str) -> RunFile:
    return msgspec.structs.replace(file, remarks=tuple(dict.fromkeys((*file.remarks, remark))))


def result_in(written: bytes | None) -> Mapping[str, Any]:
    """What a result.json says. One that cannot be read says that, and costs nobody but its sample."""
    try:
        return msgspec.json.decode(written, type=dict[str, Any]) if written else {}
    except chain.NOT_JSON as exc:
        return _failed(RESULT_UNREADABLE, f"{layout.RESULT} cannot be read: {exc}")


def sample_in(
    sample_id: str, sample: bytes | None, result: bytes | None
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """What sample.json and result.json say; of a sample.json that cannot be read the result says what it knows."""
    said = result_in(result)
    if sample is None:
        return {"sample_id": sample_id}, said
    try:
        msgspec.json.decode(sample, type=FoundSample)
    except chain.NOT_JSON as exc:
        known = {name: said[name] for name in ("key", "row") if name in said}
        return {"sample_id": sample_id, **known}, without_sample(said, str(exc))
    return msgspec.json.decode(sample, type=dict[str, Any]), said


def without_sample(result: Mapping[str, Any], why: str) -> Mapping[str, Any]:
    """The result of a sample whose sample.json cannot be read. One that is done stays so, flagged, with a note; any
    other has failed for good: nobody knows any more what was asked for."""
    told = f"{layout.SAMPLE} cannot be read: {why}"
    if result.get("status") == "done":
        return {**result, "flagged": True, "notes": [*result.get("notes", ()), msgspec.to_builtins(plain_note(told))]}
    return {**result, **_failed(SAMPLE_UNREADABLE, told)}


def _failed(reason: Reason, told: str) -> Mapping[str, Any]:
    facts = REASONS[reason]
    return {"status": facts.status, "reason": reason, "fault": facts.fault, "message": told, "flagged": True}
