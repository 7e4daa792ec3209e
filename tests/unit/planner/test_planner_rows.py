"""Rows that a model reports: each cell stands in one row of a page, pages are merged by the id keys, and nothing that a
page has shown is lost or silently changed."""

from __future__ import annotations

from msgspec.structs import replace

from services.planner.judge.gates import Rejection
from services.planner.state.attempt_state import AttemptState
from shared.contracts.steps import ValueSource
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import box, cell, el, heading, page, text
from tests.unit.planner.rows_pages import KEYED, UNKEYED, ended, lines, objects, rows_spec, save, shows

A, B, C, D, E = (
    ("A-1", "2", "20.00"),
    ("B-2", "1", "4.50"),
    ("C-3", "7", "70.00"),
    ("D-4", "1", "1.00"),
    ("E-5", "3", "9.90"),
)
FIRST, SECOND, THIRD = (
    shows([A, B, C], url="http://x/1"),
    shows([C, D], url="http://x/2"),
    shows([D, E], url="http://x/3"),
)
ALL = [
    {"sku": "A-1", "qty": 2, "amount": "20.00"},
    {"sku": "B-2", "qty": 1, "amount": "4.50"},
    {"sku": "C-3", "qty": 7, "amount": "70.00"},
    {"sku": "D-4", "qty": 1, "amount": "1.00"},
    {"sku": "E-5", "qty": 3, "amount": "9.90"},
]


def over_three_pages(task=KEYED) -> AttemptState:
    state: AttemptState | None = None
    for rows, seen in (([A, B, C], FIRST), ([C, D], SECOND), ([D, E], THIRD)):
        state, unconfirmed, notes = save(objects(rows), seen, state, task)
        assert (unconfirmed, notes) == (frozenset(), ())
    assert state is not None
    return state


@cases("rows", [None, [D, E], [A, B, C, D, E], [E], [E, A]])
@cases("task", [KEYED, UNKEYED])
def test_three_pages_that_overlap_are_one_list_whatever_done_repeats_of_it(task, rows):
    ending = ended(None if rows is None else objects(rows), THIRD, over_three_pages(task), task)
    assert lines(ending).value == ALL
    assert ending.status == "done"


def test_each_cell_names_the_page_and_the_element_that_show_it():
    told = lines(ended(None, THIRD, over_three_pages()))
    assert [expect(row.cells[0].source, ValueSource).url[-1] for row in told.rows] == ["1", "1", "1", "2", "3"]
    amount = told.rows[3].cells[2]
    source = expect(amount.source, ValueSource)
    assert (amount.shown, source.label, source.observation_sha256) == ("1.00", "Amount", SECOND.sha256)
    shown_by = next(one for one in SECOND.elements if one.ref == source.ref)
    assert shown_by.name == "1.00"


@cases(
    "rows",
    [
        [("A-1", "2", "4.50"), B, C],  # the amount of another row
        [("A-1", "20.00", "2"), B, C],  # the columns changed over
        [("A-1", "2", "21.00"), B, C],
        [("A-9", "2", "20.00"), B, C],
        [("A-1", "2", ""), B, C],  # the page shows one
    ],
)
@cases("task", [KEYED, UNKEYED])
def test_a_cell_that_its_row_of_the_page_does_not_show_is_never_done(task, rows):
    state, unconfirmed, notes = save(objects(rows), FIRST, None, task)
    assert unconfirmed == {"lines"}
    assert notes
    assert isinstance(ended(objects(rows), FIRST, state, task), Rejection)
    assert isinstance(ended(None, FIRST, state, task), Rejection)


def test_what_was_reported_wrong_may_be_put_right():
    state, _, _ = save(objects([("A-1", "2", "4.50"), B, C]), FIRST)
    assert lines(ended(objects([A, B, C]), FIRST, state)).value == ALL[:3]


def test_rows_of_the_page_that_are_not_reported_are_named():
    state, unconfirmed, _ = save(objects([A, C]), FIRST)
    assert unconfirmed == frozenset()
    ruling = ended(None, FIRST, state)
    assert isinstance(ruling, Rejection)
    assert "not reported" in ruling.message
    assert "B-2" in ruling.message
    assert ended(objects([B]), FIRST, state).status == "done"


def test_two_of_one_name_stay_two_without_id_keys_and_are_for_a_person_with_them():
    people = [("Ann Lee", "Owner"), ("Ann Lee", "Guest")]
    columns, heads, names = {"name": "string", "role": "string"}, ("Name", "Role"), ("name", "role")
    seen = shows(people, heads=heads)
    both = objects(people, names)
    told = ended(both, seen, AttemptState(proven=True), rows_spec(columns))
    assert lines(told).value == both
    assert told.status == "done"
    ruling = ended(both, seen, AttemptState(proven=True), rows_spec(columns, id_keys=["name"]))
    assert isinstance(ruling, Rejection)
    assert "Owner" in ruling.message
    assert "Guest" in ruling.message


