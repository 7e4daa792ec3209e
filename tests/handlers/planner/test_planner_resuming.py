"""A sample that is cut off after any step and delivered again: nothing is paid twice, and the result is the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from services.planner.handlers import work_sample
from services.planner.state.attempt_state import Act, SampleView
from services.planner.state.recalling import steps_to_recall
from shared.contracts.actions import AskPicture, ByRef, ByText, Click, Done, Fail, SaveProgress, Screenshot, Scroll
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import StepTaken, Summary
from shared.streams import SPENDING
from shared.subjects import STEP_TAKEN
from tests.handlers.planner.planner_bench import Bench, bench_of, values_of, work
from tests.handlers.planner.scripted_driver import SPENT, ScriptedDriver, told
from tests.handlers.planner.scripted_vision import Eye, eye_of, seen
from tests.typed import expect
from tests.unit.planner.planner_pages import NOW, URL, el, heading, page, row, ticket

DATES, SENT = URL + "/dates", URL + "/sent"
FIRST = page(heading("TCK-1001: Printer"), *row("Assignee", "Ann Lee"), el("link", "Dates"), el("button", "Refresh"))
SECOND = page(heading("TCK-1001: Dates"), *row("Due date", "Mar 3, 2026"), el("img", "state", tag="svg"))
READ = {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "2026-03-03"}
STEPS = 12


class CutOffError(BaseException):
    """The end of a process: nothing catches it."""


@dataclass
class Cut:
    """Publishes steps up to a number, and then the process ends."""

    bench: Bench
    after: int
    published: int = 0

    async def publish(self, subject: Any, message: Any) -> None:
        await self.bench.bus.publish(subject, message)
        if subject is STEP_TAKEN:
            self.published += 1
            if self.published == self.after:
                raise CutOffError


def on(ref: int) -> ByRef:
    return ByRef(ref=ref, snapshot_id="s1")


def by_model() -> tuple[Bench, Eye]:
    """Twelve steps over two pages, with a refused end, an answer that cannot be used, and a question about a
    picture."""
    answers: list[Any] = [
        Click(target=on(5)),
        SaveProgress(values={"ticket_number": "TCK-1001"}, refs={"ticket_number": 1}),
        SaveProgress(values={"assignee": "Ann Lee"}, refs={"assignee": 3}),
        "no call",
        Screenshot(label="ticket"),
        Act(Scroll(), "told", SPENT, summary=Summary(steps=6, text="so far", by="fast"), prompt_weight=900.0),
        Click(target=ByText(text="Dates")),
        Done(values={"ticket_number": "TCK-1001"}),
        AskPicture(question="What state is it in?", field="state"),
        SaveProgress(values={"due_date": "2026-03-03"}, refs={"due_date": 3}),
        Done(values=READ),
    ]
    schema = {
        "ticket_number": "string",
        "assignee": "string | null",
        "due_date": {"type": "date | null", "labels": ["Due date"]},
        "state": "string | null",
    }
    one = bench_of(FIRST, driver=told(*answers), output_schema=schema, max_steps=20)
    one.scripted.site[DATES] = [SECOND]
    one.scripted.clicks["Dates"] = DATES
    return one, eye_of(one, seen("open"))


async def cut_off(one: Bench, *after: int, **changes: Any) -> SampleFinished:
    """Work on a sample that is cut off after so many steps of each delivery but the last."""
    await one.record()
    for attempt, steps in enumerate(after, 1):
        one.deps.publishes = Cut(one, steps)
        with pytest.raises(CutOffError):
            await work_sample(work(**changes), one.deps, attempt)
    one.deps.publishes = one.bus
    finished = await work_sample(work(**changes), one.deps, len(after) + 1)
    assert finished is not None
    return finished


def last_attempt(one: Bench) -> list[StepTaken]:
    return [step for step in one.steps if step.attempt == one.steps[-1].attempt]


def of_log(steps: list[StepTaken]) -> list[Any]:
    """What the log says, apart from when and where it was done."""
    return [
        (step.step, step.decided_by, type(step.action), step.refused, step.message, step.usage, step.summary)
        for step in steps
    ]


def asked_of(one: Bench) -> list[SampleView]:
    return expect(one.driver, ScriptedDriver).views


def spent(one: Bench) -> Any:
    return one.bus.read(SPENDING, work().run_id, type(SPENT))


async def test_a_sample_of_a_model_goes_on_after_any_step_and_asks_nothing_twice():
    whole, eye = by_model()
    expected = await whole.run()
    assert (expected.status, expected.steps, values_of(expected)) == ("done", STEPS, {**READ, "state": "open"})
    asked, paid = len(asked_of(whole)), await spent(whole)
    for after in range(1, STEPS):
        one, eye = by_model()
        finished = await cut_off(one, after)
        assert len(asked_of(one)) == asked, after
        assert len(eye.asked) == 1, after
        assert await spent(one) == paid, after
        assert of_log(last_attempt(one)) == of_log(whole.steps), after
        assert [step.decided_in for step in last_attempt(one)] == [1] * after + [0] * (STEPS - after), after
        assert (finished.status, finished.usage, finished.attempt) == ("done", expected.usage, 2), after
        assert values_of(finished) == values_of(expected), after
        assert [filed.filename for filed in finished.artifacts] == [filed.filename for filed in expected.artifacts]


async def test_a_sample_that_is_cut_off_while_it_goes_on_loses_no_answer():
    whole, _ = by_model()
    expected = await whole.run()
    one, eye = by_model()
    finished = await cut_off(one, 9, 4, 6)
    assert len(asked_of(one)) == len(asked_of(whole))
    assert (len(eye.asked), finished.usage, values_of(finished)) == (1, expected.usage, values_of(expected))
    assert [step.decided_in for step in last_attempt(one)] == [1] * 9 + [0] * 3


async def test_what_the_page_shows_now_counts():
    """The page is another one when the sample goes on: what it does not bear out is decided anew."""
    one, _ = by_model()
    changed = page(heading("TCK-1001: Printer"), *row("Assignee", "Bob"), el("link", "Dates"), el("button", "Refresh"))
    await one.record()
    one.deps.publishes = Cut(one, 4)
    with pytest.raises(CutOffError):
        await work_sample(work(), one.deps, 1)
    one.deps.publishes, one.scripted.site[URL] = one.bus, [changed]
    one.driver = told(Done(values={**READ, "assignee": "Bob"}, refs={"assignee": 3}), Fail(code="other", note="x"))
    await work_sample(work(), one.deps, 2)
    again = last_attempt(one)
    assert [step.decided_in for step in again[:3]] == [1, 1, 0]
    assert not any(value.value == "Ann Lee" for step in again for value in step.values)


async def test_another_record_at_the_same_address_ends_as_that():
    one, _ = by_model()
    other = page(*ticket("TCK-1002", "Bob", "Mar 9, 2026"))
    await one.record()
    one.deps.publishes = Cut(one, 6)
    with pytest.raises(CutOffError):
        await work_sample(work(), one.deps, 1)
    one.deps.publishes, one.scripted.site[URL] = one.bus, [other]
    one.driver = told(Fail(code="identity_mismatch", note="it is TCK-1002"))
    finished = await work_sample(work(), one.deps, 2)
    assert finished is not None
    assert (finished.reason, finished.values) == ("identity_mismatch", ())


# --- rules, and what is pressed once

ROUTE = [{"follow": "Dates"}, {"press": "Send", "irreversible": True}, {"read": ["due_date"]}]


def by_rules() -> Bench:
    dates = page(heading("TCK-1001: Dates"), el("button", "Send"))
    sent = page(heading("TCK-1001: Sent"), *row("Due date", "Mar 3, 2026"))
    one = bench_of(FIRST, route=ROUTE, required_artifacts=["screenshot:ticket"])
    one.scripted.site |= {DATES: [dates], SENT: [sent]}
    one.scripted.clicks |= {"Dates": DATES, "Send": SENT}
    return one


def presses(one: Bench) -> int:
    return sum(
        isinstance(step.action, Click)
        and step.result is not None
        and step.result.target is not None
        and step.result.target.name == "Send"
        for step in one.steps
    )


async def test_a_sample_of_the_rules_goes_on_after_any_step_and_presses_once():
    whole = by_rules()
    expected = await whole.run()
    assert (expected.status, values_of(expected), presses(whole)) == ("done", READ, 1)
    pressed_at = next(step.step for step in whole.steps if step.claimed)
    for after in range(1, len(whole.steps)):
        one = by_rules()
        finished = await cut_off(one, after)
        assert presses(one) <= 1, after
        if after < pressed_at:
            assert (finished.status, values_of(finished), presses(one)) == ("done", READ, 1), after
            assert of_log(last_attempt(one)) == of_log(whole.steps), after
        else:
            assert (finished.reason, presses(one)) == ("unknown_outcome", 1), after


async def test_a_model_that_has_pressed_what_is_pressed_once_does_not_press_again():
    def one() -> Bench:
        made = by_rules()
        send, due = ByRef(ref=2, snapshot_id="s2"), {"due_date": "2026-03-03"}
        answers = [Click(target=ByText(text="Dates")), Click(target=send), Screenshot(label="ticket")]
        made.driver = told(*answers, Done(values={**READ, **due}))
        return made

    for after in (3, 4):
        cut = one()
        finished = await cut_off(cut, after)
        assert (finished.reason, presses(cut)) == ("unknown_outcome", 1), after


# --- which attempts go on


def taken(action: Any, number: int, **rest: Any) -> StepTaken:
    given = {"decided_by": "told", **rest}
    return StepTaken(
        run_id="r", sample_id="s", attempt=1, step=number, started_at=NOW, ended_at=NOW, observation=None,
        action=action, **given,
    )  # fmt: skip


def test_an_end_that_was_accepted_is_not_taken_again():
    steps = [taken(Scroll(), 1), taken(Done(values={}), 2, refused=True), taken(Scroll(), 3)]
    for end in (
        taken(Fail(code="other", note="x"), 4),
        taken(Done(values={}), 4),
        taken(SaveProgress(values={}), 4, decided_by="rules"),
    ):
        assert steps_to_recall([*steps, end, taken(Scroll(), 5)]) == tuple(steps)
