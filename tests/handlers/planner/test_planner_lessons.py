"""A sample's lessons are shown to the next one, are in its result, and never cause a failure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from services.planner.drivers.registry import RulesDriver
from services.planner.model_tasks.memory import Memory, Transcript
from shared.contracts.actions import Done, Screenshot
from shared.contracts.base import Usage
from shared.contracts.planner import Lessons
from shared.errors import ExhibitError, Unavailable
from shared.streams import MEMORY, SPENDING
from tests.handlers.planner.planner_bench import RUN, Bench, bench_of
from tests.handlers.planner.scripted_driver import ScriptedDriver, told
from tests.typed import expect
from tests.unit.planner.planner_pages import page, ticket

PRICE = Usage(llm_calls=1, input_tokens=300, output_tokens=30, cost_usd=0.0001)
DONE = Done(values={"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "Mar 3, 2026"})


@dataclass
class Teaches:
    arguments: Any
    error: ExhibitError | None = None
    told: list[Transcript] = field(default_factory=list)

    async def distil(self, told: Transcript) -> tuple[object, Usage]:
        self.told.append(told)
        if self.error is not None:
            raise self.error
        return self.arguments, PRICE


def bench(teacher: Teaches, **task) -> Bench:
    one = bench_of(page(*ticket()), driver=told(Screenshot(label="ticket"), DONE), **task)
    one.deps.teacher = teacher
    return one


async def test_the_next_sample_is_shown_what_the_last_one_taught_and_its_result_says_so():
    one = bench(Teaches({"patterns": ["Dates stand in the side panel."], "failures": []}))
    first = await one.run()
    one.driver = told(Screenshot(label="ticket"), DONE)
    second = await one.run()
    assert (first.hints, second.hints) == ((), ("What worked: Dates stand in the side panel.",))
    assert {view.hints for view in expect(one.driver, ScriptedDriver).views} == {second.hints}
    assert isinstance(first.lessons, Lessons)
    assert first.lessons.patterns == ("Dates stand in the side panel.",)


async def test_learning_is_paid_for_by_the_sample_that_teaches():
    one = bench(Teaches({"patterns": [], "failures": []}))
    finished = await one.run()
    assert finished.usage.llm_calls == 4
    assert (expect(await one.bus.read(SPENDING, RUN, Usage), Usage)).llm_calls == 4


async def test_a_teacher_that_fails_spoils_no_result():
    one = bench(Teaches(None, Unavailable("overloaded", code="model_unavailable")))
    finished = await one.run()
    assert (finished.status, finished.lessons) == ("done", None)
    assert await one.bus.read(MEMORY, RUN, Memory) is None


async def test_a_task_that_wants_no_memory_gets_none():
    teacher = Teaches({"patterns": ["x y z"], "failures": []})
    finished = await bench(teacher, memory="off").run()
    assert (finished.status, teacher.told) == ("done", [])


async def test_rules_learn_nothing():
    teacher = Teaches({"patterns": ["x y z"], "failures": []})
    one = bench(teacher)
    one.driver = RulesDriver()
    assert (await one.run()).status == "done"
    assert teacher.told == []
