"""Rules learned from examples: which there are, what they read on new pages, and that they never guess."""

from __future__ import annotations

from dataclasses import replace as replace_example
from typing import Any

import pytest
from msgspec.structs import replace

from shared.contracts.results import TextPart
from shared.extraction.absence import LeftOut, is_left_out, shape_of
from shared.extraction.agreement import confidence_of, read_field, verdicts_of_others
from shared.extraction.certainty import FieldReading
from shared.extraction.field_rules import FieldRules
from shared.extraction.pages import ObservedPage, TaskValue
from shared.extraction.places import names_value
from shared.extraction.rules import (
    AfterText,
    AtHeading,
    AtSelector,
    Between,
    ExtractionRule,
    InLabelledRow,
    PageItself,
    UnderHeader,
    Whole,
    describe_rule,
    kind_of,
)
from shared.extraction.synthesis import Example, common_texts, learn_field
from shared.extraction.values import FieldType, find_spans, value_key
from tests.cases import cases
from tests.unit.shared.extraction.observed_pages import heading, page, row, text

PEOPLE = ("Ann Lee", "Søren Kjær", "Mateus Gonçalves")
NUMBERS = ("TCK-1001", "TCK-1002", "TCK-1034")


def ticket(
    number: str, person: str, *, extra: tuple[dict[str, Any], ...] = (), label: str = "Assignee"
) -> ObservedPage:
    return page(
        heading(f"{number}: Printer on fire"),
        *extra,
        *row("Ticket number", number),
        *row(label, person, id_="assignee"),
        *row("Status", "Open"),
    )


def examples(number: bool = False) -> list[Example]:
    pairs = list(zip(NUMBERS, PEOPLE, strict=True))
    return [Example(ticket(key, person), key if number else person) for key, person in pairs]


def read_learned(examples: list[Example], page: ObservedPage, labels: tuple[str, ...] = ()) -> FieldReading:
    constants = common_texts([one.page for one in examples], {str(one.value).casefold() for one in examples})
    return read_field(learn_field(examples, labels), page, constants)


def wheres(rules: Any) -> set[type[Any]]:
    return {type(rule.where) for rule in rules}


def test_every_way_to_the_value_is_kept():
    found = learn_field(examples()).rules
    assert {UnderHeader, AfterText, AtSelector} <= wheres(found)
    assert all(rule.attribute == "name" for rule in found)
    assert 'the definition beside "Assignee"' in map(describe_rule, found)


def test_a_part_of_a_text_is_told_by_the_words_around_it():
    found = [rule for rule in learn_field(examples(number=True)).rules if isinstance(rule.where, AtHeading)]
    assert {rule.part for rule in found} == {
        Between(before="", after=": Printer on fire", telling=True),
        Between(before="", after=":"),
    }
    assert {kind_of(rule, ()) for rule in found} == {"labelled", "structural"}


def test_a_new_page_is_read_where_all_rules_agree():
    reading = read_learned(examples(), ticket("TCK-2000", "Zoë Lindqvist"))
    assert (reading.certainty, reading.value, reading.lost) == ("certain", "Zoë Lindqvist", ())


def test_a_label_that_changed_is_healed_by_the_others_and_said():
    reading = read_learned(examples(), ticket("TCK-2000", "Zoë Lindqvist", label="Owner"))
    assert (reading.certainty, reading.value) == ("healed", "Zoë Lindqvist")
    assert UnderHeader in wheres(reading.lost)


@cases("label", ["Assignee:", "Assignee *", "ASSIGNEE", "assignee (required) *:", "Assignee now"])
def test_a_label_in_another_form_is_the_same_label(label):
    reading = read_learned(examples(), ticket("TCK-2000", "Zoë Lindqvist", label=label), ("Assignee",))
    assert reading.value == "Zoë Lindqvist"
    assert (UnderHeader in wheres(reading.lost)) == ("now" in label)


def test_a_label_as_it_was_written_comes_before_other_forms_of_it():
    other = page(heading("TCK-2000: x"), *row("Assignee *", "Ann Lee"), *row("Assignee", "Zoë Lindqvist"))
    wheres_ = UnderHeader(header="Assignee", role="definition"), UnderHeader(header="assignee:", role="")
    first, second = map(other.find, wheres_)
    assert first is not None
    assert first.name == "Zoë Lindqvist"
    assert second is None  # two other forms: which of them is meant is not said


