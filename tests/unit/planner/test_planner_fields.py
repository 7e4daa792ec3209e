"""Fields found by their labels, on pages of any structure."""

from __future__ import annotations

from dataclasses import replace

from shared.contracts.steps import ValueSource
from shared.pages.identity.identity import identity_proof, keywords, read_page
from shared.pages.identity.scope import find_section
from shared.pages.read.candidates import Candidate, listed
from shared.pages.read.fields import FieldAmbiguous, FieldFound, FieldMissing, field_value, read_fields, told_open
from shared.task.row_values import missing_columns, start_url
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import box, cell, el, heading, page, row, sample, spec, text, ticket


@cases(
    ("texts", "told"),
    [
        (["Ann", "Bo", "Ann"], "'Ann', 'Bo'"),
        (["Unassigned", ""], "'Unassigned', no value"),
        ([str(number) for number in range(9)], "'0', '1', '2', '3', '4' and 4 more"),
    ],
)
def test_all_texts_are_told_between_which_a_field_is_left_open_or_how_many_more_there_are(texts, told):
    assert told_open(texts) == told


def reading(seen, field="assignee", **changes):
    return read_fields(spec(**changes), seen)[field]


def shown(seen, field="assignee", **changes):
    found = reading(seen, field, **changes)
    assert isinstance(found, FieldFound), found
    return found.candidate.shown


@cases(
    "elements",
    [
        row("Assignee", "Ann Lee"),
        row("ASSIGNEE:", "Ann  Lee"),
        (el("columnheader", "Assignee *", tag="th"), cell("Assignee *", "Ann Lee", 1)),
        (el("link", "Ann Lee", tag="a", header="Assignee"),),
        (el("combobox", "Assignee", tag="select", value="Ann Lee"),),
        (el("textbox", "Assignee:", tag="input", value="Ann Lee"),),
        (text("Assignee: Ann Lee"),),
        (text("Assignee"), text("Ann Lee")),
        (text("Assignee:"), el("link", "Ann Lee", tag="a")),
        (text("Assignee", box=box(10, 10)), text("Ann Lee", box=box(120, 12))),
        (text("Assignee", box=box(10, 10)), text("Ann Lee", box=box(10, 34))),
    ],
)
def test_a_value_is_found_whatever_the_markup(elements):
    assert shown(page(*elements)) == "Ann Lee"


def test_labels_of_the_spec_count_beside_the_name_of_the_field():
    assert shown(page(*row("Due", "2026-03-03")), "due_date") == "2026-03-03"
    assert shown(page(*row("Due date", "2026-03-03")), "due_date") == "2026-03-03"
    assert isinstance(reading(page(*row("Due diligence", "yes")), "due_date"), FieldMissing)


def test_a_cell_with_a_link_inside_is_one_value():
    seen = page(cell("Assignee", "Ann Lee (admin)", 1), el("link", "Ann Lee", tag="a", header="Assignee", row=1))
    assert shown(seen) == "Ann Lee (admin)"


def test_pieces_of_one_cell_are_joined():
    seen = page(
        el("link", "Ann Lee", tag="a", header="Assignee", row=1),
        el("text", "(admin)", tag="td", header="Assignee", row=1),
    )
    assert shown(seen) == "Ann Lee (admin)"


def test_a_select_in_a_cell_counts_and_its_options_do_not():
    options = [el("option", name, tag="option", header="Assignee", row=1) for name in ("Ann Lee", "Bob")]
    seen = page(el("combobox", "", tag="select", value="Bob", header="Assignee", row=1), *options)
    assert shown(seen) == "Bob"


def test_a_button_alone_beside_a_label_is_no_value_and_no_absence():
    assert isinstance(reading(page(el("button", "Assign to me", tag="button", header="Assignee"))), FieldMissing)


def test_an_icon_beside_a_label_is_no_absence_and_hides_no_value():
    icon = el("img", "", tag="svg", look=1)
    assert isinstance(reading(page(el("term", "Assignee", tag="dt"), icon)), FieldMissing)
    assert isinstance(reading(page(el("img", "", tag="svg", look=1, header="Assignee", row=1))), FieldMissing)
    assert shown(page(text("Assignee"), icon, text("Ann Lee"))) == "Ann Lee"


