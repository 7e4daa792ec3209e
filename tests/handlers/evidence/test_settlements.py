"""A press whose outcome is not known: a person settles the sample, as done or to be pressed again."""

from __future__ import annotations

from typing import Any

import pytest

from services.evidence.handlers import claim_press, settle_sample
from shared.contracts.evidence import ClaimPress
from shared.contracts.sessions.settling import SampleSettled, SettlementRefused, SettlementTaken, SettleSample
from tests.handlers.evidence.evidence_desk import (
    Desk,
    closed,
    ended,
    found,
    judging,
    outcomes,
    press,
    sample,
    started,
    took,
)
from tests.typed import expect

UNKNOWN: dict[str, Any] = {"status": "needs_review", "reason": "unknown_outcome"}


async def in_doubt(desk: Desk, *steps: int) -> None:
    """File a run of two samples: the press of A-1 was claimed, and nobody knows what came of it; A-2 is done."""
    await desk.begun(sample("A-1"), sample("A-2", row=2))
    await desk.tell(took(sample("A-1")))
    for step in steps or (3,):
        await claim_press(ClaimPress(pressed=press(1, step=step)), desk.deps)
    await desk.tell(ended(sample("A-1"), **UNKNOWN), ended(sample("A-2", row=2)))


def asking(verdict: Any = "done", **more: Any) -> SettleSample:
    given = {"sample_id": "A-1", "by": "Ann", "reason": "request 77 is on the site", **more}
    return SettleSample(run_id="run_1", verdict=verdict, **given)


async def asked(desk: Desk, request: SettleSample) -> SettlementTaken | SettlementRefused:
    return await settle_sample(request, desk.deps)


async def settled(desk: Desk, request: SettleSample) -> Any:
    """Ask, and file the event that follows; return the summary of the run."""
    expect(await asked(desk, request), SettlementTaken)
    return await desk.tell(desk.bus.events(SampleSettled)[-1])


async def test_what_was_done_is_done_by_a_person_and_sealed_with_what_was_sealed_before(tabled: Desk):
    await in_doubt(tabled)
    before = tabled.files()
    finished = await settled(tabled, asking(values={"owner": "Bo"}))
    assert outcomes(finished) == {("done", ""): 2}
    result = tabled.json("A-1/result.json")
    assert (result["status"], result["reason"], result["decided_by"]) == ("done", "", "person:Ann")
    assert (result["fields"]["owner"]["value"], result["fields"]["owner"]["origin"]) == ("Bo", "person")
    assert result["settlement"]["reason"] == "request 77 is on the site"
    assert {row["sample_id"]: row["status"] for row in tabled.rows()} == {"A-1": "done", "A-2": "done"}
    after = tabled.files()
    for then, now in (
        ("A-1/result.json", "A-1/settled_1/result.json"),
        ("A-1/manifest.json", "A-1/settled_1/manifest.json"),
        ("manifest.json", "rounds/1/manifest.json"),
        ("combined.csv", "rounds/1/combined.csv"),
    ):
        assert after[f"run_1/{now}"] == before[f"run_1/{then}"]
    assert tabled.check().problems == []


async def test_the_same_settlement_twice_changes_no_byte_and_another_one_is_refused(desk: Desk):
    await in_doubt(desk)
    assert expect(await asked(desk, asking()), SettlementTaken).filed is False
    await settled(desk, asking())
    files = desk.files()
    again = expect(await asked(desk, asking()), SettlementTaken)
    assert again.filed
    assert again.settlement.number == 1
    await desk.tell(*desk.bus.events(SampleSettled))
    assert desk.files() == files
    refused = expect(await asked(desk, asking(reason="it was request 78")), SettlementRefused)
    assert refused.code == "settled_already"
    assert "request 77 is on the site" in refused.problems[0].message
    assert desk.files() == files


