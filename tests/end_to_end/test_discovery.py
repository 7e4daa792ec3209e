"""A run that discovers its samples by navigation: all of them, once, while paging continues."""

from __future__ import annotations

import asyncio
import csv
import json
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from practice import serving
from practice.code_host.data import ground_truth as code_truth
from practice.code_host.server import serve as serve_code
from practice.people import words
from practice.people.data import ground_truth as people_truth
from practice.people.demo import company_slug, compare_list, people_of
from practice.people.listing import Pager
from practice.people.server import serve as serve_people
from practice.people.site import Options
from practice.tickets.data import ground_truth
from practice.tickets.site import PAGE_SIZE, TicketSite
from practice.tickets.site import Options as SiteOptions
from shared.client import Client, connect
from shared.contracts.discovery import PopulationClosed, SampleFound
from shared.contracts.planner import SampleFinished, SamplesListed
from shared.contracts.steps import StepTaken
from shared.host.nats_server import nats_server
from shared.host.services import run_embedded
from shared.text.names import DISCOVERY
from tests.end_to_end.conftest import Cli
from tests.end_to_end.fleet import Fleet

ALL = [ticket.number for ticket in ground_truth()]
SOME = ALL[: 3 * PAGE_SIZE]


def listing(url: str, **changes) -> dict:
    return {
        "task_id": "practice_ticket_list",
        "phase": "discovery",
        "start_url": f"{url}/tickets",
        "allowed_hosts": ["127.0.0.1"],
        "goal": "List all tickets.",
        "output_schema": {"ticket_number": {"type": "string", "labels": ["Ticket"]}, "url": "string"},
        "required_fields": ["ticket_number", "url"],
        "max_steps": 40,
        "max_time_s": 900.0,
        **changes,
    }


def quick(ticket_spec: dict) -> dict:
    """The same task without pictures: what counts here is which samples there are."""
    return {**ticket_spec, "required_artifacts": [], "concurrency": 4}


async def events_of(client: Client, run_id: str) -> list:
    seen = []
    async with aclosing(client.watch(run_id)) as events:
        async for event in events:
            seen.append(event)
            if type(event).__name__ == "RunFinished":
                return seen
    raise AssertionError("a watch never ends")


def rows(path: str | Path) -> list[dict[str, str]]:
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


async def test_every_page_of_a_list_is_read_and_nothing_is_done_on_what_only_is_to_be_listed(settings, tickets_url):
    async with run_embedded(settings) as client:
        accepted = await client.submit(listing(tickets_url))
        assert accepted.discovering
        seen = await events_of(client, accepted.run_id)
    finished = seen[-1]
    assert {(o.status, o.samples) for o in finished.outcomes} == {("done", len(ALL))}
    assert finished.population_complete
    assert [event.sample_id for event in seen if isinstance(event, SampleFound)] == ALL
    assert [event.sample_id for event in seen if isinstance(event, SampleFinished)] == [DISCOVERY]
    assert len([event for event in seen if isinstance(event, SamplesListed)]) == len(ALL) / PAGE_SIZE
    assert [event.samples for event in seen if isinstance(event, PopulationClosed)] == [len(ALL)]
    run = Path(finished.location)
    assert sorted(row["ticket_number"] for row in rows(finished.table)) == sorted(ALL)
    listed = rows(run / "discovered_samples.csv")
    assert list(listed[0]) == ["sample_id", "url", "discovered_at", "ticket_number"]
    assert [row["sample_id"] for row in listed] == ALL
    assert not (run / "samples.csv").exists()
    assert json.loads((run / DISCOVERY / "result.json").read_text())["status"] == "done"