def test_two_different_values_are_ambiguous_and_two_equal_ones_are_not():
    assert reading(page(*row("Assignee", "Ann"), *row("Assignee", "Bob"))) == FieldAmbiguous(("Ann", "Bob"))
    assert shown(page(*row("Assignee", "Ann"), text("Assignee: ann"))) == "Ann"
    assert reading(page(*row("Assignee", "Ann"), *row("Assignee", ""))) == FieldAmbiguous(("Ann", ""))


def test_a_text_that_somebody_wrote_does_not_outvote_what_stands_under_a_heading_of_that_name():
    written = (heading("Read me", 2), text("Assignee: nobody"), heading("Assignee", 2))
    for below in (text("Ann Lee"), heading("Ann Lee", 2), heading("Ann Lee", 3)):
        found = reading(page(*written, el("button", "Copy", tag="button"), below))
        assert isinstance(found, FieldAmbiguous), below
        assert set(found.texts) == {"nobody", "Ann Lee"}
    assert shown(page(*written, text("Nobody"))) == "nobody"


def test_a_labelled_text_in_its_own_section_is_the_value():
    assert shown(page(heading("Assignee", 2), text("Assignee: Ann Lee"), text("since 2026"))) == "Ann Lee"
    assert shown(page(heading("Assignee", 2), text("Changed today"), text("Assignee: Ann Lee"))) == "Ann Lee"
    assert shown(page(text("Assignee: Ann Lee"), heading("Assignee", 2), text("Team: Blue"))) == "Ann Lee"
    assert shown(page(*row("Assignee", "Ann Lee"), heading("Assignee", 2), text("Who works on it"))) == "Ann Lee"


def test_two_forms_of_one_date_are_one_value():
    assert shown(page(*row("Due", "Mar 3, 2026"), *row("Due date", "2026-03-03")), "due_date") == "Mar 3, 2026"


def test_of_a_list_the_row_of_the_record_counts():
    header = [el("columnheader", name, tag="th") for name in ("Ticket number", "Assignee")]
    rows = [cell("Ticket number", "TCK-1001", 2), cell("Assignee", "Ann", 2)]
    others = [cell("Ticket number", "TCK-10011", 3), cell("Assignee", "Bob", 3)]
    seen = page(*header, *others, *rows)
    read = read_page(spec(), sample(), seen)
    assert read.proof.state == "proven"
    assert expect(read.readings["assignee"], FieldFound).candidate.shown == "Ann"
    without = read_page(spec(), sample(fields={"ticket_number": "TCK-7"}), seen)
    assert isinstance(without.readings["assignee"], FieldMissing)
    assert without.proof.state != "proven"


@cases(
    "elements",
    [
        (text("Assignee"), text("Due date")),
        (text("Assignee:"), text("Priority:")),
        (text("Assignee"), heading("Comments", 2)),
        (text("Assignee"), el("button", "Edit")),
        (text("Assignee", box=box(10, 10)), text("Priority", box=box(10, 80))),
        (text("Assignee", box=box(300, 10)), text("Priority", box=box(10, 12))),
        (text("Assignee"),),
        (text("Assignee: Ann Priority: high"),),
        (text("Assignee: Ann Due date: 2026-03-03"),),
        (text("The assignee: see below"),),
        (el("searchbox", "Assignee", tag="input", value="Bob"),),
        (*row("Assignee", "Loading…"),),
    ],
)
def test_what_is_no_value_is_not_taken_for_one(elements):
    assert isinstance(reading(page(*elements)), FieldMissing)


def value(seen, field="assignee", **changes):
    task = spec(**changes)
    return field_value(field, task.output_schema[field], read_fields(task, seen)[field], seen)


def test_unassigned_and_not_found_are_told_apart():
    unassigned = value(page(*row("Assignee", "unassigned")))
    assert (unassigned.state, unassigned.shown, unassigned.value) == ("not_present", "unassigned", None)
    assert value(page(*row("Priority", "high"))).state == "not_found"


