"""A person takes a sample over between two steps: what he does are steps that name him, and then the work goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from services.planner.drivers.registry import RulesDriver
from services.planner.handlers import actor
from services.planner.state.attempt_state import Decision, SampleView
from services.planner.state.recalling import steps_to_recall
from services.planner.state.transitions import replayed_state
from shared.contracts.actions import Action, ByCss, ByRef, ByText, Click, ClickAt, Extract, TypeText, Upload
from shared.contracts.planner import SampleFinished
from shared.contracts.sessions.control import RunControl
from shared.contracts.sessions.taking_over import (
    HOLD_S,
    ActOn,
    AnySteer,
    FollowSample,
    HandBack,
    KeepHold,
    PressAt,
    SampleAtWork,
    SampleSteered,
    SteerRefused,
    SteerSample,
    TakeOver,
)
from shared.contracts.steps import note_text
from shared.errors import Unavailable
from shared.recordings.recording import why_not_compiled
from shared.streams import RUN_CONTROL
from shared.subjects import FOLLOW_SAMPLE, STEER_SAMPLE
from shared.task.spec import TaskSpec
from tests.handlers.planner.flow_bench import bench as flow_bench
from tests.handlers.planner.planner_bench import RUN, Bench, bench_of, values_of
from tests.raising import raises_code
from tests.typed import expect, there
from tests.unit.planner.planner_pages import URL, box, el, heading, page, ticket
from tests.waiting import until_asked

GATE = (
    heading("Are you a person?"),
    el("textbox", "Answer", tag="input", box=box(10, 100, 200, 30), fingerprint="answer"),
    el("textbox", "Password", tag="input", box=box(10, 140, 200, 30), secret=True),
    el("text", "Go on", tag="span", box=box(20, 205, 40, 10)),
    el("button", "Go on", tag="button", box=box(10, 200, 80, 20)),
)
RECORD = URL + "/record"


class Held(RulesDriver):
    """Decides as the rules do, once it may."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may = asyncio.Event(), asyncio.Event()

    async def decide(self, view: SampleView) -> Decision:
        self.begun.set()
        await self.may.wait()
        return await super().decide(view)


@dataclass
class TakenOver:
    """A sample at work whose first decision is being made; ``by`` asks with his own key."""

    bench: Bench
    go_on: Callable[[], None]
    working: asyncio.Task[SampleFinished] = field(init=False)

    async def steer(self, command: AnySteer, by: str = "ann") -> SampleSteered | SteerRefused:
        asked = SteerSample(run_id=RUN, sample_id="TCK-1001", by=by, key=f"key of {by}", command=command)
        return await self.bench.bus.ask(STEER_SAMPLE, asked)

    async def now(self, by: str = "ann", known: int = 0) -> SampleAtWork:
        asked = FollowSample(run_id=RUN, sample_id="TCK-1001", key=f"key of {by}", known=known, wait_s=15)
        return await self.bench.bus.ask(FOLLOW_SAMPLE, asked)

    async def ready(self) -> SampleAtWork:
        async def look() -> SampleAtWork | None:
            told = await self.now()
            return told if told.ready else None

        return await until_asked(look, "its holder can act")

    async def done(self, command: AnySteer) -> SampleSteered:
        return expect(await self.steer(command), SampleSteered)

    async def refused(self, command: AnySteer, by: str = "ann") -> str:
        return expect(await self.steer(command, by), SteerRefused).code


@asynccontextmanager
async def at_work(bench: Bench, go_on: Callable[[], None] = lambda: None) -> AsyncGenerator[TakenOver]:
    bench.deps.seats = bench.bus
    bench.bus.host(actor, bench.deps)
    one = TakenOver(bench, go_on)
    one.working = asyncio.create_task(bench.run())
    yield one
    one.working.cancel()
    await asyncio.gather(one.working, return_exceptions=True)


