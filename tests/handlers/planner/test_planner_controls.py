"""Each control of a run at each turn of a sample, whoever decides: what was read and done is as without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from shared.contracts.actions import Done, SaveProgress, Screenshot
from shared.contracts.browser_pool import ActOnPage, ObservePage
from shared.contracts.planner import SampleFinished
from shared.contracts.sessions.control import RunControl
from shared.streams import RUN_CONTROL
from tests.handlers.planner.flow_bench import bench as flow_bench
from tests.handlers.planner.planner_bench import RUN, Bench, bench_of, values_of
from tests.handlers.planner.scripted_driver import told
from tests.unit.planner.planner_pages import URL, el, heading, page, row, ticket

READ = {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "2026-03-03"}
SAID = "A person says: Take care."


def by_rules() -> Bench:
    """A route over two pages, and a field that comes late on the second."""
    first = page(heading("TCK-1001: Printer on fire"), *row("Assignee", "Ann Lee"), el("link", "Dates"))
    late = page(heading("TCK-1001: Dates"), idle=False)
    dates = page(heading("TCK-1001: Dates"), *row("Due date", "Mar 3, 2026"))
    one = bench_of(first, route=[{"follow": "Dates"}], required_artifacts=["screenshot:ticket"])
    one.scripted.site[URL + "/dates"] = [late, late, dates]
    one.scripted.clicks["Dates"] = URL + "/dates"
    return one


def by_model() -> Bench:
    refs = {"ticket_number": 1, "assignee": 3, "due_date": 5}
    driver = told(Screenshot(label="ticket"), SaveProgress(values=READ, refs=refs), Done(values=READ))
    return bench_of(page(*ticket()), driver=driver)


WAYS: dict[str, Callable[[], Bench]] = {"rules": by_rules, "model": by_model, "flow": flow_bench}


@dataclass
class Controlled:
    """A bench on which the controls change when a sample reads them for this time, and again once it has waited."""

    bench: Bench
    at: int
    change: dict[str, Any]
    then: dict[str, Any] = field(default_factory=dict[str, Any])
    meanwhile: Callable[[], None] = lambda: None
    reads: int = 0
    asked_before: int = 0
    """Requests to the pool before the change."""

    async def run(self) -> SampleFinished:
        records, waits = self.bench.deps.records, self.bench.deps.wait
        self.bench.deps.records = self  # type: ignore[assignment]
        self._records = records

        async def wait(pause_s: float) -> None:
            await waits(pause_s)
            if self.reads >= self.at and self.then:
                self.meanwhile()
                await self._set(self.then)
                self.then = {}

        self.bench.deps.wait = wait
        return await self.bench.run()

    async def read(self, bucket: Any, key: str, kind: Any) -> Any:
        if bucket is RUN_CONTROL:
            self.reads += 1
            if self.reads == self.at:
                self.asked_before = len(self.bench.scripted.asked)
                await self._set(self.change)
        return await self._records.read(bucket, key, kind)

    async def _set(self, changes: dict[str, Any]) -> None:
        def changed(stored: RunControl | None) -> RunControl:
            return replace(stored or RunControl(attempt_base=0), **changes)

        await self.bench.bus.modify(RUN_CONTROL, RUN, RunControl, changed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)


async def turns(way: str) -> tuple[int, list[Any], SampleFinished]:
    """Return how often a sample reads the controls that nobody changes, its actions and its end."""
    one = Controlled(WAYS[way](), 0, {})
    finished = await one.run()
    assert (finished.status, values_of(finished)) == ("done", READ)
    return one.reads, actions_of(one.bench), finished


def actions_of(one: Bench) -> list[Any]:
    return [type(step.action) for step in one.steps]


def names(finished: SampleFinished) -> list[str]:
    return [filed.filename for filed in finished.artifacts]


@pytest.mark.parametrize("way", WAYS)
async def test_a_sample_that_is_paused_at_any_turn_looks_at_its_page_again_and_goes_on(way: str):
    most, actions, whole = await turns(way)
    for at in range(1, most + 1):
        one = Controlled(WAYS[way](), at, {"paused_key": "p"}, {"paused_key": ""})
        finished = await one.run()
        assert (finished.status, values_of(finished), actions_of(one.bench)) == ("done", READ, actions), at
        assert names(finished) == names(whole), at
        began = [isinstance(asked, ActOnPage) for asked in one.bench.scripted.asked[: one.asked_before]]
        if any(began):
            assert isinstance(one.bench.scripted.asked[one.asked_before], ObservePage), at


async def test_what_the_page_shows_after_a_pause_is_read():
    for at in range(1, 5):
        one = bench_of(page(*ticket()))
        now = page(*ticket(assignee="Bob"))

        def change(site: dict[str, Any] = one.scripted.site, now: Any = now) -> None:
            site[URL] = [now]

        paused = Controlled(one, at, {"paused_key": "p"}, {"paused_key": ""}, change)
        finished = await paused.run()
        assert (finished.status, values_of(finished)["assignee"]) == ("done", "Bob"), at
        assert paused.reads == 5, "the last pause is before the last turn"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("paused", [False, True])
async def test_a_sample_that_is_interrupted_at_any_turn_does_nothing_more(way: str, paused: bool):
    most, _, _ = await turns(way)
    for at in range(1, most + 1):
        stop = {"interrupted": True, "paused_key": ""}
        one = Controlled(WAYS[way](), at, {"paused_key": "p"} if paused else stop, stop if paused else {})
        finished = await one.run()
        assert finished.reason == "interrupted", at
        assert finished.status in ("failed", "partial_success"), at
        assert not any(isinstance(asked, ActOnPage) for asked in one.bench.scripted.asked[one.asked_before :]), at
        assert not one.bench.scripted.held, at


@pytest.mark.parametrize("way", WAYS)
async def test_a_sample_that_has_begun_is_finished_in_a_run_that_is_closed_at_any_turn(way: str):
    most, actions, _ = await turns(way)
    for at in range(2, most + 1):
        one = Controlled(WAYS[way](), at, {"closing": True})
        finished = await one.run()
        assert (finished.status, values_of(finished), actions_of(one.bench)) == ("done", READ, actions), at


@pytest.mark.parametrize("way", WAYS)
async def test_a_message_at_any_turn_is_told_with_the_next_step_and_once(way: str):
    most, actions, _ = await turns(way)
    for at in range(1, most + 1):
        one = Controlled(WAYS[way](), at, {"messages": ("Take care.",)})
        finished = await one.run()
        assert (finished.status, values_of(finished), actions_of(one.bench)) == ("done", READ, actions), at
        assert [SAID in step.notices for step in one.bench.steps].count(True) == 1, at