def test_nothing_beside_the_label_is_an_absence_only_where_the_task_allows_one():
    assert (value(page(*row("Assignee", ""))).state, value(page(*row("Assignee", ""))).shown) == ("not_present", "")
    bare = page(el("term", "Assignee", tag="dt"), el("term", "Due", tag="dt"))
    assert value(bare).state == "not_present"
    fields = {"ticket_number": "string", "assignee": "string", "due_date": "date | null"}
    assert value(page(*row("Assignee", "")), output_schema=fields).state == "not_found"


def test_a_value_knows_the_element_it_was_read_from():
    seen = page(*ticket())
    found = value(seen)
    assert isinstance(found.source, ValueSource)
    assert (found.source.ref, found.source.label, found.source.snapshot_id) == (3, "Assignee", "s1")
    assert found.source.observation_sha256 == seen.sha256


# --- whose record is it


def proof(*elements, **changes):
    return read_page(spec(), sample(**changes), page(*elements)).proof.state


@cases(
    "elements",
    [
        (heading("TCK-1001"),), (heading("tck-1001: Printer on fire"),),
        (heading("Acme Desk"), heading("Ticket TCK-1001", 2)), (heading("TCK-1001 is a duplicate of TCK-7"),),
        row("Ticket number", " tck-1001 "), (text("TCK-1001"),),
    ],
)  # fmt: skip
def test_the_right_record_is_proven(elements):
    assert proof(*elements) == "proven"


@cases(
    "elements",
    [
        (heading("TCK-10011"),),
        (heading("TCK-7: see TCK-1001"),),
        row("Ticket number", "TCK-7"),
        row("Ticket number", "TCK-1001 a"),
    ],
)
def test_another_record_is_a_mismatch(elements):
    assert proof(*elements) == "mismatch"


@cases(
    "elements",
    [
        (heading("Ticket"),),
        (heading("Ticket"), el("link", "TCK-1001", tag="a")),
        (heading("TCK-1001 not found"),),
        (text("Duplicate of TCK-1001"),),
    ],
)
def test_what_only_names_the_record_proves_nothing(elements):
    assert proof(*elements) == "unproven"


def test_a_number_never_matches_within_a_longer_one():
    fields = {"ticket_number": "100"}
    assert proof(heading("Issue 1001"), fields=fields) == "unproven"
    assert proof(heading("Issue 100"), fields=fields) == "proven"


def test_a_title_that_speaks_of_not_found_proves_where_the_record_is_shown():
    assert proof(heading("TCK-1001: Page not found after login"), *row("Assignee", "Ann")) == "proven"


def test_drivers_that_read_for_themselves_may_prove_by_a_plain_mention():
    seen = page(heading("Ticket"), text("Number TCK-1001, opened by Ann"))
    assert identity_proof(spec(), sample(), seen).state == "proven"
    assert identity_proof(spec(), sample(), page(heading("TCK-7"), text("See TCK-1001"))).state == "mismatch"
    assert identity_proof(spec(identity={}), sample(), page()).state == "proven"


# --- templates


def test_the_start_url_encodes_all_but_urls():
    task = spec(start_url="http://host/t?id={key}&u={url}")
    assert start_url(task, sample(key="a/b c&d", url="http://x/?q=1")).startswith(
        "http://host/t?id=a%2Fb%20c%26d&u=http://"
    )
    assert start_url(spec(), sample()) == "http://127.0.0.1:8000/tickets/TCK-1001"


def test_blanks_of_an_address_are_read_as_browsers_read_them():
    task = spec(start_url="http://host/search?q={key} open")
    assert start_url(task, sample(key="a b")) == "http://host/search?q=a%20b%20open"
    assert (
        start_url(spec(start_url="{url}"), sample(fields={"url": " http://host/a file.pdf "}))
        == "http://host/a%20file.pdf"
    )


def test_columns_a_template_needs_are_named_when_missing():
    assert missing_columns(spec(start_url="http://host/{region}/{key}"), sample()) == ("region",)
    assert missing_columns(spec(), sample(url=None, fields={"ticket_number": " "})) == ("url", "ticket_number")


def test_an_observation_keeps_labels_and_the_id():
    kept = keywords(spec(keywords=["SLA"]), sample())
    assert {"SLA", "due date", "due", "TCK-1001"} <= set(kept)


# --- tables that name each row in its first cell