def test_pages_that_say_different_things_of_one_row_are_for_a_person_and_neither_wins():
    state, _, _ = save(objects([A, B, C]), FIRST)
    other = ("C-3", "8", "70.00")
    later = shows([other, D], url="http://x/2")
    state, unconfirmed, _notes = save(objects([other, D]), later, state)
    assert unconfirmed == {"lines"}
    ruling = ended(None, later, state)
    assert isinstance(ruling, Rejection)
    assert "different things" in ruling.message
    told = state.seen["lines"]
    assert [one.shown for one in told.rows[2].cells[1].candidates] == ["7", "8"]
    assert told.value[2] == {"sku": "C-3", "qty": None, "amount": "70.00"}


def test_what_is_said_otherwise_later_and_stands_on_no_page_is_no_correction():
    state = over_three_pages()
    ruling = ended(objects([("A-1", "2", "99.00"), D, E]), THIRD, state)
    assert isinstance(ruling, Rejection)
    assert "99.00" in ruling.message


def test_rows_that_were_saved_cannot_be_taken_back_as_none():
    state = over_three_pages()
    assert lines(ended([], THIRD, state)).value == ALL


def test_a_page_that_counts_more_keeps_the_list_open_until_all_are_there():
    first = shows([A, B], text("Showing 1 to 2 of 4"), url="http://x/1")
    last = shows([C, D], text("Showing 3 to 4 of 4"), url="http://x/2")
    state, unconfirmed, _ = save(objects([A, B]), first)
    assert unconfirmed == frozenset()
    assert "2 of 4" in state.seen["lines"].lacking
    record = page(heading("TCK-1001"))
    ruling = ended(None, record, state)
    assert isinstance(ruling, Rejection)
    assert "2 of 4" in ruling.message
    state, _, _ = save(objects([C, D]), last, state)
    assert ended(None, record, state).status == "done"


def test_a_control_that_leads_on_keeps_the_list_open():
    further = el("link", "Next", tag="a", url="http://x/2")
    state, _, _ = save(objects([A, B]), shows([A, B], further, url="http://x/1"))
    ruling = ended(None, page(heading("TCK-1001")), state)
    assert isinstance(ruling, Rejection)
    assert "leads on" in ruling.message


def test_what_turns_another_list_of_the_page_says_nothing_of_these_rows():
    behind = (
        heading("Comments", 2),
        text("first!"),
        el("link", "Next", tag="a", url="http://x/2"),
        text("1 to 5 of 9"),
    )
    state, _, _ = save(objects([A, B]), shows([A, B], *behind))
    assert ended(None, page(heading("TCK-1001")), state).status == "done"


def test_equal_rows_of_one_page_count_once_and_a_reviewer_is_told():
    state, unconfirmed, notes = save(objects([A, A, B]), shows([A, A, B]), None, UNKEYED)
    assert len(state.seen["lines"].rows) == 2
    assert unconfirmed == frozenset()
    assert "equal" in notes[0].text


def test_none_is_refused_where_a_table_of_these_columns_has_rows():
    task = rows_spec(type="rows | null")
    assert isinstance(ended([], FIRST, AttemptState(proven=True), task), Rejection)
    assert ended([], page(heading("TCK-1001")), AttemptState(proven=True), task).status == "done"


def test_rows_that_are_no_table_are_stretches_that_begin_alike():
    people = [("Ann Lee", "Owner"), ("Bob Ray", "Guest"), ("Cid Fox", "Guest")]
    columns, names = {"name": "string", "role": "string"}, ("name", "role")
    cards = [one for n, r in people for one in (text(n, place="main>ul>li>b"), text(r, place="main>ul>li>i"))]
    seen = page(heading("TCK-1001"), *cards)
    task = rows_spec(columns)
    assert ended(objects(people, names), seen, AttemptState(proven=True), task).status == "done"
    crossed = [("Ann Lee", "Guest"), *people[1:]]
    assert isinstance(ended(objects(crossed, names), seen, AttemptState(proven=True), task), Rejection)
    assert isinstance(ended(objects(people[:2], names), seen, AttemptState(proven=True), task), Rejection)


def test_a_row_in_one_text_is_a_row():
    seen = page(heading("TCK-1001"), text("Ann Lee (Owner)", place="main>p"), text("Bob Ray (Guest)", place="main>p"))
    task = rows_spec({"name": "string", "role": "string"})
    people = objects([("Ann Lee", "Owner"), ("Bob Ray", "Guest")], ("name", "role"))
    assert ended(people, seen, AttemptState(proven=True), task).status == "done"


@cases("wrong", ["A-1", [["A-1"]], [{"sku": "A-1", "colour": "red"}], [{"sku": ["A-1"]}], [{}]])
def test_what_is_no_list_of_such_rows_is_refused_with_the_reason(wrong):
    ruling = ended(wrong, FIRST, AttemptState(proven=True))
    assert isinstance(ruling, Rejection)
    assert "lines" in ruling.message


def test_a_total_below_the_rows_is_none_of_them():
    seen = shows([A, B, ("Total", "", "24.50")])
    assert ended(objects([A, B]), seen, AttemptState(proven=True)).status == "done"