@pytest.fixture
async def held() -> Any:
    """The sample waits at a gate that no rule passes; its button leads to the record."""
    driver = Held()
    bench = bench_of(page(*GATE), driver=driver, secrets=["portal"])
    bench.scripted.site[RECORD] = [page(*ticket())]
    bench.scripted.clicks["Go on"] = RECORD
    async with at_work(bench, driver.may.set) as one:
        await driver.begun.wait()
        yield one


def ref(number: int, told: SampleAtWork) -> ByRef:
    return ByRef(ref=number, snapshot_id=told.snapshot_id)


async def test_what_a_person_does_is_a_step_that_names_him_and_the_driver_goes_on(held: TakenOver):
    assert (await held.done(TakeOver())).message == "yours, when the step that is on its way has ended"
    assert await held.refused(PressAt(x=1, y=1)) == "not_ready"
    held.go_on()
    told = await held.ready()
    assert (told.held_by, told.mine, told.url, told.secrets) == ("ann", True, URL, ("portal",))
    assert [(one.role, one.use, one.secret) for one in told.elements] == [
        ("textbox", "fill", False), ("textbox", "fill", True), ("button", "press", False),
    ]  # fmt: skip
    pointed = await held.done(PressAt(x=100, y=115))
    assert (there(pointed.element).name, there(pointed.element).use) == ("Answer", "fill")
    await held.done(ActOn(action=TypeText(target=ref(2, await held.now()), text="seven")))
    pressed = await held.done(PressAt(x=25, y=208))
    assert pressed.step == 4
    await held.done(HandBack(note="the gate is behind us"))
    finished = await held.working
    assert (finished.status, values_of(finished)["assignee"]) == ("done", "Ann Lee")
    assert finished.taken_over_by == ("ann",)
    assert finished.flagged
    assert [note_text(one) for one in finished.notes] == ["ann took the sample over, and did by hand: step 2, 3, 4"]
    steps = held.bench.steps
    assert [(one.decided_by, one.taken_over) for one in steps[:5]] == [
        ("rules", False), ("person:ann", True), ("person:ann", True), ("person:ann", True), ("rules", False),
    ]  # fmt: skip
    assert isinstance(steps[3].action, Click)
    assert there(there(steps[3].result).target).name == "Go on"
    assert steps[1].notices == ()
    assert "ann, had taken the browser over, did 3 steps, and has handed it back" in steps[4].notices[-1]
    assert steps[4].notices[-1].endswith("ann says: the gate is behind us")
    assert not any("ann" in notice for one in steps[5:] for notice in one.notices)


async def test_a_person_takes_none_of_the_steps_and_nothing_is_learned_of_what_he_did(held: TakenOver):
    await held.done(TakeOver())
    held.go_on()
    await held.ready()
    await held.done(PressAt(x=100, y=115))
    await held.done(PressAt(x=50, y=210))
    await held.done(HandBack())
    finished = await held.working
    state = replayed_state(TaskSpec.model_validate(held.bench.task), held.bench.steps)
    assert (state.granted, state.steps) == (2, len(held.bench.steps))
    assert [one.step for one in steps_to_recall(held.bench.steps)] == [1]
    why = why_not_compiled(finished.status, finished.reason, finished.decided_by, taken_over=True)
    assert why.startswith("a person has taken it over")


async def test_one_person_holds_it_and_others_are_told_who(held: TakenOver):
    await held.done(TakeOver())
    held.go_on()
    await held.ready()
    other = expect(await held.steer(TakeOver(), "bob"), SteerRefused)
    assert (other.code, other.message) == ("held", "ann has taken it over")
    for command in (HandBack(), KeepHold(), PressAt(x=25, y=208)):
        assert await held.refused(command, "bob") == "not_held"
    told = await held.now("bob")
    assert (told.held_by, told.mine, told.elements) == ("ann", False, ())
    await held.done(HandBack())
    await held.done(TakeOver())  # before the work goes on
    await held.ready()
    await held.done(PressAt(x=25, y=208))
    await held.done(HandBack())
    assert (await held.working).status == "done"


