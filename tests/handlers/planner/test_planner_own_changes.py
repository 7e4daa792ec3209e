"""A value that the route itself sets may prove the record: afterwards, never before."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.actions import TypeText
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.unit.planner.planner_pages import URL, el, heading, page, row, sample, spec

ROUTE: list[dict[str, Any]] = [{"fill": {"Assignee": "{assignee}"}}, {"press": "Save"}]
SAVE = el("button", "Save", tag="button")


def form(assignee: str):
    return page(
        heading("TCK-1001: Printer"), el("textbox", "Assignee", value=assignee), *row("Due date", "Mar 3, 2026"), SAVE
    )


def saved(assignee: str):
    return page(heading("TCK-1001: Printer"), *row("Assignee", assignee), *row("Due date", "Mar 3, 2026"))


async def run(*pages, after, route=ROUTE, **task):
    given = {"identity": {"ticket_number": "{ticket_number}", "assignee": "{assignee}"}, "route": route, **task}
    written = spec(**given).model_dump(mode="json", by_alias=True)
    one = Bench(
        ScriptedPool({URL: list(pages), f"{URL}/saved": [after]}, clicks={"Save": f"{URL}/saved"}), task=written
    )
    fields = {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "url": URL}
    return one, await one.run(sample=sample(fields=fields))


async def test_another_value_before_the_route_sets_it_is_no_other_record():
    one, finished = await run(form("Bob"), form("Ann Lee"), after=saved("Ann Lee"))
    assert (finished.status, finished.reason) == ("done", "")
    assert sum(isinstance(action, TypeText) for action in one.scripted.actions) == 1


@pytest.mark.parametrize("shown", ["Bob", "Ann Leeson"])
async def test_what_does_not_stay_after_the_route_is_another_record(shown):
    _, finished = await run(form("Bob"), form("Ann Lee"), after=saved(shown))
    assert (finished.status, finished.reason) == ("failed", "identity_mismatch")
