"""A flow that was compiled on one release of a third-party app, run on another one, with the same records."""

from __future__ import annotations

import itertools
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path

from tests.drift.flows import Subject
from tests.real.apps.app import RealApp, Record, as_text, real_app
from tests.real.apps.environment import NEWER, OLDER
from tests.real.releases.measuring import PLAIN, Served, WayOutcome, measure_ways

APPS = ("djangoadmin", "sqladmin")
RECORDED, LEARNED, EACH = 9, 4, 20
NAMES = {OLDER: "the older release", NEWER: "the newer release"}
KEY = "tag"
EMPTY = ("holder", "retired_on")
"""Fields that some records have none of."""


def recorded(records: Mapping[str, Record]) -> list[str]:
    """Return records of each kind in turn: with all values, without one of those that may be missing, and without both.

    They are more than a flow needs, because rules leave some of them to a person, whose remarks quote other fields."""
    lacking = {name: frozenset(key for key in EMPTY if one.values[key] is None) for name, one in records.items()}
    kinds = (frozenset(), frozenset(EMPTY[:1]), frozenset(EMPTY[1:]), frozenset(EMPTY))
    found: list[str] = []
    for at in range(RECORDED):
        found += [name for name, has in lacking.items() if has == kinds[at % 4] and name not in found][:1]
    return found


def truth_of(record: Record) -> dict[str, str]:
    return {name: _text(name, value) for name, value in record.values.items()}


def _text(name: str, value: object) -> str:
    return f"{Decimal(str(value)):.2f}" if name == "price" else as_text(value)


def subject_of(app: RealApp, release: str) -> Subject:
    records = app.truth.records
    learned = recorded(records)
    others = [name for name in records if name not in learned][:EACH]
    rows = [_rows(app, names) for names in (learned, others)]
    truth = [truth_of(records[name]) for name in others]
    return Subject(f"{app.name}, learned on {release}", app.spec("careful"), rows[0], rows[1], truth, learned=LEARNED)


def _rows(app: RealApp, names: Sequence[str]) -> list[dict[str, str]]:
    return [{KEY: name, "url": app.url + app.truth.records[name].path} for name in names]


async def measure_release(folder: Path, name: str, learned: str) -> list[WayOutcome]:
    """Return what becomes of every record on the release that the flow was learned on, and on the other one."""
    count = itertools.count()

    @asynccontextmanager
    async def served(release: str) -> AsyncGenerator[Subject]:
        async with real_app(name, folder / f"app {next(count)}", release) as app:
            yield subject_of(app, NAMES[learned])

    used = NEWER if learned == OLDER else OLDER
    ways: dict[str, Served] = {PLAIN: partial(served, learned), f"used on {NAMES[used]}": partial(served, used)}
    return await measure_ways(folder, partial(served, learned), ways)
