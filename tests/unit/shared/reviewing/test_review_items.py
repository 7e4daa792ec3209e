"""What of a sample decides it: its uncertain values where it is for review because of them, else the sample itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from shared.evidence_format.review.items import ReviewedSample, value_beside
from tests.cases import cases

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
WRITTEN: dict[str, Any] = {
    "sample_id": "A-1", "key": "A-1", "row": 1, "status": "needs_review", "reason": "", "message": "", "fault": "us",
    "steps": 1, "llm_calls": 0, "usage": {}, "extracted": {}, "artifacts": [], "judgment": None, "flagged": False,
    "notes": [], "attempt": 1, "decided_by": "rules", "started_at": NOW, "finished_at": NOW, "version": 2,
    "fields": {"number": {"state": "value", "value": "7"}, "owner": {"state": "not_found"}},
}  # fmt: skip


@cases(
    ("told", "parts"),
    [
        ({"reason": "missing_fields"}, ["owner"]),
        ({"reason": "ambiguous_value"}, ["owner"]),
        ({"reason": "missing_artifacts"}, []),
        ({"reason": "a reason of another version"}, []),
        ({"status": "done", "flagged": True}, []),
    ],
)
def test_values_are_parts_of_a_sample_only_where_it_is_for_review_because_of_them(
    told: dict[str, Any], parts: list[str]
):
    item = ReviewedSample("A-1", msgspec.json.encode({**WRITTEN, **told}), b"{}").item
    assert item.why
    assert [one.target.field for one in item.parts] == parts


@cases(
    ("text", "title", "beside"),
    [("3 days ago", "Nov 26, 2026", "2026-11-26"), ("3 days ago", "", ""), ("On 2026-11-26", "Nov 26, 2026", "")],
)
def test_what_only_the_markup_says_of_a_value_stands_beside_its_text(text: str, title: str, beside: str):
    assert value_beside(text, "2026-11-26", title) == beside


@cases(
    ("text", "title", "beside"),
    [
        ("3 days ago", "Seen at Nov 26, 2026", "2026-11-26"), ("3 days ago", "03/10/26", ""),
        ("milestone2", "Nov 26, 2026", ""), ("3 days ago", "", ""),
    ],
)  # fmt: skip
def test_beside_a_text_that_is_told_from_now_stands_its_date_where_the_text_itself_is_the_value(
    text: str, title: str, beside: str
):
    assert value_beside(text, text, title) == beside
