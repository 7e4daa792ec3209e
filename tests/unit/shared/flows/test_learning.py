"""What written rows teach is read on their own pages by the flow made of them, before it is said to be learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from shared.contracts.browser_pool import Element
from shared.contracts.results import Locator, TextPart
from shared.extraction.field_rules import FieldRules
from shared.extraction.pages import ObservedPage
from shared.extraction.rules import AtHeading, AtSelector, ByTask, ExtractionRule, Whole
from shared.flows.checking.recorded_answers import page_of
from shared.flows.learning.example_checks import NOT_DRAWN
from shared.flows.learning.flow import FlowOfExamples, learned_flow
from shared.flows.learning.learned_fields import WrittenRow, learn_fields
from shared.flows.learning.marked_values import WRITE_VALUE
from shared.flows.reading import locate_field, read_fields
from shared.recordings.recording import RecordedPage
from shared.task.spec import TaskSpec
from tests.unit.shared.flows.recorded_world import element, spec_of

Values = Mapping[str, str | None]
LINES = {"type": "rows", "columns": {"sku": "string", "amount": "string"}, "id_keys": ["sku"]}


def task(**fields: object) -> TaskSpec:
    return spec_of(
        output_schema={"title": "string", **fields},
        required_fields=["title"],
        input_schema={"number": "string"},
        start_url="http://site/{number}",
    )


def row(at: int, values: Values, *more: Element, lists: Mapping[str, Sequence[Values]] | None = None) -> WrittenRow:
    """Return a written row; its page has a label beside each value but for those of ``more``."""
    elements: list[Element] = []
    for name, value in values.items():
        if value is not None and not any(one.name == value for one in more):
            elements.append(element(len(elements) + 1, "term", name.capitalize()))
            elements.append(element(len(elements) + 1, "definition", value, header=name.capitalize()))
    page = page_of(RecordedPage(f"http://site/{at}", "", (*elements, *more)), f"{at:064}")
    return WrittenRow(f"row {at}", {"number": str(at)}, values, page, lists or {})


def learned(spec: TaskSpec, rows: Sequence[WrittenRow], accepted: Sequence[str] = ()) -> FlowOfExamples:
    return learned_flow(spec, learn_fields(spec, rows), rows, accepted)


def read_by(one: FlowOfExamples) -> set[str]:
    return set(one.flow.files.fields.fields)


def of_remarks(count: int = 4) -> list[WrittenRow]:
    """Return rows of which a remark stands at another place each, without a label."""
    words = ("a green one", "in stock", "to be bound", "lent twice", "of a set")
    rows: list[WrittenRow] = []
    for at in range(count):
        remark = element(50 + at, "text", words[at], place=f"main>div>p>{'b' * (at + 1)}")
        rows.append(row(at, {"title": f"Book {chr(65 + at)}", "remark": words[at]}, remark))
    return rows


def test_what_is_read_right_on_every_example_is_learned():
    one = learned(task(shelf="string"), [row(at, {"title": f"Book {at}", "shelf": f"Shelf {at}"}) for at in range(3)])
    assert one.left == ()
    assert [(check.field, check.right, check.written) for check in one.checks] == [("title", 3, 3), ("shelf", 3, 3)]


def test_a_field_of_which_every_row_has_one_value_is_named():
    spec = task(shelf="string", kind="string | null")
    values = [{"title": f"Book {at}", "shelf": "A1", "kind": None if at == 2 else "Sea"} for at in range(3)]
    told = learn_fields(spec, [row(at, one) for at, one in enumerate(values)])
    assert [name for name, one in told.fields.items() if one.unvaried] == ["shelf"]


def test_an_optional_field_that_is_not_certain_is_left_out_and_named():
    one = learned(task(remark="string"), of_remarks())
    assert read_by(one) == {"title"}
    (told,) = one.left
    assert told.startswith("remark: ")
    assert one.may_be_accepted == ("remark",)


def test_a_field_that_is_accepted_as_lost_keeps_nothing_from_being_published():
    one = learned(task(remark="string"), of_remarks(), ["remark"])
    assert (one.left, one.given_up) == ((), ("remark",))
    assert one.flow.files.fields.given_up == tuple(read_by(one) - {"title"}) == ("remark",)


def test_a_field_that_the_task_requires_cannot_be_left_out():
    spec = spec_of(
        output_schema={"title": "string", "remark": "string"}, required_fields=["title", "remark"],
        input_schema={"number": "string"}, start_url="http://site/{number}",
    )  # fmt: skip
    one = learned(spec, of_remarks())
    assert one.may_be_accepted == ()
    assert one.left[0].startswith("remark: ")


def test_a_field_that_only_its_order_tells_is_not_certain():
    shown = [element(50, "text", f"A {at}", place="main>div>p") for at in range(4)]
    rows = [row(at, {"title": f"Book {at}", "code": f"A {at}"}, shown[at]) for at in range(4)]
    one = learned(task(code="string"), rows)
    check = next(each for each in one.checks if each.field == "code")
    assert "the key labels" in check.settles
    assert read_by(one) == {"title"}


def test_a_field_of_which_the_other_rows_teach_too_little_is_not_certain():
    spec = task(shelf="string")
    rows = [row(at, {"title": f"Book {at}", "shelf": f"Shelf {at}"}) for at in range(4)]
    known = learn_fields(spec, rows)
    assert (known.fields["shelf"].taught, known.fields["shelf"].tested) == (4, 4)
    for taught, is_learned in ((2, True), (1, False)):
        few = replace(known, fields={**known.fields, "shelf": replace(known.fields["shelf"], taught=taught)})
        one = learned_flow(spec, few, rows)
        assert read_by(one) == ({"title", "shelf"} if is_learned else {"title"})
        assert (one.left == ()) is is_learned


def test_a_row_that_has_none_of_an_optional_field_is_read_right():
    rows = [row(at, {"title": f"Book {at}", "series": "The Sea" if at % 2 else "The Hill"}) for at in range(4)]
    rows.append(row(4, {"title": "Book 4", "series": None}))
    one = learned(task(series="string"), rows)
    assert one.left == ()
    assert one.flow.files.fields.optional == ("series",)


def test_a_field_without_a_column_is_told():
    one = learned(task(shelf="string"), [row(at, {"title": f"Book {at}"}) for at in range(3)])
    assert one.left == ("shelf: no row has a value of it; add a column with its values",)


def test_a_page_of_another_record_is_told():
    spec = spec_of(
        output_schema={"title": "string", "number": "string"}, identity={"number": "{number}"},
        input_schema={"number": "string"}, start_url="http://site/{number}",
    )  # fmt: skip
    rows = [row(at, {"title": f"Book {at}", "number": str(at + (at == 2))}) for at in range(3)]
    assert any(told.startswith("row 2: ") for told in learned(spec, rows).flow.problems)


# --- what settles it


def of_two_ways(count: int) -> list[WrittenRow]:
    """Return rows, as many of each of two ways to show who wrote a book."""
    names = ("Ann", "Bo", "Cy", "Dora", "Emil", "Fay")
    return [
        row(at, {"title": f"Book {at}", "author": name},
            element(50, "text", name if at % 2 else f"{name} wrote it", place=f"main>{'pb'[at % 2]}"),
            *(element(51 + one, "text", f"Line {at} {one}", place=f"main>{'pb'[at % 2]}") for one in range(at % 2)))
        for at, name in enumerate(names[:count])
    ]  # fmt: skip


def test_what_only_the_task_tells_is_learned_where_the_page_proves_the_record():
    author = {"type": "string", "shown_in": "text", "pattern": "[A-Z][a-z]+", "followed_by": ["wrote it", "wrote"]}
    spec = spec_of(
        output_schema={"number": {"type": "string", "labels": ["Number"]}, "author": author},
        identity={"number": "{number}"}, input_schema={"number": "string"}, start_url="http://site/{number}",
    )  # fmt: skip
    shown = ("Ann wrote it", "Bo wrote", "Cy wrote it")
    rows = [
        row(at, {"number": str(at), "author": text.split()[0]}, element(50, "text", text, place=f"main>{'p' * at}>b"))
        for at, text in enumerate(shown)
    ]
    one = learned(spec, rows)
    assert (one.left, read_by(one)) == ((), {"number", "author"})


def test_a_second_page_of_a_way_to_show_the_value_settles_the_field():
    spec = task(author="string")
    few, more = learned(spec, of_two_ways(3)), learned(spec, of_two_ways(4))
    assert any(one.startswith("author: row 1: ") and "add a row like it" in one for one in few.left)
    assert not any("the other rows" in one for one in more.left)


def test_a_field_with_one_value_asks_for_rows_that_have_one():
    rows = [row(at, {"title": f"Book {at}", "shelf": None if at else "Shelf 1"}) for at in range(3)]
    assert learned(task(shelf="string | null"), rows).left == (
        "shelf: 1 of the rows has a value; 2 or more are needed; add a row whose page shows one",
    )


def test_a_value_that_its_page_does_not_show_asks_for_it_as_it_is_shown():
    rows = [row(at, {"title": f"Book {at}", "shelf": f"Shelf {at}"}) for at in range(3)]
    rows[2] = replace(rows[2], values={**rows[2].values, "shelf": "Shelf 9"})
    (told,) = learned(task(shelf="string"), rows).left
    assert told.endswith("as the page shows it, or leave the cell empty where the page shows none")


def test_a_word_for_none_is_asked_for_and_settles_the_field():
    rows = [row(at, {"title": f"Book {at}", "shelf": "Nowhere" if at == 2 else f"Shelf {at}"}) for at in range(3)]
    rows[2] = replace(rows[2], values={**rows[2].values, "shelf": None})
    (told,) = learned(task(shelf="string | null"), rows).left
    assert "the key not_present" in told
    assert learned(task(shelf={"type": "string | null", "not_present": ["Nowhere"]}), rows).left == ()


def test_a_row_whose_page_names_another_record_teaches_nothing_and_is_named():
    """Such a page is for a person in a run; another row in its place settles it."""
    spec = spec_of(
        output_schema={"number": "string", "author": "string"}, identity={"number": "{number}"},
        input_schema={"number": "string"}, start_url="http://site/{number}",
    )  # fmt: skip
    names = ("Ann Lee", "Bo Diaz", "Cy Okafor", "Di Falk")
    rows = [row(at, {"number": f"R-{at}", "author": names[at]}) for at in range(4)]
    rows = [replace(one, row={"number": f"R-{at}"}) for at, one in enumerate(rows)]
    other = replace(rows[2], row={"number": "R-7"})
    one = learned(spec, [*rows[:2], other])
    (told,) = one.left
    assert told.startswith("row 2: the page shows number 'R-2' where 'R-7' was asked for")
    assert told.endswith("take another row instead")
    assert [(check.field, check.right, check.problem) for check in one.checks] == [("number", 2, ""), ("author", 2, "")]
    assert learned(spec, [*rows[:2], rows[3]]).left == ()


# --- fields of rows


def order(at: int, lines: Sequence[tuple[str, str]], written: int | None = None) -> WrittenRow:
    found: list[Element] = []
    for sku, amount in lines:
        found.append(element(100 + len(found), "text", sku, place="ul>li>b"))
        found.append(element(100 + len(found), "text", amount, place="ul>li>i"))
    texts = [{"sku": sku, "amount": amount} for sku, amount in lines[:written]]
    return row(at, {"title": f"Order {at}"}, *found, lists={"lines": texts})


FIRST = (("A-1", "10.00"), ("A-2", "20.00"))
SECOND = (("B-1", "5.50"), ("B-2", "7.00"), ("B-3", "9.25"))


def test_the_rows_of_a_list_are_learned():
    one = learned(task(lines=LINES), [order(1, FIRST), order(2, SECOND)])
    assert one.left == ()
    assert "read_list('lines')" in one.flow.source.replace('"', "'")
    assert set(one.flow.files.fields.lists) == {"lines"}


def test_rows_that_are_not_all_that_the_page_has_teach_nothing():
    one = learned(task(lines=LINES), [order(1, FIRST), order(2, SECOND, written=2)])
    (told,) = one.left
    assert told.startswith("lines: no way to separate the rows")
    assert one.may_be_accepted == ("lines",)


def book(at: int) -> WrittenRow:
    """Return a page that shows its title as a heading, below a picture that is called so and has an id."""
    title = f"Book {chr(65 + at)}"
    cover = Locator(kind="id", value="#cover", matches=1)
    picture = element(1, "button", title, tag="img", unwritten=True, locators=(cover,))
    return row(at, {"title": title}, picture, element(2, "heading", title, level=2))


TITLE = ({"headline": "title", "level": 2},)


@pytest.mark.parametrize("route", [TITLE, ()], ids=["pointed at", "not pointed at"])
def test_a_value_is_cited_where_its_text_is_drawn(route: tuple[object, ...]):
    rows = [replace(one, row={**one.row, "title": one.values["title"] or ""}) for one in map(book, range(3))]
    spec = spec_of(
        output_schema={"title": "string"},
        required_fields=["title"],
        input_schema={"number": "string", "title": "string"},
        start_url="http://site/{number}",
        identity={"title": "{title}"},
        route=list(route),
    )
    one = learned(spec, rows)
    assert one.left == ()
    files = one.flow.files
    assert read_fields(("title",), files.fields, rows[2].page, {})[0].element == rows[2].page.elements[1]
    rules = files.fields.fields["title"].rules
    if route:
        assert rules[0].where == ByTask(field="title")
    cover = [at for at, rule in enumerate(rules) if rule.where == AtSelector(selector="#cover")]
    drawn = [at for at, rule in enumerate(rules) if rule.where == AtHeading(level=2)]
    assert all(at > drawn[0] for at in cover)


def test_the_flow_of_an_earlier_version_cites_the_text_that_is_drawn():
    rows = [book(at) for at in range(3)]
    cover = ExtractionRule(where=AtSelector(selector="#cover"), attribute="name", part=Whole())
    heading = ExtractionRule(where=AtHeading(level=2), attribute="name", part=Whole())
    found = locate_field("title", FieldRules(rules=(cover, heading)), ObservedPage.of(rows[0].page), ())
    assert (found.state, found.element) == ("value", rows[0].page.elements[1])


def test_a_field_that_only_the_name_of_a_picture_says_is_not_learned_without_a_word():
    def owned(at: int) -> WrittenRow:
        owner = ("Ann Lee", "Søren Kjær", "Mateus Gonçalves")[at]
        place = Locator(kind="id", value="#owner", matches=1)
        face = element(50, "link", owner, url=f"/u/{at}", unwritten=True, locators=(place,))
        return row(at, {"title": f"Book {at}", "owner": owner}, face)

    one = learned(task(owner="string"), [owned(at) for at in range(3)])
    assert [(check.right, check.problem) for check in one.checks if check.field == "owner"] == [(3, NOT_DRAWN)]
    (told,) = one.left
    assert told.startswith("owner: only the name of a picture")


AGES = ("1 year, 8 months ago", "2 years, 1 month ago", "3 months ago", "5 days ago")
MOMENTS = ("Mar 23, 2025 20:00:00", "Oct 2, 2024 11:00:00", "Aug 1, 2026 10:00:00", "Nov 20, 2026 11:00:00")


def of_ages(titles: Sequence[str | None], *, in_sentence: bool = False, others: Sequence[str] = ()) -> list[WrittenRow]:
    """Return rows of commits whose page says how long ago they were, and in its markup when. ``others``: the moments of
    a further element with the same words."""
    rows: list[WrittenRow] = []
    for at, (age, title) in enumerate(zip(AGES, titles, strict=True)):
        made = element(3, "definition", age, header="Committed", title=title)
        if in_sentence:
            hint = TextPart(text=age, title=title)
            made = element(3, "definition", f"Bo Dahl, {age}", header="Committed", hints=(hint,))
        elements = [element(1, "definition", f"Book {at}", header="Title"), made]
        elements += [element(4, "text", age, title=one, place="main>p") for one in others[at : at + 1]]
        page = page_of(RecordedPage(f"http://site/{at}", "", tuple(elements)), f"{at:064}")
        rows.append(WrittenRow(f"row {at}", {"number": str(at)}, {"title": f"Book {at}", "committed": age}, page))
    return rows


@pytest.mark.parametrize("in_sentence", [False, True])
def test_a_text_is_typed_by_its_markup_as_a_run_types_it(in_sentence: bool):
    one = learned(task(committed="date-time"), of_ages(MOMENTS, in_sentence=in_sentence))
    assert one.left == ()
    assert read_by(one) == {"title", "committed"}


def test_a_text_that_is_none_of_its_type_is_not_called_another_one():
    (told,) = learned(task(committed="date-time"), of_ages((None,) * 4)).left
    assert told.startswith("committed: row 0: '1 year, 8 months ago' is read as it is written, and is no date-time: ")
    assert told.endswith(WRITE_VALUE)


def test_a_text_that_stands_for_several_values_on_each_page_is_not_learned():
    spec = task(committed="date-time")
    other = "Mar 22, 2025 09:30:00"
    (told,) = learned(spec, of_ages(MOMENTS, others=(other, *(f"Jan {at}, 2024 09:00:00" for at in (1, 2, 3))))).left
    assert "stands on the page for 2025-03-23T20:00:00 and 2025-03-22T09:30:00" in told
    same_once = of_ages(MOMENTS, others=(other, *MOMENTS[1:]))
    assert learned(spec, same_once).left == (), "three rows tell it"


def test_where_the_task_says_which_text_is_meant_others_with_the_same_words_do_not_matter():
    others = [f"Jan {at}, 2024 09:00:00" for at in (1, 2, 3, 4)]
    told = task(committed={"type": "date-time", "labels": ["Committed"]})
    one = learned(told, of_ages(MOMENTS, others=others))
    assert (one.left, read_by(one)) == ((), {"title", "committed"})
    elsewhere = task(committed={"type": "date-time", "labels": ["Merged"]})
    assert learned(elsewhere, of_ages(MOMENTS, others=others)).left != (), "its label is on no page"


def test_a_text_in_other_capitals_is_no_other_value_of_a_string():
    rows = of_ages((None,) * 4)
    rows = [
        replace(one, page=page_of(RecordedPage(one.page.url, "", (*one.page.elements, capital)), one.page.sha256))
        for one in rows
        for capital in [element(9, "text", (one.values["committed"] or "").upper(), place="main>p")]
    ]
    assert learned(task(committed="string"), rows).left == ()