def test_labels_as_earlier_versions_wrote_them_are_read_in_the_form_of_today():
    known = FieldRules(rules=(), labels=("due-date *",), beside=("due-date *", "status"))
    assert (known.labels, known.beside) == (("due date",), ("due date", "status"))


def test_rules_that_differ_are_shown_and_none_is_chosen():
    other = page(
        heading("TCK-2000: Printer on fire"),
        *row("Assignee", "Ann Lee"),
        *row("Owner", "Zoë Lindqvist", id_="assignee"),
    )
    reading = read_learned(examples(), other)
    assert (reading.certainty, reading.value) == ("ambiguous", None)
    assert {one.value for one in reading.candidates} == {"Ann Lee", "Zoë Lindqvist"}


def test_a_value_that_is_not_there_is_missing_and_no_other_text_takes_its_place():
    without = page(heading("TCK-2000: Printer on fire"), *row("Ticket number", "TCK-2000"), *row("Status", "Open"))
    reading = read_learned(examples(), without)
    assert (reading.certainty, reading.value) == ("missing", None)


def test_a_label_is_never_taken_for_the_value():
    def plain(person: str | None) -> ObservedPage:
        return page(text("Assignee"), *([text(person)] if person else []), text("Due date"), text("never"))

    shown = [Example(plain(person), person) for person in PEOPLE]
    assert read_learned(shown, plain("Zoë Lindqvist"), ("Assignee",)).value == "Zoë Lindqvist"
    assert read_learned(shown, plain(None), ("Assignee",)).value is None


def test_a_value_of_another_shape_goes_to_a_person():
    reading = read_learned(examples(number=True), ticket("Draft of Ann", "Zoë Lindqvist"))
    assert (reading.certainty, reading.value) == ("unsure", None)


def test_structure_alone_is_not_enough():
    def plain(*texts: str) -> ObservedPage:
        return page(*(text(one) for one in texts))

    field = learn_field([Example(plain(f"note {at}", person), person) for at, person in enumerate(PEOPLE)])
    assert {kind_of(rule, ()) for rule in field.rules} == {"structural"}
    assert read_field(field, plain("note 9", "Zoë Lindqvist"), ()).certainty == "unsure"


@cases("attribute", ["value", "url", "title"])
def test_values_stand_in_fields_addresses_and_titles_too(attribute):
    def shown(person: str) -> ObservedPage:
        return page({"role": "link", "name": "Open", "header": "Assignee", attribute: f"/people/{person}/open"})

    field = learn_field([Example(shown(person), person) for person in ("ann", "bert", "carla")])
    assert read_field(field, shown("zoe"), ()).value == "zoe"
    assert all(rule.attribute == attribute for rule in field.rules)


def test_no_rule_names_a_value():
    field = learn_field(examples())
    told = " ".join(describe_rule(rule) for rule in field.rules)
    assert not any(person in told for person in PEOPLE)


def test_what_is_over_the_page_is_not_read():
    banner = {"role": "heading", "name": "TCK-9: Cookies", "level": 1, "in_dialog": True, "place": "main>h1"}
    reading = read_learned(examples(number=True), ticket("TCK-2000", "Ann Lee", extra=(banner,)))
    assert reading.value == "TCK-2000"


def test_a_text_that_is_cut_off_is_not_read():
    cut = page(
        heading("TCK-2000: Printer on fire"), *row("Assignee", "Zoë")[:1], {**row("Assignee", "Zoë")[1], "cut_chars": 9}
    )
    assert read_learned(examples(), cut).value is None


def test_each_example_is_read_by_what_the_others_teach():
    confidence = confidence_of(verdicts_of_others(examples()))
    assert (confidence.right, confidence.wrong, confidence.to_review) == (3, 0, 0)


def test_examples_without_anything_in_common_teach_nothing():
    found = learn_field([Example(page(text("Ann Lee")), "Ann Lee"), Example(page(heading("Bo Xi")), "Bo Xi")])
    assert found.rules == ()
    assert read_field(found, page(text("Zoë")), ()).certainty == "missing"


