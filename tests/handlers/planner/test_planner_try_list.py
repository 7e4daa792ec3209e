"""The list of a discovery task that is tried outside of any run: read as in a run, and nothing of it is published."""

from __future__ import annotations

from typing import Any

import pytest

from services.planner.handlers import actor
from shared.contracts.planner import SampleFinished, SamplesListed
from shared.contracts.steps import StepTaken
from shared.contracts.tried import ListTried, TryList, TryListReply, TryRefused
from shared.subjects import TRY_LIST
from tests.handlers.planner.planner_bench import Bench, bench_of
from tests.typed import expect
from tests.unit.planner.planner_pages import URL, el, page, text

LISTING: dict[str, Any] = {
    "phase": "discovery",
    "start_url": URL,
    "output_schema": {"name": "string", "url": "string"},
    "required_fields": ["name", "url"],
    "required_artifacts": ["screenshot"],
    "identity": {},
}


def people(*names: str):
    return [el("link", one, tag="a", url=f"/in/{one.lower()}", place="main>ul>li>a") for one in names]


async def tried(one: Bench, **changes: Any) -> TryListReply:
    one.bus.host(actor, one.deps)
    return await one.bus.ask(TRY_LIST, TryList(**{"spec": one.task, **changes}), timeout_s=30)


async def test_a_list_is_read_to_its_end_and_nothing_is_published():
    one = bench_of(page(*people("Ann", "Bo", "Cy"), text("3 people found")), **LISTING)
    told = expect(await tried(one), ListTried)
    assert (told.finished.status, told.cut) == ("done", False)
    assert [item["name"] for listed in told.pages for item in listed.items] == ["Ann", "Bo", "Cy"]
    assert [(count.kind, count.total) for count in told.counts] == [("total", 3)]
    assert "has been read" in told.why
    assert one.bus.events(SamplesListed) == one.bus.events(StepTaken) == one.bus.events(SampleFinished) == []
    assert not one.scripted.held


async def test_a_list_that_is_not_proven_complete_says_so_as_in_a_run():
    one = bench_of(page(*people("Ann", "Bo", "Cy"), text("9 people found")), **LISTING)
    told = expect(await tried(one), ListTried)
    assert (told.finished.status, told.finished.reason) == ("needs_review", "incomplete_list")
    assert "3 of 9" in told.finished.message
    assert (told.why, told.cut) == ("", False)


async def test_a_list_with_more_than_a_try_reads_is_cut_and_never_called_complete():
    one = bench_of(page(*people("Ann", "Bo", "Cy"), text("3 people found")), **LISTING)
    told = expect(await tried(one, most_items=3), ListTried)
    assert (told.cut, told.why) == (True, "")
    less = bench_of(page(*people("Ann", "Bo", "Cy"), text("3 people found")), **LISTING, limit=2)
    asked = expect(await tried(less, most_items=3), ListTried)
    assert (asked.cut, sum(len(listed.items) for listed in asked.pages)) == (False, 2)


@pytest.mark.parametrize(("expected", "cut"), [(2, True), (3, False), (4, True)])
async def test_a_try_that_has_read_as_many_as_it_may_is_cut_unless_those_are_all_that_are_expected(
    expected: int, cut: bool
):
    one = bench_of(page(*people("Ann", "Bo", "Cy", "Di")), **LISTING, expected_items=expected)
    told = expect(await tried(one, most_items=3), ListTried)
    assert (sum(len(listed.items) for listed in told.pages), told.cut) == (3, cut)


async def test_a_task_that_finds_no_samples_is_refused_before_a_browser_is_asked():
    one = bench_of(page(text("nothing")))
    assert [problem.where for problem in expect(await tried(one), TryRefused).problems] == ["spec.phase"]
    assert one.scripted.actions == []
