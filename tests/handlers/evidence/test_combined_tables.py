"""The three tables of a run, read by independent readers: Python's csv, DuckDB, calamine, plain XML."""

from __future__ import annotations

import errno
import gc
import os
import re
import tempfile
import tracemalloc
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psutil
import pytest
from msgspec.structs import replace

from benchmarks.evidence_world import World
from services.evidence.facts import RunFacts
from services.evidence.outputs.xlsx.sample_sheet import SampleSheet
from services.evidence.outputs.xlsx.workbook import Workbook
from shared.evidence_view.sample_facts import SampleFacts
from tests.handlers.evidence.made_tables import Tables, made
from tests.handlers.evidence.written_sample import files_of

WORLD = World(120)
CLOSING = WORLD.closing()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return made(tmp_path_factory.mktemp("made") / "t", WORLD.closing(), WORLD.facts())


def closing_of(**schema: str) -> RunFacts:
    closing = WORLD.closing()
    spec = {"task_id": "t", "goal": "g", "output_schema": schema}
    record = replace(closing.record, run_id="run_1", spec=spec)
    return RunFacts(record, closing.finished, ())


def told(closing: RunFacts, sample_id: str, values: Mapping[str, Any], row: int = 1, **more: Any) -> SampleFacts:
    fields = {name: {"state": "value", "value": value} for name, value in values.items()}
    files = files_of({"sample_id": sample_id, "key": sample_id, "row": row}, {"fields": fields, **more})
    return closing.facts_of(files)


# --- what stands in them


def test_one_row_a_sample_sorted_in_all_three(tables: Tables):
    names = [f"TCK-{number:05d}" for number in range(1, 121)]
    assert [row["sample_id"] for row in tables.csv()] == names
    assert [row for (row,) in tables.sql("SELECT sample_id FROM $T")] == names
    assert [row["sample_id"] for row in tables.sheet("Samples")] == names


@pytest.mark.parametrize("added", [(0, 1, 2, 3), (3, 1, 0, 2)])
def test_rows_are_in_the_order_of_the_input_in_all_three(tmp_path: Path, added: Sequence[int]):
    closing, given = closing_of(name="string"), ["2", "10", "1", "9"]
    samples = [told(closing, sample_id, {"name": "x"}, row=row) for row, sample_id in enumerate(given, 1)]
    tables = made(tmp_path / "t", closing, [samples[at] for at in added])
    assert [row["sample_id"] for row in tables.csv()] == given
    assert [row for (row,) in tables.sql("SELECT sample_id FROM $T")] == given
    assert [row["sample_id"] for row in tables.sheet("Samples")] == given


def test_what_an_auditor_filters_by(tables: Tables):
    rows = {row["sample_id"]: row for row in tables.csv()}
    failed, priced = rows["TCK-00059"], rows["TCK-00003"]
    assert (failed["status"], failed["reason"], failed["fault"]) == ("failed", "http_error", "site")
    assert (failed["amount"], failed["judgment"]) == ("", "")
    assert (priced["llm_calls"], priced["cost_usd"], priced["decided_by"]) == ("4", "0.034809", "claude-sonnet-4-6")
    assert rows["TCK-00001"]["cost_usd"] == "0"
    assert rows["TCK-00001"]["inferred"] == "priority;escalated"
    assert rows["TCK-00001"]["record_url"] == "https://tickets.example/tickets/TCK-00001"
    assert rows["TCK-00001"]["started_at"] == "2026-03-01T10:15:00Z"
    assert rows["TCK-00025"]["attempt"] == "2"
    assert rows["TCK-00001"]["artifacts"] == "01_ticket.png;02_history.png"
    assert rows["TCK-00001"]["judgment_evidence"] == "01_ticket.png"
    assert "assignee" in rows["TCK-00009"]["not_present"].split(";")
    assert rows["TCK-00031"]["not_found"] == "team;hours_spent;escalated;labels"


