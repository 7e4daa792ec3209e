"""Generated workbooks and CSV files: each row is a sample with what a person sees of it, or is named with its reason.

The truth is made with the file: of each row, what it shows, and why it cannot be read as it stands.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.contracts.discovery import AS_IT_IS, Problem, ReadAs
from shared.submission.samples import samples_of_table
from shared.tables.excel import open_workbook
from shared.tables.files import parse_table
from shared.tables.table import Table
from shared.task.spec import TaskSpec
from tests.typed import expect
from tests.unit.shared.tables.written_workbook import STRICT, Sheet, cell, number, read, text, written

SPEC = TaskSpec.model_validate(
    {
        "task_id": "t",
        "goal": "g",
        "start_url": "https://example.com/{id}",
        "sample_id": "{id}",
        "output_schema": {"id": "string"},
    }
)
KINDS = ("text", "text", "text", "padded", "prefixed", "day", "run", "blank", "formula", "error", "merged", "note")


@dataclass
class Made:
    """A sheet, and the truth of it: by the numbers that the sheet shows, the key that is seen in a row, and the rows
    that have none that is certain."""

    sheet: Sheet
    seen: dict[int, str] = field(default_factory=dict[int, str])
    unsure: set[int] = field(default_factory=set[int])
    blank: set[int] = field(default_factory=set[int])

    @property
    def filled(self) -> set[int]:
        return self.seen.keys() | self.unsure

    @property
    def hidden(self) -> set[int]:
        return set(self.sheet.hidden) & self.filled


def made_row(kind: str, at: int, unique: int) -> tuple[list[str], str | None]:
    """Return the cells of a row, and the key that a person sees; None: no key is certain, or the row is blank."""
    note = text(f"B{at}", "note")
    if kind == "padded":
        return [number(f"A{at}", unique, 2), note], f"{unique:05}"
    if kind == "prefixed":
        return [number(f"A{at}", unique, 3)], f"INV-{unique:04}"
    if kind == "day":
        return [number(f"A{at}", 46000 + unique, 5)], str(46000 + unique)
    if kind == "run":
        runs = f"<is><r><t>R</t></r><rPh><t>spoken</t></rPh><r><t>{unique}</t></r></is>"
        return [cell(f"A{at}", runs, "inlineStr"), note], f"R{unique}"
    if kind == "blank":
        return ([text(f"A{at}", "  ")] if unique % 2 else []), None
    if kind == "formula":
        return [cell(f"A{at}", "<f>A1</f>" + ("<v/>" if unique % 2 else ""))], None
    if kind == "error":
        return [cell(f"A{at}", "<v>#REF!</v>", "e")], None
    if kind == "merged":
        return [note], None
    if kind == "note":
        return [text(f"A{at}", f"N-{unique}"), cell(f"B{at}", "<v>#N/A</v>", "e")], f"N-{unique}"
    return [text(f"A{at}", f"X {unique} "), note], f"X {unique}"


@st.composite
def sheets(draw: st.DrawFn, name: str, first: int) -> Made:
    kinds = draw(st.lists(st.sampled_from(KINDS), max_size=6))
    before = draw(st.integers(0, 2))
    head = before + 1
    rows: list[list[str]] = [[] for _ in range(before)]
    rows.append([text(f"A{head}", "id"), text(f"B{head}", "note")])
    merged: list[str] = []
    made = Made(Sheet(name, rows))
    for at, kind in enumerate(kinds, head + 1):
        cells, key = made_row(kind, at, first + at)
        rows.append(cells)
        if kind == "merged":
            merged.append(f'<mergeCell ref="A{at - 1}:A{at}"/>')
        if key is not None:
            made.seen[at] = key
        elif kind != "blank":
            made.unsure.add(at)
    made.blank |= {at for at in range(head + 1, max(made.filled, default=0)) if at not in made.filled}
    hidden = draw(st.sets(st.integers(head + 1, head + 6), max_size=2))
    state = draw(st.sampled_from(("visible", "visible", "hidden", "veryHidden")))
    after = f"<mergeCells>{''.join(merged)}</mergeCells>" if merged else ""
    made.sheet = Sheet(name, rows, state, frozenset(hidden), after=after)
    return made


@st.composite
def books(draw: st.DrawFn) -> tuple[list[Made], ReadAs, bytes]:
    made = [draw(sheets(f"S{at}", at * 100)) for at in range(draw(st.integers(1, 3)))]
    named = draw(st.sets(st.sampled_from([one.sheet.name for one in made]))) if draw(st.booleans()) else set[str]()
    how = ReadAs(sheets=tuple(sorted(named)), hidden_rows=draw(st.sampled_from(("", "take", "leave"))))
    prefix, space = draw(st.sampled_from((("", ""), ("x:", ""), ("", STRICT))))
    data = written(*(one.sheet for one in made), prefix=prefix, **({"space": space} if space else {}))
    return made, how, data


def read_truth(made: list[Made], how: ReadAs) -> list[Made] | None:
    """Return the sheets that are read, or None where a person has to say more: by the rules of the documentation."""
    if how.sheets:
        return [one for one in made if one.sheet.name in how.sheets]
    shown = [one for one in made if one.sheet.state == "visible"]
    return shown if len(shown) == 1 else None


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


LETTERS = {"cp1252": "aé€ß", "cp932": "a東京ア", "cp1251": "aПрЖ"}
WORDS = st.text(st.sampled_from('aZ9 ,;"-\n'), max_size=5)


@settings(max_examples=150)
@given(
    st.lists(st.one_of(st.none(), st.tuples(WORDS, WORDS)), max_size=8),
    st.sampled_from((",", ";", "\t")),
    st.sampled_from(("utf-8", "utf-8-sig", "utf-16", *LETTERS)),
    st.booleans(),
)
def test_each_row_of_a_text_is_a_sample_or_counted(
    rows: list[tuple[str, str] | None], delimiter: str, encoding: str, tell: bool
):
    letters = LETTERS.get(encoding, "éПр東")
    lines = [["id", f"note {letters}"], *([] if one is None else [f"{letters}{one[0]}", one[1]] for one in rows)]
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(lines)
    how = ReadAs(encoding=encoding) if tell and encoding in LETTERS else AS_IT_IS
    table, problems = parse_table(file.getvalue().encode(encoding), "in.csv", open_workbook, how)
    if encoding in LETTERS and not tell:
        assert table is None
        assert "--encoding" in problems[0].message
        return
    kept = {at: one for at, one in enumerate(rows, 1) if one is not None}
    if not kept:
        assert problems == (Problem(where="in.csv", message="there is a header and no row under it"),)
        return
    found = expect(table, Table)
    assert problems == ()
    note = f"note {letters}"
    assert {row.number: (row.cells["id"], row.cells[note]) for row in found.rows} == {
        at: (f"{letters}{one[0]}".strip(), one[1].strip()) for at, one in kept.items()
    }
    assert found.reading is not None
    [sheet] = found.reading.sheets
    blank = max(kept) - len(kept)
    assert (sheet.rows, sum(left.rows for left in sheet.rows_left_out)) == (len(kept), blank)
