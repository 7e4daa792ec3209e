"""The practice sites do what tests rely on: they shut, count, hold back and end as they are told, and nothing more."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections.abc import AsyncGenerator
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import pytest_asyncio

from practice.code_host.data import ground_truth as world_of
from practice.code_host.server import serve as serve_code
from practice.code_host.view import Origins
from practice.hr_portal.data import ground_truth as employees_of
from practice.hr_portal.demo import input_rows, request_of
from practice.hr_portal.leave import confirmation_number
from practice.hr_portal.server import serve as serve_hr
from practice.hr_portal.site import Options as HrOptions
from practice.people.asking import listed_pages, people_of
from practice.people.data import ground_truth as everybody
from practice.people.listing import END
from practice.people.server import serve as serve_people
from practice.people.site import Options as PeopleOptions
from practice.sign_in import PASSWORD, USER
from practice.tickets.data import ground_truth as tickets_of
from practice.tickets.server import serve as serve_tickets
from tests.practice_sites.site_browser import Visitor

pytestmark = pytest.mark.asyncio(loop_scope="module")
PEOPLE, STAFF, REPOSITORY = everybody(), employees_of(), world_of().repositories[0]
LIST = "/companies/northwind-analytics/people"
ROOT = f"/harbourline/{REPOSITORY.name}"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def people() -> AsyncGenerator[Visitor]:
    async with serve_people() as url:
        yield Visitor(url)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tickets() -> AsyncGenerator[Visitor]:
    async with serve_tickets(latency_ms=0, missing={"TCK-1240"}) as url:
        yield Visitor(url)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def code() -> AsyncGenerator[tuple[Visitor, Origins]]:
    async with serve_code(latency_ms=0) as origins:
        yield Visitor(origins.code), origins


def linked(text: str) -> list[str]:
    """Return the slugs of the profiles that are linked in headings, in order."""
    return re.findall(r'<h3><a href="/in/([^"]+)">', text)


# --- all sites


async def test_nothing_comes_from_elsewhere_and_what_is_not_there_is_404(
    people: Visitor, tickets: Visitor, code: tuple[Visitor, Origins]
):
    visitor, origins = code
    own = {urlsplit(url).netloc for url in (origins.code, origins.ci, origins.tracker)}
    async with serve_hr(options=HrOptions(latency_ms=0)) as hr:
        pages = [(people, LIST), (tickets, "/tickets"), (Visitor(hr), "/requests/new"), (visitor, f"{ROOT}/pulls")]
        for site, path in [*pages, (visitor, f"{ROOT}/pull/{REPOSITORY.pull_requests[0].number}/checks")]:
            reply = await site.get(path)
            assert reply.headers["content-security-policy"].startswith("default-src 'self'"), path
            loaded = re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="([^"]*)"', reply.text)
            assert [address for address in loaded if not re.match(r"/(?!/)|data:", address)] == [], path
            assert {urlsplit(one).netloc for one in re.findall(r'href="(http[^"]*)"', reply.text)} <= own, path
            assert (await site.get("/no/such/page")).status == 404


async def test_as_programs_they_print_their_addresses_write_inputs_and_end_with_ctrl_c(tmp_path: Path):
    programs = {
        "code_host": (3, "--inputs", str(tmp_path)),
        "hr_portal": (1, "--port", "0", "--login"),
        "people": (1, "--port", "0", "--wall", "site"),
        "tickets": (1, "--latency-ms", "0"),
    }

    async def run(name: str, addresses: int, *options: str) -> tuple[list[int], int | None, bytes, bytes]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-W", "error", "-m", f"practice.{name}", *options),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        lines = [(await process.stdout.readline()).decode().split() for _ in range(addresses)]
        statuses = [(await Visitor(line[-1]).get("/")).status for line in lines]
        process.send_signal(signal.SIGINT)
        out, err = await process.communicate()
        return statuses, process.returncode, out, err

    ended = await asyncio.gather(*(run(name, *options) for name, options in programs.items()))
    statuses = {"code_host": [200] * 3, "hr_portal": [302], "people": [302], "tickets": [200]}
    assert dict(zip(programs, ended, strict=True)) == {name: (told, 0, b"", b"") for name, told in statuses.items()}
    assert {path.stem: len(path.read_text().splitlines()) - 1 for path in tmp_path.iterdir()} == {
        "practice_commit_audit": 60,
        "practice_blame": 9,
        "practice_commits": 1,
    }


# --- tickets and people


async def test_a_ticket_that_is_gone_is_an_error_of_the_api_and_of_the_page_where_wanted(tickets: Visitor):
    for path in ("/api/tickets?page=13", "/api/tickets/TCK-9001", "/api/tickets/TCK-1240"):
        assert (await tickets.get(path)).status == 404
    assert (await tickets.get("/tickets/TCK-1240")).status == 200, "the shell of all pages"
    assert "TCK-" not in (await tickets.get("/tickets/TCK-1001")).text, "which has no data"
    async with serve_tickets(latency_ms=0, missing={"TCK-1003"}, missing_status=404, seed=8) as url:
        assert [(await Visitor(url).get(f"/tickets/TCK-100{last}")).status for last in (3, 4)] == [404, 200]
        told = json.loads((await Visitor(url).get("/api/tickets/TCK-1001")).text)
        assert told["title"] == tickets_of(8)[0].title != tickets_of()[0].title


async def test_the_pages_of_a_list_have_everybody_with_repeats_and_end_empty(people: Visitor):
    listed = people_of(PEOPLE, "Northwind Analytics")
    pages = listed_pages(listed)
    replies = [await people.get(f"{LIST}?page={number}") for number in range(1, len(pages) + 2)]
    assert [linked(reply.text) for reply in replies] == [*[[one.slug for one in page] for page in pages], []]
    assert sum(map(len, pages)) > len({one.slug for page in pages for one in page}) == len(listed)
    assert [END in reply.text for reply in replies] == [False] * len(pages) + [True]


@pytest.mark.parametrize(("wall", "shut"), [("profiles", 1), ("site", 4)])
async def test_a_wall_shuts_pages_until_one_has_signed_in(wall: Any, shut: int):
    paths = (f"/in/{PEOPLE[0].slug}", "/", "/search", LIST)
    async with serve_people(options=PeopleOptions(wall=wall)) as url:
        visitor = Visitor(url)

        async def statuses() -> list[int]:
            return [(await visitor.get(path)).status for path in paths]

        assert await statuses() == [302] * shut + [200] * (len(paths) - shut)
        assert (await visitor.get("/api/suggest?q=ma")).status == (401 if wall == "site" else 200)
        wrong = await visitor.form("/login", user=USER, password="guess", next=paths[0])
        assert (wrong.status, (await statuses())[0]) == (422, 302)
        right = await visitor.form("/login", user=USER, password=PASSWORD, next=paths[0])
        assert (right.status, right.headers["location"], await statuses()) == (303, paths[0], [200] * 4)
        await visitor.get("/logout")
        assert (await statuses())[0] == 302
        for to in ("https://evil.invalid/", "//evil.invalid/", "/\\evil.invalid"):
            elsewhere = await visitor.form("/login", user=USER, password=PASSWORD, next=to)
            assert elsewhere.headers["location"] == "/"


async def test_every_third_page_may_be_too_many():
    async with serve_people(options=PeopleOptions(limit_every=3, retry_after_s=7)) as url:
        replies = [await Visitor(url).get(path) for path in ("/", "/search", LIST, "/companies", "/", "/search")]
        assert [reply.status for reply in replies] == [200, 200, 429, 200, 200, 429]
        assert replies[2].headers["retry-after"] == "7"


# --- the HR portal


async def test_a_draft_is_nothing_sent_and_every_submission_is_counted():
    async with serve_hr(options=HrOptions(latency_ms=0)) as url:
        visitor, wanted = Visitor(url), request_of(input_rows(STAFF)[0])

        async def sent() -> list[dict[str, Any]]:
            return json.loads((await visitor.get("/api/submissions")).text)["submissions"]

        refused = await visitor.post("/api/drafts", b'{"reason": 3}')
        assert (refused.status, len(json.loads(refused.text)["errors"])) == (422, 11)
        draft = json.loads((await visitor.post("/api/drafts", json.dumps(asdict(wanted)).encode())).text)["draft"]
        assert await sent() == []
        for _ in range(2):
            await visitor.post(f"/api/drafts/{draft}/submit")
        number = confirmation_number(wanted)
        assert [one["number"] for one in await sent()] == [number, f"{number}-2"]
        assert {name: (await sent())[0][name] for name in asdict(wanted)} == asdict(wanted)


async def test_the_login_shuts_pages_and_lists():
    async with serve_hr(options=HrOptions(login=True, latency_ms=0)) as url:
        visitor = Visitor(url)
        refused = await visitor.get("/requests/new")
        assert (refused.status, refused.headers["location"]) == (302, f"/login?next={quote('/requests/new', safe='')}")
        assert (await visitor.get("/api/countries")).status == 401
        await visitor.form("/login", user=USER, password="x", next="/requests/new")
        assert (await visitor.get("/requests/new")).status == 302
        await visitor.form("/login", user=USER, password=PASSWORD, next="/requests/new")
        assert [(await visitor.get(path)).status for path in ("/requests/new", "/api/countries")] == [200, 200]


# --- the code host


async def test_checks_show_their_state_as_an_icon_and_named_ones_alone_say_it(code: tuple[Visitor, Origins]):
    shapes: dict[str, set[tuple[str, str]]] = {}
    for one in REPOSITORY.pull_requests:
        rows = (await code[0].get(f"{ROOT}/fragment/checks/{one.number}")).text.split("<li>")[1:]
        for row, check in zip(rows, one.checks, strict=True):
            assert check.name in row
            assert (f'aria-label="{check.state.capitalize()}"' in row) is check.named
            assert check.named or check.state not in row.casefold()
            shapes.setdefault(check.state, set()).add(re.findall(r'd="([^"]*)" fill="([^"]*)"', row)[0])
    assert {len(found) for found in shapes.values()} == {1}
    assert len(set.union(*shapes.values())) == 4