async def test_what_was_not_done_may_be_pressed_once_more_and_only_once(desk: Desk):
    await in_doubt(desk)
    assert (await claim_press(ClaimPress(pressed=press(2), claim=False), desk.deps)).pressed == press(1)
    finished = await settled(desk, asking("again", reason="there is no request"))
    assert outcomes(finished) == {("needs_review", "unknown_outcome"): 1, ("done", ""): 1}
    assert desk.check().problems == []
    assert (await claim_press(ClaimPress(pressed=press(2), claim=False), desk.deps)).pressed is None
    await desk.tell(started(1), closed(2, 1), took(sample("A-1"), attempt=2))
    assert (await claim_press(ClaimPress(pressed=press(2)), desk.deps)).pressed == press(2)
    assert (await claim_press(ClaimPress(pressed=press(3)), desk.deps)).pressed == press(2)
    await desk.tell(ended(sample("A-1"), attempt=2))
    assert desk.json("A-1/result.json")["status"] == "done"
    assert desk.json("A-1/attempt_1/result.json")["settlement"]["verdict"] == "again"
    assert desk.json("A-1/pressed_3.json")["attempt"] == 1
    assert desk.check().problems == []


async def test_a_press_that_was_certainly_not_made_is_in_no_doubt(desk: Desk):
    await desk.begun(sample("A-1"), sample("A-2", row=2))
    await desk.tell(took(sample("A-1")))
    for step in (3, 5):
        await claim_press(ClaimPress(pressed=press(1, step=step)), desk.deps)
    await claim_press(ClaimPress(pressed=press(1, step=3), claim=False, give_back=True), desk.deps)
    await desk.tell(ended(sample("A-1"), **UNKNOWN), ended(sample("A-2", row=2)))
    taken = expect(await asked(desk, asking("again", reason="there is no request")), SettlementTaken)
    assert taken.settlement.released == (5,)


async def test_whoever_said_again_may_still_find_that_it_was_done(desk: Desk):
    await in_doubt(desk)
    await settled(desk, asking("again", reason="there is no request"))
    assert outcomes(await settled(desk, asking(reason="it came late"))) == {("done", ""): 2}
    assert desk.json("A-1/settled_2/result.json")["settlement"]["verdict"] == "again"
    assert desk.check().problems == []


@pytest.mark.parametrize(
    ("request_", "code", "where"),
    [
        (asking(sample_id="A-2"), "not_unknown", "A-2"),
        (asking(sample_id="A-9"), "no_such_sample", "sample_id"),
        (asking(reason=" "), "not_valid", "reason"),
        (asking(values={"ownr": "Bo"}), "not_valid", "values.ownr"),
        (asking(values={"number": ""}), "not_valid", "values.number"),
        (asking("again", values={"owner": "Bo"}), "not_valid", "values"),
    ],
)
async def test_what_cannot_be_settled_is_refused_with_its_reason_and_leaves_no_trace(
    desk: Desk, request_: SettleSample, code: str, where: str
):
    await in_doubt(desk)
    files = desk.files()
    refused = expect(await asked(desk, request_), SettlementRefused)
    assert (refused.code, refused.problems[0].where) == (code, where)
    assert desk.bus.events(SampleSettled) == []
    assert desk.files() == files


async def judged_in_doubt(desk: Desk) -> str:
    """As `in_doubt`, in a run whose task asks a question. Return the name of a picture of A-1."""
    picture = await desk.capture(sample("A-1"))
    await desk.tell(judging(), found(sample("A-1")), closed(1), took(sample("A-1"), picture))
    await claim_press(ClaimPress(pressed=press(1)), desk.deps)
    await desk.tell(ended(sample("A-1"), picture, **UNKNOWN))
    return picture.filename


