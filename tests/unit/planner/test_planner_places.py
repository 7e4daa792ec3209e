"""What stands beside a label and is no value of it: another label, a value to come, an option not chosen."""

from __future__ import annotations

from shared.contracts.browser_pool import Element
from shared.pages.read.fields import FieldAmbiguous, FieldFound, FieldMissing, read_fields
from tests.cases import cases
from tests.unit.planner.planner_pages import box, cell, el, heading, page, spec, text


def shown(*elements: Element) -> str | None:
    """Return the value of the assignee; None where none is certain."""
    found = read_fields(spec(), page(*elements))["assignee"]
    assert isinstance(found, FieldFound | FieldMissing), found
    return found.candidate.shown if isinstance(found, FieldFound) else None


def radio(name: str, *, checked: bool = False, **facts: object) -> Element:
    return el("radio", name, tag="input", states=("checked" if checked else "unchecked",), **facts)


def alike(name: str, x: float, y: float) -> Element:
    """Return a text in a box whose next sibling looks the same."""
    return text(name, box=box(x, y), like_next=True)


HEADS = (alike("Assignee", 10, 10), alike("Backup", 210, 10), alike("Ann Lee", 10, 34), text("Bo", box=box(210, 34)))
PAIRS = (alike("Assignee", 10, 10), alike("Ann Lee", 210, 10), alike("Due", 10, 34), text("Mar 3", box=box(210, 34)))
STACKED = (alike("Assignee", 10, 10), alike("Ann Lee", 10, 34), alike("Due", 10, 58), text("Mar 3", box=box(10, 82)))
COLUMNS = (
    alike("Assignee", 10, 10),
    alike("Backup", 10, 34),
    text("Ann Lee", box=box(210, 10)),
    text("Bo", box=box(210, 34)),
)


@cases(
    ("elements", "value"),
    [
        (HEADS, None),  # heads over values, or labels beside values: both may be
        (COLUMNS, None),
        (PAIRS, "Ann Lee"),
        (STACKED, "Ann Lee"),
        ((alike("Assignee", 10, 10), text("Ann Lee", box=box(210, 10))), None),
        ((text("Assignee", box=box(10, 10)), text("Ann Lee", box=box(210, 10))), "Ann Lee"),
    ],
)
def test_of_two_boxes_of_one_kind_the_second_is_a_value_only_where_labels_take_turns(elements, value):
    assert shown(*elements) == value


def test_a_text_past_an_empty_cell_is_no_value_of_the_label_before_it():
    row = (
        el("cell", "Assignee", row=1, column=0),
        el("cell", "Backup", row=1, column=2),
        el("cell", "Bo", row=1, column=3),
    )
    assert shown(*row) is None
    assert shown(el("cell", "Assignee", row=1, column=0), el("cell", "Ann Lee", row=1, column=1)) == "Ann Lee"


CHOSEN = radio("Ann Lee", checked=True)
IN_CELL = {"header": "Assignee", "row": 1, "column": 1}


@cases(
    "elements",
    [
        (text("Assignee"), radio("Bo"), CHOSEN, radio("Cy")),
        (radio("Bo", **IN_CELL), radio("Ann Lee", checked=True, **IN_CELL)),
        (el("radiogroup", "Assignee", value="Ann Lee"), radio("Bo"), CHOSEN),
        (heading("Assignee", level=3), CHOSEN, radio("Bo"), text("Due"), radio("never", checked=True)),
    ],
)
def test_the_value_of_a_group_of_radio_buttons_is_the_chosen_one(elements):
    assert shown(*elements) == "Ann Lee"


def test_a_group_without_a_choice_has_no_value_and_one_with_two_is_not_read():
    assert shown(text("Assignee"), radio("Bo"), radio("Ann Lee")) == ""
    assert shown(text("Assignee"), radio("Bo", checked=True), radio("Ann Lee", checked=True)) is None


