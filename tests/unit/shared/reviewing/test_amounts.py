"""How much was decided, in words."""

from __future__ import annotations

from shared.evidence_format.review.amounts import decided_words
from tests.cases import cases


@cases(
    ("counts", "told"),
    [
        ({}, ""),
        ({("sample", "accept"): 2, ("value", "correct"): 31}, "2 samples accepted, 31 values corrected"),
        ({("value", "accept"): 1, ("sample", "accept"): 1}, "1 sample and 1 value accepted"),
        ({("population", "accept"): 1, ("sample", "reject"): 1}, "the population accepted, 1 sample rejected"),
        ({("judgment", "not_applicable"): 3, ("sample", "comment"): 4}, "3 judgments not applicable"),
    ],
)
def test_each_number_has_its_unit(counts: dict[tuple[str, str], int], told: str):
    assert decided_words(counts) == told
