"""Generated workbooks and CSV files: each row is a sample with what a person sees of it, or is named with its reason.

The truth is made with the file: of each row, what it shows, and why it cannot be read as it stands.
"""

from __future__ import annotations

from hypothesis import given, settings

from shared.contracts.discovery import Problem, ReadAs
from shared.submission.samples import samples_of_table
from shared.tables.table import Table
from shared.task.spec import TaskSpec
from tests.typed import expect
from tests.unit.shared.tables.made_books import Made, MadeText, books, read_truth, texts
from tests.unit.shared.tables.written_workbook import read

SPEC = TaskSpec.model_validate(
    {
        "task_id": "t",
        "goal": "g",
        "start_url": "https://example.com/{id}",
        "sample_id": "{id}",
        "output_schema": {"id": "string"},
    }
)


@settings(max_examples=150)
@given(books())
def test_each_row_of_a_workbook_is_a_sample_or_named(given_book: tuple[list[Made], ReadAs, bytes]):
    made, how, data = given_book
    table, problems = read(data, how)
    chosen = read_truth(made, how)
    if chosen is None:
        assert (table, len(problems)) == (None, 1)
        shown = [one.sheet.name for one in made if one.sheet.state == "visible"]
        assert all(repr(name) in problems[0].message for name in shown)
        return
    taken = {
        (one.sheet.name, at)
        for one in chosen
        for at in one.filled - (one.hidden if how.hidden_rows == "leave" else set[int]())
    }
    asked = {one.sheet.name for one in chosen if one.hidden and not how.hidden_rows}
    empty = {one.sheet.name for one in chosen if not any(name == one.sheet.name for name, _ in taken)}
    assert {one.where for one in problems} == {f"in.xlsx, sheet {name}" for name in asked | empty}
    found = expect(table, Table)
    assert {(row.sheet, row.sheet_row) for row in found.rows} == taken
    assert len({row.number for row in found.rows}) == len(taken)
    seen = {
        (one.sheet.name, at): key for one in chosen for at, key in one.seen.items() if (one.sheet.name, at) in taken
    }
    flawed = {
        (row.sheet, row.sheet_row)
        for row in found.rows
        if any(row.number in flaw.rows and flaw.column == "id" for flaw in found.flaws)
    }
    assert flawed == taken - seen.keys()
    assert {
        (row.sheet, row.sheet_row): row.cells["id"] for row in found.rows if (row.sheet, row.sheet_row) in seen
    } == seen
    _all_is_accounted_for(made, chosen, how, found)
    samples, more = samples_of_table(SPEC, found)
    assert (len(samples), bool(more)) == (len(taken), bool(flawed))


def _all_is_accounted_for(made: list[Made], chosen: list[Made], how: ReadAs, found: Table) -> None:
    """Each row of each sheet is read, or is in the reading with its reason."""
    assert found.reading is not None
    by_name = {sheet.name: sheet for sheet in found.reading.sheets}
    assert list(by_name) == [one.sheet.name for one in made]
    for one in made:
        sheet = by_name[one.sheet.name]
        if one not in chosen:
            assert sheet.left_out in ("hidden", "not_named")
            continue
        left = {left.reason: left for left in sheet.rows_left_out}
        numbers = {why: {n for a, b in rows.spans for n in range(a, b + 1)} for why, rows in left.items()}
        assert {why: rows.rows for why, rows in left.items()} == {why: len(rows) for why, rows in numbers.items()}
        hidden = numbers.get("hidden", set[int]())
        assert hidden == (one.hidden if how.hidden_rows == "leave" else set())
        assert sheet.rows + len(hidden) == len(one.filled)
        last = max(one.filled - hidden, default=0)
        assert numbers.get("blank", set[int]()) == {at for at in one.blank if at < last}


@settings(max_examples=150)
@given(texts())
def test_each_row_of_a_text_is_a_sample_or_counted(made: MadeText):
    table, problems = made.read()
    if made.unknown:
        assert table is None
        assert "--encoding" in problems[0].message
        return
    if not made.rows:
        assert problems == (Problem(where="in.csv", message="there is a header and no row under it"),)
        return
    found = expect(table, Table)
    assert problems == ()
    assert {row.number: (row.cells["id"], row.cells[made.note]) for row in found.rows} == made.rows
    assert found.reading is not None
    [sheet] = found.reading.sheets
    blank = max(made.rows) - len(made.rows)
    assert (sheet.rows, sum(left.rows for left in sheet.rows_left_out)) == (len(made.rows), blank)
