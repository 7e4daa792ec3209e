"""What of a table row tells a change of a value, and what only names the row."""

from __future__ import annotations

from shared.contracts.browser_pool import Element
from shared.pages.read.changes import is_change_row, past_refs, tells_change_of
from tests.cases import cases
from tests.unit.planner.planner_pages import el, heading, page, text

CODE = "def fee_of(amount: int) -> int:"
LABELS = frozenset({"last modified"})


def blame_row(code: str, what: str = "Round to 2 digits") -> tuple[Element, ...]:
    cells = (("Last commit", what), ("Author", "Ann Lee"), ("Last modified", "May 4, 2026"), ("Code", code))
    found = (
        el("cell", text, tag="td", place="table>tr>td", row=7, column=at, header=header)
        for at, (header, text) in enumerate(cells)
    )
    return page(*found).elements


def tells(elements: tuple[Element, ...], *names: str) -> bool:
    date = next(one for one in elements if one.header == "Last modified")
    return tells_change_of(date, elements, LABELS, past_refs(elements), frozenset(map(str.casefold, names)))


def test_an_arrow_in_what_names_the_record_tells_no_change():
    assert not tells(blame_row(CODE), CODE)
    assert not tells(blame_row("total = fee_of(amount)"), "total = fee_of(amount)")


@cases(
    ("elements", "name"),
    [
        (blame_row("Status: open -> closed"), CODE),
        (blame_row(CODE), "fee_of"),  # only a part of the cell
        (blame_row(CODE, "Status: open → closed"), CODE),
    ],
)
def test_an_arrow_in_another_cell_still_tells_one(elements: tuple[Element, ...], name: str):
    assert tells(elements, name)


def test_an_arrow_in_the_value_itself_tells_one():
    (element,) = page(el("cell", "open → closed", tag="td", row=7, column=0, header="Last modified")).elements
    assert tells_change_of(element, (element,), LABELS, frozenset(), frozenset({"open → closed"}))


def test_a_history_ends_at_the_next_heading_of_its_rank():
    seen = page(heading("History", 2), heading("Monday", 3), text("a"), heading("Details", 2), text("b"))
    assert past_refs(seen.elements) == {1, 2, 3}


def test_a_row_of_changes_has_a_column_for_the_old_and_one_for_the_new_value():
    old, new = (el("cell", name, tag="td", row=1, header=header) for name, header in (("a", "Old"), ("b", "New")))
    assert is_change_row([old, new])
    assert not is_change_row([new])
    assert not is_change_row([old])
