"""The tables of a run: typed content of its files, and reproducible bytes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from benchmarks.evidence_world import World
from services.evidence.deps import EvidenceDeps
from services.evidence.outputs import parquet_tables
from services.evidence.outputs.parquet_tables import ParquetTables, TableLines
from services.evidence.sql.catalogue import TABLES
from services.evidence.sql.row_values import Row
from services.evidence.store.folder_store import FolderStore
from shared.testing.bus import MemoryBus
from tests.handlers.evidence.sql_world import MODEL, SHOT, file_run


async def filed(root: Path) -> Path:
    bus = MemoryBus()
    now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    deps = EvidenceDeps(store=FolderStore(root), blobs=bus, now=lambda: now, products=(ParquetTables,))
    await file_run(deps, bus)
    return root / "run_1" / "tables"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asyncio.run(filed(tmp_path_factory.mktemp("tables") / "evidence"))


def rows(tables: Path, view: str, columns: str, where: str = "true") -> list[tuple[Any, ...]]:
    with duckdb.connect() as db:
        db.execute("SET TimeZone = 'UTC'")
        return db.execute(f"SELECT {columns} FROM '{tables}/{view}.parquet' WHERE {where}").fetchall()


async def test_every_table_has_the_columns_and_types_that_the_catalogue_names(tables):
    for view in TABLES:
        with duckdb.connect() as db:
            described = db.execute(f"DESCRIBE FROM '{tables}/{view.name}.parquet'").fetchall()
        assert [(name, type_) for name, type_, *_ in described] == [(c.name, c.type) for c in view.columns]


async def test_rows_have_the_columns_that_the_catalogue_names_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    written: dict[str, set[str]] = {}

    class RecordedLines(TableLines):
        def write(self, rows: Iterable[tuple[str, Row]]) -> None:
            kept = list(rows)
            for table, row in kept:
                written.setdefault(table, set()).update(row)
            super().write(kept)

    monkeypatch.setattr(parquet_tables, "TableLines", RecordedLines)
    await filed(tmp_path)
    # DuckDB reads a column that no row has as NULL, and skips one that the catalogue does not name.
    not_of_this_run = {"heals", "items", "reconciliation", "differences", "reviews", "sign_offs"}
    assert written == {view.name: set(view.names) for view in TABLES if view.name not in not_of_this_run}


async def test_samples_in_row_order_with_what_became_of_them(tables):
    found = rows(
        tables, "samples", 'sample_id, "row", status, reason, fault, attempt, steps, "values", proven, flagged'
    )
    assert found == [
        ("TCK-1", 1, "done", None, None, 1, 4, 6, True, False),
        ("TCK-2", 2, "done", None, None, 1, 3, 2, True, True),
        ("TCK-3", 3, "failed", "identity_mismatch", "record", 1, 2, 0, False, False),
        ("TCK-4", 4, "failed", "not_found", "record", 1, 1, 0, None, False),
        ("TCK-5", 5, "needs_review", "missing_fields", None, 2, 2, 1, True, False),
    ]
    one = "sample_id = 'TCK-1'"
    assert rows(tables, "samples", "input['team'], duration_s, started_at::VARCHAR, cost_usd::VARCHAR", one) == [
        ("red", 12.5, "2026-11-21 08:00:00+00", "0.000000000")
    ]
    assert rows(tables, "samples", "cost_usd::VARCHAR", "sample_id = 'TCK-5'") == [("0.026200000",)]


async def test_fields_bear_their_values_in_their_types_and_where_they_came_from(tables):
    typed = "value, value_json::VARCHAR, value_number::VARCHAR, value_date::VARCHAR, value_at::VARCHAR, value_boolean"
    one = "sample_id = 'TCK-1' AND field = "
    assert rows(tables, "fields", typed, f"{one} 'amount'") == [
        ("1234567.89", '"1234567.89"', "1234567.890000000", None, None, None)
    ]
    assert rows(tables, "fields", typed, f"{one} 'due'") == [
        ("2026-02-28", '"2026-02-28"', None, "2026-02-28", None, None)
    ]
    assert rows(tables, "fields", typed, f"{one} 'changed'") == [
        ("2026-02-28T23:30:00+02:00", '"2026-02-28T23:30:00+02:00"', None, "2026-02-28", "2026-02-28 21:30:00+00", None)
    ]
    assert rows(tables, "fields", typed, f"{one} 'merged_with_failures'") == [("true", "true", None, None, None, True)]
    source = "label, role, box_x_px, frame, locator, len(locators), page_sha256, step, reason, required"
    [found] = rows(tables, "fields", source, f"{one} 'assignee'")
    assert found[:6] == ("Assignee", "cell", 10.5, "main", "id=#assignee", 2)
    assert found[6:] == (hashlib.sha256(SHOT).hexdigest(), 4, "All is read.", True)
    said = rows(tables, "fields", "state, value, shown, url", "sample_id = 'TCK-2' AND field IN ('assignee', 'amount')")
    assert said == [("not_present", None, "Unassigned", None), ("not_found", None, None, None)]


async def test_a_value_read_from_a_picture_says_how_sure_the_answer_was(tables):
    assert rows(tables, "fields", "origin, read_by, confidence, page_confidence", "sample_id = 'TCK-5'") == [
        ("vision", MODEL, 0.4, 0.9)
    ]


async def test_steps_and_usage_of_all_attempts_are_there_and_the_one_that_counts_is_marked(tables):
    of_five = "sample_id = 'TCK-5'"
    assert rows(tables, "steps", "attempt, latest, step, action, http_status", of_five) == [
        (1, False, 1, "goto", 503),
        (2, True, 1, "ask_picture", None),
        (2, True, 2, "done", None),
    ]
    assert rows(tables, "usage", "attempt, purpose, model, steps, llm_calls, cost_usd::DOUBLE", of_five) == [
        (1, "decide", MODEL, 1, 1, 0.0123),
        (2, "decide", MODEL, 2, 2, 0.0246),
        (2, "vision", "claude-haiku-5-5", 1, 1, 0.0011),
        (2, "lessons", None, 0, 1, 0.0005),
    ]
    clicked = "element_role, element_name, box_width_px, locators[2].kind, locators[2].matches"
    assert rows(tables, "steps", clicked, "action = 'click'") == [("button", "More", 30.0, "id", 1)]


async def test_artifacts_bear_what_was_known_of_the_moment(tables):
    columns = "sample_id, step, filename, size_bytes, capture_id, browser, viewport_width_px, http_status, problem"
    assert rows(tables, "artifacts", columns) == [
        (f"TCK-{number}", 2, "01_t.png", 24, f"c-TCK-{number}", "Chromium 156", 1280, 200, None) for number in (1, 2)
    ]


async def test_equal_runs_give_equal_bytes(tables, tmp_path):
    other = await filed(tmp_path / "other")
    assert {p.name: p.read_bytes() for p in tables.iterdir()} == {p.name: p.read_bytes() for p in other.iterdir()}


def test_rows_are_written_in_groups_so_that_memory_does_not_grow_with_them(tmp_path: Path, monkeypatch: Any):
    monkeypatch.setattr("services.evidence.sql.statements.GROUP_ROWS", 2048)
    world = World(150)
    product = ParquetTables(world.closing(), tmp_path)
    for facts in world.facts():
        product.add(facts, lambda _: None)
    files = {made.name: made.path for made in product.finish()}
    groups = f"parquet_metadata('{files['tables/fields.parquet']}')"
    query = f"SELECT max(row_group_num_rows), count(DISTINCT row_group_id) FROM {groups}"
    with duckdb.connect() as db:
        assert db.execute(query).fetchall() == [(2048, 2)]
