"""Detection of missing progress, and the driver's message about it."""

from __future__ import annotations

from typing import Literal

from services.planner.judge.gates import limit_reached, refusal
from services.planner.state.attempt_state import AttemptState, Ending, SampleView
from services.planner.state.limits import (
    CHANGE_AT,
    END_AT,
    NUDGE_AT,
    STOP_AT,
    is_last_step,
    page_signature,
)
from services.planner.state.transitions import after_observation, after_step
from shared.contracts.actions import ByText, Click, Done, Fail, SaveProgress, TypeText
from shared.contracts.results import TargetFound, TextRead
from shared.contracts.steps import FieldValue, ObservationRef
from shared.task.spec import TaskSpec
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import URL, done_result, el, page, sample, shot, spec, step, text

CLICK = Click(target=ByText(text="More"), reason="to see more")


def ref(
    mark: str = "same", proof: Literal["proven", "mismatch", "unproven"] = "proven", url: str = URL
) -> ObservationRef:
    return ObservationRef(
        snapshot_id="s",
        sha256="ab",
        url=url,
        title="",
        http_status=200,
        dom_confidence=1.0,
        signature=mark,
        proof=proof,
    )


def found(name: str) -> TargetFound:
    return TargetFound(role="button", name=name, tag="button", fingerprint=f"print-{name}")


def turns(*marks: str, task: TaskSpec | None = None, action=CLICK, result=None) -> list[AttemptState]:
    """The state before each decision, where the page looked like this before each, and nothing else came of it."""
    state, states = AttemptState(), []
    for mark in marks:
        state = after_observation(state, task or spec(max_steps=100), ref(mark))
        states.append(state)
        state = after_step(state, step(state, action, result or done_result(), observation=ref(mark)))
    return states


def test_all_three_levels_come_in_one_unbroken_stall_and_none_resets_the_count():
    states = turns(*["same"] * (END_AT + 1))
    told = {at: states[at].notices for at in range(len(states))}
    assert [at for at in told if "brought nothing new" in " ".join(told[at])] == [NUDGE_AT, CHANGE_AT, END_AT]
    assert "the last 3 steps" in " ".join(told[3])
    assert (NUDGE_AT, CHANGE_AT, END_AT) == (3, 5, 8)
    assert "CHANGE YOUR STRATEGY NOW" in " ".join(told[5])
    assert "MUST call done or fail" in " ".join(told[8])
    assert [state.progress.stalled for state in states] == list(range(END_AT + 1))


def test_a_new_page_or_a_new_value_starts_anew():
    assert turns("a", "a", "a", "b")[-1].progress.stalled == 0
    state = turns("a", "a", "a")[-1]
    value = FieldValue(field="assignee", state="value", value="Ann", shown="Ann")
    saves = SaveProgress(values={"assignee": "Ann"})
    state = after_step(state, step(state, saves, values=(value,), observation=ref("a")))
    assert after_observation(state, spec(), ref("a")).progress.stalled == 0


@cases("result", [shot("another"), done_result(effect=TextRead(text="something new"))])
def test_a_file_and_a_text_are_progress_once(result):
    state = turns("a", "a")[-1]
    counts = []
    for _ in range(2):
        state = after_step(state, step(state, CLICK, result, observation=ref("a")))
        state = after_observation(state, spec(), ref("a"))
        counts.append(state.progress.stalled)
    assert counts == [0, 1]


def test_going_to_and_fro_between_known_pages_is_no_progress():
    assert turns("a", "b", "a", "b", "a", "b")[-1].progress.stalled == 4


def test_a_refused_answer_is_no_progress():
    state = turns("a")[-1]
    state = after_step(state, step(state, Done(values={}), refused=True, observation=ref("a")))
    assert after_observation(state, spec(), ref("a")).progress.stalled == 1


def test_looking_twice_counts_once():
    state = turns("a", "a", "a", "a")[-1]
    assert after_observation(after_observation(state, spec(), ref("a")), spec(), ref("a")) == state


def test_the_same_to_the_same_on_the_same_page_is_noticed_and_four_fields_are_not_the_same():
    repeated = turns("a", "a", "a", "a", result=done_result(target=found("More")))
    assert any(notice.startswith("[NOTICE]") and "click" in notice for notice in repeated[-1].notices)
    assert not any("[NOTICE]" in notice for notice in repeated[-2].notices)
    state = AttemptState()
    for name in ("First", "Last", "Street", "Town"):
        state = after_observation(state, spec(max_steps=100), ref("form"))
        action = TypeText(target=ByText(text=name), text="x")
        state = after_step(state, step(state, action, done_result(target=found(name)), observation=ref("form")))
    assert not any(
        "[NOTICE]" in notice for notice in after_observation(state, spec(max_steps=100), ref("form")).notices
    )


def test_warnings_of_the_budget_come_once_each():
    states = turns(*(f"page {at}" for at in range(20)), task=spec(max_steps=20))
    warned = {at: state.notices for at, state in enumerate(states) if state.notices}
    assert list(warned) == [15, 18]
    assert warned[15][0].startswith("75 % of the steps are used: 5 of 20 are left")
    assert warned[18][0].startswith("90 % of the steps are used: 2 of 20 are left")


