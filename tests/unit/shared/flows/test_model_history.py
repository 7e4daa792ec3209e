"""What a model is shown of a long session: everything that people have said, and a start that stays the same."""

from __future__ import annotations

from services.planner.model_tasks.building import history_line, history_texts
from shared.contracts.building import DecideBuild
from shared.contracts.questions import QuestionAnswer
from shared.contracts.workflows.build_events import (
    AGENT,
    ActionRecorded,
    BuildEvent,
    MessageWritten,
    ModelDecided,
    QuestionsAnswered,
    event_line,
)
from shared.flows.building.model_history import history_for_model, said_chars

AT = "2026-11-29T10:00:00.000+00:00"
BOUND = 4_000
TASK = MessageWritten(at=AT, by="ann", text=f"Open the ticket{' and read it' * 100}, to the last word")
LATER = MessageWritten(at=AT, by="ann", text="not that one, the one below")
GIVEN = QuestionsAnswered(at=AT, answers=(QuestionAnswer(question="Which?", text="the second"),))


def act(number: int) -> ActionRecorded:
    return ActionRecorded(at=AT, todo=1, step=number, action="click", by=AGENT, message=f"clicked {number}")


def session(acts: int) -> list[BuildEvent]:
    first, second = [act(n) for n in range(acts // 2)], [act(n) for n in range(acts // 2, acts)]
    spoken = MessageWritten(at=AT, by=AGENT, text="Which of the two is meant?")
    return [TASK, *first, spoken, GIVEN, LATER, ModelDecided(at=AT, model="m"), *second]


def asked(history: tuple[BuildEvent, ...], left_out: int = 0) -> DecideBuild:
    return DecideBuild(spec={}, row={}, todos=(), current=0, history=history, left_out=left_out)


def test_what_people_have_said_is_never_left_out_and_the_last_acts_are_there():
    history, left_out = history_for_model(session(200), BOUND)
    assert [one for one in history if not isinstance(one, ActionRecorded)] == [TASK, GIVEN, LATER]
    acts = [one.step for one in history if isinstance(one, ActionRecorded)]
    assert acts == list(range(acts[0], 200))
    assert left_out == 200 - len(acts) + 1, "the model's own question too"
    assert BOUND // 4 < sum(len(event_line(act(n))) for n in acts) <= BOUND


def test_a_short_session_is_shown_whole():
    history, left_out = history_for_model(session(4), BOUND)
    assert (len(history), left_out) == (8, 0)


def test_what_was_shown_before_is_the_start_of_what_is_shown_next():
    events, changes = session(300), 0
    before: tuple[BuildEvent, ...] = ()
    for count in range(len(events) + 1):
        now, _ = history_for_model(events[:count], BOUND)
        changes += now[: len(before)] != before
        before = now
    assert 0 < changes < 20
    parts = history_texts(asked(tuple(events)))
    assert len(parts) > 2
    assert history_texts(asked((*events, act(301))))[: len(parts) - 1] == parts[:-1]


def test_a_message_of_a_person_is_shown_to_its_last_word():
    assert history_line(TASK).endswith("to the last word")
    assert said_chars(session(2)) == len(TASK.text) + len(LATER.text)


def test_that_something_is_left_out_is_said():
    assert "7 earlier events are left out" in history_texts(asked((TASK,), left_out=7))[0]
