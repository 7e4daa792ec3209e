"""The practice sites as apps that are scored: tickets with their list, and the families with their shipped specs."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import practice.tickets.server
from practice.comparing import rows_of
from practice.families import Family
from practice.tickets.data import Ticket, ground_truth
from practice.tickets.demo import ABSENT, demo_numbers
from scripts.families import run_family
from shared.settings import Settings
from tests.real.apps.app import Record, Truth

SPEC = Path(__file__).parents[1] / "task_specs" / "practice_tickets.json"
CARE = "shipped"


@dataclass(frozen=True)
class PracticeTickets:
    """The practice ticket site at ``url``; 58 tickets and 2 that do not exist are asked for, all of them listed."""

    url: str
    truth: Truth
    name: str = "tickets"
    cares: tuple[str, ...] = (CARE,)

    def spec(self, care: str) -> dict[str, Any]:
        return json.loads(SPEC.read_text(encoding="utf-8"))

    def listing(self, care: str) -> dict[str, Any]:
        return {
            "task_id": "practice_ticket_list",
            "phase": "discovery",
            "start_url": self.url + self.truth.list_path,
            "allowed_hosts": ["127.0.0.1"],
            "goal": "List all tickets.",
            "sample_id": "{ticket_number}",
            "output_schema": {"ticket_number": {"type": "string", "labels": ["Ticket"]}},
            "required_fields": ["ticket_number"],
            "max_steps": 60,
            "max_time_s": 900.0,
        }

    def rows(self) -> list[dict[str, str]]:
        paths = {name: record.path for name, record in self.truth.records.items()} | self.truth.missing
        return [{"ticket_number": number, "url": self.url + path} for number, path in paths.items()]


@asynccontextmanager
async def practice_tickets() -> AsyncGenerator[PracticeTickets]:
    known = ground_truth()
    asked = set(demo_numbers(known))
    truth = Truth(
        records={
            ticket.number: Record(_path(ticket.number), _values(ticket)) for ticket in known if ticket.number in asked
        },
        missing={number: _path(number) for number in ABSENT},
        list_path="/tickets",
        listed={ticket.number: {"ticket_number": ticket.number} for ticket in known},
    )
    async with practice.tickets.server.serve() as url:
        yield PracticeTickets(url, truth)


def _path(number: str) -> str:
    return f"/tickets/{number}"


def _values(ticket: Ticket) -> dict[str, Any]:
    due = ticket.due_date.isoformat() if ticket.due_date else None
    return {"ticket_number": ticket.number, "assignee": ticket.assignee, "due_date": due}


@dataclass(frozen=True)
class FamilyScore:
    """Cells of a family, its wrong ones of done samples (``wrong``), and all others that are not right."""

    name: str
    cells: int
    right: int
    wrong: int


async def score_family(family: Family, settings: Settings) -> FamilyScore:
    """Run the family with its shipped spec. A cell is wrong if the site has another value and its sample is done."""
    async with family.serve() as site:
        outcome = await run_family(family, site, settings, "rules")
    rows = {row.get("row", ""): row for row in rows_of(Path(outcome.finished.table))}
    done = {sample for number, sample in enumerate(site.truth, 1) if rows.get(str(number), {}).get("status") == "done"}
    score = outcome.score
    wrong = sum(difference.sample in done for difference in score.wrong)
    return FamilyScore(family.name, sum(score.cells.values()), sum(score.right.values()), wrong)