def test_of_two_warnings_at_the_same_time_the_later_is_told():
    states = turns("a", "b", "c", task=spec(max_steps=3))
    assert [len(state.notices) for state in states] == [0, 0, 0]
    four = turns("a", "b", "c", "d", task=spec(max_steps=4))
    assert four[3].notices[0].startswith("75 %")


def test_three_failures_in_a_row_are_told_with_where_to_look():
    failed = done_result(ok=False, code="not_found")
    states = turns("a", "b", "c", "d", result=failed)
    assert [any("actions failed" in notice for notice in state.notices) for state in states] == [False] * 3 + [True]


def test_what_was_told_stays_with_the_step_it_was_told_after():
    states = turns(*["same"] * 5)
    told = [at for at, entry in enumerate(states[-1].history, 1) if entry.notices]
    assert told[0] == NUDGE_AT


# --- what follows


def view_of(state: AttemptState, **changes) -> SampleView:
    return SampleView(spec(**{"max_steps": 100, **changes}), sample(), state, page())


def test_in_the_end_only_an_end_is_open_to_a_model():
    stalled = turns(*["same"] * (END_AT + 1))[-1]
    assert "only done or fail" in refusal(view_of(stalled), CLICK, by_rule=False)
    assert refusal(view_of(stalled), CLICK, by_rule=True) == ""
    assert refusal(view_of(stalled), Fail(code="other"), by_rule=False) == ""
    assert refusal(view_of(turns(*["same"] * END_AT)[-1]), CLICK, by_rule=False) == ""


def test_a_stall_that_goes_on_ends_thesample():
    assert limit_reached(view_of(turns(*["same"] * STOP_AT)[-1]), 0.0) is None
    assert expect(limit_reached(view_of(turns(*["same"] * (STOP_AT + 1))[-1]), 0.0), Ending).reason == "stagnated"


def test_the_last_step_refuses_other_calls_once_and_then_ends():
    task = spec(max_steps=2)
    state = turns("a", "b", task=task)[-1]
    now = SampleView(task, sample(), state, page())
    assert is_last_step(now)
    assert "last step" in refusal(now, CLICK, by_rule=False)
    state = after_step(state, step(state, CLICK, refused=True, observation=ref("b")))
    again = SampleView(task, sample(), state, page())
    assert is_last_step(again)
    assert limit_reached(again, 0.0) is None
    state = after_step(state, step(state, CLICK, refused=True, observation=ref("b")))
    assert expect(limit_reached(SampleView(task, sample(), state, page()), 0.0), Ending).reason == "max_steps_exceeded"


# --- the signature of a page


def test_filling_and_scrolling_are_another_page_and_a_ticking_clock_is_not():
    one = page(text("Due"), el("textbox", "Name", value=""))
    assert page_signature(one) == page_signature(page(text("Due"), el("textbox", "Name", value=""), snapshot_id="s2"))
    assert page_signature(one) != page_signature(page(text("Due"), el("textbox", "Name", value="Ann")))
    assert page_signature(one) != page_signature(page(text("Due"), el("textbox", "Name", value=""), scroll_y_px=600.0))
    assert page_signature(one) != page_signature(
        page(text("Due"), el("textbox", "Name", value=""), url=URL + "?page=2")
    )
    assert page_signature(page(text("now 10:31:07"))) == page_signature(page(text("now 10:31:08")))
    assert page_signature(page(text("saved 3 seconds ago"))) == page_signature(page(text("saved 12 seconds ago")))
    assert page_signature(page(text("Page 1"))) != page_signature(page(text("Page 2")))


# --- several calls of one answer


def answers(calls: int, count: int, task: TaskSpec) -> list[tuple[str, ...]]:
    """What is told before each answer, where each has so many calls and nothing comes of any."""
    state, told = AttemptState(), []
    for _ in range(count):
        state = after_observation(state, task, ref("same"))
        told.append(state.notices)
        for call in range(1, calls + 1):
            state = after_step(state, step(state, CLICK, done_result(), observation=ref("same"), call=call))
            state = after_observation(state, task, ref("same"))
    return told


@cases("calls", [1, 2, 3])
def test_all_levels_and_warnings_reach_a_driver_whatever_an_answer_holds(calls):
    told = [" ".join(notices) for notices in answers(calls, 39 // calls, spec(max_steps=40))]
    first = {
        word: next(at for at, notices in enumerate(told) if word in notices)
        for word in ("CHANGE YOUR STRATEGY NOW", "MUST call done or fail", "75 %", "90 %")
    }
    assert list(first.values()) == [-(-steps // calls) for steps in (CHANGE_AT, END_AT, 30, 36)]
    nudged = [at for at, notices in enumerate(told) if "Notice that" in notices]
    assert nudged == [-(-NUDGE_AT // calls)]


def test_what_was_saved_before_is_no_progress_and_is_told_so():
    value = FieldValue(field="assignee", state="value", value="Ann", shown="Ann")
    saves = SaveProgress(values={"assignee": "Ann"})
    state, told = AttemptState(), []
    for _ in range(2):
        state = after_observation(state, spec(), ref("a"))
        state = after_step(state, step(state, saves, values=(value,), observation=ref("a")))
        state = after_observation(state, spec(), ref("a"))
        told.append(any("save_progress kept nothing" in notice for notice in state.notices))
    assert told == [False, True]
