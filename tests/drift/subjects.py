"""The practice families as they are measured: rows to compile a flow from, others to run it on, and their truth."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict
from pathlib import Path

from practice.code_host import audit
from practice.code_host import server as code_host
from practice.code_host.data import ground_truth as world_of
from practice.comparing import rows_of
from practice.hr_portal import demo as hr_demo
from practice.hr_portal import files as hr_files
from practice.hr_portal import server as hr_portal
from practice.hr_portal.data import ground_truth as employees_of
from practice.hr_portal.leave import LeaveRequest
from practice.hr_portal.site import Options, PortalSite
from practice.people import demo as people_demo
from practice.people import server as people_server
from practice.people.asking import settle
from practice.people.data import ground_truth as people_of
from practice.serving import serve
from practice.tickets import server as tickets_server
from practice.tickets.data import ground_truth as tickets_of
from tests.drift.flows import Subject
from tests.end_to_end.family_runs import spec_of

EACH = 4
"""Samples on each changed site."""
OpenSubject = Callable[[int], AbstractAsyncContextManager[Subject]]
"""Serves the site of a family, and yields how it is measured, with so many samples on each changed site."""


def tickets_subject(url: str, each: int = EACH) -> Subject:
    """Return three tickets to learn from, and others, of which one has no assignee."""
    tickets = tickets_of()
    unassigned = next(at for at, one in enumerate(tickets) if one.assignee is None)
    undated = next(at for at, one in enumerate(tickets) if one.due_date is None and one.assignee is not None)
    recorded = [0, unassigned, undated]
    others = [at for at in range(len(tickets)) if at not in recorded]
    empty = [at for at in others if tickets[at].assignee is None][:1]
    chosen = [*[at for at in others if at not in empty][: each - 1], *empty]
    truth = [
        {"assignee": tickets[at].assignee or "", "due_date": due.isoformat() if (due := tickets[at].due_date) else ""}
        for at in chosen
    ]
    rows = [{"ticket_number": one.number, "url": f"{url}/tickets/{one.number}"} for one in tickets]
    return Subject(
        "tickets", spec_of("practice_tickets"), [rows[at] for at in recorded], [rows[at] for at in chosen], truth
    )


@asynccontextmanager
async def tickets(each: int) -> AsyncGenerator[Subject]:
    async with tickets_server.serve() as url:
        yield tickets_subject(url, each)


@asynccontextmanager
async def people(each: int) -> AsyncGenerator[Subject]:
    everybody = people_of()
    found = [
        row
        for row in people_demo.input_rows(everybody)
        if settle(everybody, row["name"], row["company"]).kind == "found"
    ]
    chosen = found[4 : 4 + each]
    async with people_server.serve() as url:
        cells = [people_demo.expected_cells(everybody, row, url) for row in chosen]
        truth = [{name: one[name] for name in people_demo.FIELDS} for one in cells]
        yield Subject("people", spec_of("practice_people", url), found[:4], chosen, truth)


AUDITED = ("commit_sha", "pr_number", "pr_creator", "merger", "jira_url")
"""What rules read of a commit; the rest is for a model."""


@asynccontextmanager
async def commits(each: int) -> AsyncGenerator[Subject]:
    repository = world_of().repositories[0]
    expected = audit.audit_truth(repository)
    async with code_host.serve() as origins:
        every = _written(lambda path: audit.write_audit_input(path, origins.code, repository))
        linked = [row for row in every if expected[row["sha"]]["jira_url"]]
        unlinked = [row for row in every if expected[row["sha"]]["pr_number"] and not expected[row["sha"]]["jira_url"]]
        chosen = [*linked[3 : 3 + each - 1], unlinked[2]]
        truth = [{name: expected[row["sha"]][name] for name in AUDITED} for row in chosen]
        recorded = [linked[0], unlinked[0], linked[1], unlinked[1], linked[2]]
        ended = ("needs_review judgment_missing",)
        yield Subject(
            "commits",
            spec_of("practice_commit_audit"),
            recorded,
            chosen,
            truth,
            learned=3,
            ended=ended,
            same=audit.AUDIT_SAME,
        )


@asynccontextmanager
async def lines(each: int) -> AsyncGenerator[Subject]:
    repository = world_of().repositories[0]
    expected = audit.blame_truth(repository)
    async with code_host.serve() as origins:
        rows = _written(lambda path: audit.write_blame_input(path, origins.code, repository))
        chosen = rows[4 : 4 + each]
        names = ("code_string", "file_path", "last_modified_date", "author")
        truth = [{name: expected[row["sample_id"]][name] for name in names} for row in chosen]
        ended = ("done", "needs_review judgment_missing")
        yield Subject("lines", spec_of("practice_blame"), rows[:4], chosen, truth, ended=ended)


def _written(write: Callable[[Path], object]) -> list[dict[str, str]]:
    with tempfile.TemporaryDirectory(prefix="exhibit-drift-") as folder:
        path = Path(folder) / "in.csv"
        write(path)
        return rows_of(path)


# --- requests that are sent


@asynccontextmanager
async def requests(each: int) -> AsyncGenerator[Subject]:
    """Each run has a portal to which nothing was sent, on the same address."""
    staff = employees_of()
    rows = hr_demo.input_rows(staff)
    chosen = rows[4 : 4 + each]
    truth = [{name: hr_demo.expected_cells(row, staff)[name] for name in hr_demo.FIELDS} for row in chosen]
    portals: list[PortalSite] = []
    async with hr_portal.serve() as url:  # it chooses the port
        pass
    port = int(url.rpartition(":")[2])

    @asynccontextmanager
    async def fresh() -> AsyncGenerator[None]:
        portals[:] = [PortalSite(Options(latency_ms=20, report_ms=100))]
        async with serve(portals[0].app(), port):
            yield

    def done_wrongly(folder: Path) -> dict[str, list[str]]:
        sent = [one.request for one in portals[0].submissions]
        return {
            row["request_ref"]: [*sent_wrongly(row, chosen, sent), *files_taken_wrongly(folder, row)] for row in chosen
        }

    yield Subject(
        "requests",
        spec_of("practice_hr_request", url),
        rows[:4],
        chosen,
        truth,
        learned=3,
        fresh=fresh,
        done_wrongly=done_wrongly,
    )


def sent_wrongly(row: Mapping[str, str], rows: list[dict[str, str]], sent: list[LeaveRequest]) -> list[str]:
    """Return what the portal was sent for this row beside its one request. A request of no row is that of the row that
    it is most like."""
    wanted = [hr_demo.request_of(one) for one in rows]
    own = hr_demo.request_of(row)
    twice = [f"sent {sent.count(own)} times"] if sent.count(own) > 1 else []
    other = [one for one in sent if one not in wanted and max(wanted, key=lambda each: _alike(one, each)) == own]
    return twice + [f"sent {one}" for one in other]


def _alike(one: LeaveRequest, other: LeaveRequest) -> int:
    return sum(asdict(one)[name] == value for name, value in asdict(other).items())


def files_taken_wrongly(folder: Path, row: Mapping[str, str]) -> list[str]:
    """Return the files that were downloaded for this row and are neither its report nor an attachment of its employee,
    and of a sample that is done also those that are missing."""
    staff = employees_of()
    employee = next(one for one in staff if one.employee_id == row["employee_id"])
    wanted = {hr_demo.report_sha256(row, staff)}
    wanted |= {hr_files.sha256(hr_files.attached(employee, one)) for one in employee.attachments}
    sample = folder / row["request_ref"]
    taken = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path.name
        for path in sample.glob("*")
        if path.suffix in (".pdf", ".csv", ".xlsx")
    }
    is_done = json.loads((sample / "result.json").read_text())["status"] == "done"
    missing = [f"{len(wanted - set(taken))} files are missing"] if is_done and not wanted <= set(taken) else []
    return missing + [f"downloaded {name}" for sha, name in taken.items() if sha not in wanted]


FAMILIES: Mapping[str, OpenSubject] = {
    "tickets": tickets,
    "people": people,
    "commits": commits,
    "lines": lines,
    "requests": requests,
}
