"""A judgment has an answer, a reason and existing evidence; it is separate from the data."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from services.planner.judge.gates import Rejection, judge_done
from services.planner.state.attempt_state import AttemptState, Ending
from shared.contracts.actions import Done, Judgment, JudgmentGiven
from shared.task.judgments import ANSWERS, answers_of
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import acted, bounced, page, picture, shot, shown_record, spec, ticket, view

ASKS = {"judgment_required": True, "judgment_question": "Was it done in time?"}
VALUES = {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "Mar 3, 2026"}
REFS = {"ticket_number": 1, "assignee": 3, "due_date": 5}
GOOD = JudgmentGiven(
    answer="yes", confidence=0.9, reasoning="Closed on Mar 1, due on Mar 3.", evidence_refs=("01_ticket.png",)
)


def state(refused: bool = False):
    one = acted(shown_record(AttemptState(), "proven"), picture(), shot(), "")
    return bounced(one, Done(values={}), "no") if refused else one


def judge(judgment, *, refused=False, **changes: Any):
    done = Done(values=VALUES, refs=REFS, judgment=judgment)
    return judge_done(
        view(page(*ticket()), state(refused), spec=spec(**{**ASKS, **changes})), done, decided_by="claude"
    )[0]


def test_a_judgment_is_kept_apart_with_the_question_it_answers():
    ending = expect(judge(GOOD), Ending)
    assert (ending.status, ending.flagged) == ("done", False)
    assert isinstance(ending.judgment, Judgment)
    assert (ending.judgment.question, ending.judgment.answer) == ("Was it done in time?", "yes")
    assert (ending.judgment.confidence, ending.judgment.decided_by) == (0.9, "claude")
    assert ending.judgment.evidence_refs == ("01_ticket.png",)
    assert "judgment" not in {value.field for value in expect(ending, Ending).values}


def changed(**changes):
    return replace(GOOD, **changes)


@cases(
    ("judgment", "told"),
    [
        (None, "there is no judgment; the task asks: Was it done in time?"),
        (changed(answer="perhaps"), "'perhaps' is none of yes, no, inconclusive"),
        (changed(confidence=1.2), "1.2 is not between 0 and 1"),
        (changed(confidence=float("nan")), "nan is not between 0 and 1"),
        (changed(reasoning=" yes. "), "say in at least one sentence"),
        (changed(evidence_refs=()), "name the files that show it; there are: 01_ticket.png"),
        (changed(evidence_refs=("02_checks.png",)), "there is no file '02_checks.png'; there are: 01_ticket.png"),
    ],
)
def test_what_is_wrong_is_sent_back_once_and_then_reviewed(judgment, told):
    bounce = expect(judge(judgment), Rejection)
    assert told in bounce.message
    ending = expect(judge(judgment, refused=True), Ending)
    assert (ending.status, ending.flagged) == ("needs_review", True)
    assert ending.reason == ("judgment_missing" if judgment is None else "invalid_judgment")
    assert {value.field for value in expect(ending, Ending).values if value.state == "value"} == set(VALUES)


def test_an_answer_is_taken_in_any_capitals_and_written_as_the_task_does():
    assert expect(expect(judge(changed(answer="YES")), Ending).judgment, Judgment).answer == "yes"


@cases("judgment", [changed(answer="inconclusive"), changed(confidence=0.4)])
def test_an_unsure_judgment_is_done_and_flagged(judgment):
    ending = expect(judge(judgment), Ending)
    assert (ending.status, ending.flagged) == ("done", True)


def test_a_picture_may_be_named_by_its_label_where_only_one_bears_it():
    assert expect(expect(judge(changed(evidence_refs=("ticket",))), Ending).judgment, Judgment).evidence_refs == (
        "01_ticket.png",
    )
    twice = acted(state(), picture(), shot(), "")
    done = Done(values=VALUES, refs=REFS, judgment=changed(evidence_refs=("ticket",)))
    seen = view(page(*ticket()), twice, spec=spec(**ASKS))
    assert isinstance(judge_done(seen, done)[0], Rejection)


def test_a_task_names_its_own_answers():
    assert answers_of(None) == answers_of({"answer": "  "}) == ANSWERS
    assert answers_of({"answer": "material | immaterial"}) == ("material", "immaterial")
    assert answers_of({"answer": {"enum": ["a", "b"]}}) == answers_of({"answer": ["a", "b"]}) == ("a", "b")
    only: dict[str, Any] = {"judgment_output_schema": {"answer": "pass | fail"}}
    assert expect(expect(judge(changed(answer="pass"), **only), Ending).judgment, Judgment).answer == "pass"
    assert isinstance(judge(GOOD, **only), Rejection)


def test_a_task_without_a_question_gets_no_judgment():
    ending = expect(judge(GOOD, judgment_required=False), Ending)
    assert (ending.status, ending.judgment) == ("done", None)


def test_a_picture_of_another_page_is_no_evidence():
    early = acted(AttemptState(), picture("about"), shot("about"), "")
    late = acted(shown_record(early, "proven"), picture(), shot(), "")
    seen = view(page(*ticket()), late, spec=spec(**ASKS))
    done = Done(values=VALUES, refs=REFS, judgment=changed(evidence_refs=("01_about.png", "02_ticket.png")))
    bounce = expect(judge_done(seen, done)[0], Rejection)
    assert "01_about.png was captured before the record was proven" in bounce.message
