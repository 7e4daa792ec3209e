"""The merge of rows of several pages: each id once, in the order in which it was first seen, and nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.planner.judge.rows.merging import merged_rows, row_key
from shared.contracts.steps import CellValue, RowValue, ValueSource

IDS = ["a", "b", "c", "d"]
Told = tuple[str, str]


def source(page: int, ref: int) -> ValueSource:
    return ValueSource(
        snapshot_id=f"s{page}", observation_sha256=f"p{page}", url="", ref=ref, role="cell", label=None, box=None,
        frame="main",
    )  # fmt: skip


def row(told: Told, page: int, at: int, *, shown: bool = True) -> RowValue:
    cells = (
        CellValue(
            field=name, state="value", value=text, shown=text, source=source(page, 10 * at + column) if shown else None
        )
        for column, (name, text) in enumerate(zip(("id", "says"), told, strict=True))
    )
    return RowValue(cells=tuple(cells))


PAGES = st.lists(st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from("xyz")), max_size=5), max_size=4)


def merged(pages: list[list[Told]], keys: tuple[str, ...]) -> tuple[RowValue, ...]:
    rows: tuple[RowValue, ...] = ()
    for number, page in enumerate(pages):
        rows = merged_rows(rows, [row(told, number, at) for at, told in enumerate(page)], keys)
    return rows


def said(one: RowValue, column: int) -> set[str | None]:
    cell = one.cells[column]
    return {candidate.shown for candidate in cell.candidates} or {cell.shown}


@given(PAGES)
def test_with_id_keys_each_id_is_one_row_that_says_all_that_pages_said_of_it(pages: list[list[Told]]):
    rows = merged(pages, ("id",))
    every = [told for page in pages for told in page]
    assert [one.cells[0].value for one in rows] == list(dict.fromkeys(told[0] for told in every))
    for one in rows:
        texts = {told[1] for told in every if told[0] == one.cells[0].value}
        assert said(one, 1) == texts
        assert (one.cells[1].state == "value") == (len(texts) == 1)


@given(PAGES)
def test_without_id_keys_equal_rows_are_one_and_all_others_stay(pages: list[list[Told]]):
    rows = merged(pages, ())
    every = [told for page in pages for told in page]
    assert [tuple(cell.value for cell in one.cells) for one in rows] == list(dict.fromkeys(every))


@given(PAGES, PAGES)
def test_what_no_page_shows_changes_no_row_that_a_page_has_shown(pages: list[list[Told]], made_up: list[list[Told]]):
    before = merged(pages, ("id",))
    known = {row_key(one, ("id",)) for one in before}
    unshown = [row(told, 9, at, shown=False) for page in made_up for at, told in enumerate(page)]
    after = merged_rows(before, unshown, ("id",))
    assert tuple(one for one in after if row_key(one, ("id",)) in known) == before
