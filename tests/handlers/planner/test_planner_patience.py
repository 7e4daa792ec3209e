"""How long a page is waited for: until nothing more can come to it."""

from __future__ import annotations

import pytest

from services.planner.state.common_decisions import IDLE_LOOKS, PAUSES_S
from shared.contracts.browser_pool import ObservePage
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.unit.planner.planner_pages import URL, heading, page, row, spec, ticket

LACKING = (heading("TCK-1001"), *row("Assignee", "Ann Lee"))


def bench(*pages, **task) -> Bench:
    return Bench(ScriptedPool({URL: list(pages)}), task=spec(**task).model_dump(mode="json", by_alias=True))


@pytest.mark.parametrize(("idle", "looks"), [(True, IDLE_LOOKS), (False, len(PAUSES_S))])
async def test_a_page_that_lacks_a_field_is_waited_for_only_while_more_can_come(idle, looks):
    one = bench(page(*LACKING, idle=idle))
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "missing_fields")
    assert one.pauses == list(PAUSES_S[:looks])


async def test_a_step_of_the_route_that_finds_nothing_is_given_up_as_fast():
    one = bench(page(*ticket(), idle=True), route=[{"follow": "Attachments"}])
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "off_route")
    assert one.pauses == list(PAUSES_S[:IDLE_LOOKS])


async def test_what_comes_late_is_waited_for_as_long_as_before():
    """The page is idle only once it is complete."""
    one = bench(page(*LACKING), page(*LACKING), page(*LACKING), page(*ticket(), idle=True))
    finished = await one.run()
    assert finished.status == "done"
    assert one.pauses == list(PAUSES_S[:3])
    assert one.scripted.count(ObservePage) >= 4
