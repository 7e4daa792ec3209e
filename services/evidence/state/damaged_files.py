"""Fallbacks for damaged files of a sample: what can still be read counts, and what cannot be read is named."""

from __future__ import annotations

import msgspec

from shared.contracts.codes import Reason
from shared.contracts.steps import plain_note
from shared.evidence_format import chain, layout
from shared.evidence_format.files.sample import LostResult, ResultFile, SampleFile, parse_result

RESULT_UNREADABLE: Reason = "result_unreadable"
"""Reason of a sample that counts as failed because its result.json is corrupt."""
SAMPLE_UNREADABLE: Reason = "sample_unreadable"
"""Reason of a sample that failed for good because its sample.json is corrupt."""


def parse_result_or_loss(written: bytes | None) -> ResultFile | LostResult | None:
    """Parse a result.json; None without one. A corrupt one is a `LostResult`."""
    try:
        return parse_result(written) if written else None
    except chain.NOT_JSON as exc:
        return LostResult.of(RESULT_UNREADABLE, f"{layout.RESULT} cannot be read: {exc}")


def parse_sample_and_result(
    sample: bytes | None, result: bytes | None
) -> tuple[SampleFile | None, ResultFile | LostResult | None]:
    """Parse sample.json and result.json; None for a file that is missing. If sample.json is corrupt, the result says
    so."""
    parsed = parse_result_or_loss(result)
    if sample is None:
        return None, parsed
    try:
        return msgspec.json.decode(sample, type=SampleFile), parsed
    except chain.NOT_JSON as exc:
        return None, result_without_sample(parsed, str(exc))


def result_without_sample(result: ResultFile | LostResult | None, why: str) -> ResultFile | LostResult:
    """Return the result of a sample whose sample.json is corrupt.

    A result that is done stays done, and is flagged with a note. Any other has failed for good, because the input of
    the sample is lost.
    """
    message = f"{layout.SAMPLE} cannot be read: {why}"
    if not isinstance(result, ResultFile):
        return LostResult.of(SAMPLE_UNREADABLE, message)
    if result.status == "done":
        return msgspec.structs.replace(result, flagged=True, notes=(*result.notes, plain_note(message)))
    lost = LostResult.of(SAMPLE_UNREADABLE, message)
    return msgspec.structs.replace(
        result, status=lost.status, reason=lost.reason, fault=lost.fault, message=message, flagged=True
    )
