"""What a flow presses: what the press led to is waited for, and an irreversible press is made once."""

from __future__ import annotations

import pytest

from services.planner.handlers import work_sample
from shared.contracts.actions import Click, Download
from shared.contracts.steps import FLOW_PRESSES
from shared.contracts.workflows.flows import ClickElement, DownloadAll, OpenAddress
from shared.flows.files import ElementFacts, FlowFiles, write_files
from shared.flows.waiting import PAUSES_S
from tests.handlers.planner.flow_bench import FIELDS, bench, flows_of, read_ticket
from tests.handlers.planner.planner_bench import work
from tests.unit.planner.planner_pages import URL, el, page, ticket

DEEP = URL + "/deep"


def through(url: str):
    yield OpenAddress(url=url)
    yield ClickElement(selector='role=button[name="Ticket"]')
    return (yield from read_ticket(DEEP))


LED_AWAY = {'role=button[name="Ticket"]': ElementFacts(role="button", effects=("navigated",))}


@pytest.mark.parametrize("comes", [True, False])
async def test_a_page_that_comes_after_the_click_is_waited_for_and_one_that_does_not_stops_the_flow(comes: bool):
    files = write_files(FlowFiles(fields=FIELDS, locators=LED_AWAY))
    one = bench(through, files=files, shown=page(el("button", "Ticket")))
    one.scripted.site[DEEP] = [page(*ticket())]
    one.scripted.late_clicks = {"Ticket": DEEP} if comes else {}
    finished = await one.run()
    if comes:
        assert (finished.status, one.steps[-1].decided_by) == ("done", "flow")
        assert one.pauses == [PAUSES_S[0]]
    else:
        assert flows_of(one).answers[-1].error.code == "effect_missing"  # type: ignore[union-attr]


async def test_a_link_that_shows_on_its_page_what_it_led_to_is_told_as_a_heal():
    led_away = {'role=link[name="Ticket"]': ElementFacts(role="link", effects=("navigated",))}

    def through_link(url: str):
        yield OpenAddress(url=url)
        yield ClickElement(selector='role=link[name="Ticket"]')
        return (yield from read_ticket(DEEP))

    files = write_files(FlowFiles(fields=FIELDS, locators=led_away))
    one = bench(through_link, files=files, shown=page(el("link", "Ticket")))
    one.scripted.site[DEEP] = [page(*ticket())]
    assert (await one.run()).status == "done"
    heals = [heal for step in one.steps for heal in step.heals]
    assert [(heal.rung, [way.text for way in heal.lost]) for heal in heals] == [("effect", ["navigated"])]


async def test_each_file_of_several_that_was_rendered_anew_is_downloaded_at_another_try():
    def downloads(url: str):
        yield OpenAddress(url=url)
        yield DownloadAll(selector="role=link", label="file")
        return (yield from read_ticket(url))

    one = bench(downloads, shown=page(*ticket(), el("link", "file 1"), el("link", "file 2")))
    one.scripted.refuses = {2: "stale_ref", 4: "stale_ref", 5: "stale_ref"}
    finished = await one.run()
    assert flows_of(one).answers[1].value == 2
    assert (finished.status, finished.decided_by) == ("done", "flow")
    assert sum(isinstance(action, Download) for action in one.scripted.actions) == 5
    assert one.pauses == [PAUSES_S[1], *PAUSES_S[1:3]]


# --- once

SUBMIT = ClickElement(selector='role=button[name="Approve"]', irreversible=True)


def approve(url: str):
    yield OpenAddress(url=url)
    yield SUBMIT
    return (yield from read_ticket(url))


async def test_an_irreversible_press_without_a_route_is_claimed():
    one = bench(approve, shown=page(*ticket(), el("button", "Approve")))
    finished = await one.run()
    assert finished.status == "done"
    assert sum(isinstance(action, Click) for action in one.scripted.actions) == 1
    assert [step.flow.irreversible for step in one.steps if isinstance(step.action, Click)] == [True]  # type: ignore[union-attr]
    assert {step.step: step.claimed for step in one.steps if step.claimed} == {2: FLOW_PRESSES + 1}


async def test_it_is_not_pressed_again_by_another_attempt():
    one = bench(approve, shown=page(*ticket(), el("button", "Approve")))
    await one.run()
    again = await work_sample(work(), one.deps, 2)
    assert again is not None
    assert (again.status, again.reason) == ("needs_review", "unknown_outcome")
    assert "attempt 1" in again.message
    assert sum(isinstance(action, Click) for action in one.scripted.actions) == 1


async def test_after_the_press_a_person_goes_on():
    def stops(url: str):
        yield OpenAddress(url=url)
        yield SUBMIT
        yield ClickElement(selector='role=button[name="Nowhere"]')

    one = bench(stops, shown=page(*ticket(), el("button", "Approve")))
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "unknown_outcome")
    assert "line 3" in finished.message


ROUTE = [{"press": "Submit", "irreversible": True}, {"read": ["assignee", "due_date"]}]


@pytest.mark.parametrize("marked", [True, False])
async def test_a_press_of_the_route_is_claimed_by_its_step(marked):
    def submits(url: str):
        yield OpenAddress(url=url)
        yield ClickElement(selector='role=button[name="Submit"]', irreversible=marked)
        return (yield from read_ticket(url))

    one = bench(submits, shown=page(*ticket(), el("button", "Submit")), route=ROUTE)
    finished = await one.run()
    assert finished.status == "done"
    again = await work_sample(work(), one.deps, 2)
    assert again is not None
    assert again.reason == "unknown_outcome"
    assert "step 1 of the route" in again.message


async def test_a_press_of_the_route_is_not_made_twice_in_one_attempt():
    def twice(url: str):
        yield OpenAddress(url=url)
        yield ClickElement(selector='role=button[name="Submit"]', irreversible=True)
        yield ClickElement(selector='role=button[name="Submit"]', irreversible=True)

    one = bench(twice, shown=page(*ticket(), el("button", "Submit")), route=ROUTE)
    finished = await one.run()
    assert finished.reason == "unknown_outcome"
    assert sum(isinstance(action, Click) for action in one.scripted.actions) == 1
