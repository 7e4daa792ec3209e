"""Reads what a review said when it was last signed off, from the files of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from shared.evidence_format import chain, layout
from shared.evidence_format.files.reconciliation import parse_reconciliation
from shared.evidence_format.files.review import ReviewFile, parse_review
from shared.evidence_format.files.run import RunFile
from shared.evidence_format.review.items import DecidableItem, difference_item, population_item
from shared.evidence_format.review.policy import ReviewPolicy
from shared.evidence_format.review.review_log import TargetKey, target_key
from shared.evidence_format.review.reviewed import RunReview, log_of, run_review
from shared.evidence_format.signing import fingerprint_of
from shared.evidence_format.verify.verify_review import ReadFile, evidence_now


class DamagedDecision(Exception):
    """A file of the review is no decision; the message is its path."""


def read_signed_review(
    file: RunFile, paths: Iterable[str], read: ReadFile, check: Callable[[str, bytes], None] | None = None
) -> RunReview | None:
    """Return the review of a run that is signed off; None if tables and report of the run do not tell of one.

    Args:
        paths: of all files of the run.
        read: returns a file as it is; None without it.
        check: is given each decision that the seal of the run covers, as it is; None: ``read`` compares with the seal.

    Raises:
        DamagedDecision: a decision cannot be read.
    """
    if not file.reviewed:
        return None
    files: list[ReviewFile] = []
    for path in filter(layout.is_review, paths):
        data = read(path) or b""
        try:
            decision = parse_review(data)
        except chain.NOT_JSON as exc:
            raise DamagedDecision(path) from exc
        if decision.number <= file.reviewed:
            if check is not None:
                check(path, data)
            files.append(decision)
    files.sort(key=lambda one: one.number)
    log = log_of(file.record.run_id, ReviewPolicy.of(file.record), files, fingerprint_of)
    return run_review(log, _evidence_of(read, log.standing), fingerprint_of)


def _evidence_of(read: Callable[[str], bytes | None], standing: Mapping[TargetKey, object]) -> dict[TargetKey, Any]:
    """Return the evidence of all that was decided of samples, as it is now."""
    parts: dict[str, list[TargetKey]] = {}
    for target in standing:
        if target[1]:
            parts.setdefault(target[1], []).append(target)
    now: dict[TargetKey, Any] = {}
    for sample_id, targets in parts.items():
        now |= evidence_now(read, sample_id, [one for one in targets if one[0] != "sample"])
    if any(not target[1] for target in standing):
        now |= {target_key(one.target): one.looked_at for one in _items_of_run(read)}
    return now


def _items_of_run(read: ReadFile) -> list[DecidableItem]:
    """Return the population and the differences to a register, as they are now."""
    listed = next((data for path in layout.POPULATIONS if (data := read(path)) is not None), b"")
    items = [population_item(listed, complete=True, note="")]
    compared = read(layout.RECONCILED)
    with suppress(*chain.NOT_JSON):
        records = parse_reconciliation(compared.splitlines(keepends=True))[1] if compared is not None else iter(())
        items += [item for one in records if (item := difference_item(one)) is not None]
    return items
