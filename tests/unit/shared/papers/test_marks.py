"""Which tickmark a value has: how it is supported, and not what it says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from shared.contracts.results import Ink, ValueSource
from shared.evidence_format.files.sample import StoredField
from shared.evidence_format.review.reviewed import ReviewedTarget
from shared.papers.marks import exceptions_of_sample, mark_of
from shared.papers.paper import PaperSample, PaperValue
from shared.papers.words import exception_decision_words
from tests.cases import cases

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)


@cases(
    ("told", "mark"),
    [
        ({"state": "value", "value": "Ann"}, "P"),
        ({"state": "not_present"}, "N"),
        ({"state": "not_present", "origin": "api"}, "A"),
        ({"state": "not_present", "origin": "derived"}, "D"),
        ({"state": "not_present", "origin": "person"}, "H"),
        ({"state": "value", "value": "Ann", "origin": "vision"}, "M"),
        ({"state": "not_found", "origin": "derived"}, "?"),
    ],
)
def test_a_mark_says_who_a_value_is_of_also_that_there_is_none(told: dict[str, Any], mark: str):
    assert mark_of(StoredField(**told), page=True, picture=False) == mark


@cases(("ink", "mark"), [(Ink(state="seen"), "T"), (Ink(state="absent", glyphless=2), "P"), (None, "T")])
def test_what_a_picture_shows_as_boxes_is_not_traced(ink: Ink | None, mark: str):
    source = ValueSource(
        snapshot_id="s", observation_sha256="", url="", ref=1, role="", label=None, box=None, frame="main", ink=ink
    )
    stored = StoredField(state="value", value="v", shown="v", origin="page", source=source)
    assert mark_of(stored, page=True, picture=True) == mark


def test_a_field_that_a_sample_has_not_come_to_has_no_value():
    assert mark_of(None, page=True, picture=True) == "-"


@cases(
    ("sample", "lines", "settled", "told"),
    [
        # What the sample is for review for is one thing with its values.
        (lambda: for_review("missing_fields", "correct"), ["sample f0"], True, "corrected"),
        (
            lambda: for_review("missing_fields", "correct", "accept"),
            ["sample f0, f1"],
            True,
            "f0: corrected; f1: accepted",
        ),
        (lambda: for_review("missing_fields", "correct", ""), ["sample f0, f1"], False, "f0: corrected"),
        (
            lambda: for_review("missing_fields", "reject", whole="accept"),
            ["sample f0"],
            False,
            "accepted; f0: rejected",
        ),
        # A picture that is missing is another thing than a value that was open.
        (lambda: for_review("missing_artifacts", "correct"), ["sample ", "value f0"], False, ""),
    ],
)
def test_one_thing_is_one_exception(sample: Callable[[], PaperSample], lines: list[str], settled: bool, told: str):
    found = list(exceptions_of_sample(sample()))
    assert [f"{one.kind} {one.where}" for one in found] == lines
    assert (found[0].is_settled, exception_decision_words(found[0])) == (settled, told)


def decided(act: str) -> ReviewedTarget:
    return ReviewedTarget(decision=act, by=("ann",), at=NOW)


def for_review(reason: str, *acts: str, whole: str = "") -> PaperSample:
    """A sample with an open value for each of these decisions; ``whole``: the decision on the sample itself."""
    opened = [
        PaperValue(f"f{n}", "string", "?", None, "", reviewed=decided(act) if act else None)
        for n, act in enumerate(acts)
    ]
    return PaperSample(
        sample_id="A-1", key="A-1", row=1, status="needs_review", group="review", reason=reason, why="", message="",
        flagged=False, notes=(), url="", decided_by="rules", started_at=NOW, finished_at=NOW, manifest_sha256="",
        values=tuple(opened), judgment=None, reasoning="", files=(), reviewed=decided(whole) if whole else None,
        decision="", signed_off_at=None,
    )  # fmt: skip


@cases(
    ("sample", "settled_as"),
    [
        (for_review("missing_fields", "accept"), "accept"),
        (for_review("ambiguous_value", "accept", "not_applicable", "correct"), "correct"),
        (for_review("invalid_values", "correct", "reject"), "reject"),
        (for_review("missing_artifacts", "accept"), None),
        (for_review("timed_out_elsewhere", "accept"), None),
        (for_review("missing_artifacts", "reject", whole="accept"), "accept"),
        (for_review("missing_fields"), None),
    ],
)
def test_decisions_on_values_settle_a_sample_only_where_its_reason_lies_in_them(
    sample: PaperSample, settled_as: str | None
):
    whole = next(one for one in exceptions_of_sample(sample) if one.kind == "sample")
    assert (whole.reviewed.decision if whole.reviewed is not None else None) == settled_as
