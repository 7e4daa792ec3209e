"""How the review of a run stands, and which decision is refused with which code. Signatures are checked elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.contracts.sessions.reviewing import LookedAt, ReviewTarget, ShownWhere
from tests.unit.shared.reviewing.review_people import ANN, BEN, CLEO, DAN, EVA, Review, Signatory, item, policy

TWO = policy(ANN, BEN, CLEO, DAN, reviewers=2)


def test_a_review_is_open_then_in_review_then_signed_off_then_reopened_with_a_reason():
    review = Review(policy(ANN))
    assert review.log.state == "open"
    assert review.code(ANN, "accept", reason="") == ""
    assert review.log.state == "in_review"
    assert review.code(ANN, "sign") == ""
    assert (review.log.state, review.log.round) == ("signed_off", 1)
    assert review.code(ANN, "reopen", reason=" ") == "not_valid"
    assert review.code(ANN, "reopen", reason="a page was missed") == ""
    assert (review.log.state, review.log.round, review.log.reopened) == ("in_review", 2, "a page was missed")
    assert review.log.missing() == ("1 of 1 reviewers",)


def test_two_reviewers_and_then_an_approver_sign():
    review = Review(TWO)
    assert review.code(CLEO, "sign") == "undecided"
    assert [review.code(ANN, act) for act in ("accept", "sign")] == ["", ""]
    assert review.log.missing() == ("1 of 2 reviewers", "an approver (cleo)")
    assert review.code(BEN, "sign") == "undecided"
    assert [review.code(BEN, act) for act in ("accept", "sign")] == ["", ""]
    assert review.log.state == "in_review"
    assert review.code(CLEO, "sign") == ""
    assert review.log.state == "signed_off"


def test_where_reviewers_differ_the_approver_decides():
    review = Review(TWO)
    for who, act in ((ANN, "accept"), (BEN, "reject")):
        assert [review.code(who, one) for one in (act, "sign")] == ["", ""]
    assert review.log.standing_of(review.items[0]) == "disagreed"
    assert review.code(CLEO, "sign") == "disagreed"
    assert [review.code(CLEO, act) for act in ("reject", "sign")] == ["", ""]
    counts = review.log.outcome(review.items[0].target, review.items[0].looked_at)
    assert counts is not None
    assert (counts.decision.by, counts.decision.act) == ("cleo", "reject")


def test_without_an_approver_the_last_reviewer_signs_only_what_all_agree_in():
    review = Review(policy(ANN, BEN, reviewers=2))
    assert [review.code(ANN, act) for act in ("accept", "sign")] == ["", ""]
    assert [review.code(BEN, act) for act in ("reject", "sign")] == ["", "disagreed"]
    assert [review.code(BEN, act) for act in ("accept", "sign")] == ["", ""]
    assert review.log.state == "signed_off"


def test_who_decides_anew_has_not_signed_that():
    review = Review(TWO)
    assert [review.code(ANN, act) for act in ("accept", "sign", "reject")] == ["", "", ""]
    assert review.log.missing()[0] == "2 of 2 reviewers"


@pytest.mark.parametrize(
    ("who", "act", "code"),
    [(DAN, "accept", "own_work"), (DAN, "sign", "own_work"), (DAN, "comment", ""), (ANN, "accept", ""), (CLEO, "draw",
    "not_valid")], ids=lambda one: getattr(one, "name", one),
)  # fmt: skip
def test_who_has_prepared_the_run_comments_only(who: Signatory, act: Any, code: str):
    assert Review(TWO).code(who, act) == code


def test_who_has_requested_the_run_is_no_reviewer_whatever_the_task_calls_him():
    dan = Signatory("dan", "reviewer")
    assert Review(policy(dan, ANN)).code(dan, "accept") == "own_work"


def test_a_person_is_known_by_one_key_and_a_key_is_of_one_person():
    review = Review(TWO)
    assert review.code(Signatory("eve"), "accept") == "unknown_person"
    assert review.take(BEN, review.said(ANN, "accept")) == "other_key"
    free = Review(policy())
    assert free.code(ANN, "accept") == ""
    assert free.take(BEN, free.said(ANN, "reject")) == "other_key"
    assert free.take(ANN, free.said(BEN, "reject")) == "other_key"
    assert free.code(BEN, "reject") == ""


def test_a_decision_counts_in_its_run_and_round_only():
    review = Review(policy(ANN))
    assert review.code(ANN, "accept", run_id="run_2") == "other_run"
    assert [review.code(ANN, act) for act in ("accept", "sign", "reopen")] == ["", "", ""]
    assert review.code(ANN, "accept", round=1) == "other_round"


def test_decisions_of_a_person_come_in_the_order_in_which_they_were_signed():
    review = Review(policy(ANN))
    first = review.said(ANN, "accept")
    later = review.said(ANN, "reject", number=2, previous_sha256="0" * 64)
    assert review.take(ANN, later) == "out_of_order"
    assert review.take(ANN, first) == ""
    assert review.take(ANN, later) == "out_of_order"
    assert review.log.filed_as(first, ANN.key) == 1
    assert review.log.filed_as(first, BEN.key) is None
    other = review.said(ANN, "reject", number=1, previous_sha256=first.previous_sha256)
    assert review.log.filed_as(other, ANN.key) is None
    assert review.take(ANN, other) == "number_taken"


def test_a_decision_on_evidence_that_has_changed_is_refused_and_one_made_before_counts_no_more():
    review = Review(policy(ANN))
    seen = review.said(ANN, "accept")
    review.items = (item(content="c2"),)
    assert review.take(ANN, seen) == "stale"
    assert review.code(ANN, "accept") == ""
    review.items = (item(content="c3"),)
    assert review.log.standing_of(review.items[0]) == "stale"
    assert review.code(ANN, "sign") == "undecided"
    assert review.code(ANN, "accept", item("A-9")) == "no_such_target"


def test_a_review_that_is_signed_off_takes_comments_only_until_it_is_reopened():
    review = Review(policy(ANN))
    assert review.code(ANN, "reopen") == "not_signed_off"
    assert [review.code(ANN, act) for act in ("accept", "sign")] == ["", ""]
    assert [review.code(ANN, act) for act in ("reject", "sign", "comment")] == ["signed_off", "signed_off", ""]


def test_a_sample_is_decided_by_a_decision_on_each_of_its_uncertain_values():
    parts = tuple(
        replace(item(), target=ReviewTarget(kind="value", sample_id="A-1", field=name),
        looked_at=LookedAt(content_sha256=name)) for name in ("owner", "amount")
    )  # fmt: skip
    review = Review(policy(ANN), replace(item(), parts=parts))
    assert review.code(ANN, "correct", parts[0], value="Bo") == ""
    assert review.log.standing_of(review.items[0]) == "open"
    assert review.code(ANN, "sign") == "undecided"
    assert [review.code(ANN, "accept", parts[1]), review.code(ANN, "sign")] == ["", ""]


def test_what_a_person_withdraws_is_open_again_and_his_signature_is_gone():
    review = Review(TWO)
    assert [review.code(ANN, act) for act in ("accept", "sign")] == ["", ""]
    assert review.code(BEN, "withdraw") == "not_valid", "it is not his"
    assert review.code(BEN, "accept") == ""
    assert review.code(ANN, "withdraw", reason="") == ""
    assert review.log.missing()[0] == "2 of 2 reviewers"
    assert review.log.standing_of(review.items[0]) == "open", "one of two has decided"
    target, now = review.items[0].target, review.items[0].looked_at
    assert not review.log.sees("ann", "ben", target, now)
    assert review.code(ANN, "withdraw") == "not_valid", "nothing of hers stands"
    assert review.code(ANN, "sign") == "undecided"
    assert [review.code(one, act) for one, act in ((BEN, "withdraw"), (DAN, "withdraw"))] == ["", "own_work"]
    assert review.log.standing_of(review.items[0]) == "open"
    assert len(review.log.filed) == 5


def test_what_is_signed_off_is_withdrawn_once_it_is_reopened():
    review = Review(policy(ANN))
    acts = ("accept", "sign", "withdraw", "reopen", "withdraw")
    assert [review.code(ANN, act) for act in acts] == ["", "", "signed_off", "", ""]
    assert review.log.standing_of(review.items[0]) == "open"


@pytest.mark.parametrize(
    "more",
    [
        {"act": "reject", "reason": ""},
        {"act": "accept", "value": "Bo"},
        {"act": "accept", "where": ShownWhere(file="01.png", sha256="0")},
        {"act": "correct", "value": "Bo"},  # a sample is not corrected
        {"act": "accept", "targets": ()},
        {"act": "draw"},
    ],
    ids=lambda more: " ".join(map(str, more.values()))[:40],
)
def test_what_is_missing_or_does_not_fit_is_told(more: dict[str, Any]):
    review = Review(policy(ANN))
    act = more.pop("act")
    assert review.code(ANN, act, **more) == "not_valid"


def test_a_reviewer_is_shown_what_others_have_decided_once_he_has_decided_himself():
    review = Review(TWO)
    target, now = review.items[0].target, review.items[0].looked_at
    assert review.code(ANN, "accept") == ""
    seen = [review.log.sees(asker, "ann", target, now) for asker in ("", "ann", "ben", "cleo", "eve")]
    assert seen == [False, True, False, True, False]
    assert review.code(BEN, "accept") == ""
    assert review.log.sees("ben", "ann", target, now)
    later = LookedAt(content_sha256="c2")
    assert not review.log.sees("ben", "ann", target, later), "on other evidence he has decided nothing yet"


def test_how_an_item_stands_tells_a_reviewer_of_no_decision_that_he_is_not_shown():
    parts = tuple(
        replace(item(), target=ReviewTarget(kind="value", sample_id="A-1", field=name),
        looked_at=LookedAt(content_sha256=name)) for name in ("owner", "amount")
    )  # fmt: skip
    review = Review(policy(ANN, BEN, EVA, CLEO, reviewers=3), replace(item(), parts=parts))
    (whole,) = review.items

    def standings() -> list[str]:
        return [review.log.standing_for(asker, whole) for asker in ("", "ann", "ben", "eva", "cleo")]

    assert [review.code(ANN, "accept", parts[0]), review.code(EVA, "reject", parts[0])] == ["", ""]
    assert standings() == ["open", "disagreed", "open", "disagreed", "disagreed"]
    assert review.code(BEN, "accept", parts[1]) == ""
    assert standings() == ["open", "open", "open", "open", "disagreed"], "no reviewer is shown all of them now"
    assert review.code(BEN, "accept", whole) == ""
    assert standings()[2] == "decided", "he has done his part"
    review.items = (replace(whole, looked_at=LookedAt(content_sha256="c2")),)
    (whole,) = review.items
    assert standings()[2] == "stale", "his own decision is his to know"
    assert review.code(ANN, "reject", whole) == ""
    assert standings()[2] == "stale"
