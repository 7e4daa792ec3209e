"""What a review that is signed off says of each sample: the facts that tables, report and SQL select from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from shared.contracts.base import Part
from shared.contracts.sessions.reviewing import Draw, LookedAt, ReviewTarget
from shared.evidence_format.files.review import ReviewFile
from shared.evidence_format.review.policy import ReviewPolicy
from shared.evidence_format.review.review_log import ReviewLog, TargetKey, target_key, target_of


class ReviewedTarget(Part, frozen=True, kw_only=True, gc=False):
    """The decision that counts on a target. ``value``: of a correction; ``where``: the file that shows it; ``by``: all
    who decided so, in the order in which they did."""

    decision: str
    value: str = ""
    reason: str = ""
    where: str = ""
    where_sha256: str = ""
    by: tuple[str, ...]
    at: datetime


GRAVEST_FIRST = ("reject", "correct", "not_applicable", "accept")
"""What can be decided of something, in the order in which one of several counts."""
DEVIATIONS = GRAVEST_FIRST[:-1]
"""Decisions that do not accept it as it was read."""
NO_EVIDENCE = frozenset({"reject", "not_applicable"})
"""Decisions by which nothing counts as a value."""


def gravest(decided: Iterable[ReviewedTarget]) -> ReviewedTarget | None:
    """Return the gravest of these decisions, the first of several; None if there is none."""
    known = [one for one in decided if one.decision in GRAVEST_FIRST]
    return min(known, key=lambda one: GRAVEST_FIRST.index(one.decision), default=None)


class SampleReview(Part, frozen=True, kw_only=True):
    """``sample``, ``judgment``, ``values``: what was decided of the sample itself, of its judgment and of its
    values."""

    sample: ReviewedTarget | None = None
    judgment: ReviewedTarget | None = None
    values: dict[str, ReviewedTarget] = {}

    @property
    def decided(self) -> list[ReviewedTarget]:
        rest = [one for one in (self.sample, self.judgment) if one is not None]
        return [*rest, *self.values.values()]

    @property
    def decision(self) -> str:
        """What was decided of the sample; of one whose values alone were decided, the gravest of those."""
        if self.sample is not None:
            return self.sample.decision
        found = gravest(self.decided)
        return found.decision if found is not None else ""

    def counting(self, own: ReviewedTarget | None) -> ReviewedTarget | None:
        """Return the decision that counts on a value, or on the judgment, whose own decision is given: that on the
        sample where it has none of its own, or where the sample is no evidence."""
        no_evidence = self.sample is not None and self.sample.decision in NO_EVIDENCE
        return self.sample if no_evidence or own is None else own

    def decided_text(self, own: ReviewedTarget | None) -> str | None:
        """Return the text that counts instead of what was read of a value, or of the judgment, whose own decision is
        given: empty where nothing counts; None where what was read counts."""
        decided = self.counting(own)
        if decided is None or decided.decision == "accept":
            return None
        return "" if decided.decision in NO_EVIDENCE else decided.value

    @property
    def people(self) -> list[str]:
        return list(dict.fromkeys(name for one in self.decided for name in one.by))

    @property
    def corrected(self) -> dict[str, str]:
        """The corrected values, as text by field; that of the judgment under ``judgment``."""
        values = {name: one.value for name, one in self.values.items() if one.decision == "correct"}
        judged = self.judgment
        return values | ({"judgment": judged.value} if judged is not None and judged.decision == "correct" else {})


class DecisionRow(Part, frozen=True, kw_only=True, gc=False):
    """A decision on one target. ``counts``: it is one that counts; ``stale``: its evidence has changed since."""

    number: int
    round: int
    by: str
    role: str
    key: str
    act: str
    target: ReviewTarget | None
    looked_at: LookedAt | None
    value: str
    reason: str
    where: str
    where_sha256: str
    at: datetime
    filed_at: datetime
    sha256: str
    counts: bool
    stale: bool


class RunReview(Part, frozen=True, kw_only=True):
    """A review up to the decision that signed it off. ``samples``: by sample id. ``population``, ``differences``: what
    was decided of the population, and of differences to a register by the key of the record."""

    round: int
    signed_off_at: datetime
    signed_off_number: int
    samples: dict[str, SampleReview]
    rows: tuple[DecisionRow, ...]
    population: ReviewedTarget | None = None
    differences: dict[str, ReviewedTarget] = {}
    draw: Draw | None = None

    @property
    def amounts(self) -> dict[tuple[str, str], int]:
        """How much was decided: by the kind of what was decided, and the decision."""
        counted: Counter[tuple[str, str]] = Counter()
        for one in self.samples.values():
            counted.update(("sample", said.decision) for said in (one.sample,) if said is not None)
            counted.update(("judgment", said.decision) for said in (one.judgment,) if said is not None)
            counted.update(("value", said.decision) for said in one.values.values())
        counted.update(("population", said.decision) for said in (self.population,) if said is not None)
        counted.update(("difference", said.decision) for said in self.differences.values())
        return dict(counted)

    def signed_off_for(self, sample_id: str, finished_at: datetime | None, *, for_review: bool) -> datetime | None:
        """Return when a sample was signed off; None for one that has changed since: it is not what was signed."""
        if for_review and sample_id not in self.samples:
            return None
        later = finished_at is not None and finished_at > self.signed_off_at
        return None if later else self.signed_off_at


def log_of(run_id: str, policy: ReviewPolicy, files: Iterable[ReviewFile], key_of: Callable[[str], str]) -> ReviewLog:
    """Return the review of these files. ``key_of``: returns the fingerprint of a public key."""
    log = ReviewLog(run_id, policy)
    for file in files:
        log.add(file, key_of(file.signed.public_key))
    return log


def decided_samples(log: ReviewLog) -> list[str]:
    """Return the ids of the samples that something was decided of."""
    return sorted({sample_id for _, sample_id, _, _ in log.standing if sample_id})


def run_review(log: ReviewLog, now: dict[TargetKey, LookedAt], key_of: Callable[[str], str]) -> RunReview | None:
    """Return what a review says that is signed off; None for another one.

    ``now``: the evidence of all targets that something was decided of, as it is now; one that is left out is gone.
    """
    if log.state != "signed_off" or log.signed_off_at is None:
        return None
    counting: dict[TargetKey, ReviewedTarget] = {}
    for key in log.standing:
        found = _reviewed(log, target_of(key), now[key]) if key in now else None
        if found is not None:
            counting[key] = found
    samples: dict[str, SampleReview] = {}
    for kind, sample_id, field, key in counting:
        if sample_id:
            samples[sample_id] = _with(
                samples.get(sample_id, SampleReview()), kind, field, counting[kind, sample_id, field, key]
            )
    return RunReview(
        round=log.round,
        signed_off_at=log.signed_off_at,
        signed_off_number=log.signed_off_number,
        samples=samples,
        rows=tuple(row for file in log.filed for row in _rows(log, file, now, key_of)),
        population=next((one for key, one in counting.items() if key[0] == "population"), None),
        differences={key[3]: one for key, one in counting.items() if key[0] == "difference"},
        draw=log.draw,
    )


def _reviewed(log: ReviewLog, target: ReviewTarget, now: LookedAt) -> ReviewedTarget | None:
    counts = log.outcome(target, now)
    if counts is None:
        return None
    said = counts.decision
    same = [one for one in log.fresh(target, now).values() if one.outcome == counts.outcome]
    where = said.where
    return ReviewedTarget(
        decision=said.act,
        value=said.value,
        reason=said.reason,
        where=where.file if where is not None else "",
        where_sha256=where.sha256 if where is not None else "",
        by=tuple(one.decision.by for one in sorted(same, key=lambda one: one.number)),
        at=said.at,
    )


def _with(review: SampleReview, kind: str, field: str, found: ReviewedTarget) -> SampleReview:
    return SampleReview(
        sample=found if kind == "sample" else review.sample,
        judgment=found if kind == "judgment" else review.judgment,
        values={**review.values, field: found} if kind == "value" else review.values,
    )


def _rows(
    log: ReviewLog, file: ReviewFile, now: dict[TargetKey, LookedAt], key_of: Callable[[str], str]
) -> Sequence[DecisionRow]:
    said = file.signed.decision
    where, sha256 = said.where, file.sha256  # of all targets: a decision on a thousand samples is hashed once

    def row(target: ReviewTarget | None, looked_at: LookedAt | None, *, counts: bool, stale: bool) -> DecisionRow:
        return DecisionRow(
            number=file.number,
            round=file.round,
            by=said.by,
            role=log.policy.role_of(said.by) or "",
            key=key_of(file.signed.public_key),
            act=said.act,
            target=target,
            looked_at=looked_at,
            value=said.value,
            reason=said.reason,
            where=where.file if where is not None else "",
            where_sha256=where.sha256 if where is not None else "",
            at=said.at,
            filed_at=file.filed_at,
            sha256=sha256,
            counts=counts,
            stale=stale,
        )

    if not said.targets:
        stands = said.by in log.signatures and log.signatures[said.by].number == file.number
        return [row(None, None, counts=stands, stale=False)]
    rows: list[DecisionRow] = []
    for one in said.targets:
        key = target_key(one.target)
        fresh = now.get(key) == one.looked_at
        last = log.standing.get(key, {}).get(said.by)
        outcome = log.outcome(one.target, one.looked_at) if fresh else None
        counts = last is not None and last.number == file.number and outcome is not None
        counts = counts and outcome is not None and outcome.outcome == (said.act, said.value)
        rows.append(row(one.target, one.looked_at, counts=counts, stale=not fresh))
    return rows
