"""The five task families on the practice sites: servers, samples and expected results.

Results are scored cell by cell, so rules, a model and a person are measured in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import practice.code_host.server
import practice.hr_portal.server
import practice.people.server
import practice.tickets.server
from practice.code_host import audit
from practice.code_host.data import ground_truth as repositories
from practice.code_host.model import Repository
from practice.comparing import Difference, Same, equal, rows_of
from practice.hr_portal import demo as requests
from practice.hr_portal.data import ground_truth as employees
from practice.people import demo as directory
from practice.people.data import ground_truth as people
from practice.tickets import demo as tickets
from practice.tickets.data import ground_truth as all_tickets

Row = Mapping[str, str]
PORTS = {"people": "http://127.0.0.1:8461", "hr_portal": "http://127.0.0.1:8462"}
"""The origins of these two sites in their task specs."""


@dataclass(frozen=True)
class Site:
    """A family's sites while they are served.

    ``origins`` maps an origin in a task spec to the one it is served on now. ``truth`` has the expected columns by
    sample, in the order of ``rows``; a column in ``same`` may be worded differently. ``ends`` has the accepted pairs of
    status and reason where there are several.
    """

    origins: Mapping[str, str]
    rows: Sequence[Row]
    truth: Mapping[str, Mapping[str, str]]
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    same: Mapping[str, Same] = field(default_factory=dict[str, Same])
    others: Sequence[str] = ()
    """Additional origins of the site, such as its separate CI."""
    ends: Mapping[str, frozenset[tuple[str, str]]] = field(default_factory=dict[str, frozenset[tuple[str, str]]])


Serve = Callable[[], AbstractAsyncContextManager[Site]]


@dataclass(frozen=True)
class Family:
    """``spec`` is the file name of its task spec; ``fields`` are the columns that are scored."""

    name: str
    spec: str
    fields: tuple[str, ...]
    serve: Serve


@dataclass(frozen=True)
class Score:
    """The number of correct cells by column, and the cells that are wrong."""

    right: Mapping[str, int]
    cells: Mapping[str, int]
    wrong: tuple[Difference, ...]


def score(family: Family, site: Site, table: Path) -> Score:
    """Score the table of a run against the truth: fields, judgments and the status of each sample."""
    # A name is not always unique, so samples are matched by their row number in the input.
    rows = {row.get("row", ""): row for row in rows_of(table)}
    right: Counter[str] = Counter()
    cells: Counter[str] = Counter()
    wrong: list[Difference] = []
    for number, (sample, expected) in enumerate(site.truth.items(), 1):
        for cell in _cells(family, site, sample, expected, rows.get(str(number), {})):
            column, wanted, got, good = cell
            cells[column] += 1
            right[column] += good
            wrong += [] if good else [Difference(sample, column, wanted, got)]
    return Score(right, cells, tuple(wrong))


def _cells(family: Family, site: Site, sample: str, expected: Row, row: Row) -> list[tuple[str, str, str, bool]]:
    found: list[tuple[str, str, str, bool]] = []
    for column in family.fields:
        wanted, got = expected.get(column, ""), row.get(column, "(no row)")
        found.append((column, wanted, got, site.same.get(column, equal)(wanted, got)))
    if sample in site.answers:
        wanted, got = site.answers[sample], row.get("judgment", "(no judgment)")
        found.append(("judgment", wanted, got, wanted == got))
    ends = site.ends.get(sample, frozenset({("done", "")}))
    ended = (row.get("status", "(no row)"), row.get("reason", ""))
    accepted = " or ".join(" ".join(end).strip() for end in sorted(ends))
    return [*found, ("status", accepted, " ".join(ended).strip(), ended in ends)]


# --- the families


@asynccontextmanager
async def _tickets() -> AsyncGenerator[Site]:
    known = all_tickets()
    unassigned = next(ticket for ticket in known if ticket.assignee is None)
    undated = next(ticket for ticket in known if ticket.due_date is None and ticket.assignee is not None)
    chosen = [known[0], unassigned, undated]
    truth = {
        ticket.number: {
            "ticket_number": ticket.number,
            "assignee": ticket.assignee or "",
            "due_date": ticket.due_date.isoformat() if ticket.due_date else "",
        }
        for ticket in chosen
    }
    truth[tickets.ABSENT[0]] = {}
    async with practice.tickets.server.serve() as url:
        rows = [{"ticket_number": number, "url": f"{url}/tickets/{number}"} for number in truth]
        ends = {tickets.ABSENT[0]: frozenset({("failed", "not_found")})}
        yield Site({}, rows, truth, ends=ends)


AUDITED = (0, 1, 5, 11)
"""Indexes of the samples: checks passed; immaterial failure; material failure; no pull request."""


@asynccontextmanager
async def _audit() -> AsyncGenerator[Site]:
    repository = _repository()
    truth = audit.audit_truth(repository)
    chosen = [list(truth)[at] for at in AUDITED]
    answers = audit.audit_answers(repository)
    async with practice.code_host.server.serve() as origins:
        base = audit.repository_url(origins.code, repository)
        rows = [{"sha": sha, "url": f"{base}/commit/{sha}"} for sha in chosen]
        yield Site(
            {},
            rows,
            {sha: truth[sha] for sha in chosen},
            {sha: answers[sha] for sha in chosen},
            audit.AUDIT_SAME,
            (origins.ci, origins.tracker),
        )


@asynccontextmanager
async def _blame() -> AsyncGenerator[Site]:
    repository = _repository()
    truth, answers = audit.blame_truth(repository), audit.blame_answers(repository)
    samples = audit.blamed_samples(repository)
    chosen = [
        next(sample for sample in samples if answers[sample.sample_id] == kind)
        for kind in ("yes", "no", "inconclusive")
    ]
    async with practice.code_host.server.serve() as origins:
        base = audit.repository_url(origins.code, repository)
        rows = [
            {"sample_id": sample.sample_id, "code_string": sample.code_string, "repo_url": base, "url": base}
            for sample in chosen
        ]
        ids = [sample.sample_id for sample in chosen]
        yield Site({}, rows, {name: truth[name] for name in ids}, {name: answers[name] for name in ids})


PEOPLE = (0, 3, 8, 15)
"""Indexes of the samples: two people who exist, an ambiguous name, an absent person."""


@asynccontextmanager
async def _people() -> AsyncGenerator[Site]:
    everybody = people()
    rows = [directory.input_rows(everybody)[at] for at in PEOPLE]
    async with practice.people.server.serve() as url:
        truth = {directory.sample_id(row): directory.expected_cells(everybody, row, url) for row in rows}
        ends = {directory.sample_id(row): frozenset(directory.accepted(everybody, row)) for row in rows}
        reviews = frozenset({("needs_review", "ambiguous_value"), ("needs_review", "ambiguous_record")})
        ends = {name: reviews if end & reviews else end for name, end in ends.items()}
        # A sample without a result has no name in the table either.
        truth = {
            name: cells if ("done", "") in ends[name] else dict.fromkeys(cells, "") for name, cells in truth.items()
        }
        yield Site({PORTS["people"]: url}, rows, truth, ends=ends)


@asynccontextmanager
async def _requests() -> AsyncGenerator[Site]:
    staff = employees()
    rows = requests.input_rows(staff)[:2]
    truth = {row["request_ref"]: requests.expected_cells(row, staff) for row in rows}
    async with practice.hr_portal.server.serve() as url:
        yield Site({PORTS["hr_portal"]: url}, rows, truth)


def _repository() -> Repository:
    repository = repositories().repository("ledger-core")
    assert repository is not None
    return repository


FAMILIES: tuple[Family, ...] = (
    Family("tickets", "practice_tickets.json", tickets.FIELDS, _tickets),
    Family(
        "commit audit",
        "practice_commit_audit.json",
        ("commit_sha", *audit.OF_PULL_REQUEST),
        _audit,
    ),
    Family(
        "blame",
        "practice_blame.json",
        ("code_string", "file_path", "last_modified_date", "author"),
        _blame,
    ),
    Family("people", "practice_people.json", directory.FIELDS, _people),
    Family("hr requests", "practice_hr_request.json", requests.FIELDS, _requests),
)
