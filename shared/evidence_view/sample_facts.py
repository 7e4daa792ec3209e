"""The facts of a sample, made once from its files. The report, the tables and the console select from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import msgspec

from shared.contracts.codes import Reason
from shared.contracts.results import Artifact, Box
from shared.contracts.steps import ObservationRef, plain_note
from shared.evidence_format import chain, layout
from shared.evidence_format.facts import ResultFacts, TaskFacts
from shared.evidence_format.files.json_files import ArtifactProblem, problems_of
from shared.evidence_format.files.sample import LostResult, ResultFile, SampleFile, StoredArtifact, parse_result
from shared.evidence_format.log_codec import LogEntry, parse_log
from shared.evidence_format.review.reviewed import RunReview
from shared.statuses import NO_RESULT, group_of

ShownProof = Literal["proven", "mismatch", "unproven", "not_asked"]


class SampleFiles(msgspec.Struct, frozen=True):
    """The bytes of a sample's files; None for a missing file. ``log``: the steps of the latest attempt, as
    action_log.json has them."""

    sample_id: str
    sample: bytes | None = None
    result: bytes | None = None
    log: bytes | None = None


@dataclass(frozen=True)
class AttemptFacts:
    """One attempt at a sample. ``latest``: it is the attempt that counts."""

    number: int
    log: Sequence[LogEntry]
    latest: bool


@dataclass(frozen=True)
class ArtifactFacts:
    """An artifact of the result. ``captured``: as its step recorded it, None if the log has no such step."""

    stored: StoredArtifact
    captured: Artifact | None
    problems: tuple[ArtifactProblem, ...]

    @property
    def area(self) -> Box | None:
        """The part of the document that a screenshot shows."""
        return self.captured.area if self.captured is not None else None


class SampleFacts(ResultFacts):
    """`ResultFacts` and the facts of the step log, which is decoded on first use."""

    def __init__(self, task: TaskFacts, files: SampleFiles, review: RunReview | None = None) -> None:
        super().__init__(task, files.sample_id, *parse_sample_and_result(files.sample, files.result), review)
        self.files_read = files

    @cached_property
    def log(self) -> Sequence[LogEntry]:
        """The steps of the latest attempt; none if the log is corrupt, which verifying the seal reports."""
        try:
            return self._parsed_log
        except chain.NOT_JSON:
            return ()

    def check_log(self) -> None:
        """Raise one of `chain.NOT_JSON` if the log is corrupt."""
        self.log = self._parsed_log

    @cached_property
    def _parsed_log(self) -> Sequence[LogEntry]:
        return parse_log(self.files_read.log) if self.files_read.log else ()

    @property
    def latest_attempt(self) -> int:
        """The number of the attempt that counts, or is at work."""
        return self.attempt or max((one.step.attempt for one in self.log), default=1)

    def attempts(self, earlier: Iterable[tuple[int, Sequence[LogEntry]]] = ()) -> list[AttemptFacts]:
        """Return all attempts, the one that counts last. ``earlier``: numbers and logs of the attempts before it."""
        before = [AttemptFacts(number, log, latest=False) for number, log in earlier]
        return [*before, AttemptFacts(self.latest_attempt, self.log, latest=True)]

    @cached_property
    def proven(self) -> bool | None:
        """Whether a page was observed that proves to show this record; None if no page was observed, or none is asked
        to prove it."""
        proofs = [self.proof_of(one.step.observation) for one in self.log if one.step.observation is not None]
        return "proven" in proofs if proofs and self.task.proving else None

    def proof_of(self, seen: ObservationRef) -> ShownProof:
        """Return whose record the page shows. Where the task names no identity, nothing is compared, whatever the step
        log says, and no page is the right one.

        The step log tells what the texts of the page say, and a page that has no such record repeats what was asked
        for. So none shows a record that was not found, nor does one that answers with an error, unless the sample is
        done by it, as where a site sends its pages with HTTP 404.
        """
        if not self.task.proving:
            return "not_asked"
        is_error = (seen.http_status or 200) >= 400 and group_of(self.status or NO_RESULT) != "done"
        absent = self.reason == "not_found" or is_error
        return "unproven" if seen.proof == "proven" and absent else seen.proof

    @cached_property
    def artifact_facts(self) -> tuple[ArtifactFacts, ...]:
        """The artifacts of the result, with what the log adds to them."""
        captured = {filed.filename: filed.artifact for one in self.log for filed in one.step.artifacts}
        problems = [problem for one in self.log for problem in one.problems]
        return tuple(
            ArtifactFacts(one, captured.get(one.filename), tuple(problems_of(one.filename, problems)))
            for one in self.artifacts
        )

    @cached_property
    def reported_by(self) -> Mapping[str, LogEntry]:
        """The last step that reported each field."""
        return {value.field: one for one in self.log if not one.step.refused for value in one.step.values}


# --- damaged files: what can still be read counts, and what cannot be read is named

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