class Waiting(TicketSite):
    """Gives the last page of its list once somebody works on a ticket."""

    def __init__(self) -> None:
        super().__init__(SiteOptions(latency_ms=0))
        self.worked = asyncio.Event()

    async def _list(self, request: Request) -> Response:
        if request.query_params.get("page") == str(len(SOME) // PAGE_SIZE):
            with suppress(TimeoutError):
                await asyncio.wait_for(self.worked.wait(), 25)
        return await super()._list(request)


async def test_samples_are_worked_on_before_the_last_page_is_read(settings, ticket_spec):
    seen, site = [], Waiting()
    async with serving.serve(site.app()) as url, run_embedded(settings) as client:
        accepted = await client.submit(quick(ticket_spec), discovery=listing(url, expected_items=len(SOME)))
        async with aclosing(client.watch(accepted.run_id)) as events:
            async for event in events:
                seen.append(event)
                if isinstance(event, StepTaken) and event.sample_id != DISCOVERY:
                    site.worked.set()
                if type(event).__name__ == "RunFinished":
                    break
    finished = seen[-1]
    assert {(o.status, o.samples) for o in finished.outcomes} == {("done", len(SOME))}
    assert [event.sample_id for event in seen if isinstance(event, SampleFound)] == SOME
    last_page = max(at for at, event in enumerate(seen) if isinstance(event, SamplesListed))
    assert [e for e in seen[:last_page] if isinstance(e, StepTaken | SampleFinished) and e.sample_id != DISCOVERY]
    assert sorted(row["ticket_number"] for row in rows(finished.table)) == SOME


@pytest.mark.parametrize("victim", ["discovery", "planner"])
async def test_a_service_that_is_killed_in_mid_listing_loses_nothing_and_doubles_nothing(
    victim: str, cli: Cli, ticket_spec, tickets_url, tmp_path: Path
):
    async with nats_server(tmp_path / "jetstream") as url, connect(url) as client:
        fleet = Fleet(cli, url, tmp_path / "evidence")
        for name in ("evidence", "browser_pool", "planner", "discovery"):
            fleet.start(name)
        search = listing(tickets_url, expected_items=len(SOME))
        accepted = await client.submit(quick(ticket_spec), discovery=search, planner="rules")
        await pages_read(client, accepted.run_id, 2)
        fleet.kill(victim)
        fleet.start(victim)
        seen = await events_of(client, accepted.run_id)
    finished = seen[-1]
    assert {(o.status, o.samples) for o in finished.outcomes} == {("done", len(SOME))}
    assert sorted(event.sample_id for event in seen if isinstance(event, SampleFound)) == SOME
    ended = [(e.sample_id, e.attempt) for e in seen if isinstance(e, SampleFinished)]
    assert len(ended) == len(set(ended))
    assert sorted(row["ticket_number"] for row in rows(finished.table)) == SOME


async def pages_read(client: Client, run_id: str, wanted: int) -> None:
    async with aclosing(client.watch(run_id)) as events:
        async for event in events:
            wanted -= isinstance(event, SamplesListed)
            if wanted == 0:
                return


async def test_a_search_that_was_cut_short_says_so_and_is_taken_up_again(settings, ticket_spec, tickets_url):
    short = listing(tickets_url, max_time_s=0.001)
    async with run_embedded(settings) as client:
        accepted = await client.submit(quick(ticket_spec), discovery=short)
        first = await client.result(accepted.run_id)
    assert not first.population_complete
    assert "time_exceeded" in first.population_note
    async with run_embedded(settings) as client:
        resumed = await client.submit(resume=accepted.run_id)
        assert resumed.discovering
        again = await client.result(accepted.run_id, attempt_base=resumed.attempt_base)
    assert again.attempt_base == resumed.attempt_base
    assert "time_exceeded" in again.population_note


@asynccontextmanager
async def directory(pager: Pager, limit_every: int = 0):
    async with serve_people(options=Options(pager=pager, limit_every=limit_every, retry_after_s=1)) as url:
        yield url


def people_list(url: str) -> dict:
    spec = json.loads((Path(__file__).parents[2] / "task_specs/practice_people_list.json").read_text())
    return {**spec, "start_url": f"{url}/companies/{{company}}/people", "allowed_hosts": ["127.0.0.1"]}


@pytest.mark.parametrize("pager", ["url", "click", "more", "scroll"])
async def test_a_list_is_read_to_its_end_however_it_turns_its_pages(pager, settings):
    company = words.COMPANIES[0][0]
    async with directory(pager) as url, run_embedded(settings) as client:
        accepted = await client.submit(people_list(url), discovery_row={"company": company_slug(company)})
        finished = await client.result(accepted.run_id)
        people = people_truth()
        assert compare_list(rows(finished.table), people, company, url) == []
    assert finished.samples == len(people_of(people, company))
    assert finished.population_complete


async def test_the_commits_of_a_branch_are_listed_and_not_what_is_named_beside_them(settings):
    repository = next(one for one in code_truth().repositories if len(one.commits) > 40)
    async with serve_code(latency_ms=0) as origins, run_embedded(settings) as client:
        spec = {
            **listing("", output_schema={"sha": "string", "url": "string"}, required_fields=["sha", "url"]),
            "start_url": f"{origins.code}/{{org}}/{{repo}}/commits/main",
            "input_schema": {"org": "string", "repo": "string"},
        }
        row = {"org": "harbourline", "repo": repository.name}
        accepted = await client.submit(spec, discovery_row=row)
        finished = await client.result(accepted.run_id)
    assert sorted(row["sha"] for row in rows(finished.table)) == sorted(commit.sha for commit in repository.commits)


async def test_a_site_that_asks_to_slow_down_is_left_alone_and_the_list_goes_on(settings):
    company = words.COMPANIES[0][0]
    async with directory("url", limit_every=4) as url, run_embedded(settings) as client:
        accepted = await client.submit(people_list(url), discovery_row={"company": company_slug(company)})
        finished = await client.result(accepted.run_id)
        people = people_truth()
        assert compare_list(rows(finished.table), people, company, url) == []
    assert finished.population_complete


async def test_a_page_without_items_is_no_empty_list_unless_it_says_so(cli, tmp_path):
    async with directory("url") as url:
        spec = people_list(url)
        spec["start_url"] += "?page=99"
        out, code = await run_list(cli, spec, tmp_path)
    assert (out["samples"], out["population_complete"], code) == (0, False, 1)
    assert out["population_reason"] == "unproven_empty"


async def test_a_login_wall_before_the_list_is_said_and_is_no_empty_list(cli, tmp_path):
    async with serve_people(options=Options(wall="site")) as url:
        out, code = await run_list(cli, people_list(url), tmp_path)
    assert (out["samples"], out["population_complete"], code) == (0, False, 1)
    assert "login_required" in out["population_note"]


async def run_list(cli: Cli, spec: dict, folder: Path) -> tuple[dict, int]:
    path = folder / "list.json"
    path.write_text(json.dumps(spec))
    filled = f"company={company_slug(words.COMPANIES[0][0])}"
    process = cli.start("run", str(path), "--with", filled, "--json", "--evidence", str(folder / "evidence"))
    out, err = await communicated(process)
    assert out, err
    return json.loads(out), process.returncode


async def communicated(process) -> tuple[str, str]:
    return await asyncio.to_thread(process.communicate, None, 120)