async def test_what_is_no_act_for_a_person_is_refused_and_is_no_step(held: TakenOver):
    await held.done(TakeOver())
    held.go_on()
    told = await held.ready()
    before = len(held.bench.steps)
    refused: tuple[Action, ...] = (
        TypeText(target=ref(3, told), text="hunter2"),
        Extract(target=ref(1, told)),
        Upload(target=ref(2, told), file="a"),
    )
    for action in refused:
        assert await held.refused(ActOn(action=action)) == "not_possible"
    assert len(held.bench.steps) == before


async def test_an_element_that_was_not_chosen_among_those_that_are_shown_is_refused_with_the_reason(held: TakenOver):
    await held.done(TakeOver())
    held.go_on()
    told = await held.ready()
    for target, why in (
        (replace(ref(1, told), snapshot_id="earlier"), "the page was looked at again"),
        (ByText(text="Go on"), "named by its text or by CSS"),
        (ByCss(css="#go"), "named by its text or by CSS"),
    ):
        refused = expect(await held.steer(ActOn(action=Click(target=target))), SteerRefused)
        assert (refused.code, why in refused.message) == ("not_possible", True)


async def test_a_press_where_no_element_is_observed_is_one_at_the_point_and_says_so(held: TakenOver):
    await held.done(TakeOver())
    held.go_on()
    await held.ready()
    await held.done(PressAt(x=900, y=905.5))
    action = expect(held.bench.steps[-1].action, ClickAt)
    assert (action.x, action.y) == (900, 905.5)
    assert action.reason == "A person pressed there; no element is observed there."


async def test_who_is_not_heard_any_more_holds_nothing_up(held: TakenOver):
    await held.done(TakeOver())
    held.go_on()
    await held.ready()
    held.bench.clock_s += HOLD_S - 1
    await held.done(KeepHold())
    held.bench.clock_s += HOLD_S - 1
    assert (await held.now()).held_by == "ann"
    await held.done(PressAt(x=25, y=208))
    held.bench.clock_s += HOLD_S
    finished = await held.working
    assert finished.status == "done"
    assert "was not heard any more" in held.bench.steps[2].notices[-1]
    with raises_code(Unavailable, "no_responders"):
        await held.steer(TakeOver())


async def test_an_interrupt_ends_a_hold(held: TakenOver):
    await held.done(TakeOver())
    held.go_on()
    await held.ready()
    await held.bench.bus.create(RUN_CONTROL, RUN, RunControl(attempt_base=0, interrupted=True))
    assert (await held.working).reason == "interrupted"


async def test_a_paused_sample_can_be_taken_over(held: TakenOver):
    await held.bench.bus.create(RUN_CONTROL, RUN, RunControl(attempt_base=0, paused_key="p"))
    await held.done(TakeOver())
    held.go_on()
    await held.ready()
    await held.done(PressAt(x=25, y=208))
    await held.bench.bus.modify(RUN_CONTROL, RUN, RunControl, lambda _: RunControl(attempt_base=0))
    await held.done(HandBack())
    assert (await held.working).status == "done"


async def test_a_flow_that_was_taken_over_is_left_to_the_rules_and_says_so():
    one = flow_bench()
    asks, begun, may = one.bus.ask, asyncio.Event(), asyncio.Event()

    async def ask(subject: Any, request: Any, **how: Any) -> Any:
        if "flow.begin" in subject.pattern:
            begun.set()
            await may.wait()
        return await asks(subject, request, **how)

    one.bus.ask = ask
    async with at_work(one) as held:
        await begun.wait()
        await held.done(TakeOver())
        may.set()
        told = await held.ready()
        await held.done(ActOn(action=Click(target=ref(1, told))))
        await held.done(HandBack())
        finished = await held.working
    assert (finished.status, finished.drivers) == ("done", ("flow", "person", "rules"))
    assert finished.no_flow == "ann has taken the sample over"
