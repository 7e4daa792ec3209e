"""A sample with steps decided by an operator, over the bus in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from services.planner.drivers.person.person_driver import PAUSE_S, OperatorDriver
from shared.bus.actor import Actor
from shared.contracts.actions import Goto, Screenshot
from shared.contracts.operator import DecisionAsked, DecisionDeclined, DecisionGiven, DecisionReply
from shared.contracts.planner import SampleFinished
from shared.errors import PermanentError, TransientError
from shared.subjects import DECIDE
from tests.handlers.planner.planner_bench import RUN, Bench, bench_of
from tests.unit.planner.planner_pages import URL, el, page, ticket

REFS = {"ticket_number": 1, "assignee": 3, "due_date": 5}
SHOT = {"action": "screenshot", "label": "ticket"}
DONE = {
    "action": "done",
    "values": {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "Mar 3, 2026"},
    "refs": REFS,
}


@dataclass
class Person:
    """Says these things, one after the other: an action, a refusal, or an error of the program."""

    says: list[Any]
    name: str = "ann"
    asked: list[DecisionAsked] = field(default_factory=list)


operator: Actor[Person] = Actor("operator")


@operator.answers(DECIDE)
async def decide(request: DecisionAsked, deps: Person) -> DecisionReply:
    deps.asked.append(request)
    said = deps.says[len(deps.asked) - 1]
    if isinstance(said, Exception):
        raise said
    return said if isinstance(said, DecisionDeclined) else DecisionGiven(action=said, decided_by=deps.name)


def operated(*says: Any, name: str = "ann", **changes: Any) -> tuple[Bench, Person]:
    bench = bench_of(page(*changes.pop("elements", ticket())), **changes)
    bench.driver = OperatorDriver(bench.bus)
    person = Person(list(says), name)
    bench.bus.host(operator, person)
    return bench, person


async def run(*says: Any, **changes: Any) -> tuple[Bench, Person, SampleFinished]:
    bench, person = operated(*says, **changes)
    return bench, person, await bench.run()


async def test_a_sample_is_done_by_a_person_and_the_log_says_by_whom():
    bench, _, finished = await run(SHOT, DONE)
    assert (finished.status, finished.decided_by, finished.usage.llm_calls) == ("done", "operator", 0)
    assert [type(action) for action in bench.scripted.actions] == [Goto, Screenshot]
    assert [step.decided_by for step in bench.steps] == ["rules", "operator:ann", "operator:ann"]
    assert bench.steps[1].action is not None
    assert bench.steps[1].action.reason == "The operator's choice."


async def test_a_question_holds_what_is_needed_to_answer_it():
    _, person, _ = await run(SHOT, DONE)
    first, second = person.asked
    assert (first.run_id, first.sample_id, first.step, first.url, first.http_status) == (RUN, "TCK-1001", 2, URL, 200)
    assert '[3] [definition] Assignee: "Ann Lee"' in first.text
    assert (first.missing_artifacts, second.missing_artifacts) == (("screenshot:ticket",), ())
    assert (first.steps_left, second.steps_left) == (first.steps_left, first.steps_left - 1)
    assert [line.partition(" - ")[0] for line in second.history] == ["1. goto: ok", "2. screenshot: ok"]
    assert set(first.fields["properties"]) == {"ticket_number", "assignee", "due_date"}
    assert {"click", "done", "fail"} <= {tool["name"] for tool in first.tools}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"action": "clik", "target": "3"}, "There is no tool 'clik'"),
        ({"action": "goto", "url": "http://elsewhere.example/"}, "neither on this site nor linked"),
        ({"action": "done", "values": {"colour": "red"}}, "There is no field 'colour'"),
        ({"action": ["click"]}, "There is no tool"),
    ],
)
async def test_an_answer_that_cannot_be_used_is_told_back(said: dict[str, Any], words: str):
    bench, person, finished = await run(said, SHOT, DONE)
    assert finished.status == "done"
    assert any(words in notice for notice in person.asked[1].notices)
    assert bench.steps[1].refused


OF_NO_LIST: Any = "broken"
"""A code that no list of errors holds."""


async def test_a_program_that_answers_with_an_error_is_told_so():
    _, person, finished = await run(PermanentError("it broke", code=OF_NO_LIST), SHOT, DONE)
    assert finished.status == "done"
    assert any("it broke" in notice for notice in person.asked[1].notices)


async def test_a_person_is_believed_no_more_than_a_model():
    """Whatever name is given: what is not on the page is sent back, and goes to another person in the end."""
    invented = {**DONE, "values": {**DONE["values"], "assignee": "Bob Ray"}}
    _, person, finished = await run(SHOT, invented, invented, name="rules")
    assert (finished.status, finished.reason) == ("needs_review", "contradicted_values")
    assert any("Bob Ray" in notice for notice in person.asked[2].notices)


async def test_while_nobody_listens_the_sample_waits_and_says_so(caplog: pytest.LogCaptureFixture):
    bench, person = operated(SHOT, DONE)
    bench.bus.closed_asks.add(DECIDE.pattern)
    pause = bench.deps.wait

    async def until_somebody_comes(pause_s: float) -> None:
        await pause(pause_s)
        if len(bench.pauses) == 3:
            bench.bus.closed_asks.clear()

    bench.deps.wait = until_somebody_comes
    finished = await bench.run()
    assert (finished.status, finished.steps, bench.pauses) == ("done", 3, [PAUSE_S] * 3)
    [said] = [record.message for record in caplog.records if "waits for an operator" in record.message]
    assert said == "TCK-1001 of run_1 waits for an operator; start one with: exhibit operate"
    assert len(person.asked) == 2


async def test_it_does_not_wait_for_ever():
    bench, _ = operated(max_time_s=10)
    bench.bus.closed_asks.add(DECIDE.pattern)
    finished = await bench.run()
    assert (finished.status, finished.reason, len(bench.pauses)) == ("failed", "time_exceeded", 5)


@pytest.mark.parametrize("not_now", [DecisionDeclined(reason="lunch"), TransientError("later", code=OF_NO_LIST)])
async def test_who_declines_is_not_the_last_to_be_asked(not_now: Any):
    _, person, finished = await run(not_now, SHOT, DONE)
    assert finished.status == "done"
    assert [asked.step for asked in person.asked] == [2, 2, 3]


async def test_a_page_without_end_is_shown_from_its_beginning():
    long = el("text", "漢" * 400_000, tag="p")
    _, person, _ = await run(SHOT, DONE, elements=(*ticket(), long), max_time_s=0)
    assert len(person.asked[0].text.encode()) < 900_000
    assert person.asked[0].text.endswith("(the page is longer)")
