"""What a control does to the record of a run's controls, and when it is refused."""

from __future__ import annotations

from datetime import UTC, datetime

from services.discovery.steering.controls import applied, control_of_round, known_control
from shared.contracts.outages import Outage
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.sessions.control import (
    AnswerUser,
    AskUser,
    CloseRun,
    Control,
    ControlRefused,
    ControlRun,
    InterruptRun,
    PauseRun,
    ResumePaused,
    RunControl,
    SendText,
)
from tests.cases import cases
from tests.typed import expect

NOW = datetime(2026, 11, 23, 14, tzinfo=UTC)
NEW = RunControl(attempt_base=0)
WHICH = Question(text="Which one?", options=("first", "second"))
MANY = Question(text="Which ones?", options=("a", "b", "c"), multi_select=True)


def after(record: RunControl, *controls: Control) -> RunControl | ControlRefused:
    state: RunControl | ControlRefused = record
    for control in controls:
        state = expect(state, RunControl)
        state = applied(state, ControlRun(run_id="r", control_id=f"c{state.count}", control=control, by="ann"), NOW)  # type: ignore[arg-type]
    return state


def test_a_pause_has_a_key_that_a_second_pause_keeps_and_resume_ends():
    paused = expect(after(NEW, PauseRun(), PauseRun()), RunControl)
    assert (paused.paused_key, paused.count) == ("c0", 2)
    resumed = expect(after(paused, ResumePaused(paused_key="c0")), RunControl)
    assert resumed.paused_key == ""
    assert [one.paused_key for one in resumed.last] == ["c0", "c0", "c0"]
    assert [one.number for one in resumed.last] == [1, 2, 3]


def test_a_pause_for_an_outage_is_taken_once_and_ends_with_its_cause():
    outage = Outage(kind="site", where="a.test", code="unreachable")
    paused = expect(after(NEW, PauseRun(), PauseRun(outage=outage)), RunControl)
    assert (paused.paused_key, paused.outage, paused.paused_at) == ("c0", outage, NOW)
    assert expect(after(paused, PauseRun(outage=outage)), ControlRefused).code == "paused_already"
    assert expect(after(paused, PauseRun()), RunControl).outage == outage
    resumed = expect(after(paused, ResumePaused()), RunControl)
    assert (resumed.paused_key, resumed.outage, resumed.paused_at) == ("", None, None)
    closed = expect(after(paused, CloseRun()), RunControl)
    assert (closed.paused_key, closed.outage) == ("", outage), "what ends then says why"
    assert expect(after(closed, PauseRun(outage=outage)), ControlRefused).code == "paused_already"


@cases(
    ("controls", "code"),
    [
        ((ResumePaused(),), "not_paused"),
        ((PauseRun(), ResumePaused(paused_key="other")), "other_pause"),
        ((SendText(text=" "),), "not_valid"),
        ((SendText(text="x" * 3000),), "not_valid"),
        ((AskUser(key="k", questions=()),), "not_valid"),
        ((AskUser(key="k", questions=(WHICH,) * 5),), "not_valid"),
        ((AskUser(key="k", questions=(Question(text="?", options=("one",)),)),), "not_valid"),
        ((AskUser(key="k", questions=(Question(text="?", options=("a", "b", "c", "d", "e")),)),), "not_valid"),
        ((AskUser(key="k", questions=(Question(text="?", options=("a", "a")),)),), "not_valid"),
        ((AskUser(key="k", questions=(WHICH,)), AskUser(key="k", questions=(WHICH,))), "not_valid"),
        ((AnswerUser(key="k", answers=()),), "no_such_question"),
    ],
)
def test_what_does_not_fit_is_refused(controls, code):
    assert expect(after(NEW, *controls), ControlRefused).code == code


@cases(
    ("answer", "fits"),
    [
        (QuestionAnswer(question="Which one?", chosen=("first",)), True),
        (QuestionAnswer(question="Which one?", text="neither"), True),
        (QuestionAnswer(question="Which one?", chosen=("first", "second")), False),
        (QuestionAnswer(question="Which one?", chosen=("third",)), False),
        (QuestionAnswer(question="Which one?"), False),
        (QuestionAnswer(question="Another?", chosen=("first",)), False),
    ],
)
def test_an_answer_fits_its_question(answer, fits):
    asked = expect(after(NEW, AskUser(key="k", questions=(WHICH,))), RunControl)
    answered = after(asked, AnswerUser(key="k", answers=(answer,)))
    if fits:
        assert expect(answered, RunControl).open_questions == ()
    else:
        assert expect(answered, ControlRefused).code == "not_valid"


def test_several_options_are_chosen_where_the_question_allows_it():
    asked = expect(after(NEW, AskUser(key="k", questions=(WHICH, MANY))), RunControl)
    answers = (
        QuestionAnswer(question="Which one?", chosen=("first",)),
        QuestionAnswer(question="Which ones?", chosen=("a", "c")),
    )
    assert expect(after(asked, AnswerUser(key="k", answers=answers)), RunControl).open_questions == ()
    assert expect(after(asked, AnswerUser(key="k", answers=answers[::-1])), ControlRefused).code == "not_valid"


def test_an_interrupt_or_a_close_ends_a_pause():
    assert expect(after(NEW, PauseRun(), InterruptRun()), RunControl).paused_key == ""
    closed = expect(after(NEW, PauseRun(), CloseRun()), RunControl)
    assert (closed.paused_key, closed.closing, closed.interrupted) == ("", True, False)


def test_a_new_round_is_not_held_by_the_controls_of_the_last_and_counts_on():
    old = expect(after(NEW, InterruptRun()), RunControl)
    assert control_of_round(old, 3) == RunControl(attempt_base=3, count=1)
    assert control_of_round(old, 0) == old


def test_a_request_that_is_sent_again_is_known():
    record = expect(after(NEW, PauseRun()), RunControl)
    assert known_control(record, "c0") is not None
    assert known_control(record, "c1") is None
