"""`exhibit sql` on the evidence of a real run: its answers and their layout."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import msgspec
import pytest

from practice.tickets.data import ground_truth
from practice.tickets.demo import write_input
from services.evidence.sql.docs_page import EXAMPLES
from shared.contracts.evidence import SqlRefused
from shared.host.services import run_embedded
from shared.settings import Settings
from tests.handlers.evidence.sql_answers import Files, as_answered, as_worked_out

TICKETS = 14


@pytest.fixture
def run(cli, tickets_url, tmp_path) -> Path:
    """The folder of a run of the first tickets, made by the command line."""
    samples = tmp_path / "tickets.csv"
    write_input(samples, tickets_url, ground_truth())
    header, *lines = samples.read_text().splitlines()
    samples.write_text("\n".join([header, *lines[:TICKETS]]) + "\n")
    told = ("--evidence", str(tmp_path / "evidence"), "--json", "--concurrency", "4")
    ended = cli.run("run", "task_specs/practice_tickets.json", "--input", str(samples), *told)
    return Path(json.loads(ended.stdout)["location"])


def everything_in(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (folder, *folder.rglob("*"))}


async def test_the_questions_of_an_auditor_on_a_real_run(cli, run, tmp_path):
    def ask(*words: str) -> object:
        asked = cli.run("sql", *words, "--evidence", str(run.parent))
        assert asked.returncode == 0, asked.stderr
        return asked.stdout

    there = everything_in(run.parent)
    assert str(TICKETS) in str(ask("select count(*) as samples from samples"))
    assert everything_in(run.parent) == there
    files = Files(run)
    assert len(files.folders) == TICKETS
    assert as_worked_out("unassigned", files)
    async with run_embedded(Settings(evidence_dir=run.parent, state_dir=tmp_path / "state"), ["evidence"]) as client:
        for example in EXAMPLES:
            answer = await client.sql(example.sql, [run.name])
            assert not isinstance(answer, SqlRefused), answer
            rows = [tuple(row.values()) for row in json.loads(answer[1])]
            assert as_answered(example.name, rows) == as_worked_out(example.name, files), example.name

    said = str(ask("select sample_id, cost_usd, started_at from samples order by sample_id limit 2"))
    assert "2 rows from 1 run in" in said
    assert files.folders[0].name in said
    table = list(csv.reader(io.StringIO(str(ask("select sample_id from samples order by 1", "--format", "csv")))))
    assert table == [["sample_id"], *([folder.name] for folder in files.folders)]
    ask("from fields", "--format", "parquet", "--out", str(tmp_path / "fields.parquet"))
    with duckdb.connect() as db:
        counted = db.execute(f"SELECT count(*) FROM '{tmp_path}/fields.parquet'").fetchall()
    assert counted == [(sum(1 for _ in files.fields()),)]

    sealed = cli.run("verify", str(run))
    assert sealed.returncode == 0, sealed.stdout + sealed.stderr
    with (run / "tables" / "fields.parquet").open("ab") as file:
        file.write(b"x")
    altered = cli.run("verify", str(run))
    assert (altered.returncode, "tables/fields.parquet" in altered.stdout + altered.stderr) == (1, True)


def test_a_mistake_is_shown_where_it_is(cli, tmp_path):
    asked = cli.run("sql", "select ownr\nfrom samples", "--evidence", str(tmp_path / "none"))
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr.splitlines()[:3] == ["exhibit: there is no column 'ownr' here", "  select ownr", "         ^"]
    asked = cli.run("sql", "run_9", "select 1", "--evidence", str(tmp_path / "none"))
    assert (asked.returncode, "there is no run 'run_9' in " in asked.stderr) == (2, True)
    asked = cli.run("sql", "select 1", "--format", "parquet", "--evidence", str(tmp_path / "none"))
    assert (asked.returncode, "--out" in asked.stderr) == (2, True)
    for out in (tmp_path / "no" / "x.csv", tmp_path):
        asked = cli.run("sql", "select 1", "--format", "csv", "--out", str(out), "--evidence", str(tmp_path / "none"))
        assert (asked.returncode, str(tmp_path) in asked.stderr, "Traceback" in asked.stderr) == (2, True, False)


def test_asking_where_nothing_lies_says_so_and_makes_nothing(cli, tmp_path):
    asked = cli.run("sql", "select count(*) as n from samples", "--evidence", str(tmp_path / "none"))
    assert (asked.returncode, f"there is no run in {tmp_path / 'none'}" in asked.stdout) == (0, True)
    assert not (tmp_path / "none").exists()
    assert not list((tmp_path / "state").glob("*.pem"))


def test_what_was_divided_by_zero_is_nothing_and_no_crash(cli, tmp_path):
    query = "select 1 / 0 as a, 'nan'::double as b, 0.5::double as c, [1 / 0] as d"
    asked = cli.run("sql", query, "--evidence", str(tmp_path / "none"))
    assert asked.returncode == 0, asked.stderr
    asked = cli.run("sql", query.rpartition(",")[0], "--format", "json", "--evidence", str(tmp_path / "none"))
    [row] = msgspec.json.decode(asked.stdout)
    assert row == {"a": None, "b": None, "c": 0.5}
