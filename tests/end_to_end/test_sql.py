"""`exhibit sql` on the evidence of a real run: its answers and their layout."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest

from practice.tickets.data import ground_truth
from services.evidence.sql.docs_page import EXAMPLES
from shared.client import connect
from shared.contracts.evidence import SqlRefused
from tests.end_to_end.conftest import Cli, System
from tests.end_to_end.earlier_runs import unpack

TICKETS = 6


@pytest.fixture
def run(online: Cli, tickets_url: str) -> Path:
    """The folder of a run of tickets, one of which is nobody's, made by the command line."""
    samples = online.folder / "tickets.csv"
    tickets = ground_truth()
    chosen = [*(one for one in tickets if one.assignee is None)][:1]
    numbers = [*(one.number for one in chosen), *(one.number for one in tickets if one.assignee)]
    rows = [f"{number},{tickets_url}/tickets/{number}" for number in (*numbers[: TICKETS - 1], "TCK-9001")]
    samples.write_text("\n".join(["ticket_number,url", *rows, ""]))
    ended = online.run("run", "task_specs/practice_tickets.json", "--input", str(samples), "--json")
    return Path(json.loads(ended.stdout)["location"])


def everything_in(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (folder, *folder.rglob("*"))}


async def test_the_questions_of_an_auditor_on_a_real_run(cli: Cli, online: Cli, system: System, run: Path):
    def ask(*words: str) -> str:
        asked = online.run("sql", run.name, *words)
        assert asked.returncode == 0, asked.stderr
        return asked.stdout

    samples = sorted(path.parent.name for path in run.glob("*/sample.json"))
    assert len(samples) == TICKETS
    answers: dict[str, list[dict[str, Any]]] = {}
    async with connect(system.url) as client:
        for example in EXAMPLES:
            answer = await client.sql(example.sql, [run.name])
            assert not isinstance(answer, SqlRefused), answer
            answers[example.name] = json.loads(answer[1])
    nobodys = next(one.number for one in ground_truth() if one.assignee is None)
    assert [row["sample_id"] for row in answers["unassigned"]] == [nobodys]
    assert [row["sample_id"] for row in answers["not_done"]] == ["TCK-9001"]
    assert [(row["samples"], row["adds_up"], row["sealed"]) for row in answers["population"]] == [(TICKETS, True, True)]

    said = ask("select sample_id, cost_usd, started_at from samples order by sample_id limit 2")
    assert "2 rows from 1 run in" in said
    assert samples[0] in said
    table = list(csv.reader(io.StringIO(ask("select sample_id from samples order by 1", "--format", "csv"))))
    assert table == [["sample_id"], *([name] for name in samples)]
    out = online.folder / "fields.parquet"
    ask("from fields", "--format", "parquet", "--out", str(out))
    with duckdb.connect() as db:
        counted = db.execute(f"SELECT count(*) FROM '{out}'").fetchall()
    results = [json.loads((run / name / "result.json").read_text()) for name in samples]
    assert counted == [(sum(len(one["fields"]) for one in results),)]

    copy = Path(shutil.copytree(run, online.folder / run.name))
    sealed = online.run("verify", str(copy))
    assert sealed.returncode == 0, sealed.stdout + sealed.stderr
    with (copy / "tables" / "fields.parquet").open("ab") as file:
        file.write(b"x")
    altered = online.run("verify", str(copy))
    assert (altered.returncode, "tables/fields.parquet" in altered.stdout + altered.stderr) == (1, True)


def test_asking_without_services_changes_nothing(cli: Cli):
    """Nor does it where nothing lies."""
    unpack("judged", cli.folder / "evidence")
    there = everything_in(cli.folder / "evidence")
    asked = cli.run("sql", "select count(*) as samples from samples", "--evidence", str(cli.folder / "evidence"))
    assert asked.returncode == 0, asked.stderr
    assert "1 row from 1 run in" in asked.stdout
    assert everything_in(cli.folder / "evidence") == there
    asked = cli.run("sql", "select count(*) as n from samples", "--evidence", str(cli.folder / "none"))
    assert (asked.returncode, f"there is no run in {cli.folder / 'none'}" in asked.stdout) == (0, True)
    assert not (cli.folder / "none").exists()
    assert not list((cli.folder / "state").glob("*.pem"))


def test_a_mistake_is_shown_where_it_is(online: Cli):
    asked = online.run("sql", "select ownr\nfrom samples")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr.splitlines()[:3] == ["exhibit: there is no column 'ownr' here", "  select ownr", "         ^"]
    asked = online.run("sql", "select 1", "--format", "parquet")
    assert (asked.returncode, "--out" in asked.stderr) == (2, True)
    for out in (online.folder / "no" / "x.csv", online.folder):
        asked = online.run("sql", "select 1", "--format", "csv", "--out", str(out))
        assert (asked.returncode, str(online.folder) in asked.stderr) == (2, True)


def test_what_was_divided_by_zero_is_nothing_and_no_crash(online: Cli):
    query = "select 1 / 0 as a, 'nan'::double as b, 0.5::double as c, [1 / 0] as d"
    asked = online.run("sql", query)
    assert asked.returncode == 0, asked.stderr
    asked = online.run("sql", query.rpartition(",")[0], "--format", "json")
    [row] = msgspec.json.decode(asked.stdout)
    assert row == {"a": None, "b": None, "c": 0.5}
