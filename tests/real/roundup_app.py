"""Roundup, a third-party issue tracker: a stock "classic" tracker with 60 known issues.

It runs in separate processes; nothing of it is imported here. Visitors are anonymous and see the standard template.
"""

from __future__ import annotations

import os
import random
import secrets
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.ports import free_port
from tests.real.programs import output_of, served_by

SEED = 11
ISSUES = 60
MISSING = ("Issue9001", "Issue9002")
"""Requested issues that the tracker does not have; it answers 404."""

# Roundup's own, as the classic template is initialised.
PRIORITIES = ("critical", "urgent", "bug", "feature", "wish")
STATUSES = ("unread", "deferred", "chatting", "need-eg", "in-progress", "testing", "done-cbb", "resolved")

KEYWORDS = ("accessibility", "billing", "export", "login", "mobile", "reports")
USERS = {
    "zoe.lindqvist": "Zoë Lindqvist",
    "l.nowak": "Łukasz Nowak",
    "lina": "李娜",
    "amara": "Amara Okafor",
    "j.alvarez": "José Álvarez",
    "priya.r": "Priya Raman",
    "soren": "Søren Kjær",
}
_THINGS = ("Invoice export", "Password reset", "Audit log", "Search", "Receipt upload", "Weekly digest", "User import")
_TROUBLES = (
    "stops at row 1,000",
    "shows <b>markup</b> & entities as typed",
    'does not accept "quoted" names',
    "breaks for names such as Łukasz or 李娜",
    "takes more than a minute",
    "loses the Status: resolved filter",
    "is not assigned to anybody after an import",
    "prints 2026-02-30 as a date",
    "needs a second click",
)
_NOTES = (
    "Please reassign to amara when she is back. Priority: urgent for us.",
    "Seen again today, see issue3 and issue14 for the same pattern.",
    "Assigned To was wrong in the import, I have corrected it by hand.",
    "The fix is in testing since Monday.",
)
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Issue:
    """One issue. ``assigned_to`` and ``created_by`` are user names, as Roundup shows people."""

    number: int
    title: str
    status: str
    priority: str
    assigned_to: str | None
    keywords: tuple[str, ...]
    created_by: str
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """The heading of the page."""
        return f"Issue{self.number}"


def ground_truth(seed: int = SEED) -> list[Issue]:
    """Return the issues in the order of their numbers, from 1; equal seeds give equal issues."""
    rng = random.Random(seed)
    titles = [f"{thing} {trouble}" for thing in _THINGS for trouble in _TROUBLES]
    rng.shuffle(titles)
    return [_issue(rng, number, titles[number - 1]) for number in range(1, ISSUES + 1)]


def _issue(rng: random.Random, number: int, title: str) -> Issue:
    users = sorted(USERS)
    return Issue(
        number=number,
        title=title,
        status=rng.choice(STATUSES),
        priority=rng.choice(PRIORITIES),
        assigned_to=None if rng.random() < 0.25 else rng.choice(users),
        keywords=tuple(sorted(rng.sample(KEYWORDS, rng.choice((0, 1, 1, 2))))),
        created_by=rng.choice(users),
        notes=tuple(rng.sample(_NOTES, rng.choice((0, 1, 2)))),
    )


def cells_of(issue: Issue, list_as: Callable[[list[str]], str]) -> dict[str, str | None]:
    """Return the columns of an issue, as the task asks for them. ``list_as``: how a list is written."""
    return {
        "issue": issue.name,
        "title": issue.title,
        "priority": issue.priority,
        "issue_status": issue.status,
        "assigned_to": issue.assigned_to,
        "keywords": list_as(list(issue.keywords)) if issue.keywords else None,
    }


def input_rows(base_url: str, issues: list[Issue]) -> list[dict[str, str]]:
    """Return one row per issue, with the missing ones in between."""
    names = [issue.name for issue in issues]
    names[10:10] = MISSING[:1]
    names += MISSING[1:]
    return [{"issue": name, "url": base_url + name.lower()} for name in names]


@asynccontextmanager
async def roundup_tracker(
    folder: Path, template: str = "classic", python: Path = Path(sys.executable)
) -> AsyncGenerator[str]:
    """Create the tracker under ``folder`` and serve it on loopback; yield its URL, ending in ``/``.

    ``template``: one of Roundup's own that has issues; ``python``: of an environment with Roundup and what the template
    needs. Pages are made of the files in ``tracker/html``, which may be changed while it runs.

    Raises RuntimeError with Roundup's output if it cannot be created or does not start.
    """
    port = free_port()  # Roundup wants to know its own URL when the tracker is made
    url = f"http://127.0.0.1:{port}/tracker/"
    folder.mkdir(parents=True, exist_ok=True)
    home = folder / "tracker"
    await _make(python, home, url, template)
    # Roundup's server wants root, as which containers often run, to name the user it shall run as.
    user = ("-u", "0") if os.getuid() == 0 else ()
    # One thread a request: a browser keeps several connections open at once.
    options = ("-n", "127.0.0.1", "-p", str(port), "-t", "thread", *user)
    command = (str(python), "-u", "-m", "roundup.scripts.roundup_server", *options, f"tracker={home}")
    async with served_by(command, folder / "roundup.log", ROOT) as said:
        if "started" not in said:
            raise RuntimeError(f"roundup-server did not start: {said}")
        yield url


async def _make(python: Path, home: Path, url: str, template: str) -> None:
    # mail_debug: whatever the tracker wants to mail goes to a file, never out.
    options = f"tracker_web={url},mail_domain=localhost,mail_host=localhost,mail_debug={home / 'mail.txt'}"
    admin = ("-m", "roundup.scripts.roundup_admin", "-i", str(home))
    await output_of((str(python), *admin, "install", template, "sqlite", options), ROOT)
    await output_of((str(python), *admin, "initialise", secrets.token_urlsafe(16)), ROOT)
    await output_of((str(python), "-m", "tests.real.roundup_seed", str(home)), ROOT)