@cases(
    "placeholder",
    [
        "{{ ticket.owner }}",
        "${owner}",
        "<%= owner %>",
        "undefined",
        "null",
        "NaN",
        "[object Object]",
        "Loading...",
        "•••••",
        "***",
        "Error: timeout",
        "Could not load",
        "The owner could not be loaded",
        "Failed to load the owner",
    ],
)
def test_what_a_template_or_a_script_left_is_no_value(placeholder: str):
    assert shown(cell("Assignee", placeholder, 1)) is None


def test_what_stands_in_a_part_that_is_busy_is_no_value_yet():
    assert shown(el("cell", "N/A", header="Assignee", row=1, states=("busy",))) is None
    assert shown(cell("Assignee", "Ann Lee", 1)) == "Ann Lee"


def test_the_first_letters_before_a_name_may_be_a_picture_of_the_person():
    seen = page(text("Assignee"), text("AL"), text("Ann Lee"))
    reading = read_fields(spec(), seen)["assignee"]
    assert isinstance(reading, FieldAmbiguous)
    assert reading.texts == ("AL", "Ann Lee")
    in_one_cell = (el("text", "A", header="Assignee", row=1), el("link", "Ann Lee", tag="a", header="Assignee", row=1))
    assert shown(*in_one_cell) == "Ann Lee"
    assert shown(text("Assignee"), text("A"), text("Attendance")) == "A"


def test_a_label_below_its_value_does_not_name_what_stands_below_it():
    owner = text("Assignee", box=box(8, 20), ends_group=True)
    assert shown(text("Ann Lee", box=box(8, 0)), owner, text("Bo", box=box(8, 40)), text("Due", box=box(8, 60))) is None


LABELS_IN_TURN = (text("Assignee", box=box(10, 10)), text("Due", box=box(10, 34)))


def test_a_text_that_is_a_label_too_is_a_value_or_none_where_the_label_stands_again():
    again = (text("Due", box=box(10, 58)), text("Mar 3, 2026", box=box(10, 82)))
    found = read_fields(spec(), page(*LABELS_IN_TURN, *again))["assignee"]
    assert isinstance(found, FieldAmbiguous)
    assert set(found.texts) == {"", "Due"}


def test_a_label_before_another_label_that_stands_once_has_no_value():
    assert shown(*LABELS_IN_TURN, text("Mar 3, 2026", box=box(10, 58))) is None


def test_a_link_in_the_box_that_begins_with_a_label_is_its_value_though_the_next_box_is_like_it():
    label = text("Assignee:", box=box(10, 10), like_next=True, place="body>div>div>p")
    link = el("link", "Ann Lee", tag="a", box=box(95, 10), place="div>div>p>a")
    assert shown(label, link, text("Watchers: Bo", box=box(10, 40))) == "Ann Lee"
    assert shown(label, text("Ann Lee", box=box(95, 10), place="body>div>div>p")) is None


@cases(
    ("following", "value"),
    [
        (text("Due: Mar 3, 2026", box=box(10, 34)), ""),
        (text("Update: gone", box=box(10, 34)), None),  # a value may be written like this
        (text("Due", box=box(10, 34)), None),
    ],
)
def test_a_label_with_a_colon_is_empty_where_the_next_item_of_the_list_is_another_field(following, value):
    assert shown(text("Assignee:", box=box(10, 10), like_next=True), following) == value


def item(name: str, y: float) -> Element:
    return text(name, box=box(10, y), place="body>div>p")


def test_a_label_with_a_colon_is_empty_among_texts_that_are_labels_with_their_values():
    listed = (item("Assignee:", 34), item("Changes: 3", 58), item("Ticket number: TCK-1001", 82))
    due = item("Due: Mar 3, 2026", 10)
    assert shown(due, *listed) == ""
    assert shown(due, listed[0], item("Changes:", 58), listed[2]) == ""
    assert shown(*listed) is None


@cases(
    ("beside", "value"),
    [("Due: Mar 3, 2026", None), ("Re: Ann Lee", "Re: Ann Lee")],
)
def test_the_label_and_value_of_another_field_on_one_line_are_no_value_of_a_blank(beside, value):
    assert shown(text("Assignee:", box=box(10, 10)), text(beside, box=box(95, 10))) == value
