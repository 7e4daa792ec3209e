"""Turns of a model-like driver: calls, refusals, screenshots, budgets; the state is restored from the step log."""

from __future__ import annotations

import pytest

from services.planner.drivers.registry import RulesDriver
from shared.contracts.actions import (
    AskPicture,
    ByCss,
    ByRef,
    ByText,
    Click,
    Done,
    Download,
    Extract,
    Fail,
    Press,
    SaveProgress,
    Screenshot,
    Scroll,
    TypeText,
)
from shared.contracts.base import Usage
from shared.contracts.steps import ObservationRef
from shared.contracts.vision import VisionAnswered
from shared.errors import TransientError, Unavailable
from shared.streams import SPENDING
from tests.handlers.planner.planner_bench import RUN, bench_of
from tests.handlers.planner.scripted_driver import ScriptedDriver, told
from tests.handlers.planner.scripted_vision import eye_of, seen
from tests.step_logs import logged
from tests.typed import expect
from tests.unit.planner.planner_pages import box, cell, el, heading, page, text, ticket


def form(*values):
    return page(
        *(el("textbox", name, value=value) for name, value in zip(("Name", "Town", "Zip"), values, strict=True))
    )


def on(ref: int, snapshot: str = "s1") -> ByRef:
    return ByRef(ref=ref, snapshot_id=snapshot)


async def test_several_calls_of_one_answer_are_each_a_step_and_observed_in_between():
    calls = tuple(TypeText(target=on(at), text="x", reason="r") for at in (1, 2, 3))
    one = bench_of(form("", "", ""), form("x", "", ""), form("x", "x", ""), driver=told(calls, Fail(code="other")))
    await one.run()
    typed = [action for action in one.scripted.actions if isinstance(action, TypeText)]
    assert [(expect(action.target, ByRef).ref, expect(action.target, ByRef).snapshot_id) for action in typed] == [
        (1, "s1"),
        (2, "s2"),
        (3, "s3"),
    ]
    steps = [step for step in one.steps if isinstance(step.action, TypeText)]
    assert [(step.call, step.usage.llm_calls) for step in steps] == [(1, 1), (2, 0), (3, 0)]
    assert [expect(step.observation, ObservationRef).snapshot_id for step in steps] == ["s1", "s2", "s3"]
    assert all(step.remark == "" for step in steps)


async def test_a_later_call_means_what_it_meant_on_the_page_it_was_chosen_on():
    """Each call adds elements before the rest, so that all numbers move twice."""
    fields = [el("textbox", name) for name in ("Name", "Town", "Zip")]
    pages = [
        page(*fields),
        page(fields[0], text("hint"), *fields[1:]),
        page(*fields[:2], text("a"), text("b"), fields[2]),
    ]
    calls = (TypeText(target=on(1), text="x"), TypeText(target=on(2), text="y"), TypeText(target=on(3), text="z"))
    one = bench_of(*pages, driver=told(calls, Fail(code="other")))
    await one.run()
    typed = [action for action in one.scripted.actions if isinstance(action, TypeText)]
    assert [(action.text, expect(action.target, ByRef).ref) for action in typed] == [("x", 1), ("y", 3), ("z", 5)]


async def test_when_the_page_changes_under_them_the_rest_is_not_carried_out_and_the_model_is_told():
    calls = (TypeText(target=on(1), text="x"), Click(target=on(2)))
    driver = told(calls, Fail(code="other"))
    one = bench_of(form("", "", ""), page(heading("Thank you")), driver=driver)
    await one.run()
    assert not any(isinstance(action, Click) for action in one.scripted.actions)
    assert "not carried out" in one.steps[1].remark
    last = driver.views[2].state.last
    assert last is not None
    assert last.remark == one.steps[1].remark


