"""Runs that are prepared in the browser: which column is which, and what is wrong with them."""

from __future__ import annotations

from typing import Any

from services.console.web.new_run.drafts import (
    MOST_BYTES,
    MOST_DRAFTS,
    DraftOptions,
    Drafts,
    ReadDraft,
    RunDraft,
    read_draft,
)
from shared.contracts.discovery import ReadAs
from shared.tables.excel import open_workbook

SPEC: dict[str, Any] = {
    "task_id": "owners",
    "goal": "Read the owner.",
    "start_url": "http://127.0.0.1:1/{number}",
    "input_schema": {"number": "string", "period": "string"},
    "output_schema": {"owner": "string"},
    "sample_id": "{number}",
}
LIST_SPEC: dict[str, Any] = {
    "task_id": "list",
    "goal": "List them.",
    "phase": "discovery",
    "start_url": "http://127.0.0.1:1/{org}",
    "output_schema": {"name": "string"},
}
ROWS = b"Period,Asset No,Note\n2026-Q1,A-1,one\n2026-Q1,A-2,two\n"


def read(data: bytes = ROWS, spec: dict[str, Any] = SPEC, **options: Any) -> ReadDraft:
    draft = RunDraft("d", spec, "rows.csv" if data else "", data, DraftOptions(**options))
    return read_draft(draft, open_workbook)


def where(one: ReadDraft) -> list[str]:
    return [problem.where for problem in one.problems]


def test_a_column_that_is_written_alike_is_taken_and_one_that_is_not_is_asked_for():
    found = read()
    assert found.columns == {"number": "", "period": "Period"}
    assert found.problems
    assert not found.takes_file


def test_what_somebody_says_of_the_columns_counts():
    found = read(columns={"number": "Asset No"})
    assert found.problems == ()
    assert found.objects(1) == [{"period": "2026-Q1", "number": "A-2", "Note": "two"}]
    assert found.shown == [["2026-Q1", "A-1", "one"], ["2026-Q1", "A-2", "two"]]


def test_a_column_that_is_not_taken_does_not_stand_for_another_one():
    """The file has a column `number` that is not what the task means by it."""
    data = b"number,asset,period\n1,A-1,Q1\n2,A-2,Q1\n"
    found = read(data, columns={"number": "asset"})
    assert found.objects(0) == [{"number": "A-1", "period": "Q1"}, {"number": "A-2", "period": "Q1"}]
    assert not found.takes_file
    none = read(data, columns={"number": ""})
    assert none.objects(0, 1) == [{"asset": "A-1", "period": "Q1"}]


def test_a_column_that_the_file_does_not_have_is_not_believed():
    assert read(columns={"number": "elsewhere"}).columns["number"] == ""


def test_a_file_whose_columns_are_named_as_the_task_names_them_is_sent_as_it_is():
    found = read(b"number,period\nA-1,Q1\n")
    assert found.takes_file
    assert found.problems == ()


def test_everything_that_is_wrong_is_told_at_once():
    found = read(b"number,period\nA-1,Q1\nA-1,Q2\n", {**SPEC, "max_steps": 0}, concurrency=9999)
    assert {"concurrency", "spec.max_steps"} <= set(where(found))
    assert any("A-1" in problem.message for problem in found.problems)


def test_without_rows_there_is_no_run():
    assert where(read(b"")) == ["rows"]


def test_a_text_that_does_not_prove_its_encoding_is_asked_about():
    data = "number,period\nA-1,Müll\n".encode("cp1252")
    assert read(data).problems
    assert read(data, read_as=ReadAs(encoding="cp1252")).objects(0) == [{"number": "A-1", "period": "Müll"}]


def test_a_task_that_finds_its_samples_takes_what_fills_its_address():
    draft = RunDraft("d", LIST_SPEC)
    assert draft.filled_with == ("org",)
    assert read_draft(draft, open_workbook).problems
    assert read_draft(RunDraft("d", LIST_SPEC, row={"org": "acme"}), open_workbook).problems == ()


def test_a_column_that_is_left_out_is_not_sent_with_the_file():
    spec = {**SPEC, "input_schema": {"number": "string", "period": "string | null"}}
    found = read(b"number,period\nA-1,Q1\n", spec, columns={"period": ""})
    assert found.problems == ()
    assert not found.takes_file
    assert found.objects(0) == [{"number": "A-1"}]


def test_a_column_that_only_a_text_of_the_task_names_can_be_chosen():
    draft = RunDraft("d", {**SPEC, "input_schema": {"period": "string | null"}, "start_url": "{url}"})
    assert draft.inputs == ("period", "number", "url")
    assert draft.needed == ("number", "url")


def test_the_oldest_files_go_where_there_are_too_many_bytes_and_the_newest_stays():
    drafts = Drafts()
    for name in ("a", "b", "c"):
        drafts.put(RunDraft(name, SPEC, "rows.csv", bytes(MOST_BYTES // 2), pilot=f"run_{name}"))
    assert [drafts.of_pilot(f"run_{name}") for name in ("a", "b", "c", "d")] == ["", "b", "c", ""]
    drafts.put(RunDraft("large", SPEC, "rows.csv", bytes(MOST_BYTES + 1)))
    assert drafts.get("large") is not None
    assert drafts.get("c") is None


def test_the_oldest_draft_goes_where_there_are_too_many():
    drafts = Drafts()
    for number in range(MOST_DRAFTS + 1):
        drafts.put(RunDraft(str(number), SPEC))
    assert drafts.get("0") is None
    assert drafts.get("1") is not None


def test_rows_that_are_nested_without_end_are_no_table():
    data = b'[{"number":' + b"[" * 200_000
    found = read_draft(RunDraft("d", SPEC, "rows.json", data), open_workbook)
    assert found.table is None
    assert found.problems
