"""For any decisions on any site, folding the step log gives the state that decisions are based on."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.planner.state.attempt_state import Act, Decision, ObserveAgain, SampleView, UnusableAnswer
from services.planner.state.step_parts import observation_ref
from services.planner.state.transitions import after_observation, replayed_state, with_readings
from shared.contracts.actions import ByRef, Click, Done, Fail, Goto, SaveProgress, Screenshot
from shared.contracts.base import Usage
from shared.contracts.steps import FieldValue, Summary, plain_note
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_driver import ScriptedDriver
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.unit.planner.planner_pages import URL, el, heading, page, row, spec, text, ticket

OTHER = "http://127.0.0.1:8000/tickets/TCK-1002"
PAGES = (
    page(*ticket()),
    page(*ticket("TCK-1002", "Bob", "Mar 9, 2026")),
    page(text("Loading"), el("button", "Next")),
    page(*row("Assignee", "Ann Lee"), el("button", "Next")),
    page(heading("TCK-1001: Printer on fire"), el("textbox", "Name", value="a"), el("button", "Next")),
)
SAID = ("Ann Lee", "Bob", "TCK-1001", "", 7)


class Anything(ScriptedDriver):
    """Decides anything."""

    def __init__(self, random: Random) -> None:
        super().__init__([])
        self.random = random
        self.bench: Any = None
        self.unlogged_readings: tuple[FieldValue, ...] = ()
        self.steps = 0

    async def decide(self, view: SampleView) -> Decision:
        self._compare(view)
        decision = await self._anything(view)
        if isinstance(decision, ObserveAgain):
            self.unlogged_readings += decision.seen
        return decision

    def _compare(self, view: SampleView) -> None:
        """What was read in looks at the page goes with the next step, and is known until then all the same."""
        if view.state.steps != self.steps:
            self.steps, self.unlogged_readings = view.state.steps, ()
        ref = observation_ref(view.page, view.spec, view.sample) if view.page is not None else None
        said = with_readings(
            after_observation(replayed_state(view.spec, self.bench.steps), view.spec, ref), self.unlogged_readings
        )
        assert replace(view.state, looks=0, max_tokens=0) == replace(said, looks=0, max_tokens=0)

    async def _anything(self, view: SampleView) -> Decision:
        random, usage = self.random, Usage(llm_calls=1, input_tokens=self.random.randrange(500))
        chance = random.random()
        if chance < 0.2 and view.page is not None and view.state.looks < 5:
            return ObserveAgain(0.1, random.choice((100, 9000)), self._seen())
        if chance < 0.3:
            notes = (plain_note("a note"),)
            return UnusableAnswer("no", "told", usage, notes, summary=self._summary(view), prompt_weight=9.0)
        then = tuple(self._action(view) for _ in range(random.randrange(3)))
        return Act(self._action(view), "told", usage, self._seen(), then=then, summary=self._summary(view))

    def _action(self, view) -> Any:
        random = self.random
        target = ByRef(ref=random.randrange(1, 6), snapshot_id=view.page.snapshot_id if view.page else "s1")
        values = {name: random.choice(SAID) for name in view.spec.output_schema if random.random() < 0.5}
        return random.choice(
            (
                Goto(url=random.choice((URL, OTHER))),
                Click(target=target),
                Screenshot(label="ticket"),
                SaveProgress(values=values, refs=dict.fromkeys(values, target.ref)),
                Done(values=values),
                Fail(code="not_found"),
            )
        )

    def _seen(self) -> tuple[FieldValue, ...]:
        state = self.random.choice(("value", "not_found"))
        return (FieldValue(field="assignee", state=state, value="x", shown="x"),) if self.random.random() < 0.3 else ()

    def _summary(self, view) -> Summary | None:
        return Summary(steps=view.state.steps, text="t", by="m") if self.random.random() < 0.1 else None


@settings(deadline=None, max_examples=25)
@given(st.randoms(use_true_random=False))
async def test_the_state_is_what_the_steps_say(random):
    def some() -> list[Any]:
        return [random.choice(PAGES) for _ in range(random.randrange(1, 4))]

    site = {URL: some(), OTHER: some(), "about:blank": some()}
    task = spec(max_steps=8)
    driver = Anything(random)
    written = task.model_dump(mode="json", by_alias=True)
    pool = ScriptedPool(site, clicks={"Next": OTHER}, with_pages=random.random() < 0.5)
    driver.bench = Bench(pool, driver=driver, task=written)
    finished = await driver.bench.run()
    steps = driver.bench.steps
    assert finished.steps == len(steps) <= task.max_steps + 1
    again = replayed_state(task, steps)
    assert (again.usage, again.stored) == (finished.usage, finished.artifacts)