async def test_who_settles_a_task_with_a_question_answers_it(tabled: Desk):
    picture = await judged_in_doubt(tabled)
    refused = expect(await asked(tabled, asking()), SettlementRefused)
    assert [(one.where, "Was it late?" in one.message) for one in refused.problems] == [("answer", True)]
    wrong = expect(await asked(tabled, asking(answer="perhaps", evidence_refs=("none.png",))), SettlementRefused)
    assert [one.where for one in wrong.problems] == ["answer", "evidence_refs"]
    assert picture in wrong.problems[1].message
    finished = await settled(tabled, asking(answer="Yes", evidence_refs=(picture,)))
    assert outcomes(finished) == {("done", ""): 1}
    assert tabled.json("A-1/result.json")["judgment"] == {
        "question": "Was it late?",
        "answer": "yes",
        "confidence": 1.0,
        "reasoning": "request 77 is on the site",
        "evidence_refs": [picture],
        "decided_by": "person:Ann",
    }
    (row,) = tabled.rows()
    assert (row["judgment"], row["judgment_by"]) == ("yes", "person:Ann")
    assert expect(await asked(tabled, asking(answer="yes", evidence_refs=(picture,))), SettlementTaken).filed
    assert expect(await asked(tabled, asking(answer="no")), SettlementRefused).code == "settled_already"
    assert tabled.check().problems == []


async def test_an_answer_is_for_what_is_done_and_for_a_question(desk: Desk):
    await in_doubt(desk)
    for verdict in ("done", "again"):
        refused = expect(await asked(desk, asking(verdict, answer="yes")), SettlementRefused)
        assert [one.where for one in refused.problems] == ["answer"]


async def test_a_run_at_work_is_not_settled(desk: Desk):
    await desk.tell(started(), found(sample("A-1")), found(sample("A-2", row=2)), closed(2))
    await desk.tell(ended(sample("A-1"), **UNKNOWN))
    assert expect(await asked(desk, asking()), SettlementRefused).code == "run_at_work"


async def test_several_presses_are_released_only_together_and_on_request(desk: Desk):
    await in_doubt(desk, 3, 5)
    refused = expect(await asked(desk, asking("again")), SettlementRefused)
    assert "3, 5" in refused.problems[0].message
    await settled(desk, asking("again", every_press=True))
    assert desk.json("A-1/settled_1/settlement.json")["settlement"]["released"] == [3, 5]


async def test_a_settlement_that_a_later_attempt_has_overtaken_is_not_filed(desk: Desk):
    await in_doubt(desk)
    expect(await asked(desk, asking()), SettlementTaken)
    await desk.tell(started(1), closed(2, 1), took(sample("A-1"), attempt=2))
    await desk.tell(desk.bus.events(SampleSettled)[-1])
    assert not (desk.root / "run_1" / "A-1" / "settled_1").exists()
    await desk.tell(ended(sample("A-1"), attempt=2, **UNKNOWN))
    assert outcomes(await settled(desk, asking())) == {("done", ""): 2}


@pytest.mark.parametrize(
    "cut", ["settled_1/result.json", "settled_1/settlement.json", "A-1/manifest.json", "seal.json"]
)
async def test_a_settlement_that_is_cut_off_anywhere_is_gone_on_with(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, cut: str
):
    await in_doubt(desk)
    expect(await asked(desk, asking()), SettlementTaken)
    write = desk.deps.store.write

    async def dies(key: str, data: bytes) -> None:
        if key.endswith(cut):
            raise KeyboardInterrupt
        await write(key, data)

    monkeypatch.setattr(desk.deps.store, "write", dies)
    with pytest.raises(KeyboardInterrupt):
        await desk.tell(desk.bus.events(SampleSettled)[-1])
    desk.restart()
    finished = await desk.tell(desk.bus.events(SampleSettled)[-1])
    assert outcomes(finished) == {("done", ""): 2}
    assert sorted(path.name for path in (desk.root / "run_1" / "rounds").iterdir()) == ["1"]
    assert desk.check().problems == []


async def test_a_press_is_released_only_where_a_person_says_that_it_is_to_be_made_again(desk: Desk):
    await in_doubt(desk)
    assert expect(await asked(desk, asking()), SettlementTaken).settlement.released == ()
    again = asking("again", reason="there is no request")
    assert expect(await asked(desk, again), SettlementTaken).settlement.released == (3,)