def test_numbers_and_days_are_typed(tables: Tables):
    types = tables.types()
    wanted = {
        **{"comments": "DOUBLE", "amount": "DECIMAL(38,2)", "tax": "DECIMAL(38,3)", "budget": "DECIMAL(38,1)"},
        **{"approved": "BOOLEAN", "opened_on": "DATE", "created_at": "TIMESTAMP WITH TIME ZONE"},
        **{"labels": "VARCHAR[]", "title": "VARCHAR", "priority": "VARCHAR", "row": "BIGINT", "flagged": "BOOLEAN"},
        **{"not_present": "VARCHAR[]", "wrong_type": "MAP(VARCHAR, VARCHAR)", "cost_usd": "DECIMAL(38,6)"},
        **{"judgment_confidence": "DOUBLE", "started_at": "TIMESTAMP WITH TIME ZONE"},
    }
    assert {name: types[name] for name in wanted} == wanted
    [row] = tables.sql(
        "SELECT comments, amount, approved, opened_on, created_at::VARCHAR, labels, due_date FROM $T WHERE row = 7"
    )
    assert row[:4] == (7.0, Decimal("91.07"), False, date(2025, 1, 8))
    assert row[4:] == ("2025-01-01 15:30:00+00", ["label 2", "größer, schneller", 'say "hi"'], None)


def test_the_workbook_has_a_sheet_for_each_status_and_one_that_explains(tables: Tables):
    book = tables.book()
    statuses = ["done", "partial_success", "needs_review", "failed", "auth_required"]
    assert book.sheet_names == ["Samples", *statuses, "About"]
    rows = tables.sheet("Samples")
    for status in statuses:
        assert tables.sheet(status) == [row for row in rows if row["status"] == status]
    about = [row[0] for row in book.get_sheet_by_name("About").to_python()]
    assert {"run", "samples", "sample_id", "amount", "wrong_type"} <= set(about)


def test_the_workbook_holds_numbers_days_and_words_as_what_they_are(tables: Tables):
    row = tables.sheet("Samples")[6]
    assert (row["comments"], row["amount"], row["approved"], row["tax"]) == (7.0, 91.07, False, 7.007)
    assert (row["opened_on"], row["created_at"]) == (date(2025, 1, 8), datetime(2025, 1, 1, 15, 30))
    assert row["labels"] == 'label 2\ngrößer, schneller\nsay "hi"'
    assert row["due_date"] == ""
    assert (row["screenshot 1"], row["screenshot 2"]) == ("01_ticket.png", "02_history.png")
    assert tables.sheet("Samples")[1]["title"] == '=HYPERLINK("http://x","y")..', "a text, as the page shows it"


def test_the_workbook_stays_readable(tables: Tables):
    for number in range(1, 7):
        xml = tables.part(f"xl/worksheets/sheet{number}.xml")
        assert '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>' in xml
        assert re.search(r'<autoFilter ref="A1:[A-Z]+[0-9]+"/>', xml)
        assert 'orientation="landscape"' in xml
    names = tables.part("xl/workbook.xml")
    assert "'" not in re.findall(r'<definedName name="_xlnm.Print_Titles" localSheetId="0">(.*?)<', names)[0]
    assert "Samples!$A:$A,Samples!$1:$1" in names


def test_links_lead_to_files_beside_the_workbook_and_nowhere_else(tables: Tables):
    with zipfile.ZipFile(tables.folder / "combined.xlsx") as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    targets = re.findall(r'Target="([^"]*)" TargetMode="External"', parts["xl/worksheets/_rels/sheet1.xml.rels"])
    assert targets[:3] == ["TCK-00001/", "TCK-00001/01_ticket.png", "TCK-00001/02_history.png"]
    assert len(targets) == 360
    assert all(re.fullmatch(r"TCK-[0-9]{5}/([0-9a-z_]+\.png)?", target) for target in targets)
    assert not [name for name, xml in parts.items() if "<f>" in xml or "javascript:" in xml]


