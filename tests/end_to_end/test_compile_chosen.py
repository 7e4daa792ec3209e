"""What `exhibit compile` takes by itself shows every field; what a flow would lose is named, and needs a yes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from practice.comparing import rows_of
from shared.client import Client
from shared.errors import RunRejectedError
from shared.flows.files import FlowFiles, ValueSchema, write_files
from shared.pages.locate.element_facts import ElementFacts
from tests.end_to_end.conftest import Cli
from tests.end_to_end.finished_runs import outcomes_of, run
from tests.end_to_end.flow_sources import create_flow
from tests.end_to_end.small_site import Answers, SmallSite
from tests.end_to_end.tickets import FULL, UNASSIGNED, UNDATED, rows, wrong_cells

STOPS = '''"""Open a book, and press what its page does not have."""

from exhibit.flow import by_role, click, open_page


async def run(number: str) -> dict[str, object]:
    """Work on one sample."""
    await open_page(f"SITE/books/{number}")
    await click(by_role("button", "Show all"))
    return {"title": ""}
'''
BOOK_FILES = write_files(
    FlowFiles(
        locators={'role=button[name="Show all"]': ElementFacts(role="button")},
        variables={"number!": ValueSchema(type="string")},
        outputs={name: ValueSchema(type="string") for name in ("number", "title", "series")},
    )
)
SERIES = {4: "The Sea", 9: "The Hill", 11: "The Wood"}


class BookPages(Answers):
    def do_GET(self) -> None:
        number = int(self.path.rsplit("/", 1)[-1])
        series = f"<dt>Series</dt><dd>{SERIES[number]}</dd>" if number in SERIES else ""
        self.answer(
            f"<!doctype html><title>Books</title><h1>Book {number}</h1><dl><dt>Number</dt><dd>{number}</dd>"
            f"<dt>Title</dt><dd>Tale {chr(65 + number)}</dd>{series}<dt>Shelf</dt><dd>Shelf {number % 3}</dd></dl>"
        )


@pytest.fixture
def books() -> Iterator[SmallSite]:
    with SmallSite(BookPages) as site:
        yield site


def task_of_books(task_id: str, url: str) -> dict[str, Any]:
    return {
        "task_id": task_id,
        "goal": "the series of each book",
        "start_url": f"{url}/books/{{number}}",
        "input_schema": {"number": "string"},
        "sample_id": "B-{number}",
        "output_schema": {"number": "string", "title": "string", "series": "string"},
        "required_fields": ["title"],
        "identity": {"number": "{number}"},
    }


def numbers(first: int, last: int) -> list[dict[str, str]]:
    return [{"number": str(number)} for number in range(first, last + 1)]


def compiled(cli: Cli, run_id: str, *options: str) -> tuple[int, dict[str, Any]]:
    ended = cli.run("compile", run_id, "--out", str(cli.folder / "flow"), "--json", *options)
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)


async def test_of_tickets_with_and_without_a_date_a_flow_is_made_that_reads_both(
    client: Client, online: Cli, ticket_spec: dict[str, Any], tickets_url: str
):
    spec = {**ticket_spec, "task_id": "tickets_chosen"}
    recorded = [UNDATED[0], FULL[0], UNASSIGNED[0], FULL[1], UNDATED[1]]
    first = await run(client, {**spec, "workflow": "off"}, rows(tickets_url, recorded))
    code, told = compiled(online, first.run_id)
    assert (code, told["problems"], told["left_to_model"]) == (0, [], [])
    dates = [one.due_date for one in recorded if one.due_date is not None]
    support = {"shown": len(dates), "values": len(set(dates)), "of": len(recorded), "asks_for": ""}
    assert told["fields"]["due_date"] == support
    others = [*FULL[2:6], *UNDATED[2:4], *UNASSIGNED[1:3]]
    again = await run(client, spec, rows(tickets_url, others), mode="flow")
    assert outcomes_of(again) == {("done", ""): len(others)}
    assert wrong_cells(again.table, others) == []


async def test_a_flow_that_did_worse_than_the_rules_is_set_aside_until_it_is_published_again(
    client: Client, online: Cli, books: SmallSite
):
    spec = task_of_books("books_set_aside", books.url)
    await create_flow(client, "books_set_aside", STOPS.replace("SITE", books.url), BOOK_FILES)
    first = await run(client, {**spec, "workflow": {"name": "books_set_aside"}}, numbers(1, 6))
    assert outcomes_of(first) == {("done", ""): 6}
    shown = json.loads(online.run("flows", "show", "books_set_aside", "--json").stdout)
    why = f"in the run {first.run_id} it did 0 of the 6 samples in which it began, and the rules finished 6 others"
    assert why in shown["set_aside"]
    listed = json.loads(online.run("workflows", "list", "--json").stdout)
    assert listed["set_aside"] == {"books_set_aside": shown["set_aside"]}

    second = await run(client, spec, numbers(1, 2), mode="auto")
    [by_rules] = second.worked
    assert by_rules.drivers == ("rules",)
    assert "the library's books_set_aside is set aside" in by_rules.reasons[0].text
    with pytest.raises(RunRejectedError, match="is set aside"):
        await run(client, spec, numbers(1, 2), mode="flow")

    history = json.loads(online.run("flows", "history", "books_set_aside", "--json").stdout)
    version = history["entries"][-1]["version"]["hash"]
    assert online.run("flows", "rollback", "books_set_aside", version[:12]).returncode == 0
    assert json.loads(online.run("flows", "show", "books_set_aside", "--json").stdout)["set_aside"] == ""


async def test_a_field_that_one_book_has_is_read_and_its_loss_needs_a_yes(
    client: Client, online: Cli, books: SmallSite
):
    spec = task_of_books("books_chosen", books.url)
    first = await run(client, {**spec, "workflow": "off"}, numbers(1, 7))
    code, told = compiled(online, first.run_id)
    assert (code, told["problems"], told["left_to_model"]) == (0, [], [])
    assert told["fields"]["series"]["asks_for"] == "learned from one sample; add a row that has it"
    again = await run(client, spec, numbers(8, 12), mode="flow")
    assert outcomes_of(again) == {("done", ""): 5}
    read = {row["sample_id"]: row["series"] for row in rows_of(Path(again.table))}
    assert read == {f"B-{number}": SERIES.get(number, "") for number in range(8, 13)}

    without = ("--sample", "B-1", "--sample", "B-2")
    code, lost = compiled(online, first.run_id, *without)
    assert (code, lost["version"]) == (1, "")
    assert lost["lost"] == {"series": {"rules": ["B-4"], "published": ["B-4"]}}
    shown = online.run("compile", first.run_id, "--out", str(online.folder / "flow"), *without)
    assert "--accept-loss series" in shown.stdout
    assert online.run("compile", first.run_id, "--accept-loss", "colour").returncode == 2

    code, accepted = compiled(online, first.run_id, *without, "--accept-loss", "series")
    assert (code, accepted["problems"]) == (0, [])
    assert accepted["version"] not in ("", told["version"])
    of_flow = json.loads(online.run("flows", "show", "books_chosen", "--json").stdout)
    assert of_flow["accepted_losses"] == ["series"]
