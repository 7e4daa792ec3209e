"""A field of rows in each output of a run: its own sheet, the tables, the SQL view `items`, and the report."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import duckdb
import pytest
from msgspec.structs import replace

from benchmarks.evidence_world import World
from services.console.web.review.table_facts import stored_cell, table_rows
from services.console.web.review.table_query import TableAsked, table_query
from services.evidence.facts import RunFacts
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.sql.catalogue import VIEWS_BY_NAME
from services.evidence.sql.docs_page import EXAMPLES_BY_NAME
from services.evidence.sql.sample_rows import sample_rows
from services.evidence.sql.statements import create_view
from shared.evidence_view.sample_details import detail_of, row_of
from shared.evidence_view.sample_facts import SampleFacts
from tests.handlers.evidence.made_tables import Tables, made
from tests.handlers.evidence.written_sample import files_of

COLUMNS = {"sku": "string", "qty": "number", "amount": "decimal", "shipped": "date | null"}
LINES = {"type": "rows", "columns": COLUMNS, "id_keys": ["sku"], "description": "The items of the invoice."}
SCHEMA = {"invoice": "string", "lines": LINES}
HOSTILE = '=HYPERLINK("http://x","y")'
BOX = {"x": 1.0, "y": 2.0, "width": 3.0, "height": 4.0}
MARKUP = "<img src=x onerror=alert(1)>"
RUN = "run_1"


def closing_of() -> RunFacts:
    world = World(1).closing()
    spec = {"task_id": "t", "goal": "g", "output_schema": SCHEMA}
    return RunFacts(replace(world.record, run_id=RUN, spec=spec), world.finished, ())


def cell(value: Any, shown: str, url: str = "http://x/1", ref: int = 1, **more: Any) -> dict[str, Any]:
    source = {"snapshot_id": "s", "observation_sha256": "", "url": url, "ref": ref, "role": "cell", "label": "L"}
    source |= {"box": BOX, "frame": "main", "ink": {"state": "seen"}}
    return {"state": "value", "value": value, "shown": shown, "source": source, "read_by": "rules", **more}


NONE = {"state": "not_present", "shown": ""}
OPEN = {"state": "not_found", "candidates": [{"shown": "1.00"}, {"shown": "2.00"}]}
ROWS: list[Any] = [
    {"sku": cell("A-1", "A-1"), "qty": cell(2, "2"), "amount": cell("20.50", "20.50"), "shipped": NONE},
    {
        "sku": cell(HOSTILE, HOSTILE, "http://x/2"),
        "qty": cell(10, "10", "http://x/2"),
        "amount": cell("4.00", "4.00", "http://x/2"),
        "shipped": cell("2026-03-01", "1 Mar 2026", "http://x/2"),
    },
]
DOUBTFUL = [{"sku": cell(MARKUP, MARKUP), "qty": cell(1, "1"), "amount": OPEN, "shipped": NONE}]


def invoice(closing: RunFacts, name: str, rows: list[Any], **more: Any) -> SampleFacts:
    plain = [{key: one.get("value") for key, one in row.items()} for row in rows]
    lines = {"state": "value", "value": plain, "rows": [{"cells": row} for row in rows], **more}
    number = {"state": "value", "value": name, "shown": name}
    return closing.facts_of(files_of({"sample_id": name}, {"fields": {"invoice": number, "lines": lines}}))


@pytest.fixture(scope="module")
def samples() -> list[SampleFacts]:
    closing = closing_of()
    return [
        invoice(closing, "INV-2", DOUBTFUL, lacking="1 of 2: the page says “1 to 1 of 2”"),
        invoice(closing, "INV-1", ROWS),
        invoice(closing, "INV-3", []),
    ]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory, samples: list[SampleFacts]) -> Tables:
    return made(tmp_path_factory.mktemp("rows") / "t", closing_of(), samples)


def test_the_workbook_has_a_sheet_with_a_row_for_each_of_them(tables: Tables):
    rows = tables.sheet("lines")
    assert [(row["sample_id"], row["item"], row["sku"], row["qty"], row["amount"]) for row in rows] == [
        ("INV-1", 1, "A-1", 2, 20.5),
        ("INV-1", 2, HOSTILE, 10, 4),
        ("INV-2", 1, MARKUP, 1, ""),
    ]
    assert str(rows[1]["shipped"]) == "2026-03-01"
    told = {row["sample_id"]: row["lines"] for row in tables.sheet("Samples")}
    assert told == {"INV-1": "2 rows: sheet lines", "INV-2": "1 row: sheet lines", "INV-3": "0 rows: sheet lines"}
    about = [[str(one) for one in row] for row in tables.book().get_sheet_by_name("About").to_python()]
    assert ["lines.amount", "decimal", ""] in about


def test_no_cell_of_the_sheet_is_a_formula_or_markup(tables: Tables):
    names = tables.book().sheet_names
    sheet = tables.part(f"xl/worksheets/sheet{names.index('lines') + 1}.xml")
    assert "<f>" not in sheet
    assert "&lt;img" in sheet
    assert "<img" not in sheet


def test_the_tables_have_them_as_json(tables: Tables):
    assert [json.loads(row["lines"]) for row in tables.csv()] == [
        [
            {"sku": "A-1", "qty": 2, "amount": "20.50", "shipped": None},
            {"sku": HOSTILE, "qty": 10, "amount": "4.00", "shipped": "2026-03-01"},
        ],
        [{"sku": MARKUP, "qty": 1, "amount": None, "shipped": None}],
        [],
    ]
    query = "SELECT sample_id, json_array_length(lines::JSON), lines::JSON->0->>'sku' FROM $T"
    assert tables.sql(query) == [("INV-1", 2, "A-1"), ("INV-2", 1, MARKUP), ("INV-3", 0, None)]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory, samples: list[SampleFacts]) -> duckdb.DuckDBPyConnection:
    product = ParquetTables(closing_of(), tmp_path_factory.mktemp("parquet"))
    for one in samples:
        product.add(one, lambda _: None)
    files = {file.name: str(file.path) for file in product.finish()}
    opened = duckdb.connect()
    for view in ("items", "fields", "samples"):
        opened.execute(create_view(VIEWS_BY_NAME[view], [files[f"tables/{view}.parquet"]]))
    return opened


def test_sql_has_a_row_for_each_cell_with_its_type_and_its_page(database: duckdb.DuckDBPyConnection):
    query = """SELECT sample_id, item, column_name, value, value_number, value_date::VARCHAR, is_id, url
        FROM items WHERE sample_id = 'INV-1' AND item = 2"""
    assert database.execute(query).fetchall() == [
        ("INV-1", 2, "sku", HOSTILE, None, None, True, "http://x/2"),
        ("INV-1", 2, "qty", "10", Decimal(10), None, False, "http://x/2"),
        ("INV-1", 2, "amount", "4.00", Decimal(4), None, False, "http://x/2"),
        ("INV-1", 2, "shipped", "2026-03-01", None, "2026-03-01", False, "http://x/2"),
    ]
    summed = "SELECT sum(value_number) FROM items WHERE column_name = 'amount' GROUP BY sample_id ORDER BY sample_id"
    assert database.execute(summed).fetchall() == [(Decimal("24.5"),), (None,)]
    open_cells = "SELECT sample_id, column_name, candidates FROM items WHERE state = 'not_found'"
    assert database.execute(open_cells).fetchall() == [("INV-2", "amount", ["1.00", "2.00"])]
    counted = "SELECT sample_id, items, lacking IS NOT NULL FROM fields WHERE field = 'lines' ORDER BY sample_id"
    assert database.execute(counted).fetchall() == [("INV-1", 2, False), ("INV-2", 1, True), ("INV-3", 0, False)]


def test_rows_of_the_view_have_its_columns_and_no_others(samples: list[SampleFacts]):
    written = [row for one in samples for table, row in sample_rows(RUN, one, []) if table == "items"]
    assert {name for row in written for name in row} == set(VIEWS_BY_NAME["items"].names)


def test_the_table_of_a_run_has_their_number_and_the_first_of_them(
    database: duckdb.DuckDBPyConnection, samples: list[SampleFacts]
):
    answer = database.execute(table_query(TableAsked(), has_rows=True, judged=False))
    names = [column[0] for column in answer.description or ()]
    told = [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
    rows = table_rows(told, ["invoice", "lines"], (), ended=True, judged=False)
    cells = {row.sample_id: row.cells[1] for row in rows}
    assert {name: (cell.rows, cell.text) for name, cell in cells.items()} == {
        "INV-1": (2, "A-1, 20.50, 2"), "INV-2": (1, f"{MARKUP}, 1"), "INV-3": (0, ""),
    }  # fmt: skip
    assert cells["INV-2"].doubt == "rows_lacking"
    for facts in samples:  # its page says the same, from the files
        field = next(one for one in facts.task.fields if one.name == "lines")
        assert stored_cell(f"{facts.sample_id}.lines", facts, field, None, ended=True) == cells[facts.sample_id]
    database.execute(table_query(TableAsked(text="20.50"), has_rows=True, judged=False))
    assert {row[0] for row in database.fetchall()} == {"INV-1"}


def test_the_example_of_the_documentation_gives_a_row_for_each_item(database: duckdb.DuckDBPyConnection):
    assert database.execute(EXAMPLES_BY_NAME["items"].sql).fetchall() == [
        ("INV-1", 1, "A-1", "20.50"),
        ("INV-1", 2, HOSTILE, "4.00"),
        ("INV-2", 1, MARKUP, None),
    ]


def test_the_report_has_them_with_what_is_open_and_what_may_be_lacking(samples: list[SampleFacts]):
    doubtful, whole, _ = samples
    told = detail_of(doubtful)["fields"][1]
    assert told["rows"][0]["cells"]["amount"] == {"state": "not_found", "candidates": ["1.00", "2.00"]}
    assert told["lacking"].startswith("1 of 2")
    first, second = detail_of(whole)["fields"][1]["rows"]
    assert (first["page"], second["page"]) == ("http://x/1", "http://x/2")
    assert second["cells"]["shipped"] == {"state": "value", "value": "2026-03-01", "shown": "1 Mar 2026", "ink": "seen"}
    assert row_of(whole)[6][1].startswith("2 rows: A-1, 2, 20.50")
