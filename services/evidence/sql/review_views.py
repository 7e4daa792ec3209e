"""The views of the review of a run, and their rows: what people have decided, and who has signed."""

from __future__ import annotations

from collections.abc import Iterator

from services.evidence.sql.row_values import Row, id_columns
from services.evidence.sql.view_types import MOMENT, RUN_COLUMNS, TEXT, WHOLE, YES_NO, SqlView, column
from shared.evidence_format.review.reviewed import DecisionRow, RunReview
from shared.evidence_view.sample_facts import SampleFacts

_PERSON = (
    column("role", TEXT, "`reviewer`, `approver` or `preparer`; NULL for a settlement."),
    column("key", TEXT, "Fingerprint of the key that signed it; NULL for a settlement, which none does."),
)
REVIEWS = SqlView(
    "reviews",
    "decision of a person and what it is about",
    (
        *RUN_COLUMNS,
        column("number", WHOLE, "Number of the decision in the run, from 1; NULL for a settlement."),
        column("round", WHOLE, "Round of the review, from 1; NULL for a settlement."),
        column(
            "decision",
            TEXT,
            "`accept`, `correct`, `reject`, `not_applicable`, `withdraw`, `comment` or `draw`; of a settlement "
            "`settle_done` or `settle_again`.",
        ),
        column("kind", TEXT, "What it is about: `value`, `sample`, `judgment`, `population` or `difference`."),
        column("sample_id", TEXT, "The sample; NULL for what is about the run."),
        column("field", TEXT, "The field of a value."),
        column("record_key", TEXT, "The key of the record of a difference, as in `differences`."),
        column("reviewed_value", TEXT, "The right value, as the person gave it; NULL unless it is `correct`."),
        column("reason", TEXT, "Why."),
        column("where_file", TEXT, "The file of the sample that shows the right value."),
        column("where_sha256", TEXT, "Its hash.", "SHA-256, hex"),
        column("decided_by", TEXT, "The person."),
        *_PERSON,
        column("decided_at", MOMENT, "When the person signed it."),
        column("filed_at", MOMENT, "When it was filed."),
        column(
            "counts", YES_NO, "Whether it is what counts: not withdrawn or decided otherwise later, and not overruled."
        ),
        column("stale", YES_NO, "Whether the evidence has changed since."),
        column("content_sha256", TEXT, "Hash of what was looked at (docs/adr/0039).", "SHA-256, hex"),
        column("page_sha256", TEXT, "Hash of the stored page that was looked at.", "SHA-256, hex"),
        column("screenshot_sha256", TEXT, "Hash of the picture that was looked at.", "SHA-256, hex"),
        column("sha256", TEXT, "Hash of the filed decision, to which the next is chained.", "SHA-256, hex"),
    ),
    "Decisions stand here once the review of the run is signed off; before that `exhibit review list` shows them.",
)
SIGN_OFFS = SqlView(
    "sign_offs",
    "signature under the review of a run, and reopening of it",
    (
        *RUN_COLUMNS,
        column("number", WHOLE, "Number of the decision in the run, from 1."),
        column("round", WHOLE, "Round of the review that was signed; of a reopening, the round that it began."),
        column("act", TEXT, "`sign` or `reopen`."),
        column("signed_by", TEXT, "The person."),
        *_PERSON,
        column("signed_at", MOMENT, "When."),
        column("reason", TEXT, "Why it was reopened."),
        column("counts", YES_NO, "Whether it is one of the signatures by which the review is signed off now."),
        column("signed_off_at", MOMENT, "When the review was signed off, by the last of them."),
        column("sha256", TEXT, "Hash of the filed decision.", "SHA-256, hex"),
    ),
)
_ABOUT_ALL = ("sign", "reopen")


def review_rows(run_id: str, task_id: str | None, review: RunReview | None) -> Iterator[tuple[str, Row]]:
    """Yield every row of a review with the name of its table."""
    ids = {"run_id": run_id, "task_id": task_id}
    for row in review.rows if review is not None else ():
        if row.act in _ABOUT_ALL:
            assert review is not None
            yield SIGN_OFFS.name, {**ids, **_sign_off(row, review)}
        else:
            yield REVIEWS.name, {**ids, **_decision(row)}


def settlement_rows(run_id: str, facts: SampleFacts) -> Iterator[tuple[str, Row]]:
    """Yield the settlement of a sample as the decision that it is."""
    told = facts.settlement
    if told is not None:
        yield (
            REVIEWS.name,
            {
                **id_columns(run_id, facts),
                "decision": f"settle_{told.verdict}",
                "kind": "sample",
                "reason": told.reason,
                "decided_by": told.by,
                "decided_at": told.at,
                "counts": True,
                "stale": False,
            },
        )


def _decision(row: DecisionRow) -> Row:
    target, seen = row.target, row.looked_at
    return {
        "number": row.number,
        "round": row.round,
        "decision": row.act,
        "kind": target.kind if target is not None else None,
        "sample_id": (target.sample_id or None) if target is not None else None,
        "field": (target.field or None) if target is not None else None,
        "record_key": (target.key or None) if target is not None else None,
        "reviewed_value": row.value or None,
        "reason": row.reason or None,
        "where_file": row.where or None,
        "where_sha256": row.where_sha256 or None,
        "decided_by": row.by,
        "role": row.role or None,
        "key": row.key,
        "decided_at": row.at,
        "filed_at": row.filed_at,
        "counts": row.counts,
        "stale": row.stale,
        "content_sha256": (seen.content_sha256 or None) if seen is not None else None,
        "page_sha256": (seen.page_sha256 or None) if seen is not None else None,
        "screenshot_sha256": (seen.picture_sha256 or None) if seen is not None else None,
        "sha256": row.sha256,
    }


def _sign_off(row: DecisionRow, review: RunReview) -> Row:
    return {
        "number": row.number,
        "round": row.round,
        "act": row.act,
        "signed_by": row.by,
        "role": row.role or None,
        "key": row.key,
        "signed_at": row.at,
        "reason": row.reason or None,
        "counts": row.counts and row.act == "sign",
        "signed_off_at": review.signed_off_at if row.round == review.round else None,
        "sha256": row.sha256,
    }
