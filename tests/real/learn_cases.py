"""Third-party pages that `exhibit learn` is tried on: what three rows teach, and what the other records' pages show.

Records have a page each; lists are one page, of which two rows are written. The truth is what the apps' own databases
and repositories have.
"""

from __future__ import annotations

import asyncio
import subprocess
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from shared.contracts.actions import Goto
from shared.contracts.browser_pool import PageObserved
from shared.extraction.values import FieldType
from shared.host.connections import ManualSession, ManualSessionTerms, open_pool_session
from shared.settings import Settings
from tests.real.apps.app import NAMES, RealApp, as_text, real_app

Values = Mapping[str, str | None]
TEXT, NUMBER, MONEY, DATE, TIME = (FieldType(type=one) for one in ("string", "number", "decimal", "date", "date-time"))
MAYBE_TEXT, MAYBE_DATE = FieldType(type="string | null"), FieldType(type="date | null")
NONE = ("None",)
WRITTEN_RECORDS, WRITTEN_ROWS = 3, 2
RECORDS = 26
BLAMED = 8


@dataclass(frozen=True)
class LearnCase:
    """``labelled``: whether the page says beside the values what they are. ``pages``: path and values of each record;
    of a list those of the page that lists it."""

    name: str
    app: str
    labelled: bool
    fields: Mapping[str, FieldType]
    pages: Callable[[RealApp, Path], list[tuple[str, Values]]]
    is_list: bool = False


@dataclass(frozen=True)
class SeenPage:
    """``rows``: those of a list on this page, in order; of a record its one."""

    observed: PageObserved
    html: str
    rows: tuple[Values, ...]

    @property
    def values(self) -> Values:
        return self.rows[0]


@dataclass(frozen=True)
class SeenCase:
    case: LearnCase
    pages: tuple[SeenPage, ...]


def _records(app: RealApp, folder: Path) -> list[tuple[str, Values]]:
    records = list(app.truth.records.values())[:RECORDS]
    return [(one.path, {name: _text(value) for name, value in one.values.items()}) for one in records]


def _text(value: object) -> str | None:
    return as_text(value) or None


def _edit_forms(app: RealApp, folder: Path) -> list[tuple[str, Values]]:
    return [(path.replace("/details/", "/edit/"), values) for path, values in _records(app, folder)]


FILES = ("totals.py", "export.py", "README", "spalten.csv")


def _blamed_files(app: RealApp, folder: Path) -> list[tuple[str, Values]]:
    shas = list(app.truth.records)[:RECORDS]
    return [
        (f"/audit/blame/{sha}/{FILES[at % 4]}", {"file": FILES[at % 4], "revision": sha[:7]})
        for at, sha in enumerate(shas)
    ]


def _listed(app: RealApp, folder: Path) -> list[tuple[str, Values]]:
    return [(app.truth.list_path, {k: _text(v) for k, v in one.items()}) for one in app.truth.listed.values()]


def _blamed_blocks(app: RealApp, folder: Path) -> list[tuple[str, Values]]:
    """Return the blocks of lines that one change wrote, of some wiki pages, with who made it and when, as git says."""
    names = sorted(path.name for path in (folder / "pages").glob("svc-0*.md"))[:BLAMED]
    return [(f"/{Path(name).stem}/blame", row) for name in names for row in _blocks(folder / "pages", name)]


def _blocks(repository: Path, name: str) -> list[Values]:
    command = ("git", "-C", str(repository), "blame", "--line-porcelain", name)
    rows: list[Values] = []
    revision = author = when = ""
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        word, _, rest = line.partition(" ")
        if line.startswith("\t"):
            row = {"revision": revision[:6], "author": author, "changed_at": when}
            rows += [row] if not rows or rows[-1] != row else []
        elif word == "author":
            author = rest
        elif word == "author-time":
            when = datetime.fromtimestamp(int(rest), UTC).replace(tzinfo=None).isoformat()
        elif len(word) == 40:
            revision = word
    return rows


CASES = (
    LearnCase(
        "commit page",
        "klaus",
        False,
        {"sha": TEXT, "author": TEXT, "committer": TEXT, "committed_at": TIME, "changed_files": NUMBER},
        _records,
    ),
    LearnCase("heading with parts", "klaus", False, {"file": TEXT, "revision": TEXT}, _blamed_files),
    LearnCase("commit list", "klaus", False, {"sha": TEXT, "subject": TEXT}, _listed, is_list=True),
    LearnCase(
        "annotated source",
        "otterwiki",
        False,
        {"revision": TEXT, "author": TEXT, "changed_at": TIME},
        _blamed_blocks,
        is_list=True,
    ),
    LearnCase(
        "wiki page",
        "otterwiki",
        True,
        {"service": TEXT, "owner": MAYBE_TEXT, "tier": TEXT, "state": TEXT, "users": NUMBER, "reviewed_on": MAYBE_DATE},
        _records,
    ),
    LearnCase(
        "asset details",
        "sqladmin",
        True,
        {
            "tag": TEXT,
            "name": TEXT,
            "condition": TEXT,
            "holder": FieldType(type="string | null", not_present=NONE),
            "price": MONEY,
            "bought_on": DATE,
            "retired_on": FieldType(type="date | null", not_present=NONE),
        },
        _records,
    ),
    LearnCase(
        "asset form",
        "sqladmin",
        True,
        {"tag": TEXT, "name": TEXT, "condition": TEXT, "price": MONEY, "bought_on": DATE, "retired_on": MAYBE_DATE},
        _edit_forms,
    ),
    LearnCase("asset list", "sqladmin", True, {"tag": TEXT, "name": TEXT, "condition": TEXT}, _listed, is_list=True),
    LearnCase(
        "contract row",
        "datasette",
        True,
        {
            "contract": TEXT,
            "title": TEXT,
            "supplier": TEXT,
            "owner": MAYBE_TEXT,
            "state": TEXT,
            "amount": MONEY,
            "starts_on": DATE,
            "ends_on": MAYBE_DATE,
        },
        _records,
    ),
)


async def see_cases(folder: Path, settings: Settings) -> list[SeenCase]:
    """Serve the apps one after the other, and open the pages of all cases."""
    seen: list[SeenCase] = []
    asked = {case.app for case in CASES}
    for name in (name for name in NAMES if name in asked):
        async with (
            real_app(name, folder / name) as app,
            open_pool_session(settings, ManualSessionTerms(app.url)) as own,
        ):
            seen += [await _see(case, app, folder / name, own) for case in CASES if case.app == name]
    return seen


async def _see(case: LearnCase, app: RealApp, folder: Path, session: ManualSession) -> SeenCase:
    wanted = await asyncio.to_thread(case.pages, app, folder)
    known: dict[str, list[Values]] = {}
    for path, values in wanted:
        known.setdefault(path, []).append({name: values.get(name) for name in case.fields})
    pages: list[SeenPage] = []
    for path, rows in known.items():
        opened = await session.act(Goto(url=app.url + path, reason="to learn from it"))
        assert opened.ok, (path, opened.message)
        observed = await session.observe((), 2_000_000, locators=True)
        pages.append(SeenPage(observed, await asyncio.to_thread(_html, app.url + path), tuple(rows)))
    return SeenCase(case, tuple(pages))


def _html(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as response:
        return response.read().decode(errors="replace")
