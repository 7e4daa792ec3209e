"""The practice sites: records with their shipped tasks, and some pages of each kind that they link to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import practice.code_host.server
import practice.forged.server
import practice.hr_portal.server
import practice.people.server
import practice.tickets.server
from practice.forged.lies import CASE_LIES
from practice.forged.site import Options as ForgedOptions
from practice.forged.site import key_of
from practice.hr_portal.site import Options as HrOptions
from practice.people.site import Options as PeopleOptions
from practice.tickets.data import Ticket
from practice.tickets.data import ground_truth as tickets
from practice.tickets.demo import ABSENT
from tests.corpus.collecting.recording import Recording, a_visitor, walk
from tests.corpus.stored import AskedPage, Group, Response
from tests.forged.tasks import CASE_FIELDS, cases_task

SPECS = Path(__file__).parents[3] / "task_specs"
HONEST = (
    "misled_link", "spoken_label", "spoken_value", "decoy_none", "decoy_transparent", "decoy_clipped", "decoy_tiny",
    "decoy_colourless", "decoy_pale", "decoy_away", "swapped_rows", "late_fetch", "late_slow_fetch", "late_timer",
    "late_chain",
)  # fmt: skip
"""Lies under which the page shows the right values to who looks at it."""
OTHERS = ("near_number", "other_project", "quoted_number", "echoed_number", "nested_record")
"""Lies under which it is the page of another record."""

Collected = tuple[Group, dict[str, Response]]


def host(url: str) -> str:
    return urlsplit(url).netloc


def shipped(name: str) -> dict[str, Any]:
    return json.loads((SPECS / f"{name}.json").read_text(encoding="utf-8"))


def pages_of(recording: Recording, known: Mapping[str, Sequence[AskedPage]]) -> tuple[AskedPage, ...]:
    """Return the pages that are asked by a task, and all others with each of their labels."""
    found: list[AskedPage] = []
    for url in recording.urls:
        told = urlsplit(url)
        name = f"{told.path}{'?' if told.query else ''}{told.query}" if told.port == 47200 else url.partition("://")[2]
        found += known.get(url, [AskedPage(name, url)])
    return tuple(found)


async def collect_tickets() -> Collected:
    known = tickets()
    chosen = [
        *known[:5],
        *[one for one in known if one.assignee is None][:3],
        *[one for one in known if not one.due_date][:3],
    ]
    async with practice.tickets.server.serve(latency_ms=0) as url, a_visitor() as page:
        recording = Recording({host(url): "127.0.0.1:47200"})
        numbers = dict.fromkeys([*(one.number for one in chosen), *ABSENT])
        asked = [f"{url}/tickets/{number}" for number in numbers]
        await walk(page, [*asked, f"{url}/tickets", f"{url}/tickets?page=12"], recording, most=len(asked) + 8)
    truths = {one.number: _ticket_truth(one) for one in known}
    pages: dict[str, list[AskedPage]] = {}
    for at in recording.urls:
        number = at.rpartition("/")[2]
        if number in truths or number in ABSENT:
            truth = truths.get(number, {})
            pages[at] = [
                AskedPage(number, at, "practice_tickets", {"ticket_number": number, "url": at}, truth,
                          refused=not truth, kind="ticket" if truth else "")
            ]  # fmt: skip
    return Group(pages_of(recording, pages), {"practice_tickets": shipped("practice_tickets")}), recording.responses


def _ticket_truth(one: Ticket) -> dict[str, str | None]:
    due = one.due_date.isoformat() if one.due_date else None
    return {"ticket_number": one.number, "assignee": one.assignee, "due_date": due}


async def collect_people() -> Collected:
    async with practice.people.server.serve(options=PeopleOptions()) as url, a_visitor() as page:
        recording = Recording({host(url): "127.0.0.1:47200"})
        listed = f"{url}/companies/northwind-analytics/people"
        await walk(page, [f"{url}/", f"{url}/search?q=ma", listed], recording, of_a_kind=4, most=24)
    spec = {"practice_people_list": shipped("practice_people_list")}
    lists = {
        at: [AskedPage(f"list {urlsplit(at).path}?{urlsplit(at).query}", at, "practice_people_list", {"company": "x"})]
        for at in recording.urls
        if urlsplit(at).path.endswith("/people")
    }
    return Group(pages_of(recording, lists), spec), recording.responses


async def collect_code() -> Collected:
    async with practice.code_host.server.serve(latency_ms=0) as origins, a_visitor() as page:
        urls = (origins.code, origins.ci, origins.tracker)
        hosts = {host(url): f"127.0.0.1:4720{at}" for at, url in enumerate(urls)}
        recording = Recording(hosts)
        await walk(page, [f"{origins.code}/"], recording, of_a_kind=3, most=48)
    spec = {"practice_commits": shipped("practice_commits")}
    lists = {
        at: [
            AskedPage(
                f"list {urlsplit(at).path}?{urlsplit(at).query}", at, "practice_commits", {"repository": "r", "url": at}
            )
        ]
        for at in recording.urls
        if "/commits/" in at
    }
    return Group(pages_of(recording, lists), spec), recording.responses


async def collect_hr() -> Collected:
    async with practice.hr_portal.server.serve(options=HrOptions(latency_ms=0)) as url, a_visitor() as page:
        recording = Recording({host(url): "127.0.0.1:47200"})
        await walk(page, [f"{url}/", f"{url}/requests/new"], recording, of_a_kind=3, most=20)
    return Group(pages_of(recording, {})), recording.responses


async def collect_forged() -> Collected:
    async with practice.forged.server.serve() as (url, site), a_visitor() as page:
        lies = dict(zip([key_of(one) for one in site.cases], ["", "", "", *CASE_LIES], strict=False))
        site.options = replace(site.options, lies={key: lie for key, lie in lies.items() if lie})
        assert isinstance(site.options, ForgedOptions)
        recording = Recording({host(url): "127.0.0.1:47200"})
        known: dict[str, list[AskedPage]] = {}
        starts = []
        for case, lie in zip(site.cases, lies.values(), strict=False):
            at = f"{url}{case.path}"
            starts.append(at)
            stored = recording.stored(at)
            values = {name: getattr(case, name.removeprefix("case_")) for name in CASE_FIELDS}
            truth = {name: _text(value) for name, value in values.items()} if lie in ("", *HONEST) else {}
            row = {"case_number": case.number, "project": case.project, "url": stored}
            known[stored] = [
                AskedPage(f"{lie or 'honest'} {case.project}-{case.number}", stored, "forged_cases", row, truth,
                          refused=lie in OTHERS, kind="case" if not lie else "")
            ]  # fmt: skip
        await walk(page, [*starts, f"{url}/", f"{url}/search?q={site.cases[0].number}", f"{url}/orders/new"], recording,
                   most=len(starts) + 3)  # fmt: skip
    task = {**cases_task("{url}", search=False), "allowed_hosts": ["127.0.0.1"]}
    return Group(pages_of(recording, known), {"forged_cases": task}), recording.responses


def _text(value: object) -> str | None:
    return None if value is None else str(value)