def test_equal_results_are_equal_bytes(tables: Tables, tmp_path: Path):
    again = made(tmp_path / "again", WORLD.closing(), WORLD.facts())
    for name in ("combined.csv", "combined.parquet", "combined.xlsx"):
        assert (again.folder / name).read_bytes() == (tables.folder / name).read_bytes(), name


# --- what does not fit


def test_a_value_that_is_not_of_its_type_is_told_and_fails_no_table(tmp_path: Path):
    closing = closing_of(total="decimal", on="date", n="number", yes="boolean", all="array", at="date-time")
    wrong = {"total": "1,50 €", "on": "2026-02-30", "n": 2**60, "yes": "maybe", "all": [1], "at": "soon"}
    right = {"total": "1.5", "on": "2026-02-28", "n": 3, "yes": True, "all": ["x"], "at": "2026-02-28T10:00:00"}
    tables = made(tmp_path / "t", closing, [told(closing, "b", wrong, 2), told(closing, "a", right)])
    first, second = tables.csv()
    assert [first[name] for name in right] == ["1.5", "2026-02-28", "3", "true", '["x"]', "2026-02-28T10:00:00"]
    assert [second[name] for name in wrong] == ["1,50 €", "2026-02-30", str(2**60), "maybe", "[1]", "soon"]
    assert (first["wrong_type"], second["wrong_type"]) == ("", "total;on;n;yes;all;at")
    cells = tables.sql('SELECT total, "on", n, yes, "all", "at", wrong_type FROM $T WHERE sample_id = \'b\'')
    words = {"total": "1,50 €", "on": "2026-02-30", "n": str(2**60), "yes": "maybe", "all": "[1]", "at": "soon"}
    assert cells == [(None, None, None, None, None, None, words)]
    assert tables.types()["at"] == "TIMESTAMP"
    assert [tables.sheet("Samples")[1][name] for name in words] == list(words.values())


def test_times_with_and_without_a_zone_in_one_column_stay_words(tmp_path: Path):
    closing, zoned = closing_of(at="date-time"), "2026-02-28T10:00:00+02:00"
    both = [told(closing, "a", {"at": "2026-02-28T10:00:00"}), told(closing, "b", {"at": zoned})]
    tables = made(tmp_path / "t", closing, both)
    assert tables.types()["at"] == "VARCHAR"
    assert tables.sql('SELECT "at" FROM $T') == [("2026-02-28T10:00:00",), ("2026-02-28T10:00:00+02:00",)]
    assert [row["at"] for row in tables.sheet("Samples")] == [datetime(2026, 2, 28, 10), datetime(2026, 2, 28, 8)]


HOSTILE = (
    *("=cmd|' /C calc'!A0", "<r><t>x</t></r>", "</t></is></c>", "_x0041_", 'a"b,c\nd', "a\rb", "http://evil.example/"),
    *("a\u0000b", "\ufffe", "😀", "file:///etc/passwd", "&amp;", "x" * 40_000),
)


def test_hostile_texts_stay_texts_in_all_three(tmp_path: Path):
    closing = closing_of(word="string")
    samples = [told(closing, f"S-{row:02}", {"word": text}, row) for row, text in enumerate(HOSTILE)]
    tables = made(tmp_path / "t", closing, samples)
    plain = [text.replace("\0", "\ufffd") for text in HOSTILE]
    assert [row["word"] for row in tables.csv()] == [f"'{one}" if one.startswith("=") else one for one in plain]
    assert tables.sql("SELECT word FROM $T ORDER BY sample_id") == [(text,) for text in HOSTILE]
    for row, text in zip(tables.sheet("Samples"), plain, strict=True):
        assert row["word"].rstrip(" ")[:30] == text.replace("\ufffe", "\ufffd").replace("\r", "\n")[:30]
    assert "<f>" not in tables.part("xl/worksheets/sheet1.xml")
    assert 'quotePrefix="1"' in tables.part("xl/styles.xml"), "edited, it stays a text"


