"""``python seed.py FOLDER``: write the pages of the wiki, and changes of some of them."""

from __future__ import annotations

import os
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

SEED = 41
SERVICES = 58
EDITS = 55
NEW_YEAR = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)
PEOPLE = ("Zoë Lindqvist", "Łukasz Nowak", "李娜", "Amara O'Neill", "José Álvarez", "Søren Kjær")
TIERS = ("gold", "silver", "bronze")
STATES = ("running", "planned", "being replaced", "switched off")
TEXTS = (
    "Owner: Priya Raman, until the move. Ask her about the contract.",
    "The tier was gold in 2024. See SVC-007 for the service that it replaces.",
    "Reviewed on 2024-02-30 by mistake; the date in the table counts.",
    "State: running? Only on Mondays.",
)


def main(folder: Path) -> None:
    rng = random.Random(SEED)
    store = _Store(folder / "pages")
    pages = {f"SVC-{number:03d}": _facts(rng) for number in range(1, SERVICES + 1)}
    store.write("home", "# Services\n\nThe register of services. Each has a page.\n", "Somebody", "First page")
    for name, facts in pages.items():
        store.write(name.lower(), _page(name, facts, []), rng.choice(PEOPLE), f"Add {name}")
    for name in rng.sample(sorted(pages), EDITS):
        before = dict(pages[name])
        field = rng.choice(("Owner", "Tier", "State"))
        pages[name] = {**before, field: _facts(rng)[field]}
        change = f"{field} changed from {before[field] or 'nobody'} to {pages[name][field] or 'nobody'}"
        store.write(name.lower(), _page(name, pages[name], [change]), rng.choice(PEOPLE), f"{name}: {change}")


class _Store:
    """The wiki's own storage, with a clock of its own."""

    def __init__(self, folder: Path) -> None:
        from otterwiki.gitstorage import GitStorage

        folder.mkdir()
        self._storage = GitStorage(str(folder), initialize=True)
        self._at = NEW_YEAR

    def write(self, page: str, content: str, author: str, message: str) -> None:
        self._at += timedelta(hours=7)
        os.environ["GIT_AUTHOR_DATE"] = os.environ["GIT_COMMITTER_DATE"] = f"{int(self._at.timestamp())} +0000"
        email = f"{author.split()[0].lower()}@localhost"
        self._storage.store(f"{page}.md", content=content, author=(author, email), message=message)


def _facts(rng: random.Random) -> dict[str, str]:
    return {
        "Owner": "" if rng.random() < 0.2 else rng.choice(PEOPLE),
        "Tier": rng.choice(TIERS),
        "State": rng.choice(STATES),
        "Users": str(rng.randint(3, 9_000)),
        "Reviewed on": "" if rng.random() < 0.2 else f"2026-{rng.randint(1, 9):02d}-{rng.randint(1, 28):02d}",
        "Note": rng.choice(TEXTS),
    }


def _page(name: str, facts: dict[str, str], changes: list[str]) -> str:
    table = "\n".join(f"| {label} | {value} |" for label, value in facts.items() if label != "Note")
    history = "".join(f"- {change}\n" for change in changes) or "- none yet\n"
    return (
        f"# {name}\n\n| Property | Value |\n|---|---|\n| Service | {name} |\n{table}\n\n"
        f"## About\n\n{facts['Note']}\n\n## Changes\n\n{history}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