def test_one_example_is_not_enough():
    with pytest.raises(ValueError, match="1 example; 2 or more"):
        learn_field(examples()[:1])


@cases(
    ("value", "shape"),
    [("TCK-1001", "A-9"), ("Mar 3, 2026", "A 9, 9"), ("3f2a9c", "9A9A9A"), ("", ""), ("Ann Lee", "A A")],
)
def test_the_shape_of_a_value(value, shape):
    assert shape_of(value) == shape


def pull_request(ticket: str | None, *, box: str = "article", other: tuple[dict[str, Any], ...] = ()) -> ObservedPage:
    link = {"role": "link", "name": ticket, "url": f"/browse/{ticket}", "tag": "a", "place": f"main>{box}>div>p>a"}
    place = f"main>{box}>div>p"
    linked = [text("Resolves", place=place), link] if ticket else []
    return page(heading("Retry the upload"), text("Files are kept.", place=place), *linked, *other)


LINKED = [Example(pull_request(number), f"/browse/{number}") for number in ("LED-190", "LED-187")]


def test_a_value_that_is_left_out_with_its_label_is_none_as_on_the_examples():
    rules = learn_field([*LINKED, Example(pull_request(None), None)], ["Resolves"], FieldType(type="string | null"))
    assert read_field(rules, pull_request("LED-7"), ()).value == "/browse/LED-7"
    left_out = read_field(rules, pull_request(None), ())
    assert (left_out.absent, left_out.left_out) == (True, True)


@cases(
    "changed",
    [
        pull_request(None, box="div>article>div"),
        pull_request(None, other=(text("On release-2.x", place="main>aside>p"),)),
    ],
)
def test_what_is_left_out_is_told_on_a_changed_page_too(changed):
    rules = learn_field([*LINKED, Example(pull_request(None), None)], ["Resolves"], FieldType(type="string | null"))
    assert read_field(rules, changed, ()).left_out


@cases(
    "changed",
    [
        pull_request(None, box="section"),
        pull_request(None, other=(text("Closes LED-12", place="main>aside>p"),)),
        pull_request(None, other=({"role": "link", "name": "ticket", "url": "/browse/LED-12", "place": "main>a"},)),
        page(heading("Not found")),
    ],
)
def test_a_page_that_may_show_the_value_elsewhere_does_not_say_that_there_is_none(changed):
    rules = learn_field([*LINKED, Example(pull_request(None), None)], ["Resolves"], FieldType(type="string | null"))
    assert read_field(rules, changed, ()).certainty == "missing"


@cases(("without", "form"), [([], "string | null"), ([Example(pull_request(None), None)], "string")])
def test_that_a_value_may_be_left_out_is_learned_from_an_example_only(without, form):
    rules = learn_field([*LINKED, *without], ["Resolves"], FieldType(type=form))
    assert read_field(rules, pull_request(None), ()).certainty == "missing"


def contract(number: str, owner: str, value: str) -> ObservedPage:
    """Return a page whose table has the heads "Attribute" and "Value", and a row that is called "Value" too."""
    pairs = [("Number", number), ("Owner", owner), ("Value", value)]
    cells = [
        {"role": "columnheader", "name": name, "row": 1, "column": at} for at, name in enumerate(("Attribute", "Value"))
    ]
    for at, (label, shown) in enumerate(pairs, 2):
        cells += [
            {"role": "cell", "name": label, "header": "Attribute", "row": at, "column": 0},
            {"role": "cell", "name": shown, "header": "Value", "row": at, "column": 1},
        ]
    return page(*cells)


def test_a_row_may_be_called_like_a_column():
    told = [Example(contract(f"CT-{n}", owner, value), value)
            for n, (owner, value) in enumerate((("Ann", "120.50"), ("Bob", "7.00"), ("Ann", "13.25")))]  # fmt: skip
    assert InLabelledRow in wheres(learn_field(told, ("value",)).rules)
    other = contract("CT-9", "Cid", "99.00")
    assert read_learned(told, other, ("value",)).value == "99.00"


def rule(where: Any) -> ExtractionRule:
    return ExtractionRule(where=where, attribute="name", part=Whole())