def test_a_sample_without_a_result_and_a_run_without_samples_have_their_tables(tmp_path: Path):
    closing = closing_of(word="string")
    lone = made(tmp_path / "lone", closing, [closing.facts_of(files_of({"sample_id": "a", "row": 4}))])
    assert [(row["sample_id"], row["row"], row["status"]) for row in lone.csv()] == [("a", "4", "")]
    assert lone.book().sheet_names == ["Samples", "other", "About"]
    empty = made(tmp_path / "empty", closing, [])
    assert empty.csv() == []
    assert empty.sql("SELECT count(*) FROM $T") == [(0,)]
    assert empty.book().sheet_names == ["Samples", "About"]


def test_a_sample_or_file_with_an_unsafe_name_is_shown_and_not_linked(tmp_path: Path):
    pictures = [{"filename": "../../x.png", "kind": "screenshot", "source_url": ""}]
    closing = closing_of(word="string")
    tables = made(tmp_path / "t", closing, [told(closing, "../a", {"word": "x"}, artifacts=pictures)])
    with zipfile.ZipFile(tables.folder / "combined.xlsx") as archive:
        assert not [name for name in archive.namelist() if "rels/sheet" in name]
    assert tables.sheet("Samples")[0]["artifacts"] == "../../x.png"


def test_beyond_the_links_that_excel_takes_names_stay_and_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shared.tables.workbook_cells.MOST_LINKS", 100)
    tables = book(tmp_path, WORLD)
    rels = tables.part("xl/worksheets/_rels/sheet1.xml.rels")
    assert rels.count('TargetMode="External"') == 99
    about = {row[0]: row[1] for row in tables.book().get_sheet_by_name("About").to_python()}
    unlinked = about["names without a link"]
    assert isinstance(unlinked, int | float | str)
    assert int(unlinked) >= 360 - 99
    assert tables.sheet("Samples")[119]["screenshot 1"] == "01_ticket.png"


def book(folder: Path, world: World) -> Tables:
    return book_of(folder, world.closing(), world.facts())


def book_of(folder: Path, closing: RunFacts, samples: Iterable[SampleFacts]) -> Tables:
    """The workbook alone."""
    folder.mkdir(exist_ok=True)
    product = Workbook(closing, folder)
    for one in samples:
        product.add(one, lambda name: None)
    product.finish()
    product.close()
    return Tables(folder)


# --- memory and files


@pytest.mark.parametrize(("few", "many"), [(60, 200), pytest.param(300, 3000, marks=pytest.mark.long)])
def test_memory_does_not_grow_with_the_samples(tmp_path: Path, few: int, many: int):
    closing = closing_of(word="string")

    def peak_bytes(samples: int) -> int:
        each = (told(closing, f"S-{number:05d}", {"word": "x" * 500}, number) for number in range(samples))
        tracemalloc.start()
        try:
            book_of(Path(tempfile.mkdtemp(dir=tmp_path)), closing, each)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak_bytes(10)
    gc.collect()
    gc.disable()  # a collection empties what the interpreter keeps to use again, which then counts as memory
    try:
        before = peak_bytes(few)  # buffers are full by then
        assert peak_bytes(many) - before < (many - few) * 500
    finally:
        gc.enable()


@pytest.mark.parametrize(("thing", "call"), [(SampleSheet, "finish"), (os, "unlink")], ids=["rows", "putting together"])
def test_a_workbook_that_is_given_up_holds_no_file_open(
    thing: Any, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*given: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    product = Workbook(WORLD.closing(), tmp_path)
    for one in WORLD.facts():
        product.add(one, lambda name: None)
    with monkeypatch.context() as patch:
        patch.setattr(thing, call, full)
        with pytest.raises(OSError, match="No space left"):
            list(product.finish())
    product.close()
    assert [file.path for file in psutil.Process().open_files() if file.path.startswith(str(tmp_path))] == []