def properties(*pairs: tuple[str, str]):
    """Return a table with the heads "Attribute" and "Value"."""
    heads = [el("columnheader", name, tag="th", row=1, column=at) for at, name in enumerate(("Attribute", "Value"))]
    rows = [
        (cell("Attribute", label, at, column=0), cell("Value", value, at, column=1))
        for at, (label, value) in enumerate(pairs, 2)
    ]
    return (*heads, *(one for both in rows for one in both))


CONTRACT = (("Number", "CT-7"), ("Owner", "Ann Lee"), ("Value", "120.50"), ("Notes", ""))


def contract_fields(value_type: str = "string"):
    return {"number": "string", "owner": "string", "value": value_type, "notes": "string | null"}


@cases("value_type", ["string", "decimal"])
def test_the_head_of_a_column_is_no_label_where_the_first_cells_are(value_type):
    changes = {"output_schema": contract_fields(value_type), "required_fields": [], "identity": {"number": "{number}"}}
    found = read_fields(spec(**changes), page(*properties(*CONTRACT)), "CT-7")
    texts = {name: one.candidate.shown for name, one in found.items() if isinstance(one, FieldFound)}
    assert texts == {"number": "CT-7", "owner": "Ann Lee", "value": "120.50", "notes": ""}


def test_the_key_of_a_record_is_not_the_value_of_a_column_of_values():
    fields = {"amount": {"type": "string", "labels": ["Value"]}}
    seen = page(*properties(("Reference", "CT-7"), ("Signed by", "Ann Lee")))
    assert isinstance(read_fields(spec(output_schema=fields, required_fields=[], identity={}), seen, "CT-7")["amount"],
                      FieldAmbiguous)  # fmt: skip


def test_a_key_in_the_first_cell_tells_which_row_is_meant():
    heads = [el("columnheader", name, tag="th", row=1, column=at) for at, name in enumerate(("Ticket", "Assignee"))]
    rows = [
        (cell("Ticket", key, at, column=0), cell("Assignee", name, at, column=1))
        for at, (key, name) in enumerate((("T-1", "Bob"), ("T-2", "Ann Lee")), 2)
    ]
    fields = {"ticket": "string", "assignee": "string"}
    seen = page(*heads, *(one for both in rows for one in both))
    found = read_fields(spec(output_schema=fields, required_fields=[], identity={"ticket": "{ticket}"}), seen, "T-2")
    assert [one.candidate.shown for one in found.values() if isinstance(one, FieldFound)] == ["T-2", "Ann Lee"]


def test_an_icon_that_only_its_class_names_is_no_text_and_no_absence():
    icon = el("img", "icon times-circle", tag="i", header="Value", row=3, column=1)
    table = (*properties(("Owner", "Ann Lee")), cell("Attribute", "Assignee", 3, column=0), icon)
    fields = {"owner": "string", "assignee": "string | null"}
    found = read_fields(spec(output_schema=fields, required_fields=[], identity={}), page(*table))
    assert isinstance(found["owner"], FieldFound)
    assert isinstance(found["assignee"], FieldMissing)


@cases(
    ("heads", "rows", "key", "value"),
    [
        (("Name", "Type"), (("id", "int"), ("type", "varchar")), "id", "int"),
        (("Title", "Status"), (("Fix login", "Open"), ("Status", "Closed")), "Fix login", "Open"),
        (("Case", "Status"), (("T-1", "Open"), ("Status", "Closed"), ("Title", "Lost")), "T-1", "Open"),
    ],
)
def test_a_record_that_is_called_like_a_label_makes_no_table_of_labels(heads, rows, key, value):
    table = [el("columnheader", name, tag="th", row=1, column=at) for at, name in enumerate(heads)]
    for at, (name, shown_value) in enumerate(rows, 2):
        table += [cell(heads[0], name, at, column=0), cell(heads[1], shown_value, at, column=1)]
    fields = {"name": "string", "title": "string", "type": {"type": "string", "labels": ["Type", "Status"]}}
    changes = {"output_schema": fields, "required_fields": [], "identity": {}}
    found = expect(read_fields(spec(**changes), page(*table), key)["type"], FieldFound)
    assert found.candidate.shown == value


