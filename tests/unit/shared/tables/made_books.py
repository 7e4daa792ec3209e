"""Generated workbooks and texts: the truth is made with the file, what each row shows, and why it cannot be read."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field

from hypothesis import strategies as st

from shared.contracts.discovery import AS_IT_IS, Problem, ReadAs
from shared.tables.excel import open_workbook
from shared.tables.files import parse_table
from shared.tables.table import Table
from tests.unit.shared.tables.written_workbook import STRICT, Sheet, cell, number, text, written

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


# --- texts

LETTERS = {"cp1252": "aé€ß", "cp932": "a東京ア", "cp1251": "aПрЖ"}
WORDS = st.text(st.sampled_from('aZ9 ,;"-\n'), max_size=5)


@dataclass(frozen=True)
class MadeText:
    """A CSV file; its ``rows`` by number: what the columns "id" and ``note`` hold. ``unknown``: its encoding is one
    that nobody can tell, and is not said."""

    data: bytes
    how: ReadAs
    note: str
    rows: dict[int, tuple[str, str]]
    unknown: bool

    def read(self) -> tuple[Table | None, tuple[Problem, ...]]:
        return parse_table(self.data, "in.csv", open_workbook, self.how)


@st.composite
def texts(draw: st.DrawFn) -> MadeText:
    rows = draw(st.lists(st.one_of(st.none(), st.tuples(WORDS, WORDS)), max_size=8))
    delimiter = draw(st.sampled_from((",", ";", "\t")))
    encoding = draw(st.sampled_from(("utf-8", "utf-8-sig", "utf-16", *LETTERS)))
    tell = draw(st.booleans())
    letters = LETTERS.get(encoding, "éПр東")
    note = f"note {letters}"
    file = io.StringIO()
    lines = [["id", note], *([] if one is None else [f"{letters}{one[0]}", one[1]] for one in rows)]
    csv.writer(file, delimiter=delimiter).writerows(lines)
    how = ReadAs(encoding=encoding) if tell and encoding in LETTERS else AS_IT_IS
    kept = {at: (f"{letters}{one[0]}".strip(), one[1].strip()) for at, one in enumerate(rows, 1) if one is not None}
    return MadeText(file.getvalue().encode(encoding), how, note, kept, unknown=encoding in LETTERS and not tell)
