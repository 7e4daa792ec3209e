"""SQL queries: answers, run selection, size limits, and error messages."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import AsyncIterator
from typing import Any

import duckdb
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.evidence.sql.docs_page import EXAMPLES, EXAMPLES_BY_NAME
from shared.evidence_format.signing import SigningKey
from shared.settings import Settings
from shared.streams import ANSWERS
from tests.handlers.evidence.sql_room import Room, opened
from tests.handlers.evidence.sql_world import MODEL, SHOT


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Room]:
    folder = tmp_path_factory.mktemp("sql")
    async with opened(Settings(evidence_dir=folder / "evidence", state_dir=folder / "state")) as room:
        yield room


pytestmark = pytest.mark.asyncio(loop_scope="module")
ONE = "run_1"
KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(b"k" * 32))


async def test_a_finished_run_is_read_from_its_tables_and_one_that_goes_on_from_its_files(room):
    query = (
        "SELECT run_id, state, read_from, samples, done, failed, needs_review, not_ended, expected FROM runs ORDER BY 1"
    )
    assert await room.rows(query) == [
        ("run_1", "finished", "tables", 5, 2, 2, 1, 0, 5),
        ("run_2", "unfinished", "files", 5, 2, 1, 0, 2, 5),
    ]
    assert await room.rows("SELECT run_id, count(*), count(status) FROM samples GROUP BY ALL ORDER BY 1") == [
        ("run_1", 5, 5),
        ("run_2", 5, 3),
    ]
    answered = await room.ask("SELECT 1", "run_2")
    assert answered.notes == ("run_2 is not finished: this is what its files said at 09:00:00 UTC",)
    at_work = "SELECT sample_id, step, http_status, latest FROM steps WHERE sample_id = 'TCK-4'"
    assert await room.rows(at_work, "run_2") == [("TCK-4", 1, 404, True)]


async def test_the_controls_of_a_run_are_rows_of_their_own_on_request(room):
    assert await room.rows(
        "SELECT c.framework, c.id, c.title FROM runs, unnest(controls) AS t(c) ORDER BY c.id", "run_1"
    ) == [
        ("SOC 2", "CC6.1", None),
        (None, "ITGC-03", "Owners are named"),
    ]


async def test_a_run_that_is_sealed_says_so_and_by_whom(tmp_path):
    async with opened(Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state"), KEY) as sealed:
        seal = json.loads((tmp_path / "evidence" / "run_1" / "seal.json").read_text())
        query = "SELECT run_id, sealed, manifest_sha256, signed_by FROM runs ORDER BY 1"
        assert await sealed.rows(query) == [
            ("run_1", True, seal["manifest_sha256"], KEY.public.fingerprint),
            ("run_2", False, None, None),
        ]


async def test_a_run_that_cannot_be_read_is_left_out_of_all_and_that_is_said(tmp_path):
    async with opened(Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state")) as damaged:
        (tmp_path / "evidence" / "run_1" / "run.json").write_bytes(b'{"record": "\xff"}')
        answered = await damaged.ask("SELECT run_id FROM runs")
        assert json.loads(answered.text) == [{"run_id": "run_2"}]
        assert answered.notes[0].startswith("left out: run_1: a file of it cannot be read")
        assert (await damaged.refused("SELECT 1", "run_1")).code == "unreadable_run"


async def test_what_is_asked_of_one_run_knows_no_other(room):
    assert await room.rows("SELECT DISTINCT run_id FROM samples", "run_2") == [("run_2",)]
    assert await room.rows("SELECT DISTINCT run_id FROM fields", ONE) == [("run_1",)]


async def test_an_answer_bears_types_and_sizes_and_its_hash(room):
    answered = await room.ask('SELECT sample_id, cost_usd, started_at FROM samples ORDER BY "row" LIMIT 1', ONE)
    assert [(c.name, c.type) for c in answered.columns] == [
        ("sample_id", "VARCHAR"),
        ("cost_usd", "DECIMAL(18,9)"),
        ("started_at", "TIMESTAMP WITH TIME ZONE"),
    ]
    assert json.loads(answered.text) == [
        {"sample_id": "TCK-1", "cost_usd": 0.0, "started_at": "2026-11-21T08:00:00.000000Z"}
    ]
    assert (answered.rows, answered.cut, answered.runs, answered.blob) == (1, False, 1, "")
    assert answered.sha256 == hashlib.sha256(answered.text.encode()).hexdigest()


async def test_more_rows_than_wanted_are_cut_and_it_is_said(room):
    answered = await room.ask("SELECT * FROM range(10)", ONE, max_rows=3)
    assert (answered.rows, answered.cut, len(json.loads(answered.text))) == (3, True, 3)
    answered = await room.ask("SELECT * FROM range(3)", ONE, max_rows=3)
    assert (answered.rows, answered.cut) == (3, False)


async def test_csv_is_no_formula_and_parquet_keeps_values_as_they_are(room, tmp_path):
    query = "SELECT value FROM fields WHERE field = 'assignee' AND sample_id = 'TCK-1'"
    answered = await room.ask(query, ONE, format="csv")
    assert list(csv.reader(io.StringIO(answered.text))) == [["value"], ["'=Ann \U0001f600"]]
    answered = await room.ask(query, ONE, format="parquet")
    data = await room.bus.get(ANSWERS, answered.blob)
    (tmp_path / "answer.parquet").write_bytes(data)
    with duckdb.connect() as db:
        assert db.execute(f"FROM '{tmp_path}/answer.parquet'").fetchall() == [("=Ann \U0001f600",)]
    assert (answered.text, answered.size_bytes) == ("", len(data))


async def test_a_large_answer_goes_through_the_bucket(room):
    answered = await room.ask("SELECT repeat('x', 1000) AS x FROM range(1000)", ONE)
    data = await room.bus.get(ANSWERS, answered.blob)
    assert len(json.loads(data)) == 1000
    assert hashlib.sha256(data).hexdigest() == answered.sha256


async def test_describe_summarize_and_show_tables_tell_what_there_is(room):
    views = ["artifacts", "differences", "fields", "heals", "items", "judgments"]
    views += ["reconciliation", "reviews", "runs", "samples", "sign_offs", "steps", "usage"]
    assert [name for (name,) in await room.rows("SHOW TABLES", ONE)] == views
    described = await room.rows("DESCRIBE judgments", ONE)
    assert described[0][:2] == ("run_id", "VARCHAR")
    assert len(await room.rows("SUMMARIZE usage", ONE)) == 14


async def test_a_query_may_be_written_in_any_way_that_reads(room):
    for query, answer in {
        "with a as (select 1 as x), b as (select x + 1 as x from a) select * from b": [(2,)],
        "with recursive r as (select 1 as x union all select x + 1 from r where x < 3) select max(x) from r": [(3,)],
        "from samples select count(*)": [(5,)],
        "select unnest(locators).kind from fields where field = 'assignee' and sample_id = 'TCK-1'": [
            ("css",),
            ("id",),
        ],
        "select params->>'$.url' from steps where action = 'goto' and sample_id = 'TCK-4'": [("http://site/TCK-4",)],
        "select input['team'], count(*) from samples group by all order by 1": [("blue", 2), ("red", 3)],
        "values (1), (2)": [(1,), (2,)],
        "select 1; -- and that is all;": [(1,)],
        "/* first */ select 'é; select 2' -- )": [("é; select 2",)],
        "select list_transform([1, 2], lambda x: x + 1)": [([2, 3],)],
        "select a.sample_id, a.sample_id from samples a where a.row = 1": [("TCK-1", "TCK-1")],
        "from (select status, sample_id from samples) pivot (count(*) for status in ('done', 'failed'))": None,
        "select row_number() over (order by step desc) from steps limit 1": [(1,)],
        "select date_trunc('day', started_at at time zone 'UTC')::date::varchar from samples limit 1": [
            ("2026-11-21",)
        ],
    }.items():
        rows = await room.rows(query, ONE)
        assert answer is None or rows == answer, query


MISTAKES = {
    "select ownr from samples": ("no_such_column", 7),
    "select owner frm samples x": ("syntax", 17),
    "select 'é', ownr from fields": ("no_such_column", 12),
    "select * from sample": ("no_such_view", 14),
    "select count(*) from samples where status = 1 + 'x'": ("wrong", None),
    "select nofun(1)": ("wrong", 7),
    "": ("syntax", None),
    "-- nothing": ("syntax", None),
    "select 1; select 2": ("several_statements", None),
    "pivot samples on status using count(*)": ("not_read_only", None),
}


async def test_a_mistake_is_pointed_at(room):
    for query, (code, position) in MISTAKES.items():
        refused = await room.refused(query, ONE)
        assert refused.code == code, refused
        assert position is None or refused.position == position, refused


async def test_a_mistake_is_told_what_there_is_instead(room):
    refused = await room.refused("select statsu from samples", ONE)
    assert refused.hints[0] == "did you mean status?"
    assert refused.hints[1].startswith("samples has ")
    assert "reason, fault, message" in refused.hints[1]
    assert "from fields where field" in refused.hints[2]
    refused = await room.refused("select * from sample", ONE)
    assert refused.hints[0] == "did you mean samples?"


async def test_a_run_that_is_not_there(room):
    assert (await room.refused("select 1", "run_9")).code == "unknown_run"
    assert (await room.refused("select 1", "../etc")).code == "unknown_run"


async def test_a_query_that_takes_too_long_is_stopped_and_the_next_one_is_answered(room):
    endless = "select count(*) from range(1000000000000)"
    refused = await room.refused(endless, ONE, timeout_s=0.3)
    assert (refused.code, refused.message) == ("too_slow", "it took longer than 0.3 s")
    assert await room.rows("select 1", ONE) == [(1,)]


# --- the queries of docs/sql.md


SHOT_SHA256 = hashlib.sha256(SHOT).hexdigest()
TOLD: dict[str, list[tuple[Any, ...]]] = {
    "unassigned": [("TCK-2", "Unassigned", None)],
    "merged_with_failures": [("TCK-1", True, "rules", "01_t.png"), ("TCK-2", True, "rules", "01_t.png")],
    "doubtful": [
        ("TCK-5", "checks", "failing", "vision", MODEL, 0.4, 0.9),
        ("TCK-1", "due", "2026-02-28", "derived", "rules", None, 0.9),
    ],
    "not_done": [
        ("TCK-3", "failed", "identity_mismatch", "record", "TCK-33"),
        ("TCK-4", "failed", "not_found", "record", None),
        ("TCK-5", "needs_review", "missing_fields", None, None),
    ],
    "population": [("run_1", 5, 2, 1, 2, 0, 0, True, True, False)],
    "mismatches": [("TCK-3", 1, 2, "http://site/TCK-33", "A ticket", True)],
    "not_200": [(404, "TCK-4", 1, 1, "http://site/TCK-4"), (503, "TCK-5", 1, 1, "http://site/TCK-5")],
    "cost": [
        (MODEL, "decide", 3, 3000, 150, 0.0369),
        ("claude-haiku-5-5", "vision", 1, 300, 10, 0.0011),
        (None, "lessons", 1, 90, 9, 0.0005),
        ("rules", "decide", 0, 0, 0, 0.0),
    ],
    "time": [
        ("done", 4, 250.0, 675.0, 0.0, 0.0),
        ("goto", 5, 250.0, 250.0, 0.0, 0.0),
        ("screenshot", 2, 250.0, 250.0, 0.0, 0.0),
        ("ask_picture", 1, 250.0, 250.0, 0.0, 0.0),
        ("click", 1, 250.0, 250.0, 0.0, 0.0),
    ],
    "same_bytes": [(SHOT_SHA256, 2, 2, "screenshot", "TCK-1/01_t.png")],
    "who": [("rules", 10, 4, 1, 1), (MODEL, 3, 1, 0, 1)],
    "unproven": [("TCK-1", "due", "2026-02-28", "derived", "http://site/x")],
    "judgments": [("TCK-2", "yes", 0.55, "It says so.", "01_t.png", MODEL)],
    "items": [],  # no field of that run has rows: see test_rows_in_outputs.py
    "columns": [
        ("TCK-1", "done", "=Ann \U0001f600", None),
        ("TCK-2", "done", None, None),
        ("TCK-5", "needs_review", None, None),
    ],
    "overruled": [],
    "signed": [],
    "changed_since": [],  # of one run
}
"""By what `sql_world.story` tells: TCK-2 is nobody's, TCK-3 was another page, TCK-4 was not found."""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
async def test_the_answers_are_what_was_told_to_evidence(room, example):
    assert await room.rows(example.sql, ONE) == TOLD[example.name]


