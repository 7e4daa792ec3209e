"""How a list tells that the samples of a signed-off run were decided. Pure."""

from __future__ import annotations

from services.console.web.review.decided_samples import DecidedSamples

ROWS = [
    {"sample_id": "A-1", "status": "needs_review", "reason": "missing_fields", "decision": "correct"},
    {"sample_id": "A-2", "status": "needs_review", "reason": "missing_fields", "decision": "correct"},
    {"sample_id": "A-3", "status": "needs_review", "reason": "missing_fields", "decision": "accept"},
    {"sample_id": "A-4", "status": "failed", "reason": "not_found", "decision": "not_applicable"},
    {"sample_id": "A-5", "status": "done", "reason": None, "decision": "correct"},
]


def test_what_ended_alike_is_told_by_how_all_of_it_was_decided():
    decided = DecidedSamples.of(ROWS)
    assert decided.acts == {
        "A-1": "correct", "A-2": "correct", "A-3": "accept", "A-4": "not_applicable", "A-5": "correct",
    }  # fmt: skip
    assert decided.words_of("needs_review", "missing_fields", 3) == "2 corrected, 1 accepted"
    assert decided.words_of("failed", "not_found", 1) == "1 not applicable"
    assert decided.words_of("needs_review", "missing_fields", 4) == "", "one of them has changed since"
    assert decided.words_of("failed", "timeout", 1) == ""