UNDER_ASSIGNEE, UNDER_OWNER = (rule(UnderHeader(header=name, role="definition")) for name in ("Assignee", "Owner"))


def test_pages_of_several_kinds_that_say_different_values_give_none():
    field = FieldRules(rules=(), variants=((UNDER_ASSIGNEE,), (UNDER_OWNER,)), labels=("assignee", "owner"))
    both = read_field(field, page(*row("Assignee", "Ann Lee"), *row("Owner", "Bo Xi")), ())
    assert (both.certainty, both.value) == ("ambiguous", None)
    assert read_field(field, page(*row("Assignee", "Ann Lee"), *row("Owner", "Ann Lee")), ()).value == "Ann Lee"


@pytest.mark.parametrize(("type_", "absent"), [("string", False), ("string | null", True)])
def test_an_empty_place_is_no_value_only_where_the_field_may_have_none(type_: str, absent: bool):
    field = FieldRules(rules=(UNDER_ASSIGNEE,), labels=("assignee",), form=FieldType(type=type_))
    reading = read_field(field, page(*row("Assignee", "")), ())
    assert (reading.certainty, reading.absent) == ("certain" if absent else "missing", absent)


def test_a_value_of_which_the_examples_showed_another_place_too_is_unsure_without_it():
    at_id = rule(AtSelector(selector="#assignee"))
    seen = page(*row("Status", "Ann Lee", id_="assignee"))
    twice = FieldRules(rules=(UNDER_OWNER, at_id), homes=(0, 1), labels=("person",))
    assert read_field(twice, seen, ()).certainty == "unsure"
    assert read_field(replace(twice, homes=(0, 0)), seen, ()).certainty == "healed"


def test_a_value_that_has_the_label_of_another_one_now_is_unsure():
    at_id = rule(AtSelector(selector="#x7"))
    field = FieldRules(rules=(at_id,), homes=(0,), labels=("assignee",), beside=("assignee", "status"))
    assert read_field(field, page(*row("Status", "Ann Lee", id_="x7")), ()).certainty == "unsure"
    assert read_field(field, page(*row("Owner", "Ann Lee", id_="x7")), ()).certainty == "certain"


def test_a_page_with_another_value_of_the_type_does_not_leave_it_out():
    rule = LeftOut(container="main", shapes=("9-9-9",), form=FieldType(type="date"))
    assert is_left_out(rule, page(text("Status"), text("open")))
    assert not is_left_out(rule, page(text("Status"), text("3 March 2026")))
    assert not is_left_out(rule, page(text("Status"), text("2026-03-03 by Ann")))


@pytest.mark.parametrize("shown", ["order 10012", "order 21001", "order a1001"])
def test_a_number_does_not_stand_within_a_longer_one(shown: str):
    assert find_spans(FieldType(), shown, "1001") == []
    assert find_spans(FieldType(), "order 1001, paid", "1001") == [(6, 10)]


def order(colour: str) -> ObservedPage:
    """A page with a group of radio buttons, of which this one is chosen."""
    place = {"tag": "input", "place": "fieldset>label>input", "regions": ("Colour",)}
    buttons = [
        {"role": "radio", "name": one, "states": ("checked" if one == colour else "unchecked",), **place}
        for one in ("red", "green", "blue", "black")
    ]
    return page(heading("Order"), text("Colour", tag="legend", place="fieldset>legend"), *buttons, text("Size: large"))


def test_of_radio_buttons_the_chosen_one_is_learned_and_read():
    learned = [Example(order(colour), colour) for colour in ("red", "green", "blue")]
    assert read_learned(learned, order("black")).value == "black"
    assert read_learned(learned, order("")).value is None


def of_queue(number: str, queue: str) -> ObservedPage:
    """Return a page whose name begins like its queue, which has a label; the queue of others is told below."""
    said = text("Queue", place="aside>b"), text(queue, place="aside>p")
    return page(text(number, place="nav>p"), heading("A lamp flickers"), *said, text("Billing", place="footer>p"))


