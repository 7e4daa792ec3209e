"""Pure: what is still known where a file of a sample is damaged: what can be read counts, and what cannot is named."""

from __future__ import annotations

import msgspec

from shared.contracts.codes import Reason
from shared.contracts.steps import plain_note
from shared.evidence_format import chain, layout
from shared.evidence_format.files.sample import LostResult, ResultFile, SampleFile, parse_result

RESULT_UNREADABLE: Reason = "result_unreadable"
"""Why a sample counts as failed whose result.json cannot be read."""
SAMPLE_UNREADABLE: Reason = "sample_unreadable"


def known_result(written: bytes | None) -> ResultFile | LostResult | None:
    """What a result.json says; None where there is none. One that cannot be read costs its sample alone."""
    try:
        return parse_result(written) if written else None
    except chain.NOT_JSON as exc:
        return LostResult.of(RESULT_UNREADABLE, f"{layout.RESULT} cannot be read: {exc}")


def known_sample(
    sample: bytes | None, result: bytes | None
) -> tuple[SampleFile | None, ResultFile | LostResult | None]:
    """What sample.json and result.json say. Where sample.json is there and cannot be read, the result says so."""
    known = known_result(result)
    if sample is None:
        return None, known
    try:
        return msgspec.json.decode(sample, type=SampleFile), known
    except chain.NOT_JSON as exc:
        return None, without_sample(known, str(exc))


def without_sample(result: ResultFile | LostResult | None, why: str) -> ResultFile | LostResult:
    """The result of a sample whose sample.json cannot be read. One that is done stays so, flagged, with a note; any
    other has failed for good: nobody knows any more what was asked for."""
    told = f"{layout.SAMPLE} cannot be read: {why}"
    if not isinstance(result, ResultFile):
        return LostResult.of(SAMPLE_UNREADABLE, told)
    if result.status == "done":
        return msgspec.structs.replace(result, flagged=True, notes=(*result.notes, plain_note(told)))
    lost = LostResult.of(SAMPLE_UNREADABLE, told)
    return msgspec.structs.replace(
        result, status=lost.status, reason=lost.reason, fault=lost.fault, message=told, flagged=True
    )
