"""A run that discovers its samples by navigation: all of them, once, while paging continues."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from practice.comparing import rows_of
from practice.people import server as people_server
from practice.people.data import ground_truth as people_truth
from practice.people.demo import company_slug, compare_list, people_of
from practice.people.listing import Pager
from practice.people.site import Options
from shared.client import Client, connect
from shared.contracts.discovery import PopulationClosed, SampleFound
from shared.contracts.evidence import RunFinished
from shared.contracts.planner import SampleFinished, SamplesListed
from shared.contracts.steps import StepTaken
from shared.host.nats_server import nats_server
from shared.subjects import RunEvent
from shared.text.names import DISCOVERY
from tests.end_to_end.conftest import Cli
from tests.end_to_end.family_runs import spec_of
from tests.end_to_end.finished_runs import outcomes_of, results_of
from tests.end_to_end.fleet import Fleet
from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect

ON_PAGE, LAST_PAGE = 2, 3
KEYS = [f"P-{number}" for number in range(1, ON_PAGE * LAST_PAGE + 1)]
HELD_BACK_S = 300
"""No test holds a page back for so long."""


class Parcels(SmallSite):
    """Parcels on three pages. A page whose event is not set is held back."""

    def __init__(self) -> None:
        super().__init__(ParcelAnswers)
        self.open = {page: threading.Event() for page in range(1, LAST_PAGE + 1)}
        for event in self.open.values():
            event.set()


class ParcelAnswers(Answers):
    def do_GET(self) -> None:
        address = urlsplit(self.path)
        key = address.path.rpartition("/")[2]
        if key in KEYS:
            self.answer(f"<title>{key}</title><h1>{key}</h1><dl><dt>Parcel<dd>{key}<dt>State<dd>sent</dl>")
        elif address.path == "/parcels":
            self._list(int(parse_qs(address.query).get("page", ["1"])[0]))
        else:
            self.answer("", status=404)

    def _list(self, page: int) -> None:
        assert expect(self.server, Parcels).open[page].wait(HELD_BACK_S)
        keys = KEYS[(page - 1) * ON_PAGE : page * ON_PAGE]
        rows = "".join(f"<tr><td><a href=/parcels/{key}>{key}</a><td>sent" for key in keys)
        following = f'<a href="/parcels?page={page + 1}">Next</a>' if page < LAST_PAGE else ""
        table = f"<p>{len(KEYS)} results</p><table><tr><th>Parcel<th>State{rows}</table>"
        self.answer(f"<title>Parcels</title><h1>Parcels</h1>{table}{following}")


@pytest.fixture
def parcels() -> Iterator[Parcels]:
    with Parcels() as site:
        yield site
        for event in site.open.values():
            event.set()


HOSTS = {"allowed_hosts": ["127.0.0.1"]}
WORK: dict[str, Any] = {
    **{"task_id": "parcel", "goal": "Read the parcel.", "sample_id": "{parcel}", **HOSTS},
    **{"input_schema": {"parcel": "string", "url": "string"}, "identity": {"parcel": "{parcel}"}},
    **{"output_schema": {"parcel": "string", "state": "string"}, "required_fields": ["parcel", "state"]},
}


def listing(url: str, **changes: Any) -> dict[str, Any]:
    schema = {"parcel": {"type": "string", "pattern": "P-[0-9]+"}, "url": "string"}
    return {
        **{"task_id": "parcels", "phase": "discovery", "goal": "List the parcels.", "sample_id": "{parcel}", **HOSTS},
        **{"start_url": f"{url}/parcels", "output_schema": schema, "required_fields": list(schema)},
        **changes,
    }


async def events_until(client: Client, run_id: str, kind: type[Any], wanted: int = 1) -> list[RunEvent]:
    """Return the events of the run, up to the one of this kind that is the last wanted one."""
    seen: list[RunEvent] = []
    async with aclosing(client.watch(run_id)) as events:
        async for event in events:
            seen.append(event)
            wanted -= isinstance(event, kind)
            if wanted == 0:
                return seen
    raise AssertionError("a watch never ends")


def found_in(seen: Sequence[RunEvent]) -> list[str]:
    return [event.sample_id for event in seen if isinstance(event, SampleFound)]


async def test_samples_are_worked_on_before_the_last_page_is_read(client: Client, parcels: Parcels):
    parcels.open[LAST_PAGE].clear()
    accepted = await client.submit(WORK, discovery=listing(parcels.url), concurrency=2)
    seen = []
    async with aclosing(client.watch(accepted.run_id)) as events:
        async for event in events:
            seen.append(event)
            if isinstance(event, StepTaken) and event.sample_id != DISCOVERY:
                parcels.open[LAST_PAGE].set()
            if isinstance(event, RunFinished):
                break
    finished = expect(seen[-1], RunFinished)
    assert outcomes_of(finished) == {("done", ""): len(KEYS)}
    assert found_in(seen) == KEYS
    last_page = max(at for at, event in enumerate(seen) if isinstance(event, SamplesListed))
    assert [e for e in seen[:last_page] if isinstance(e, StepTaken | SampleFinished) and e.sample_id != DISCOVERY]
    assert sorted(row["parcel"] for row in rows_of(Path(finished.table))) == KEYS


async def test_services_that_are_killed_in_mid_listing_lose_nothing_and_double_nothing(
    cli: Cli, parcels: Parcels, tmp_path: Path
):
    """The planner while the second page is on its way, and discovery while the third is."""
    for page in (2, 3):
        parcels.open[page].clear()
    async with nats_server(tmp_path / "jetstream") as url, connect(url) as client:
        fleet = Fleet(cli, url, tmp_path / "evidence")
        for name in ("evidence", "browser_pool", "planner", "discovery"):
            fleet.start(name)
        accepted = await client.submit(WORK, discovery=listing(parcels.url), planner="rules")
        for page, victim in ((2, "planner"), (3, "discovery")):
            await events_until(client, accepted.run_id, SamplesListed, page - 1)
            fleet.kill(victim)
            parcels.open[page].set()
            fleet.start(victim)
        seen = await events_until(client, accepted.run_id, RunFinished)
    finished = expect(seen[-1], RunFinished)
    assert outcomes_of(finished) == {("done", ""): len(KEYS)}
    assert sorted(found_in(seen)) == KEYS
    ended = [(e.sample_id, e.attempt) for e in seen if isinstance(e, SampleFinished)]
    assert len(ended) == len(set(ended))
    assert sorted(row["parcel"] for row in rows_of(Path(finished.table))) == KEYS


async def test_a_search_that_was_cut_short_says_so_and_is_taken_up_again(client: Client, parcels: Parcels):
    accepted = await client.submit(WORK, discovery=listing(parcels.url, max_time_s=0.001))
    first = await client.result(accepted.run_id)
    assert not first.population_complete
    assert "time_exceeded" in first.population_note
    resumed = await client.submit(resume=accepted.run_id)
    assert resumed.discovering
    again = await client.result(accepted.run_id, attempt_base=resumed.attempt_base)
    assert again.attempt_base == resumed.attempt_base
    assert "time_exceeded" in again.population_note


COMPANY = "Cobalt Freight"


def people_list(url: str, start: str = "") -> dict[str, Any]:
    return {**spec_of("practice_people_list", url), **HOSTS, "start_url": f"{url}/companies/{{company}}/people{start}"}


async def list_people(client: Client, options: Options, start: str = "") -> tuple[list[RunEvent], str]:
    """Only list the people of the company. Return the events, and where the site was."""
    async with people_server.serve(options=options) as url:
        row = {"company": company_slug(COMPANY)}
        accepted = await client.submit(people_list(url, start), discovery_row=row, planner="rules")
        assert accepted.discovering
        return await events_until(client, accepted.run_id, RunFinished), url


@pytest.mark.parametrize(
    ("pager", "limit_every"),
    [
        pytest.param("url", 2, id="addresses, of a site that asks to slow down"),
        pytest.param("scroll", 0, id="scroll"),
        pytest.param("click", 0, id="click", marks=pytest.mark.long),
        pytest.param("more", 0, id="more", marks=pytest.mark.long),
    ],
)
async def test_a_list_is_read_to_its_end_however_it_turns_its_pages(client: Client, pager: Pager, limit_every: int):
    people = people_truth()
    names = {person.name for person in people_of(people, COMPANY)}
    seen, url = await list_people(client, Options(pager=pager, limit_every=limit_every, retry_after_s=1))
    finished = expect(seen[-1], RunFinished)
    assert compare_list(rows_of(Path(finished.table)), people, COMPANY, url) == []
    assert (finished.samples, finished.population_complete) == (len(names), True)
    assert outcomes_of(finished) == {("done", ""): len(names)}
    # what is to be listed only is not worked on
    assert [event.sample_id for event in seen if isinstance(event, SampleFinished)] == [DISCOVERY]
    assert [event.samples for event in seen if isinstance(event, PopulationClosed)] == [len(names)]
    listed = rows_of(Path(finished.location) / "discovered_samples.csv")
    assert list(listed[0]) == ["sample_id", "url", "discovered_at", "company", "name", "profile_url"]
    assert [row["sample_id"] for row in listed] == found_in(seen)
    assert not (Path(finished.location) / "samples.csv").exists()
    assert results_of(finished)[DISCOVERY]["status"] == "done"


@pytest.mark.parametrize(
    ("options", "start", "why"),
    [
        pytest.param(Options(), "?page=99", "unproven_empty", id="a page without items that does not say so"),
        pytest.param(Options(wall="site"), "", "login_required", id="a login wall"),
    ],
)
async def test_what_shows_no_list_is_no_empty_list(client: Client, options: Options, start: str, why: str):
    seen, _ = await list_people(client, options, start)
    finished = expect(seen[-1], RunFinished)
    assert (finished.samples, finished.population_complete) == (0, False)
    assert why in f"{finished.population_reason} {finished.population_note}"