def test_of_one_value_the_place_that_was_pointed_at_is_learned():
    """All rows are of one queue: what else is called so on them is not told apart from it by the values."""
    rows = [Example(of_queue(number, "Billing"), "Billing", 4) for number in ("billing-3", "billing-7", "billing-9")]
    field, constants = learn_field(rows, ("queue",)), common_texts([one.page for one in rows], {"billing"})
    assert all(rows[0].page.find(rule.where) is rows[0].page.with_ref(4) for rule in field.rules)
    assert read_field(field, of_queue("access-23", "Access & keys"), constants).value == "Access & keys"
    unknown = learn_field([replace_example(one, ref=0) for one in rows], ("queue",))
    reading = read_field(unknown, of_queue("access-23", "Access & keys"), constants)
    assert (reading.value, reading.certainty) == (None, "ambiguous")


def test_of_one_value_the_place_of_the_task_s_label_is_learned():
    def told(number: str, queue: str) -> ObservedPage:
        shown = of_queue(number, queue)
        return ObservedPage(shown.elements, task_values={"queue": TaskValue(queue, 4)})

    rows = [Example(told(number, "Billing"), "Billing") for number in ("billing-3", "billing-7", "billing-9")]
    field = learn_field(rows, ("queue",), task_field="queue")
    assert read_field(field, told("access-23", "Access & keys"), frozenset()).value == "Access & keys"


def marked(title: str, *marks: str) -> ObservedPage:
    """Return a page whose title has marks behind it, in one element, with a label."""
    parts = tuple(TextPart(text=one) for one in (title, *marks)) if marks else ()
    shown = {**row("Title", " ".join((title, *marks)))[1], "parts": parts}
    return page(heading("A ticket"), row("Title", "")[0], shown, *row("Status", "Open"))


@cases(
    ("shown", "read"),
    [
        (marked("A lamp flickers", "#31"), "A lamp flickers"),
        (marked("Doubled: see #7 of May", "#32"), "Doubled: see #7 of May"),
        (marked("A lamp flickers"), None),  # the mark is not there: what the whole text is, is not known
        (marked("Doubled: see #7 of May"), None),
        (marked("A lamp flickers", "#31", "new"), None),
        (marked("A lamp flickers", "closed"), "A lamp flickers"),  # one of two texts, whatever the other one says
    ],
)
def test_a_part_of_a_text_is_read_where_the_text_is_built_as_in_the_examples(shown: ObservedPage, read: str | None):
    rows = [("A key sticks", "#3"), ("An invoice is lost", "#12")]
    field = learn_field([Example(marked(*one), one[0]) for one in rows], ("title",))
    assert read_field(field, shown, frozenset()).value == read


@cases(
    ("shown", "read"),
    [("A lamp flickers #31", "A lamp flickers"), ("Doubled: see #7 of May", None), ("A lamp flickers", None)],
)
def test_what_stands_behind_a_part_of_a_text_has_the_form_of_the_examples(shown: str, read: str | None):
    rows = [("A key sticks", "#3"), ("An invoice is lost", "#12")]
    pages = [Example(page(heading("A ticket"), *row("Title", " ".join(one))), one[0]) for one in rows]
    assert (
        read_field(learn_field(pages, ("title",)), page(heading("A ticket"), *row("Title", shown)), frozenset()).value
        == read
    )


LOGINS = ("ann1", "bodiaz2", "cy3")


def with_list(shown: str, *states: str) -> ObservedPage:
    choice = {"role": "combobox", "name": "owner", "tag": "select", "value": shown, "states": states}
    return page(heading("A ticket"), text("Assigned to"), {**choice, "place": "form>select"})


def test_what_a_list_shows_until_something_is_chosen_is_no_value():
    """Such an option cannot be chosen, as "Unassigned" in an app for tickets."""
    shown = [Example(with_list(one), one) for one in ("Ann Lee", "Bo Diaz")]
    for form, absent in ((FieldType(type="string | null"), True), (FieldType(), False)):
        field = learn_field(shown, ["assigned to"], form)
        reading = read_field(field, with_list("Unassigned", "placeholder"), ())
        assert (reading.value, reading.absent) == (None, absent)
        assert read_field(field, with_list("Unassigned"), ()).value == "Unassigned"