async def test_two_runs_are_compared_by_key_and_field(tmp_path):
    async with opened(Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state")) as room:
        run = tmp_path / "evidence" / "run_2"
        for sample_id, field, change in (
            ("TCK-1", "amount", {"value": "1234567.890"}),  # the same number
            ("TCK-1", "changed", {"value": "2026-02-28T21:30:00+00:00"}),  # the same moment
            ("TCK-1", "checks", {"value": "passing"}),
            ("TCK-2", "assignee", {"state": "value", "value": "Bo"}),
        ):
            path = run / sample_id / "result.json"
            told = json.loads(path.read_text())
            told["fields"][field] |= change
            path.write_text(json.dumps(told))
        rows = await room.rows(EXAMPLES_BY_NAME["changed_since"].sql, "run_1", "run_2")
    assert rows == [
        ("TCK-1", "checks", "value", "failing", "value", "passing"),
        ("TCK-2", "assignee", "not_present", None, "value", "Bo"),
    ]


async def test_tables_of_a_version_without_reviews_are_read_as_they_are(room: Room):
    folder = room.settings.evidence_dir / ONE / "tables"
    tables = [folder / f"{name}.parquet" for name in ("reviews", "sign_offs")]
    for table in tables:
        table.rename(table.with_suffix(".aside"))
    try:
        assert await room.rows("SELECT read_from FROM runs", ONE) == [("tables",)]
        assert await room.rows("SELECT count(*) FROM reviews", ONE) == [(0,)]
    finally:
        for table in tables:
            table.with_suffix(".aside").rename(table)
