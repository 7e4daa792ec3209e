"""Rows that the rules read: the one table with the columns of the field, all of it, or none with the reason."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from services.planner.drivers.rules.row_fields import read_rows
from services.planner.judge.gates import judge_done
from services.planner.state.attempt_state import AttemptState
from services.planner.state.transitions import with_readings
from shared.contracts.actions import Done
from shared.contracts.browser_pool import PageObserved, Scroller
from shared.contracts.results import TextPart
from shared.contracts.steps import FieldValue
from tests.cases import cases
from tests.unit.planner.planner_pages import el, heading, page, row, text, view
from tests.unit.planner.rows_pages import rows_spec, shows, table

A, B, C = ("A-1", "2", "20.00"), ("B-2", "1", "4.50"), ("C-3", "7", "70.00")
READ = [
    {"sku": "A-1", "qty": 2, "amount": "20.00"},
    {"sku": "B-2", "qty": 1, "amount": "4.50"},
    {"sku": "C-3", "qty": 7, "amount": "70.00"},
]
TASK = rows_spec()


def read(seen: PageObserved, task: Any = TASK) -> FieldValue:
    return readings(seen, AttemptState(proven=True), task)[0]


def readings(seen: PageObserved, state: AttemptState, task: Any = TASK) -> tuple[FieldValue, ...]:
    return tuple(one.value for one in read_rows(view(seen, state, spec=task), seen).values())


def status(seen: PageObserved, task: Any = TASK) -> tuple[str, str]:
    """How a sample of the rules ends on this page, once they insist."""
    state = AttemptState(proven=True)
    state = with_readings(state, readings(seen, state, task))
    number = FieldValue(field="ticket_number", state="value", value="TCK-1001", shown="TCK-1001")
    state = with_readings(state, (number,))
    ending: Any = judge_done(view(seen, state, spec=task), Done(values={}), by_model=False)[0]
    return (ending.status, ending.reason) if hasattr(ending, "status") else ("refused", ending.message)


def test_the_table_with_these_columns_is_read_among_others_each_cell_with_its_place():
    others = (heading("History", 2), *table([("2026-01-01", "opened")], ("When", "What")), *row("Amount", "94.50"))
    seen = shows([A, B, C], *others)
    value = read(seen)
    assert (value.value, value.lacking) == (READ, "")
    assert [[cell.source is not None for cell in one.cells] for one in value.rows] == [[True] * 3] * 3
    assert status(seen) == ("done", "")


def test_columns_are_found_by_their_labels_whatever_their_order():
    columns = {"sku": {"type": "string", "labels": ["Article"]}, "amount": {"type": "decimal", "labels": ["Net"]}}
    seen = shows([("20.00", "2", "A-1")], heads=("Net", "Qty", "Article"))
    assert read(seen, rows_spec(columns)).value == [{"sku": "A-1", "amount": "20.00"}]


@cases(
    ("rows", "says"),
    [
        ([A, B, ("Total", "", "24.50")], ""),
        ([A, ("B-2", "", "4.50")], "do not show every required field"),
        ([A, ("B-2", "many", "4.50")], "do not show every required field"),
        ([A, B, ("Freight", "", "4.50"), ("Total", "", "24.50")], "do not show every required field"),
    ],
)
def test_a_row_without_what_each_row_must_have_is_for_a_person_and_a_total_is_no_row(rows: Any, says: str):
    value = read(shows(rows))
    assert says in value.lacking
    assert (value.value == READ[:2]) == (says == "")
    assert status(shows(rows))[0] == ("done" if says == "" else "refused")


def test_two_tables_that_fit_are_for_a_person_unless_the_task_says_which():
    seen = page(heading("TCK-1001"), heading("Ordered", 2), *table([A, B]), heading("Returned", 2), *table([C]))
    assert "2 lists of the page fit" in read(seen).lacking
    assert status(seen)[0] == "refused"
    assert read(seen, rows_spec(under="Ordered")).value == READ[:2]


def test_a_table_that_lacks_a_column_is_for_a_person_and_another_table_is_nothing():
    lacks = shows([("A-1", "20.00")], heads=("SKU", "Amount"))
    assert "its table has the columns 'sku', 'amount': see `labels` of its columns" in read(lacks).lacking
    other = shows([("2026-01-01", "opened")], heads=("When", "What"))
    assert (read(other).state, read(other).lacking) == ("not_found", "")


def test_without_names_of_columns_nothing_is_taken_for_a_cell():
    seen = page(heading("TCK-1001"), *(one for one in table([A, B]) if one.role == "cell"))
    bare = replace(seen, elements=tuple(replace(one, header=None) for one in seen.elements))
    assert read(bare).state == "not_found"


@cases(
    ("behind", "changes", "says"),
    [
        ((text("1 to 3 of 12"),), {}, "3 of 12"),
        ((text("Showing 3 of 12 items"),), {}, "3 of 12"),
        ((el("link", "Next", tag="a", url="http://x/2"),), {}, "leads on"),
        ((el("button", "Load more", tag="button"),), {}, "leads on"),
        ((el("link", "View all items", tag="a", url="http://x/all"),), {}, "View all items"),
        ((el("button", "›", tag="button"),), {}, "may not be all"),
        ((text("and 4 more"),), {}, "and 4 more"),
        ((), {"left_out": 7}, "7 elements"),
    ],
)
def test_rows_that_may_not_be_all_are_kept_and_are_for_a_person(behind: Any, changes: Any, says: str):
    seen = shows([A, B, C], *behind, **changes)
    value = read(seen)
    assert value.value == READ
    assert says in value.lacking
    assert status(seen)[0] == "refused"


@cases(("title", "says"), [("Line items (5)", "3 of 5"), ("Line items 1-3 of 7", "3 of 7"), ("Line items (3)", "")])
def test_a_heading_counts_the_rows_below_it(title: str, says: str):
    value = read(page(heading("TCK-1001"), heading(title, 2), *table([A, B, C])))
    assert says in value.lacking
    assert bool(value.lacking) == bool(says)


@cases("name", ["Add a row", "Download all as CSV", "Rows per page: 10", "More about this ticket"])
def test_what_is_no_way_to_more_rows_is_no_doubt(name: str):
    assert read(shows([A, B, C], el("button", name, tag="button"))).lacking == ""


def test_a_part_that_scrolls_on_may_hold_more():
    rows = tuple(replace(one, scroller=1) for one in table([A, B, C]))
    scroller = Scroller(number=1, y_px=0.0, max_y_px=400.0, top_px=100.0, height_px=200.0)
    value = read(page(heading("TCK-1001"), *rows, scrollers=(scroller,)))
    assert "scrolls on" in value.lacking


def test_a_table_that_says_that_it_is_empty_has_none_where_that_is_allowed():
    seen = page(heading("TCK-1001"), *table([]), text("No items found"), heading("Comments", 2), text("first"))
    allowed = rows_spec(type="rows | null")
    assert (read(seen, allowed).state, read(seen, allowed).shown) == ("not_present", "No items found")
    assert status(seen, allowed) == ("done", "")
    assert status(seen)[0] == "refused"
    elsewhere = page(heading("TCK-1001"), *table([]), heading("Comments", 2), text("No items found"))
    assert read(elsewhere, allowed).state == "not_found"


def test_words_that_there_are_none_are_no_row_of_a_table_of_one_column():
    seen = page(heading("TCK-1001"), *table([("No members found",)], ("Name",)))
    assert read(seen, rows_spec({"name": "string"})).state == "not_found"
    assert read(seen, rows_spec({"name": "string"}, type="rows | null")).state == "not_present"


def test_a_page_that_is_drawn_again_with_other_rows_is_read_anew():
    first = read(shows([A]))
    state = with_readings(AttemptState(proven=True), (first,))
    seen = shows([B, C], snapshot_id="s2")
    (value,) = readings(seen, state)
    assert value.value == READ[1:]


FIRST = rows_spec(pages="first")


@cases(
    "behind",
    [
        (text("1 to 3 of 12"),),
        (text("12 items"),),
        (el("link", "Next", tag="a", url="http://x/2"),),
        (el("button", "Load more", tag="button"),),
        (text("and 4 more"),),
    ],
)
def test_the_first_page_alone_is_done_where_the_task_asks_for_it_and_says_that_the_list_goes_on(behind: Any):
    seen = shows([A, B, C], *behind)
    assert status(seen)[0] == "refused"
    assert (read(seen, FIRST).value, read(seen, FIRST).lacking) == (READ, "")
    assert status(seen, FIRST) == ("done", "")
    (one,) = read_rows(view(seen, AttemptState(proven=True), spec=FIRST), seen).values()
    assert ["which goes on" in note.text for note in one.notes] == [True]
    (whole,) = read_rows(view(shows([A]), AttemptState(proven=True), spec=FIRST), shows([A])).values()
    assert whole.notes == ()


@cases(
    ("behind", "changes", "says"),
    [
        ((text("4 to 6 of 12"),), {}, "not the first page"),
        ((text("Page 2 of 4"),), {}, "not the first page"),
        ((), {"left_out": 7}, "7 elements"),
        ((text("Loading"),), {}, "still says"),
    ],
)
def test_a_later_page_or_a_part_of_the_first_is_not_the_first_page(behind: Any, changes: Any, says: str):
    seen = shows([A, B, C], *behind, **changes)
    assert says in read(seen, FIRST).lacking
    assert status(seen, FIRST)[0] == "refused"


def test_a_part_that_scrolls_is_of_the_first_page_and_its_declared_size_is_of_all():
    rows = tuple(replace(one, scroller=1, set_size=13) for one in table([A, B, C]))
    scroller = Scroller(number=1, y_px=0.0, max_y_px=400.0, top_px=100.0, height_px=200.0)
    assert "scrolls on" in read(page(heading("TCK-1001"), *rows, scrollers=(scroller,)), FIRST).lacking
    assert read(page(heading("TCK-1001"), *rows), FIRST).lacking == ""


MEMBERS = rows_spec({"user": "string"}, type="rows", labels=["Members"])
USERS = table([("U-1",), ("U-2",), ("U-3",)], ("User",))


def of_three(*behind: Any, front: tuple[Any, ...] = (), title: Any = None) -> PageObserved:
    return page(heading("TCK-1001"), *front, title or heading("Members", 2), *USERS, *behind)


def number_in_foot(words: str) -> Any:
    return replace(el("cell", words, tag="td", row=9), in_foot=True)


@cases(
    "seen",
    [
        *(of_three(text(said)) for said in ("27 members", "Total: 27", "Members: 27", "Total members: 27")),
        *(of_three(text(said)) for said in ("Number of members: 27", "Member count: 27", "Members (27)", "Gesamt: 27")),
        *(of_three(text(said)) for said in ("Total : 27", "合計 27", "Celkem: 27", "insgesamt 27 members")),
        page(heading("TCK-1001"), heading("Mitglieder", 2), text("Mitglieder: 27"), *USERS),
        page(heading("TCK-1001"), heading("Mitglieder", 2), text("Anzahl der Mitglieder: 27"), *USERS),
        # The head of the record, the tab that is chosen, the badge of the heading, the foot of the table.
        of_three(front=row("Members", "27")),
        of_three(front=(text("27 members"),)),
        of_three(front=(el("tab", "Members (27)", states=("selected",)),)),
        of_three(title=replace(heading("Members 27", 2), parts=(TextPart(text="Members"), TextPart(text="27")))),
        of_three(number_in_foot("27 members")),
    ],
)
def test_a_plain_total_in_the_rows_own_noun_counts_them(seen: PageObserved):
    value = read(seen, MEMBERS)
    assert [row.cells[0].shown for row in value.rows] == ["U-1", "U-2", "U-3"]
    assert "3 of 27" in value.lacking
    assert status(seen, MEMBERS)[0] == "refused"


@cases(
    "seen",
    [
        of_three(text("Total: 3"), front=row("Members", "3")),
        # Another thing is counted: by its noun, under a heading of its own, by a tab that is not chosen.
        of_three(text("27 comments"), front=row("Comments", "27")),
        of_three(heading("Comments", 2), text("27 comments"), text("Members: 27")),
        of_three(front=(el("tab", "History (27)", states=("selected",)), el("tab", "Members (27)"))),
        of_three(title=heading("Members 27", 2)),
        of_three(number_in_foot("Total")),
    ],
)
def test_what_counts_something_else_is_no_doubt(seen: PageObserved):
    assert read(seen, MEMBERS).lacking == ""


def test_a_number_that_may_count_something_else_does_not_outweigh_a_sure_one():
    assert "3 of 27" in read(of_three(text("3 active members"), text("1-3 of 27")), MEMBERS).lacking


def options(*names: str) -> tuple[Any, ...]:
    return tuple(el("option", name, tag="option") for name in names)


@cases(
    ("behind", "says"),
    [
        ((el("combobox", "Page", value="1"), *options("1", "2", "3")), "'Page' chooses the page of the list: 1 of 3"),
        ((el("textbox", "Page", value="1"), text("of 3")), "1 of 3"),
        ((el("spinbutton", "Go to page", value="2")), "2"),
        ((el("combobox", "Page", value="3"), *options("1", "2", "3")), ""),
        ((el("textbox", "Page", value="1"), text("/ 1")), ""),
        ((el("combobox", "Rows per page", value="10"), *options("10", "25")), ""),
        ((el("combobox", "Priority", value="1"), *options("1", "2", "3")), ""),
    ],
)
def test_a_page_that_is_chosen_in_a_field_is_a_doubt_unless_it_is_the_last(behind: Any, says: str):
    value = read(shows([A, B, C], *(behind if isinstance(behind, tuple) else (behind,))))
    assert (says in value.lacking) if says else value.lacking == ""


def test_a_pager_of_several_links_in_the_foot_of_a_table_leads_on():
    foot = [
        el("cell", "Previous Next", tag="td", row=9, in_foot=True),
        *(el("link", f, tag="a", url=f"http://x/{f}", row=9, in_foot=True) for f in ("Previous", "Next")),
    ]
    assert "'Next' leads on" in read(shows([A, B, C], *foot)).lacking
