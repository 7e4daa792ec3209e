"""The answer of a search repeats what was asked: that proves no record, and what the record says of itself does."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.browser_pool import SessionLeased
from shared.contracts.workflows.flows import (
    ClickElement,
    OpenAddress,
    ProveRecord,
    ReadFields,
    TakeScreenshot,
    TypeInto,
)
from shared.flows.files import FieldsFile, FlowFiles
from shared.flows.live import LiveFlow
from shared.testing.bus import MemoryBus
from tests.handlers.planner.flow_bench import READ, bench, under
from tests.handlers.planner.planner_bench import Bench, values_of
from tests.handlers.planner.scripted_pool import pool
from tests.unit.planner.planner_pages import URL, el, heading, page, row, text

HOME = "http://127.0.0.1:8000/tickets"
FOUND = f"{HOME}/search"
ASKED = "TCK-1001"
FIELDS = (*row("Assignee", "Ann Lee"), *row("Due date", "Mar 3, 2026"))


def box(value: str) -> Any:
    return el("searchbox", "Search", tag="input", value=value, area="search")


def reads(url: str):
    yield ProveRecord(expected={"ticket_number": ASKED})
    yield TakeScreenshot(label="ticket")
    found = yield ReadFields(fields=READ)
    return {"ticket_number": ASKED, **found}


def searches(url: str):
    yield OpenAddress(url=HOME)
    yield TypeInto(selector='role=searchbox[name="Search"]', text=ASKED)
    yield ClickElement(selector='role=button[name="Go"]')
    return (yield from reads(url))


def opens_a_result(url: str):
    yield OpenAddress(url=HOME)
    yield TypeInto(selector='role=searchbox[name="Search"]', text=ASKED)
    yield ClickElement(selector='role=button[name="Go"]')
    yield ClickElement(selector=f'role=link[name="{ASKED}"]')
    return (yield from reads(url))


def opens_the_search(url: str):
    yield OpenAddress(url=f"{FOUND}?q={ASKED}")
    return (yield from reads(url))


def run_of(flow: Any, *answer: Any, at: str = FOUND, value: str = ASKED) -> Bench:
    one = bench(flow, start_url=HOME, input_schema={"ticket_number": "string", "url": "string"})
    one.mode = "flow"
    home = page(heading("Tickets"), box(""), el("button", "Go", area="search"), url=HOME)
    shown = page(box(value), *answer, url=at)
    one.scripted.site = {HOME: [home], at: [shown], f"{FOUND}?q={ASKED}": [shown]}
    one.scripted.clicks = {"Go": at}
    return one


@pytest.mark.parametrize("flow", [searches, opens_the_search])
@pytest.mark.parametrize(
    "echo",
    [(heading(f"Results for {ASKED}"),), (heading(ASKED),), (heading("Search"), text(f"Search: {ASKED}"))],
)
async def test_the_values_of_another_record_under_an_echo_are_not_done(flow: Any, echo: Any):
    finished = await run_of(flow, *echo, *FIELDS).run()
    assert finished.status != "done", values_of(finished)


@pytest.mark.parametrize(
    "shown",
    [
        (heading(f"Results for {ASKED}"), *row("Ticket number", ASKED)),
        (heading("Search"), heading(f"{ASKED}: Printer on fire", 2)),
    ],
)
async def test_what_the_record_says_of_itself_on_the_answer_proves_it(shown: Any):
    finished = await run_of(searches, *shown, *FIELDS).run()
    assert (finished.status, values_of(finished)["assignee"]) == ("done", "Ann Lee"), finished.message


async def test_a_page_to_which_the_site_has_led_is_no_answer():
    finished = await run_of(searches, heading(ASKED), *FIELDS, at=URL, value="").run()
    assert finished.status == "done", finished.message


async def test_a_result_that_was_opened_is_no_answer_although_the_search_stays_filled_in():
    one = run_of(opens_a_result, heading(f"Results for {ASKED}"), el("link", ASKED, url=URL))
    one.scripted.site[URL] = [page(box(ASKED), heading(ASKED), *FIELDS)]
    one.scripted.clicks[ASKED] = URL
    finished = await one.run()
    assert finished.status == "done", finished.message


async def test_an_address_of_a_record_is_no_search():
    own = f"{HOME}/show?id={ASKED}"

    def opens(url: str):
        yield OpenAddress(url=own)
        return (yield from reads(url))

    one = run_of(opens, heading("Tickets"))
    one.scripted.site[own] = [page(heading(f"Details of {ASKED}"), *FIELDS)]
    finished = await one.run()
    assert finished.status == "done", finished.message


@pytest.mark.parametrize("others", [{}, {"step": "Go"}])
@pytest.mark.parametrize(("shown", "told"), [((heading(ASKED),), "record_unproven"), (row("Ticket number", ASKED), "")])
async def test_a_flow_that_runs_outside_of_a_run_is_told_the_same(shown: Any, told: str, others: dict[str, str]):
    """``others``: variables that name no record, also where the site has a word of them."""
    bus = MemoryBus()
    bus.host(pool, run_of(searches, heading("Search"), *shown, *FIELDS).scripted)
    session = SessionLeased(session_id="s", instance_id="pool1", browser="scripted 1.0")
    files = FlowFiles(fields=FieldsFile(proofs={"ticket_number": under("Ticket number")} if not told else {}))
    flow, calls = LiveFlow(bus, session, files, {"ticket_number": ASKED, **others}), searches(URL)
    answers = [await flow.answer(next(calls))]
    while len(answers) < 4:
        answers.append(await flow.answer(calls.send(answers[-1].value)))
    assert [one.error.code for one in answers if one.error is not None] == ([told] if told else [])