def test_a_last_row_that_calls_itself_the_total_is_for_a_person():
    total = ("Total:", "6", "24.50")
    ruling = ended(objects([A, B, total]), shows([A, B, total]), AttemptState(proven=True))
    assert isinstance(ruling, Rejection)
    assert "may be the total" in ruling.message
    first = ("Sum", "6", "24.50")
    assert ended(objects([first, A]), shows([first, A]), AttemptState(proven=True)).status == "done"


NAMELESS = (("Pos", "Article", "Pieces", "Net"), rows_spec({"sku": "string", "qty": "number", "amount": "decimal"}))


@cases(
    ("reported", "status"),
    [
        ([("A-1", "2", "20.00"), ("B-2", "4", "9.00")], "done"),
        ([("A-1", "2", "20.00"), ("B-2", "2", "9.00")], "refused"),  # the number of the row where it had the pieces
        ([("A-1", "20.00", "20.00"), ("B-2", "4", "9.00")], "refused"),
    ],
)
def test_where_no_header_names_a_column_all_its_cells_stand_in_one_column_of_the_table(reported, status):
    heads, task = NAMELESS
    seen = shows([("1", "A-1", "2", "20.00"), ("2", "B-2", "4", "9.00")], heads=heads)
    ruling = ended(objects(reported), seen, AttemptState(proven=True), task)
    assert ("refused" if isinstance(ruling, Rejection) else ruling.status) == status


def test_a_cell_that_is_joined_over_rows_is_in_each_of_them_and_hides_none():
    heads, names = ("Group", "Name"), ("group", "name")
    cells = (
        replace(cell("Group", "Red", 2, 0), rows=2), cell("Name", "Ann", 2, 1), cell("Name", "Bob", 3, 1),
        cell("Group", "Blue", 4, 0), cell("Name", "Cid", 4, 1),
    )  # fmt: skip
    seen = page(heading("TCK-1001"), *shows([], heads=heads).elements[2:], *cells)
    task = rows_spec({"group": "string", "name": "string"})
    every = objects([("Red", "Ann"), ("Red", "Bob"), ("Blue", "Cid")], names)
    assert ended(every, seen, AttemptState(proven=True), task).status == "done"
    ruling = ended([every[0], every[2]], seen, AttemptState(proven=True), task)
    assert isinstance(ruling, Rejection)
    assert "not reported" in ruling.message


@cases("where", [{"in_dialog": True}, {"area": "complementary"}, {}])
def test_a_table_is_asked_for_all_its_rows_wherever_it_stands_and_without_heads_too(where):
    rows = [replace(one, header=None, **where) for one in shows([A, B, C]).elements if one.role == "cell"]
    seen = page(heading("TCK-1001"), *rows)
    assert ended(objects([A, B, C]), seen, AttemptState(proven=True)).status == "done"
    assert isinstance(ended(objects([A, C]), seen, AttemptState(proven=True)), Rejection)


def test_rows_of_a_grid_of_boxes_are_told_apart_by_their_left_edge():
    rows = [A, B, C]
    cells = [
        text(one, place="main>div>span", box=box(100.0 * column, 30.0 * line))
        for line, row in enumerate(rows)
        for column, one in enumerate(row)
    ]
    seen = page(heading("TCK-1001"), *cells)
    assert ended(objects(rows), seen, AttemptState(proven=True)).status == "done"
    assert isinstance(ended(objects([A, (*B[:2], "70.00"), C]), seen, AttemptState(proven=True)), Rejection)
    assert isinstance(ended(objects([A, B]), seen, AttemptState(proven=True)), Rejection)


def test_rows_whose_texts_stand_there_as_they_are_cost_no_comparison(monkeypatch):
    def compared(*given, **more):
        raise AssertionError(given)

    monkeypatch.setattr("services.planner.judge.rows.units.is_shown_in", compared)
    rows = [(f"A-{at}", str(at % 7), f"{at}.50") for at in range(50)]
    state, unconfirmed, _ = save(objects(rows), shows(rows, url="http://x/1"))
    later = [(f"B-{at}", str(at % 7), f"{at}.75") for at in range(50)]
    state, again, _ = save(objects(later), shows(later, url="http://x/2"), state)
    assert (unconfirmed, again, len(state.seen["lines"].rows)) == (frozenset(), frozenset(), 100)


def test_rows_of_which_a_page_shows_more_than_was_reported_count_as_reported_in_two_halves_too():
    people = [("Ann Lee", "Owner since May"), ("Bob Ray", "Guest since June"), ("Cid Fox", "Guest since July")]
    named = objects([("Ann", "Owner"), ("Bob", "Guest"), ("Cid", "Guest")], ("name", "role"))
    seen, task = shows(people, heads=("Name", "Role")), rows_spec({"name": "string", "role": "string"})
    state, _, _ = save(named[:2], seen, None, task)
    assert state.seen["lines"].lacking.startswith("one row of the same list was not reported")
    state, unconfirmed, _ = save(named[2:], seen, state, task)
    assert (state.seen["lines"].lacking, unconfirmed) == ("", frozenset())
    assert ended(None, seen, state, task).status == "done"