def test_a_shape_that_few_values_have_by_chance_excludes_nothing():
    shown = [Example(page(heading("Person"), *row("Login", one)), one) for one in LOGINS]
    rules = learn_field(shown, ("Login",))
    assert rules.shape == ""
    assert read_field(rules, page(heading("Person"), *row("Login", "dora")), frozenset()).value == "dora"
    numbers = [Example(page(heading("Ticket"), *row("Key", one)), one) for one in ("TCK-1", "TCK-20", "TCK-300")]
    assert learn_field(numbers, ("Key",)).shape == "A-9"


@cases(
    ("one", "other", "equal"),
    [
        ("2026-02-03T10:00:00+02:00", "2026-02-03T08:00:00Z", True),
        ("2026-02-04T00:30:00+02:00", "2026-02-03T22:30:00+00:00", True),
        ("2026-02-03T10:00:00+02:00", "2026-02-03T10:00:00Z", False),
        ("2026-02-03T10:00:00", "2026-02-03T10:00:00Z", False),
    ],
)
def test_one_moment_is_equal_at_any_offset(one, other, equal):
    form = FieldType(type="date-time")
    assert (value_key(form, one) == value_key(form, other)) is equal
    assert (find_spans(form, f"at {one}", other) == [(3, 3 + len(one))]) is equal


def test_the_address_of_a_page_is_no_place_of_a_value_where_its_own_links_repeat_it():
    def shown(number: str) -> ObservedPage:
        url = f"http://x/tickets/{number}"
        link = {"role": "link", "name": "Comments", "url": f"{url}#comments", "place": "main>a", "tag": "a"}
        return ObservedPage(page(heading("A ticket"), link).elements, url=url)

    rules = learn_field([Example(shown(one), one) for one in ("T-1", "T-22", "T-333")], ("Number",)).rules
    assert not any(rule.attribute == "url" and not isinstance(rule.where, PageItself) for rule in rules)


def test_the_name_of_a_picture_is_no_place_of_a_value_that_was_pointed_at_elsewhere():
    titles = ("Winter", "After Book 32")
    shown = [
        page({"role": "button", "name": one, "tag": "img", "unwritten": True, "place": "a>img"}, heading(one))
        for one in titles
    ]
    pointed = learn_field([Example(one, text, 2) for one, text in zip(shown, titles, strict=True)], ("Title",))
    assert {one.find(rule.where) for one in shown for rule in pointed.rules} <= {one.elements[1] for one in shown}
    assert pointed.rules
    alone = learn_field([Example(one, text, 1) for one, text in zip(shown, titles, strict=True)], ("Title",))
    assert {shown[0].elements[0], shown[0].elements[1]} == {shown[0].find(rule.where) for rule in alone.rules}


def test_a_place_is_told_by_no_value_of_another_field():
    def shown(condition: str, shelf: str) -> ObservedPage:
        lent = ("Lent by José Álvarez", "Shelf: A1", "Seen today", f"Condition: {condition}", f"{shelf} (shelf)")
        return page(heading("A book"), *(text(one, place=f"main>p>{at * 'b'}") for at, one in enumerate(lent)))

    pages = [(shown(one, other), one) for one, other in (("lost", "Sea"), ("worn", "Land"), ("as new", "Air"))]
    found = learn_field([Example(one, value) for one, value in pages], ("State",), others={"josé álvarez"}).rules
    after = {rule.where.text for rule in found if isinstance(rule.where, AfterText)}
    assert after == {"Seen today"}
    own = learn_field([Example(one, value) for one, value in pages], ("Lent by José Álvarez",), others={"josé álvarez"})
    assert "Lent by José Álvarez" in {rule.where.text for rule in own.rules if isinstance(rule.where, AfterText)}


@cases("before", ["Due back: May 3", "返却日：5月3日", "返却日 ： 5月3日", "Due back﹕May 3"])
def test_a_label_with_its_value_is_no_place_whatever_its_colon(before: str):
    assert names_value(AfterText(text=before, steps=1, role="text"), {"ann lee"}, ())


@cases("before", ["Due back:", "返却日：", "10:30", "Printer on fire"])
def test_a_label_alone_and_a_text_without_one_may_be_a_place(before: str):
    assert not names_value(AfterText(text=before, steps=1, role="text"), {"ann lee"}, ())
