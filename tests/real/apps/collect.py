"""Runs the specs of an app through the whole system with the rules planner, and scores what came back."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from shared.client import Client
from shared.contracts.evidence import SqlRefused
from tests.real.apps.app import Truth
from tests.real.apps.score import Cell, Ended, Judged, Listed, counts, judge_cells, judge_list

LIST_FILE = "discovered_samples.csv"
SHOWN_RECORDS = 4


class ScoredApp(Protocol):
    """A served app with its truth, and its specs by the care with which they are written."""

    @property
    def name(self) -> str: ...
    @property
    def truth(self) -> Truth: ...
    @property
    def cares(self) -> Sequence[str]: ...
    def spec(self, care: str) -> dict[str, Any]: ...
    def listing(self, care: str) -> dict[str, Any]: ...
    def rows(self) -> list[dict[str, str]]: ...


@dataclass(frozen=True)
class Outcome:
    """Results of one app with one pair of specs."""

    app: str
    care: str
    cells: tuple[Judged, ...]
    listed: Listed


async def collect_app(client: Client, app: ScoredApp) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for care in app.cares:
        cells = await collect_cells(client, app.spec(care), app.rows(), app.truth)
        outcomes.append(Outcome(app.name, care, cells, await _list(client, app, care)))
    return outcomes


async def collect_cells(
    client: Client, spec: dict[str, Any], rows: list[dict[str, str]], truth: Truth
) -> tuple[Judged, ...]:
    accepted = await client.submit(spec, rows=rows, planner="rules", concurrency=4)
    finished = await client.result(accepted.run_id)
    assert finished.llm_calls == 0
    cells: dict[str, dict[str, Cell]] = defaultdict(dict)
    for row in await _rows(client, "select sample_id, field, state, value, ink from fields", accepted.run_id):
        cells[row["sample_id"]][row["field"]] = Cell(row["state"], row["value"] or "", row["ink"] or "")
    ends = {
        row["key"]: Ended(row["status"], row["reason"] or "", cells[row["sample_id"]])
        for row in await _rows(client, "select sample_id, key, status, reason from samples", accepted.run_id)
    }
    return tuple(judge_cells(truth, list(spec["output_schema"]), ends))


async def _rows(client: Client, query: str, run_id: str) -> list[dict[str, Any]]:
    answer = await client.sql(query, [run_id])
    if isinstance(answer, SqlRefused):
        raise AssertionError(f"{query}: {answer.message}")
    return json.loads(answer[1])


async def _list(client: Client, app: ScoredApp, care: str) -> Listed:
    spec = app.listing(care)
    accepted = await client.submit(spec, planner="rules")
    finished = await client.result(accepted.run_id)
    file = Path(finished.location) / LIST_FILE
    items: list[dict[str, str]] = []
    if file.exists():
        with file.open(encoding="utf-8-sig", newline="") as opened:
            items = list(csv.DictReader(opened))
    key = next(iter(spec["output_schema"]))
    return judge_list(app.truth, items, key, complete=finished.population_complete, note=finished.population_note)


def report(outcomes: list[Outcome]) -> str:
    """Return a table, and below it a line for each record with a verdict that is not right."""
    head = ("right", "WRONG", "review", "failed", "left")
    lines = [f"{'app':<10} {'spec':<8} " + " ".join(f"{name:>6}" for name in head) + " / asked   list"]
    for one in outcomes:
        of = counts(one.cells)
        figures = " ".join(f"{of[name.lower()]:>6}" for name in head)
        said = f"{one.listed.verdict}, {one.listed.right} of {one.listed.wanted}"
        lines.append(f"{one.app:<10} {one.care:<8} {figures} / {len(one.cells):<5}   {said}")
    for one in outcomes:
        place = f"  {one.app}, {one.care}"
        lines += [f"{place}: list: {one.listed.why}"] if one.listed.why else []
        lines += [f"{place}: {text}" for text in not_right(one.cells)]
    return "\n".join(lines)


def not_right(cells: Iterable[Judged]) -> list[str]:
    """Return a line for each verdict, reason and group of fields, with the records of which it holds."""
    fields: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for one in cells:
        if one.verdict != "right":
            fields[one.record, one.verdict, one.why].append(one.field or "the record")
    records: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for (record, verdict, why), names in fields.items():
        records[verdict, ", ".join(names), why].append(record)
    return [f"{verdict}: {names}: {why} ({_named(which)})" for (verdict, names, why), which in records.items()]


def _named(records: list[str]) -> str:
    more = len(records) - SHOWN_RECORDS
    return ", ".join(records[:SHOWN_RECORDS]) + (f" and {more} more" if more > 0 else "")
