"""The five task families for flows, each with 200 samples: what a flow is compiled from, what it is run on, and what is
true. A model is never asked, so only fields that rules can read are scored."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace

from practice.code_host import audit
from practice.code_host import server as code_host
from practice.code_host.data import ground_truth as world_of
from practice.comparing import Same
from practice.hr_portal import demo as hr
from practice.hr_portal import server as hr_portal
from practice.hr_portal.data import ground_truth as employees_of
from practice.people import demo as people_demo
from practice.people import server as people_server
from practice.people.asking import settle
from practice.people.data import ground_truth as people_of
from practice.tickets import server as tickets_server
from practice.tickets.data import ground_truth as tickets_of
from tests.drift.flows import Subject
from tests.end_to_end.family_runs import spec_of

READ_OF_COMMITS = ("commit_sha", "pr_number", "pr_creator", "merger", "jira_url")
JUDGED_BY_A_MODEL = ("done", "needs_review judgment_missing")
SEEN_OF_REQUESTS = ("form_submitted", "confirmation_number", "report_file", "attachment_count")


@dataclass(frozen=True)
class FlowFamily:
    """``same``: columns that may be worded differently. ``sent``: where the site tells what it was sent, if it stores
    something for each sample; ``requests``: what it must be sent, in the order of the rows."""

    subject: Subject
    same: Mapping[str, Same] = field(default_factory=dict[str, Same])
    sent: str = ""
    requests: tuple[str, ...] = ()

    def first(self, samples: int) -> FlowFamily:
        """Return the family with at most this many samples."""
        rows, truth = self.subject.rows[:samples], self.subject.truth[:samples]
        return replace(self, subject=replace(self.subject, rows=rows, truth=truth), requests=self.requests[:samples])


@asynccontextmanager
async def tickets() -> AsyncGenerator[FlowFamily]:
    async with tickets_server.serve() as url:
        every = tickets_of()
        rows = [{"ticket_number": one.number, "url": f"{url}/tickets/{one.number}"} for one in every]
        truth = [
            {
                "ticket_number": one.number,
                "assignee": one.assignee or "",
                "due_date": one.due_date.isoformat() if one.due_date else "",
            }
            for one in every
        ]
        unassigned = next(at for at, one in enumerate(every) if one.assignee is None)
        undated = next(at for at, one in enumerate(every) if one.due_date is None and one.assignee is not None)
        recorded = [rows[at] for at in (0, unassigned, undated)]
        yield FlowFamily(Subject("tickets", spec_of("practice_tickets"), recorded, rows, truth))


@asynccontextmanager
async def people() -> AsyncGenerator[FlowFamily]:
    everybody = people_of()
    asked = [row for row in people_demo.input_rows(everybody) if _exists(row["name"], row["company"])]
    known = {(row["name"], row["company"]) for row in asked}
    pairs = [(one.name, company) for one in everybody for company in one.companies]
    more = [
        {"ref": f"REF-{number:03d}", "name": name, "company": company, "note": ""}
        for number, (name, company) in enumerate(pairs, 100)
        if (name, company) not in known and _exists(name, company)
    ]
    rows = [*asked, *more]
    async with people_server.serve() as url:
        cells = [people_demo.expected_cells(everybody, row, url) for row in rows]
        truth = [{name: one[name] for name in people_demo.FIELDS} for one in cells]
        yield FlowFamily(Subject("people", spec_of("practice_people", url), rows[:4], rows, truth))


def _exists(name: str, company: str) -> bool:
    return settle(people_of(), name, company).kind == "found"


@asynccontextmanager
async def commits() -> AsyncGenerator[FlowFamily]:
    async with code_host.serve() as origins:
        rows: list[dict[str, str]] = []
        truth: list[Mapping[str, str]] = []
        for repository in world_of().repositories:
            base = audit.repository_url(origins.code, repository)
            for sha, cells in audit.audit_truth(repository, len(repository.commits)).items():
                rows.append({"sha": sha, "url": f"{base}/commit/{sha}"})
                truth.append({name: cells[name] for name in READ_OF_COMMITS})
        linked = [row for row, cells in zip(rows, truth, strict=True) if cells["jira_url"]]
        plain = [row for row, cells in zip(rows, truth, strict=True) if cells["pr_number"] and not cells["jira_url"]]
        direct = [row for row, cells in zip(rows, truth, strict=True) if not cells["pr_number"]]
        recorded = [linked[0], plain[0], linked[1], direct[0], plain[1]]
        spec = spec_of("practice_commit_audit")
        subject = Subject("commits", spec, recorded, rows, truth, learned=4, ended=JUDGED_BY_A_MODEL)
        yield FlowFamily(subject, audit.AUDIT_SAME)


@asynccontextmanager
async def lines() -> AsyncGenerator[FlowFamily]:
    async with code_host.serve() as origins:
        rows: list[dict[str, str]] = []
        truth: list[Mapping[str, str]] = []
        for repository in world_of().repositories:
            base = audit.repository_url(origins.code, repository)
            for one in audit.line_samples(repository):
                cells = audit.line_cells(one)
                rows.append({"sample_id": one.sample_id, "code_string": one.code_string, "repo_url": base, "url": base})
                truth.append({name: cells[name] for name in cells if name != "status"})
        first = world_of().repositories[0]
        base = audit.repository_url(origins.code, first)
        recorded = [
            {"sample_id": one.sample_id, "code_string": one.code_string, "repo_url": base, "url": base}
            for one in audit.blamed_samples(first)[:4]
        ]
        yield FlowFamily(Subject("lines", spec_of("practice_blame"), recorded, rows, truth, ended=JUDGED_BY_A_MODEL))


@asynccontextmanager
async def requests() -> AsyncGenerator[FlowFamily]:
    """The recorded requests are sent too, so they are not among the samples."""
    staff = employees_of()
    every = hr.input_rows(staff, 204)
    recorded, rows = every[:4], every[4:]
    expected = [hr.expected_cells(row, staff) for row in rows]
    async with hr_portal.serve(options=hr_portal.Options(latency_ms=20, report_ms=100)) as url:
        truth = [{name: one[name] for name in SEEN_OF_REQUESTS} for one in expected]
        subject = Subject("hr requests", spec_of("practice_hr_request", url), recorded, rows, truth, learned=3)
        numbers = tuple(one["confirmation_number"] for one in expected)
        yield FlowFamily(subject, sent=url, requests=numbers)


FAMILIES: Mapping[str, Callable[[], AbstractAsyncContextManager[FlowFamily]]] = {
    "tickets": tickets,
    "people": people,
    "commits": commits,
    "lines": lines,
    "hr requests": requests,
}
