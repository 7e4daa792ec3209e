"""What the page of a review shows: queues by reason, equal cases, which case an address means."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from services.console.web.review.review_facts import (
    MOST_ALIKE,
    TARGET,
    cases_of,
    choices_of,
    fields_in_doubt,
    place_of,
    queues_of,
    target_field,
    targets_in,
)
from shared.contracts.results import Ink, ValueSource
from shared.contracts.sessions.reviewing import LookedAt, ReviewItem, ReviewTarget, ShownDecision
from shared.evidence_format.files.sample import StoredField
from tests.cases import cases
from tests.typed import there

AT = datetime(2026, 11, 29, 6, tzinfo=UTC)


def decision(by: str = "ann", **more: Any) -> ShownDecision:
    return ShownDecision(**{"number": 1, "by": by, "act": "accept", "at": AT, **more})


def sample(sample_id: str, why: str = "unread_values", *parts: ReviewItem, **more: Any) -> ReviewItem:
    target = ReviewTarget(kind="sample", sample_id=sample_id)
    return ReviewItem(target=target, looked_at=LookedAt(content_sha256=sample_id), why=why, parts=parts, **more)


def value(sample_id: str, field: str, value: str = "", **more: Any) -> ReviewItem:
    target = ReviewTarget(kind="value", sample_id=sample_id, field=field)
    return ReviewItem(target=target, looked_at=LookedAt(content_sha256="c"), why="not_found", value=value, **more)


def words_of(items: list[ReviewItem], **how: Any) -> list[tuple[str, bool]]:
    return [(case.words, case.open) for case in cases_of(items, "ann", **{"by_standing": False, **how})]


def test_of_a_sample_its_uncertain_values_are_decided_until_somebody_decides_the_whole():
    parts = value("A", "owner", decisions=(decision(),)), value("A", "due")
    assert words_of([sample("A", "x", *parts), sample("B")]) == [("A.owner", False), ("A.due", True), ("B", True)]
    assert words_of([sample("A", "x", *parts, decisions=(decision(),))]) == [("A", False)]


@cases(
    ("decisions", "is_open"),
    [
        ((), True),
        ((decision("ben"),), True),
        ((decision(act="comment"),), True),
        ((decision(stale=True),), True),
        ((decision("ben"), decision()), False),
    ],
)
def test_a_case_is_open_until_the_reviewer_has_decided_it(decisions: tuple[ShownDecision, ...], is_open: bool):
    assert words_of([sample("A", decisions=decisions, standing="decided")]) == [("A", is_open)]


def test_to_an_approver_a_case_is_open_until_it_counts_as_decided():
    parts = value("A", "owner", standing="disagreed"), value("A", "due", standing="decided")
    assert words_of([sample("A", "x", *parts)], by_standing=True) == [("A.owner", True), ("A.due", False)]


def test_queues_are_by_reason_with_equal_cases_next_to_each_other():
    items = [
        sample("A", "unread", value("A", "owner"), value("A", "due")),
        sample("B", "not_found"),
        sample("C", "unread", value("C", "owner"), value("C", "due", "soon")),
    ]
    [unread, gone] = queues_of(cases_of(items, "ann", by_standing=False))
    assert (unread.why, unread.open, gone.why) == ("unread", 4, "not_found")
    assert [case.words for case in unread.cases] == ["A.owner", "C.owner", "A.due", "C.due"]
    place = there(place_of([unread, gone], "unread", "C.owner", ""))
    assert [case.words for case in place.alike] == ["C.owner", "A.owner"]
    assert [there(place_of([unread, gone], "unread", one, "")).alike for one in ("A.due", "C.due")] == [(), ()]


def test_a_decided_case_is_not_among_equal_ones():
    items = [sample(one, "x", value(one, "owner", decisions=(decision(),) if one == "B" else ())) for one in "ABC"]
    queues = queues_of(cases_of(items, "ann", by_standing=False))
    assert [case.words for case in there(place_of(queues, "x", "A.owner", "")).alike] == ["A.owner", "C.owner"]
    assert there(place_of(queues, "x", "B.owner", "")).alike == ()


def test_one_decision_has_as_many_equal_cases_as_a_form_takes():
    items = [sample(f"A-{n}", "x") for n in range(MOST_ALIKE + 50)]
    place = there(place_of(queues_of(cases_of(items, "ann", by_standing=False)), "x", "A-3", ""))
    assert len(place.alike) == MOST_ALIKE
    sent = {f"{TARGET}{i}": target_field(case.item) for i, case in enumerate(place.alike)}
    assert [one.target for one in targets_in(sent)] == [case.item.target for case in place.alike]


@cases(
    ("why", "words", "after", "shown"),
    [
        ("", "", "", "B"),  # the longest queue comes first
        ("y", "", "", "D"),
        ("x", "", "A", "B"),
        ("x", "", "C", "B"),  # from the start again
        ("x", "A", "", "A"),  # one that is decided is shown by its name
        ("y", "C", "", "C"),  # of another queue
        ("z", "", "E", "B"),  # of a queue where nothing is open: to the next one
        ("z", "", "", "E"),
        ("none", "", "", "B"),
    ],
)
def test_an_address_means_one_case(why: str, words: str, after: str, shown: str):
    items = [
        sample("A", "x", decisions=(decision(),)),
        sample("B", "x"),
        sample("C", "x"),
        sample("D", "y"),
        sample("E", "z", decisions=(decision(),)),
    ]
    queues = queues_of(cases_of(items, "ann", by_standing=False))
    assert there(place_of(queues, why, words, after)).case.words == shown


def test_an_address_that_names_nothing_for_review_shows_nothing():
    queues = queues_of(cases_of([sample("A")], "ann", by_standing=False))
    assert place_of(queues, "", "Z", "") is None
    assert place_of([], "", "", "") is None


def test_a_text_that_is_cut_is_not_taken_into_a_correction():
    texts = [{"shown": "Ann", "src": {"shot": "s1"}}, {"shown": "x" * 400, "src": {"shot": None}}]
    files = [{"name": "01_t.png", "sha": "s1", "kind": "screenshot"}]
    detail = {"fields": [{"n": "owner", "candidates": texts}], "files": files}
    first, second = choices_of(detail, "owner")
    assert (first.number, first.shown, first.where, first.whole) == (1, "Ann", "01_t.png", True)
    assert (second.where, second.whole) == ("", False)
    assert choices_of(detail, "due") == []


@pytest.mark.parametrize("sent", ["", "{}", "null", '{"target": {"kind": "run"}, "looked_at": {}}', "\x00"])
def test_a_form_that_the_page_has_not_made_is_none(sent: str):
    with pytest.raises(ValueError):
        targets_in({"on.0": sent})


def test_the_evidence_that_was_looked_at_is_sent_along():
    item = value("A", "owner")
    looked_at = LookedAt(content_sha256="1", page_sha256="2", picture_sha256="3")
    [back] = targets_in({"on.0": target_field(msgspec.structs.replace(item, looked_at=looked_at)), "reason": "r"})
    assert (back.target, back.looked_at) == (item.target, looked_at)


def test_the_fields_for_which_a_sample_is_for_review_are_named_and_all_of_them_where_none_is():
    def fields(**inks: Any) -> dict[str, StoredField]:
        source = ValueSource(
            snapshot_id="s", observation_sha256="", url="", ref=1, role="", label=None, box=None, frame="main"
        )

        def drawn(ink: Any) -> Ink | None:
            return Ink(state=ink) if isinstance(ink, str) else ink  # pyright: ignore[reportArgumentType]

        return {
            name: StoredField(
                state="value",
                value="v",
                source=msgspec.structs.replace(source, ink=drawn(ink)),
            )
            for name, ink in inks.items()
        }

    assert fields_in_doubt(fields(title="unexplained", price="seen", due=None, owner="absent")) == ["title", "owner"]
    assert fields_in_doubt(fields(title="seen", price="outside")) == ["title", "price"]
    assert fields_in_doubt(fields(title=Ink(state="absent", glyphless=2), price="unexplained")) == ["price"]