async def test_pictures_and_done_of_the_same_page_may_come_in_one_answer():
    done = Done(values={"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "Mar 3, 2026"})
    one = bench_of(page(*ticket()), driver=told((Screenshot(label="ticket"), done)))
    finished = await one.run()
    assert (finished.status, finished.steps, finished.usage.llm_calls) == ("done", 3, 2)


async def test_the_last_step_is_for_an_end_and_is_given_once_more():
    driver = told(Scroll(), Scroll(), Fail(code="blocked", note="no way in"))
    one = bench_of(page(*ticket()), driver=driver, max_steps=3, outage={"samples": 0})
    finished = await one.run()
    assert (finished.status, finished.reason, finished.steps) == ("failed", "blocked", 4)
    assert [step.refused for step in one.steps] == [False, False, True, False]
    assert sum(isinstance(action, Scroll) for action in one.scripted.actions) == 1
    stubborn = await bench_of(page(*ticket()), driver=told(Scroll(), Scroll()), max_steps=3).run()
    assert (stubborn.reason, stubborn.steps) == ("max_steps_exceeded", 4)


async def test_a_model_that_stalls_is_told_three_times_then_held_and_then_ended():
    driver = told(Click(target=ByText(text="Refresh")))
    one = bench_of(page(*ticket(), el("button", "Refresh")), driver=driver, max_steps=60)
    finished = await one.run()
    assert finished.reason == "stagnated"
    notices = [step.notices for step in one.steps]
    levels = [at for at, told_then in enumerate(notices, 1) if any("brought nothing new" in n for n in told_then)]
    assert [at - levels[0] for at in levels] == [0, 2, 5, 6]
    assert [step.refused for step in one.steps][-2:] == [True, True]


async def test_a_done_that_is_not_good_enough_on_the_last_step_goes_to_a_person():
    done = Done(values={"ticket_number": "TCK-1001", "assignee": "Ann Lee"})
    finished = await bench_of(page(*ticket()), driver=told(done), max_steps=2).run()
    assert (finished.status, finished.reason) == ("needs_review", "missing_fields")


# --- pictures


ICON = {"output_schema": {"ticket_number": "string", "state": "string | null"}, "required_fields": ["state"]}
ICON_PAGE = page(heading("TCK-1001"), el("img", "build", tag="svg"))


async def test_a_picture_is_taken_asked_about_and_said_in_one_step():
    asks = AskPicture(question="Is the icon beside build a pass?", target=on(2), field="state")
    done = Done(values={"ticket_number": "TCK-1001", "state": "failed"}, refs={"ticket_number": 1})
    one = bench_of(ICON_PAGE, driver=told(asks, done), required_artifacts=[], **ICON)
    eye = eye_of(one, seen("failed"))
    finished = await one.run()
    step = one.steps[1]
    assert isinstance(step.vision, VisionAnswered)
    assert (step.vision.answer, step.usage.llm_calls, step.usage.cost_usd) == ("failed", 2, 0.012)
    assert "The picture says 'failed' (confidence 0.90, read by eye)" in step.message
    assert eye.asked[0].question == "Is the icon beside build a pass?"
    assert "build" in eye.asked[0].hints
    assert (finished.status, finished.usage.llm_calls) == ("done", 4)
    assert [(v.value, v.origin) for v in finished.values if v.field == "state"] == [("failed", "vision")]


async def test_the_words_of_other_rows_are_no_witness_for_an_icon():
    rows = [
        (el("img", look, tag="svg", look=0 if look else 1, box=box(0, y, 16, 16)), text(name, box=box(30, y)))
        for look, name, y in (("Failed", "lint", 0), ("", "build", 40), ("Skipped", "docs", 80))
    ]
    asks = AskPicture(question="What state does the icon show?", target=on(4), field="state")
    done = Done(values={"ticket_number": "TCK-1001", "state": "failed"}, refs={"ticket_number": 1})
    seen_page = page(heading("TCK-1001"), *(one for row_ in rows for one in row_))
    one = bench_of(seen_page, driver=told(asks, done), required_artifacts=[], **ICON)
    eye = eye_of(one, seen("failed"))
    await one.run()
    assert eye.asked[0].hints == ("build",)


async def test_what_no_picture_said_is_not_believed():
    asks = AskPicture(question="Is the icon beside build a pass?", target=on(2), field="state")
    done = Done(values={"ticket_number": "TCK-1001", "state": "passed"}, refs={"ticket_number": 1})
    one = bench_of(ICON_PAGE, driver=told(asks, done), required_artifacts=[], **ICON)
    eye_of(one, seen("failed"))
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "unconfirmed_values")


async def test_a_picture_of_a_question_is_no_evidence_of_the_record():
    asks = AskPicture(question="Is the icon a pass?", field="state")
    one = bench_of(ICON_PAGE, driver=told(asks, Fail(code="other")), required_artifacts=["screenshot"], **ICON)
    eye_of(one, seen("failed"))
    await one.run()
    assert isinstance(one.driver, ScriptedDriver)
    assert one.driver.views[-1].state.proven_artifacts() == ()
    assert [filed.artifact.label for filed in expect(one.driver, ScriptedDriver).views[-1].state.artifacts] == [
        "vision_1"
    ]


@pytest.mark.parametrize("broken", [None, Unavailable("nobody there"), ValueError("a bug")])
async def test_without_an_answer_the_work_goes_on(broken):
    asks = AskPicture(question="Is the icon a pass?", field="state")
    one = bench_of(ICON_PAGE, driver=told(asks, Fail(code="blocked", note="x")), **ICON)
    if broken is not None:
        eye_of(one, broken)
    finished = await one.run()
    assert finished.reason == "blocked"
    assert "could not be asked about" in one.steps[1].message


async def test_where_the_structure_does_not_tell_a_missing_field_is_asked_for_by_rule():
    unsure = page(heading("TCK-1001"), el("canvas", "", tag="canvas"), dom_confidence=0.4, triggers=("canvas",))
    one = bench_of(unsure, driver=told(Fail(code="other", note="x")), **ICON)
    eye = eye_of(one, seen(None))
    await one.run()
    assert [request.field for request in eye.asked] == ["state"]
    assert '"state"' in eye.asked[0].question
    by_rule = next(step for step in one.steps if isinstance(step.action, AskPicture))
    assert by_rule.decided_by == "rules"


async def test_the_icon_of_a_row_is_asked_about():
    table = [
        el("columnheader", "Attribute", tag="th", row=1, column=0),
        el("columnheader", "Value", tag="th", row=1, column=1),
        cell("Attribute", "State", 2, column=0),
        el("img", "icon times-circle", tag="i", header="Value", row=2, column=1),
        cell("Attribute", "Owner", 3, column=0),
        cell("Value", "Ann Lee", 3, column=1),
    ]
    fields = {"ticket_number": "string", "state": "string | null", "owner": "string"}
    task = {"output_schema": fields, "required_fields": ["state"], "required_artifacts": []}
    one = bench_of(page(heading("TCK-1001"), *table), driver=RulesDriver(), **task)
    eye = eye_of(one, seen("failed"))
    await one.run()
    assert [request.field for request in eye.asked] == ["state"]


async def test_a_missing_field_in_whose_place_an_icon_stands_says_so():
    icon = el("img", "icon check", tag="i", header="State")
    task = {**ICON, "required_artifacts": [], "vision": "off"}
    finished = await bench_of(page(heading("TCK-1001"), icon), driver=RulesDriver(), **task).run()
    assert (finished.status, finished.reason) == ("needs_review", "missing_fields")
    assert "state (the page shows an icon there: an `enum`" in finished.message


NOT_ASKED = {
    "another record": (
        page(
            heading("TCK-1001"),
            *(el("columnheader", name, tag="th", row=1, column=at) for at, name in enumerate(("Title", "State"))),
            cell("Title", "Other", 2, column=0),
            el("img", "icon check", tag="i", header="State", row=2, column=1),
        ),
        {},
    ),
    "history": (page(heading("TCK-1001"), el("img", "icon check", tag="i", header="State", past=True)), {}),
    "the task says so": (page(heading("TCK-1001"), dom_confidence=0.4), {"vision": "off"}),
}


@pytest.mark.parametrize(("shown", "task"), NOT_ASKED.values(), ids=NOT_ASKED)
async def test_no_picture_is_asked_about(shown, task):
    one = bench_of(shown, **{**ICON, "required_artifacts": [], **task})
    eye = eye_of(one, seen("passed"))
    await one.run()
    assert eye.asked == []


# --- budgets


async def test_the_budget_of_a_sample_stops_it_and_keeps_what_was_found():
    saves = SaveProgress(values={"assignee": "Ann Lee"}, refs={"assignee": 3})
    one = bench_of(page(*ticket()), driver=told(saves, Extract(target=on(1))), budget={"sample_usd": 0.02})
    finished = await one.run()
    assert (finished.status, finished.reason) == ("partial_success", "budget_exceeded")
    assert "$0.0200 of $0.02 are spent" in finished.message
    assert finished.usage.llm_calls == 2
    assert {v.field: v.value for v in finished.values}["assignee"] == "Ann Lee"


async def test_the_budget_of_a_run_is_over_all_its_samples():
    budget = {"run_tokens": 3000}
    one = bench_of(page(*ticket()), driver=told(Fail(code="other", note="x")), budget=budget)
    first = await one.run()
    assert first.reason == "gave_up"
    spent = await one.bus.read(SPENDING, RUN, Usage)
    assert isinstance(spent, Usage)
    assert (spent.llm_calls, spent.input_tokens) == (2, 2000)
    one.driver = told(Scroll(), Scroll(), Scroll())
    second = await one.run()
    assert (second.status, second.reason, second.fault) == ("failed", "run_budget_exceeded", "us")
    assert "of 3000 tokens are used" in second.message
    assert (expect(await one.bus.read(SPENDING, RUN, Usage), Usage)).llm_calls == 3


async def test_an_answer_is_paid_for_though_its_action_never_came_back():
    one = bench_of(page(*ticket()), driver=told(Click(target=on(1))))
    one.scripted.breaks = {2: Unavailable("the pool is gone")}
    with pytest.raises(TransientError):
        await one.run()
    spent = await one.bus.read(SPENDING, RUN, Usage)
    assert isinstance(spent, Usage)
    assert (spent.llm_calls, len(one.steps)) == (2, 1)


async def test_a_spent_budget_asks_about_no_picture_either():
    icon = (el("term", "State", tag="dt"), el("img", tag="svg", look=1, header="State"))
    task = {**ICON, "required_artifacts": [], "budget": {"run_usd": 0.001}}
    one = bench_of(page(heading("TCK-1001"), *icon), driver=RulesDriver(), **task)
    eye = eye_of(one, seen("failed"))
    await one.run()
    await one.run(sample_id="TCK-1001-again")
    assert len(eye.asked) == 1


# --- what cannot be taken back

SENDS = {"route": [{"press": "Send request", "irreversible": True}], "identity": {}, "required_artifacts": []}


def sending(**changes):
    return page(heading("Review"), el("button", "Send request", tag="button"), **changes)


async def test_a_model_presses_once_and_is_told_that_it_did():
    press = Click(target=on(2))
    driver = told(press, Click(target=ByText(text="send request:")), Fail(code="unknown_outcome", note="?"))
    one = bench_of(sending(), driver=driver, **SENDS)
    finished = await one.run()
    assert sum(isinstance(action, Click) for action in one.scripted.actions) == 1
    # The model marks no step of the route; the log says all the same that its press was claimed.
    [pressed] = [step for step in one.steps if step.claimed]
    assert (pressed.route, pressed.claimed, pressed.action) == (None, 1, one.steps[1].action)
    assert logged(pressed).claimed == 1
    assert one.steps[2].refused
    assert "is not pressed again" in one.steps[2].message
    assert (finished.status, finished.reason) == ("needs_review", "unknown_outcome")


async def test_another_attempt_does_not_press_what_an_earlier_one_may_have_pressed():
    one = bench_of(sending(), driver=told(Click(target=on(2)), Fail(code="other", note="x")), **SENDS)
    await one.run(attempt=1)
    one.driver = told(Click(target=on(2)))
    finished = await one.run(attempt=2)
    assert (finished.status, finished.reason, finished.steps) == ("needs_review", "unknown_outcome", 1)
    assert sum(isinstance(action, Click) for action in one.scripted.actions) == 1


BY_CSS = Click(target=ByCss(css="button"))
ENTER = Press(keys="Enter", target=ByText(text="Send request"))
AGAIN = {
    "by css": (BY_CSS, 0),
    "by a key": (ENTER, 0),
    "by a blank, wherever the focus is": (Press(keys="Space"), 0),
    "by a part of its words": (Click(target=ByText(text="Send req")), 1),
    "by more than its words": (Click(target=ByText(text="Send request now")), 1),
    "for a step of the model's own": (Click(target=on(2), reason="Route step 9: I send it."), 1),
    "to see what comes down": (Download(target=on(2)), 1),
}


@pytest.mark.parametrize(("way", "times"), AGAIN.values(), ids=AGAIN)
@pytest.mark.parametrize("after", [(), (Click(target=on(2)),)], ids=["first", "after a press"])
async def test_no_way_of_saying_it_presses_twice(way, times, after):
    """The page calls its button by more words than the route."""
    shown = page(heading("Review"), el("button", "Send request now", tag="button"))
    one = bench_of(shown, driver=told(*after, way, way, way, Fail(code="other", note="x")), **SENDS)
    await one.run(attempt=1)
    one.driver = told(way, way, Fail(code="other", note="x"))
    await one.run(attempt=2)
    pressed = [action for action in one.scripted.actions if isinstance(action, Click | Press | Download)]
    assert len(pressed) == (1 if after else times)


async def test_what_is_called_like_another_step_is_not_the_button():
    """Opening a form is no press of the button that sends it, though its words stand in both."""
    shown = page(el("button", "Send request form", tag="button"), el("button", "Send request", tag="button"))
    route = {**SENDS, "route": [{"press": "Send request form"}, *SENDS["route"]]}
    driver = told(Click(target=on(1)), Click(target=on(2)), Fail(code="other", note="x"))
    one = bench_of(shown, driver=driver, **route)
    await one.run()
    assert sum(isinstance(action, Click) for action in one.scripted.actions) == 2


async def test_a_press_behind_other_calls_waits_for_a_look_at_the_page():
    driver = told((Extract(target=on(1)), Click(target=on(2))), Fail(code="other", note="x"))
    one = bench_of(sending(), driver=driver, **SENDS)
    await one.run()
    assert not any(isinstance(action, Click) for action in one.scripted.actions)
    assert "pressed by an answer of its own" in one.steps[1].remark