def test_an_icon_within_a_text_cuts_nothing_off():
    icon = el("img", "icon angle-right", tag="i", row=1, column=1)
    texts = [el("text", name, tag="span", row=1, column=1) for name in ("Ann", "Lee")]
    assert shown(page(cell(None, "Assignee", 1, column=0), texts[0], icon, texts[1])) == "Ann Lee"


def test_a_text_below_an_icon_is_not_its_value():
    icon = el("img", "icon check", tag="i", box=box(120, 10, 16, 16))
    label, below = text("Assignee", box=box(10, 10)), text("Closed by Bob", box=box(120, 34))
    assert isinstance(reading(page(label, icon, below)), FieldMissing)
    beside = text("Ann Lee", box=box(140, 10))
    assert shown(page(label, icon, beside)) == "Ann Lee"


def test_a_key_behind_a_check_box_marks_its_row():
    rows = [
        (el("checkbox", "Select", tag="input", row=at, column=0), cell("Ticket", key, at, column=1))
        for at, key in ((2, "T-1"), (3, "T-2"))
    ]
    heads = (el("columnheader", "Ticket", tag="th", row=1, column=1),)
    fields = {"ticket": "string"}
    seen = page(*heads, *(one for both in rows for one in both))
    found = read_fields(spec(output_schema=fields, required_fields=[], identity={"ticket": "{ticket}"}), seen, "T-2")
    assert isinstance(found["ticket"], FieldFound)


def action(name: str, **rest):
    """Return a link that a picture stands for."""
    return el("link", name, tag="a", url="/add", unwritten=True, **rest)


def test_what_is_done_with_a_value_is_not_the_value():
    add, edit = action("Make this ticket resolve another one"), action("Edit")
    assert shown(page(text("Assignee"), add, text("Ann Lee"))) == "Ann Lee"
    assert shown(page(text("Assignee"), add, edit, text("Ann Lee"))) == "Ann Lee"
    assert isinstance(reading(page(text("Assignee"), add, heading("Comments", 2))), FieldMissing)
    assert isinstance(reading(page(text("Assignee"), add)), FieldMissing)
    assert shown(page(action("Edit", header="Assignee", row=1), cell("Assignee", "Ann Lee", 1))) == "Ann Lee"
    assert isinstance(reading(page(action("Edit", header="Assignee", row=1))), FieldMissing)
    far = (text("Assignee", box=box(10, 10)), action("Add", box=box(100, 10)), text("Bob", box=box(10, 400)))
    assert isinstance(reading(page(*far)), FieldMissing)


def test_the_head_of_the_page_is_no_label_of_what_comes_after_it():
    crumb = el("link", "Admin", tag="a", url="/admin")
    assert isinstance(reading(page(heading("Assignee"), crumb)), FieldMissing)
    assert shown(page(heading("Assignee", 3), text("Ann Lee"))) == "Ann Lee"


def test_two_different_numbers_under_one_label_are_ambiguous():
    task = {"output_schema": {"amount": "number"}, "required_fields": ["amount"], "identity": {}}
    assert isinstance(reading(page(*row("Amount", "7"), *row("Amount", "8")), "amount", **task), FieldAmbiguous)
    assert shown(page(*row("Amount", "1,234"), *row("Amount", "1234")), "amount", **task) == "1,234"


def test_what_may_be_the_next_label_is_no_value_while_the_value_loads():
    label, below = text("Assignee:", box=box(10, 10)), text("Priority: high", box=box(10, 34))
    assert isinstance(reading(page(text("Assignee: ..."), label, below)), FieldMissing)
    assert shown(page(text("Assignee: ..."), label, text("Ann Lee", box=box(10, 34)))) == "Ann Lee"


def test_a_part_of_the_page_that_is_there_twice_is_none():
    rows = [one for number in (1, 2) for one in (cell(None, "Billing", number, 0), cell(None, "5", number, 1))]
    assert find_section(page(*rows), ["Billing"]) is None
    assert find_section(page(*rows[:2]), ["Billing"]) == page(*rows[:2]).elements


def test_items_of_which_one_holds_a_comma_stay_apart():
    first, second = (Candidate(name, el("text", name)) for name in ("Lee, Ann", "Bob"))
    assert listed((first, second)) == (first, second)
    (joined,) = listed((replace(first, shown="Ann"), second))
    assert joined.shown == "Ann, Bob"
