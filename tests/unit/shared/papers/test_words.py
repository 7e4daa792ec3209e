"""What papers say of a value: the one that counts, its mark, and what was read."""

from __future__ import annotations

from datetime import UTC, datetime

from shared.evidence_format.review.reviewed import ReviewedTarget, SampleReview
from shared.papers.paper import MarkCode, PaperPlace, PaperValue
from shared.papers.words import of_them_decided, value_decision_words, value_words
from shared.papers.workpaper.placeholders import cell_value
from tests.cases import cases

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
OPEN = (PaperPlace("Ann"), PaperPlace("Anne"))


def said(act: str, value: str = "") -> ReviewedTarget:
    return ReviewedTarget(decision=act, value=value, by=("ann",), at=NOW)


def value(
    mark: MarkCode, text: str, own: ReviewedTarget | None, whole: ReviewedTarget | None = None, **more: object
) -> PaperValue:
    counting = SampleReview(sample=whole).counting(own)
    return PaperValue("f", "string", mark, text, text, reviewed=own, decided=counting, **more)  # pyright: ignore[reportArgumentType]


@cases(
    ("one", "shown", "mark", "decision"),
    [
        (value("T", "Ann", None), "Ann", "T", ""),
        (value("T", "Ann", said("accept")), "Ann", "T", "accepted"),
        (value("T", "Ann", said("correct", "Bo")), "Bo", "R", "corrected (read as Ann)"),
        (value("T", "Ann", said("correct", " ")), "none", "R", "corrected (read as Ann)"),
        (value("N", "", said("correct", "Bo"), absent=True), "Bo", "R", "corrected (read as none)"),
        (value("T", "Ann", said("not_applicable")), "not applicable (read as Ann)", "R", "not applicable"),
        (value("?", "", None), "not found", "?", ""),
        (value("?", "", said("accept")), "not found", "R", "accepted (was not found)"),
        (value("?", "", said("correct", "Bo"), open=OPEN), "Bo", "R", "corrected (was open between Ann | Anne)"),
        (value("T", "Ann", None, said("accept")), "Ann", "T", ""),
        (value("T", "Ann", said("correct", "Bo"), said("accept")), "Bo", "R", "corrected (read as Ann)"),
        (value("T", "Ann", said("accept"), said("reject")), "rejected (read as Ann)", "R", "accepted"),
        (value("-", "", None, said("reject")), "", "-", ""),
    ],
)
def test_what_people_have_decided_counts_in_place_of_what_was_read(
    one: PaperValue, shown: str, mark: MarkCode, decision: str
):
    assert (value_words(one), one.tickmark, value_decision_words(one)) == (shown, mark, decision)


@cases(("number", "decided", "told"), [
    (0, 0, ""), (3, 0, ""), (1, 1, "decided"), (3, 3, "all decided"), (3, 2, "2 of them decided"),
])  # fmt: skip
def test_it_is_said_how_many_are_decided(number: int, decided: int, told: str):
    assert of_them_decided(number, decided) == told


def test_a_corrected_number_is_a_number_of_the_sheet():
    corrected = said("correct", "12.50")
    one = PaperValue("f", "decimal", "T", "1.00", "1.00", reviewed=corrected, decided=corrected)
    assert cell_value(one) == 12.5
