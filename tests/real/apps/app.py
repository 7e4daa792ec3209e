"""A third-party app in an environment of its own: seeded, served on loopback, and its truth from its own database.

Each app is a folder beside this module. Its programs run in its environment only, each with the folder of the data:
``seed.py`` fills it, ``serve.py`` prints the URL once it listens, ``truth.py`` prints what the database has, as JSON.
Its specs are what a new user writes (``naive.json``, ``list_naive.json``) and what a careful one writes
(``careful.json``, ``list_careful.json``).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from tests.real.apps.environment import APPS, NEWER, python_of
from tests.real.programs import output_of, served_by

NAMES = ("calibreweb", "datasette", "helpdesk", "klaus", "optuna", "otterwiki", "prefect", "sqladmin")
SINGLE_PAGE = ("optuna", "prefect")
CARES = ("naive", "careful")


class Record(msgspec.Struct, frozen=True):
    """A record as the app's database has it. ``path``: of its page. A value that is null is empty on the page."""

    path: str
    values: dict[str, Any]


class Truth(msgspec.Struct, frozen=True):
    """What is asked of an app, by the names of the records.

    ``missing``: records that do not exist, with the paths they would have. ``listed``: all items of the list that
    begins at ``list_path``, with the values that the list shows. ``quoting``: records in which people have written the
    words of labels, so that a reader cannot know which is the page's own; they may go to a person.
    """

    records: dict[str, Record]
    missing: dict[str, str]
    list_path: str
    listed: dict[str, dict[str, Any]]
    quoting: frozenset[str] = frozenset()


class RealApp(msgspec.Struct, frozen=True):
    """An app that is served at ``url``."""

    name: str
    url: str
    truth: Truth

    @property
    def cares(self) -> tuple[str, ...]:
        return CARES

    def spec(self, care: str) -> dict[str, Any]:
        """Return the execution spec."""
        spec = read_spec(self.name, care)
        return {**spec, "start_url": "{url}", "allowed_hosts": ["127.0.0.1"]}

    def listing(self, care: str) -> dict[str, Any]:
        """Return the discovery spec."""
        spec = read_spec(self.name, f"list_{care}")
        return {**spec, "start_url": self.url + self.truth.list_path, "allowed_hosts": ["127.0.0.1"]}

    def rows(self) -> list[dict[str, str]]:
        """Return the input: one row for each record, the missing ones among them."""
        spec = read_spec(self.name, "careful")
        key = next(name for name in spec["input_schema"] if name != "url")
        paths = [(name, record.path) for name, record in self.truth.records.items()]
        missing = list(self.truth.missing.items())
        return [{key: name, "url": self.url + path} for name, path in [*paths[:10], *missing, *paths[10:]]]


def read_spec(app: str, name: str) -> dict[str, Any]:
    return json.loads((APPS / app / f"{name}.json").read_text(encoding="utf-8"))


@asynccontextmanager
async def real_app(name: str, folder: Path, release: str = NEWER) -> AsyncGenerator[RealApp]:
    """Seed and serve the app with its data in ``folder``. ``release``: one of `environment`.

    Raises RuntimeError with the output of a program that fails.
    """
    python = await asyncio.to_thread(python_of, name, release)
    truth = await seed_app(name, python, folder)
    command = (str(python), "-u", str(APPS / name / "serve.py"), str(folder))
    async with served_by(command, folder / "server.log", folder) as said:
        if not said.startswith("http://127.0.0.1:"):
            raise RuntimeError(f"the app did not start: {said}")
        yield RealApp(name, said, truth)


async def seed_app(name: str, python: Path, folder: Path) -> Truth:
    """Fill the app's data anew and return what its database has."""
    folder.mkdir(parents=True, exist_ok=True)
    seed, truth = ((str(python), str(APPS / name / program), str(folder)) for program in ("seed.py", "truth.py"))
    await output_of(seed, folder)
    return msgspec.json.decode(await output_of(truth, folder), type=Truth)


def as_text(value: object) -> str:
    """Return a value of the truth in the form of the ``fields`` view; empty for none."""
    return "" if value is None else str(value)
