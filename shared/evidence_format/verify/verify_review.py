"""Checks the review of a run: who decided what on which evidence, in which order, and who has signed.

Each decision is signed by its person, sealed by the service that filed it, and chained to the one before; decisions
that were filed since the run was sealed are checked in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from shared.contracts.discovery import RunRecord
from shared.contracts.sessions.reviewing import LookedAt
from shared.evidence_format import chain, layout
from shared.evidence_format.files.manifest import FileEntry, Seal
from shared.evidence_format.files.review import ReviewFile, parse_review, sealed_bytes
from shared.evidence_format.review.decisions import decision_bytes, entries_text
from shared.evidence_format.review.items import ReviewedSample
from shared.evidence_format.review.policy import ReviewPolicy
from shared.evidence_format.review.review_log import ReviewLog, TargetKey
from shared.evidence_format.signing import fingerprint_of, key_of
from shared.evidence_format.sources.source import Finding

ReadFile = Callable[[str], bytes | None]


@dataclass
class ReviewCheck:
    """``since_sealed``: decisions that are right and came since the run was sealed. ``notes``: for people."""

    problems: list[Finding] = field(default_factory=list[Finding])
    since_sealed: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])


def check_review(
    read: ReadFile,
    paths: Sequence[str],
    run_id: str,
    record: RunRecord,
    seal: Seal | None,
    sealed: Mapping[str, FileEntry],
) -> ReviewCheck:
    """Check all decisions of a run.

    Args:
        read: returns a file of the run.
        paths: of all files of the review.
        record: of the run, which names who reviews.
        seal: of the run.
        sealed: all files that the seal covers.
    """
    checked = ReviewCheck()
    log = ReviewLog(run_id, ReviewPolicy.of(record))
    files: list[tuple[str, ReviewFile]] = []
    for path in paths:
        try:
            files.append((path, parse_review(read(path) or b"")))
        except chain.NOT_JSON as exc:
            checked.problems.append(Finding(path, "unreadable", f"is no decision of a review: {exc}"))
    for path, file in sorted(files, key=lambda one: (one[1].number, one[0])):
        problem = find_problem(path, file, log)
        if problem is not None:
            checked.problems.append(problem)
            return checked  # what follows hangs on it
        log.add(file, fingerprint_of(file.signed.public_key))
        if path not in sealed:
            checked.since_sealed.append(path)
    own = seal.fingerprint if seal is not None else ""
    checked.notes = [*_story(log, len(checked.since_sealed)), *_other_seals(log, own), *_stale(read, log)]
    return checked


def find_problem(path: str, file: ReviewFile, log: ReviewLog) -> Finding | None:
    """Return the first thing that is wrong with a decision that would be the next one: its place in the chain, its
    seal, the signature of its person, or that it could not be taken. ``path``: from the run's folder."""
    number = len(log.filed) + 1
    said = file.signed.decision
    if file.number != number:
        gone = layout.review_path(file.round, number)
        return Finding(gone, "missing", f"is not there: the decisions of the review go on with number {file.number}")
    if path != layout.review_path(file.round, file.number) or file.run_id != log.run_id:
        return Finding(path, "renamed", f"is decision {file.number} of round {file.round} of {file.run_id}")
    if file.previous_sha256 != log.head:
        return Finding(
            path, "inconsistent", "does not follow from the decision before it: one was changed or exchanged"
        )
    service = key_of(file.seal.public_key) if file.seal is not None else None
    if file.seal is None or service is None or not service.is_signed(sealed_bytes(file), file.seal.signature):
        return Finding(path, "signature_wrong", "the seal of the decision is not that of its content")
    person = key_of(file.signed.public_key)
    if person is None or not person.is_signed(decision_bytes(said), file.signed.signature):
        return Finding(path, "signature_wrong", f"the signature is not that of {said.by} under this decision")
    misfit = log.find_misfit(said, person.fingerprint)
    if misfit is not None:
        return Finding(path, "inconsistent", f"could not be taken: {misfit.problems[0].message}")
    return None


def _story(log: ReviewLog, since: int) -> list[str]:
    """Return how the review stands, for people."""
    count = f"{entries_text(len(log.filed))} by {', '.join(sorted(log.people))}"
    state = {"open": "open", "in_review": "in review", "signed_off": "signed off"}[log.state]
    signed = [f"{one.by} ({one.role}) with the key {one.key}" for one in log.signatures.values()]
    notes = [f"review {state}, round {log.round}: {count}", *(f"review signed by {one}" for one in signed)]
    if since:
        notes.append(f"{since} of them came since the run was sealed; the last ones could be removed unseen")
    return notes


def _other_seals(log: ReviewLog, own: str) -> list[str]:
    """Return which decisions were filed by a service with another key than that of the run's seal."""
    keys = Counter(file.seal.fingerprint for file in log.filed if file.seal is not None)
    return [
        f"{entries_text(count)} of the review {'was' if count == 1 else 'were'} filed with another key, {key}"
        for key, count in keys.items()
        if key != own
    ]


def _stale(read: ReadFile, log: ReviewLog) -> list[str]:
    """Return that decisions were made on other evidence than is there now, if some were."""
    by_sample: dict[str, list[TargetKey]] = {}
    for kind, sample_id, name, key in log.standing:
        if sample_id:
            by_sample.setdefault(sample_id, []).append((kind, sample_id, name, key))
    stale = 0
    for sample_id, targets in by_sample.items():
        now = evidence_now(read, sample_id, [key for key in targets if key[0] != "sample"])
        stale += sum(one.looked_at != now.get(key) for key in targets for one in log.standing[key].values())
    return [f"{stale} decisions of the review were made on evidence that has changed since"] if stale else []


def evidence_now(read: ReadFile, sample_id: str, parts: Sequence[TargetKey]) -> dict[TargetKey, LookedAt]:
    """Return the evidence of a sample, and of the parts of it that are asked for. Its result is parsed for parts
    only."""
    manifest = read(f"{sample_id}/{layout.MANIFEST}") or b""
    now: dict[TargetKey, LookedAt] = {("sample", sample_id, "", ""): LookedAt(content_sha256=chain.sha256(manifest))}
    if parts:
        with suppress(*chain.NOT_JSON):
            sample = ReviewedSample(sample_id, read(f"{sample_id}/{layout.RESULT}") or b"", manifest)
            values = [sample.value(field) if kind == "value" else sample.judgment for kind, _, field, _ in parts]
            now |= {key: one.looked_at for key, one in zip(parts, values, strict=True) if one is not None}
    return now
