"""A flow that stops at a page which says that the record is not there ends so, and at no other page."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.workflows.flows import ClickElement, OpenAddress, PressKeys, ProveRecord, TypeInto
from tests.handlers.planner.flow_bench import bench, flows_of, tags
from tests.handlers.planner.planner_bench import Bench
from tests.unit.planner.planner_pages import URL, cell, el, heading, page, row, text, ticket

HOME = "http://127.0.0.1:8000/tickets"
FOUND = f"{HOME}?q=TCK-1001"
ASKED, NONE = "TCK-1001", "No tickets match your search."
ROW = {"ticket_number": "string", "url": "string"}


def searches(url: str):
    """Looks for the ticket in the search of the home page."""
    yield OpenAddress(url=HOME)
    yield TypeInto(selector='role=searchbox[name="Search"]', text=ASKED)
    yield ClickElement(selector='role=button[name="Go"]')
    yield ClickElement(selector=f'role=link[name="{ASKED}"]')
    yield ProveRecord(expected={"ticket_number": ASKED})


def opens(url: str):
    yield OpenAddress(url=HOME)
    yield OpenAddress(url=url)
    yield ClickElement(selector='role=link[name="Details"]')


def box(value: str = "") -> Any:
    return el("searchbox", "Search", tag="input", value=value, area="search")


def home(*more: Any, **rest: Any) -> Any:
    return page(heading("Tickets"), box(), el("button", "Go", area="search"), *more, url=HOME, **rest)


def run_of(flow: Any, *found: Any, start: Any = None, at: str = FOUND, **rest: Any) -> Bench:
    """A run whose flow begins at the home page; ``found``: what it is led to, one for each observation."""
    one = bench(flow, start_url=HOME, **{"input_schema": ROW, "not_found_texts": [NONE], **rest})
    one.mode = "flow"
    one.scripted.site = {HOME: [start or home()], at: list(found)}
    one.scripted.clicks = {"Go": FOUND}
    return one


def results(*shown: Any, value: str = ASKED, **rest: Any) -> Any:
    return page(heading("Tickets"), box(value), el("button", "Go", area="search"), *shown, url=FOUND, **rest)


ABSENT = results(text(NONE))


@pytest.mark.parametrize(
    "found",
    [
        ABSENT,
        results(text(f'No tickets match your search. You searched for "{ASKED}".')),
        results(heading(f"Results for {ASKED}"), text(NONE)),
        results(text(NONE), title=f"Search: {ASKED}"),
        results(text(NONE), el("button", f"{ASKED} ×")),
    ],
)
async def test_the_answer_of_a_search_that_there_is_none_ends_the_sample_with_its_picture(found: Any):
    one = run_of(searches, found)
    finished = await one.run()
    assert (finished.status, finished.reason, finished.fault) == ("failed", "not_found", "record"), finished.message
    assert NONE in finished.message
    assert [name for name, _ in tags(one)] == ["Goto", "TypeText", "Click", "Screenshot", "Fail"]
    pictures = [filed.artifact for step in one.steps for filed in step.artifacts]
    assert ("screenshot", "not_found") in [(one.kind, one.label) for one in pictures]
    assert finished.drivers == ("flow",)


async def test_without_words_of_the_task_the_site_s_own_count():
    finished = await run_of(searches, results(text("No tickets found.")), not_found_texts=[]).run()
    assert (finished.status, finished.reason) == ("failed", "not_found")


@pytest.mark.parametrize(
    ("found", "rest"),
    [
        (results(text('No tickets match your search. You searched for "TCK-1".')), {}),
        (results(text("No tickets match your search. TCK-1002 is not one.")), {}),
        (results(text(NONE), value="TCK"), {}),
        (results(text(f"Ask: {NONE}", place="li>p"), text("Printer on fire", place="li>p")), {}),
        (results(text("Room 404")), {"not_found_texts": []}),
        (results(text(NONE, area="complementary")), {}),
        (results(text(NONE, past=True)), {}),
        (results(*row("Hint", NONE)), {}),
        (results(text(NONE), el("link", f"{ASKED} Printer on fire", url=URL)), {}),
        (results(text(NONE), el("link", f"7. {ASKED}", url=URL, place="ul>li>a")), {}),
        (results(*ticket(), text(NONE)), {}),
        (results(*ticket("TCK-1002"), text(NONE)), {}),
        (results(cell("Number", "TCK-7", 1), cell("Title", NONE, 1)), {}),
        (results(text("No comments found"), *row("Assignee", "Ann Lee")), {"not_found_texts": []}),
        (results(text(NONE), http_status=500), {}),
        (results(text(NONE), http_status=403), {}),
        (results(heading("Sign in"), el("textbox", "Password", secret=True), el("button", "Sign in"), text(NONE)), {}),
        (results(text(NONE), idle=False, awaited=("GET /api/tickets",)), {}),
    ],
)
async def test_what_tells_of_something_else_is_no_absence(found: Any, rest: dict[str, Any]):
    finished = await run_of(searches, found, **rest).run()
    assert finished.reason != "not_found", finished.message
    assert finished.status != "done"


async def test_words_that_stood_there_before_the_search_are_no_answer():
    finished = await run_of(searches, ABSENT, start=home(text(NONE))).run()
    assert (finished.status, finished.reason) == ("needs_review", "flow_stopped")


async def test_a_page_that_says_so_until_its_data_comes_is_waited_for():
    coming = results(text(NONE), idle=False)
    one = run_of(searches, *[coming] * 3, results(el("link", ASKED, url=URL)))
    one.scripted.site[URL] = [page(*ticket())]
    finished = await one.run()
    assert [type(call).__name__ for call in flows_of(one).answers if call.error is not None] == []
    assert finished.reason != "not_found"


async def test_what_follows_a_record_that_was_opened_says_nothing_of_it():
    def opens_it(url: str):
        yield from list(searches(url))[:3]
        yield ClickElement(selector=f'role=link[name="{ASKED}"]')
        yield ClickElement(selector='role=link[name="Comments"]')

    one = run_of(opens_it, results(el("link", ASKED, url=URL)))
    one.scripted.clicks |= {ASKED: URL}
    one.scripted.site[URL] = [page(heading("A ticket"), text(NONE))]
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "flow_stopped"), finished.message


async def test_another_text_than_the_row_s_was_searched_for():
    def looks_elsewhere(url: str):
        yield OpenAddress(url=HOME)
        yield TypeInto(selector='role=searchbox[name="Search"]', text="printers")
        yield PressKeys(keys="Enter")
        yield ClickElement(selector=f'role=link[name="{ASKED}"]')

    one = run_of(looks_elsewhere, ABSENT, start=home())
    one.scripted.site[HOME] = [home(), home(text(NONE))]
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "flow_stopped")


@pytest.mark.parametrize(("status", "at"), [(404, URL), (410, URL)])
async def test_the_record_s_own_address_that_has_nothing(status: int, at: str):
    finished = await run_of(opens, page(heading("Nothing"), url=at, http_status=status), at=at).run()
    assert (finished.status, finished.reason) == ("failed", "not_found"), finished.message
    assert f"answers with HTTP {status}" in finished.message


@pytest.mark.parametrize("at", [f"{HOME}/search/{ASKED}", f"{HOME}/#/search/{ASKED}"])
async def test_a_search_that_is_gone_says_nothing_of_the_record_also_where_its_address_ends_with_the_value(at: str):
    def opens_search(url: str):
        yield OpenAddress(url=HOME)
        yield OpenAddress(url=at)
        yield ClickElement(selector='role=link[name="Details"]')

    finished = await run_of(opens_search, page(heading("Nothing"), url=at, http_status=404), at=at).run()
    assert (finished.status, finished.reason) == ("needs_review", "flow_stopped"), finished.message


async def test_a_part_of_a_record_that_has_nothing_says_nothing_of_the_record():
    def opens_files(url: str):
        yield OpenAddress(url=HOME)
        yield OpenAddress(url=f"{url}/files")
        yield ClickElement(selector='role=link[name="Download"]')

    finished = await run_of(opens_files, page(heading("Nothing"), http_status=404), at=f"{URL}/files").run()
    assert (finished.status, finished.reason) == ("needs_review", "flow_stopped")
