"""Fields of a flow on pages that were laid out anew: the labels of its task tell them as one more rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from shared.contracts.browser_pool import Element, PageObserved
from shared.extraction.rules import ByTask, UnderHeader
from shared.flows.changed.records import heal_of_reading
from shared.flows.files import FIELDS_FILE, FieldsFile, parse_files
from shared.flows.learning.flow import learned_flow
from shared.flows.learning.learned_fields import WrittenRow, learn_fields, predict
from shared.flows.reading import LocatedReading, answer_of_proof, read_fields
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from tests.cases import cases
from tests.unit.planner.planner_pages import box, el, heading, page, row, text

SPEC = TaskSpec.model_validate(
    {
        "task_id": "requests",
        "goal": "Read the request.",
        "start_url": "{url}",
        "input_schema": {"number": "string", "url": "string"},
        "output_schema": {
            "number": {"type": "string", "labels": ["Number"]},
            "author": {"type": "string", "labels": ["Author"]},
            "committer": {"type": "string", "labels": ["Committer"]},
            "closed_on": {"type": "date | null", "labels": ["Closed on"]},
        },
        "identity": {"number": "{number}"},
    }
)
STATUS = {"type": "string", "shown_in": "text", "pattern": ".+", "preceded_by": "#[0-9]+"}
Pair = tuple[str, str]
Layout = Callable[[Sequence[Pair]], list[Element]]


def pairs(number: str, author: str, committer: str, closed_on: str) -> list[Pair]:
    return [("Number", number), ("Author", author), ("Committer", committer), ("Closed on", closed_on)]


def terms(values: Sequence[Pair], place: str = "main>dl") -> list[Element]:
    return [replace(one, place=f"{place}>{one.tag}") for pair in values for one in row(*pair)]


def cells(values: Sequence[Pair]) -> list[Element]:
    """Return a table whose first cells are the labels, with a colon."""
    found: list[Element] = []
    for at, (label, value) in enumerate(values, 1):
        found.append(el("cell", f"{label}:", tag="td", row=at, column=0, place="table>tr>td", before_blank=not value))
        found += [el("cell", value, tag="td", row=at, column=1, place="table>tr>td")] if value else []
    return found


def texts(values: Sequence[Pair]) -> list[Element]:
    """Return texts such as `Author: Ann Lee`."""
    return [el("listitem", f"{label}: {value}", tag="li", place="ul>li") for label, value in values]


def cards(values: Sequence[Pair]) -> list[Element]:
    """Return labels in small print above their values."""
    found: list[Element] = []
    for at, (label, value) in enumerate(values):
        found.append(
            el("text", label, tag="small", place="main>div>small", box=box(0, 50 * at), before_blank=not value)
        )
        found += [el("text", value, tag="p", place="main>div>p", box=box(0, 50 * at + 20))] if value else []
    return found


def columns(values: Sequence[Pair]) -> list[Element]:
    heads = [el("columnheader", label, tag="th", row=1, column=at) for at, (label, _) in enumerate(values)]
    return [*heads, *(el("cell", value, tag="td", header=label, row=2, column=at, place="table>tr>td")
                      for at, (label, value) in enumerate(values))]  # fmt: skip


def property_cells(values: Sequence[Pair]) -> list[Element]:
    """Return a table whose columns have heads that are no field's label, and whose first cells are the labels."""
    found = [el("columnheader", head, tag="th", row=1, column=at) for at, head in enumerate(("Property", "Value"))]
    for at, (label, value) in enumerate(values, 2):
        common = {"tag": "td", "row": at, "place": "table>tr>td"}
        found.append(el("cell", label, column=0, header="Property", before_blank=not value, **common))
        found.append(el("cell", value, column=1, header="Value", **common))
    return found


def headed(values: Sequence[Pair]) -> list[Element]:
    return [one for label, value in values for one in (heading(label, 3), text(value, place="main>section>span"))]


def shown(number: str, layout: Sequence[Element], **changes: Any) -> PageObserved:
    return page(heading(f"Request {number}"), *layout, **changes)


LEARNED = [
    pairs("R-101", "Ann Lee", "Ann Lee", "2026-02-03"),
    pairs("R-102", "Bo Diaz", "Bo Diaz", "2026-04-15"),
    pairs("R-103", "Cy Okafor", "Cy Okafor", ""),
]
OWN = pairs("R-200", "Dora Novak", "Emil Falk", "2026-07-21")


def flow_of(learned: Sequence[list[Pair]] = LEARNED, spec: TaskSpec = SPEC, layout: Layout = terms) -> FieldsFile:
    names = list(spec.output_schema)
    rows = [
        WrittenRow(
            one[0][1],
            {"number": one[0][1], "url": "http://x/"},
            {name: value or None for name, (_, value) in zip(names, one, strict=True)},
            shown(one[0][1], layout(one)),
        )
        for one in learned
    ]
    return learned_flow(spec, learn_fields(spec, rows), rows).flow.files.fields


FILE = flow_of()


def read(seen: PageObserved, number: str = "R-200", file: FieldsFile = FILE) -> dict[str, LocatedReading]:
    named = {"number": number}
    return {one.field: one for one in read_fields(tuple(file.fields), file, seen, {}, named, named=named)}


def values(found: dict[str, LocatedReading]) -> dict[str, str | None]:
    return {name: one.text if one.state == "value" else None if one.state == "empty" else one.state
            for name, one in found.items()}  # fmt: skip


EXPECTED = {"number": "R-200", "author": "Dora Novak", "committer": "Emil Falk", "closed_on": "2026-07-21"}


@cases("layout", [terms, cells, texts, cards, columns, headed])
def test_a_record_is_read_in_each_layout_that_labels_have(layout: Layout):
    seen = shown("R-200", layout(OWN))
    assert values(read(seen)) == EXPECTED
    assert answer_of_proof({"number": "R-200"}, FILE, seen).value is True


@cases("layout", [cells, cards, columns])
def test_a_blank_beside_its_label_is_none_in_another_layout_too(layout: Layout):
    seen = shown("R-200", layout([*OWN[:3], ("Closed on", "")]))
    assert values(read(seen)) == {**EXPECTED, "closed_on": None}


def test_what_the_labels_alone_tell_is_a_heal_that_says_so():
    seen = shown("R-200", cards(OWN))
    author = read(seen)["author"]
    heal = heal_of_reading(author, seen)
    assert author.healed
    assert heal is not None
    assert heal.rung == "task"
    assert heal.witnesses == ("label", "record")
    told = 'what the task tells of "author" by its labels, its pattern or its heading'
    assert [way.text for way in heal.matched] == [told]


@cases("said", ["", "None yet"])
def test_a_page_that_does_not_prove_the_record_does_not_say_that_it_has_none(said: str):
    """What stands beside the label, a blank or words for none, may be that of another record."""
    seen = page(heading("Request"), *cards([*OWN[1:3], ("Closed on", said)]))
    (found,) = read_fields(("closed_on",), FILE, seen, {"closed_on": ["None yet"]}, {}, named={"number": "R-200"})
    assert found.state in ("missing", "uncertain")
    proven = shown("R-200", cards([*OWN[1:3], ("Closed on", said)]))
    (found,) = read_fields(("closed_on",), FILE, proven, {"closed_on": ["None yet"]}, {}, named={"number": "R-200"})
    assert found.state == "empty"


def named_by_place(number: str, layout: Sequence[Element]) -> PageObserved:
    """Return a page that has the number in a link's address alone, where no label and no heading tells it."""
    link = el("link", "Raw", tag="a", place="main>p>a", url=f"http://x/requests/{number}.txt")
    return page(heading("Request"), link, *layout)


def test_a_page_whose_record_only_the_learned_places_prove_is_read_by_its_labels_too():
    unlabelled = {**SPEC.output_schema, "number": OutputField(type="string")}
    spec = SPEC.model_copy(update={"output_schema": unlabelled})
    rows = [
        WrittenRow(
            one[0][1],
            {"number": one[0][1], "url": "http://x/"},
            {name: value or None for name, (_, value) in zip(spec.output_schema, one, strict=True)},
            named_by_place(one[0][1], terms(one[1:])),
        )
        for one in LEARNED
    ]
    file = learned_flow(spec, learn_fields(spec, rows), rows).flow.files.fields
    moved = named_by_place("R-200", cards(OWN[1:]))
    assert values(read(moved, file=file)) == EXPECTED
    assert read(moved, "R-201", file)["author"].state == "uncertain"


def test_a_value_that_only_happened_to_be_that_of_another_label_is_not_read_there():
    """On all examples the author was the committer."""
    places = [rule.where for rule in FILE.fields["committer"].rules]
    assert not any(isinstance(one, UnderHeader) and one.header == "Author" for one in places)
    assert read(shown("R-200", terms(OWN)))["committer"].text == "Emil Falk"


# --- values that changed places


@cases("layout", [terms, columns, property_cells])
def test_two_labels_that_were_exchanged_are_left_to_a_person(layout: Layout):
    """Nothing tells whether the values have moved or the labels lie."""
    number, author, committer, closed_on = OWN
    exchanged = [number, (committer[0], author[1]), (author[0], committer[1]), closed_on]
    found = read(shown("R-200", layout(exchanged)), file=flow_of(layout=layout))
    assert values(found) == {**EXPECTED, "author": "uncertain", "committer": "uncertain"}
    assert set(found["author"].candidates) == {"Dora Novak", "Emil Falk"}


def test_the_label_of_a_blank_is_one_of_two_that_were_exchanged_too():
    number, author, committer, _ = OWN
    exchanged = [number, ("Closed on", author[1]), committer, ("Author", "")]
    found = values(read(shown("R-200", property_cells(exchanged)), file=flow_of(layout=property_cells)))
    assert (found["author"], found["closed_on"]) == ("uncertain", "uncertain")


@cases("layout", [terms, columns, property_cells])
def test_values_that_have_moved_with_their_labels_are_read(layout: Layout):
    number, author, committer, closed_on = OWN
    moved = [number, committer, closed_on, author]
    assert values(read(shown("R-200", layout(moved)), file=flow_of(layout=layout))) == EXPECTED


def test_a_flow_that_kept_the_heads_of_columns_as_labels_leaves_what_moved_to_a_person():
    file = flow_of(layout=property_cells)
    older = {name: replace(one, beside=("property", "value")) for name, one in file.fields.items()}
    number, author, committer, closed_on = OWN
    exchanged = [number, (committer[0], author[1]), (author[0], committer[1]), closed_on]
    found = values(read(shown("R-200", property_cells(exchanged)), file=replace(file, fields=older)))
    assert (found["author"], found["committer"]) == ("uncertain", "uncertain")


def test_a_value_whose_row_has_another_label_now_is_left_to_a_person():
    number, author, committer, closed_on = OWN
    seen = shown("R-200", property_cells([number, ("Reviewer", author[1]), committer, closed_on]))
    assert values(read(seen, file=flow_of(layout=property_cells)))["author"] == "uncertain"


# --- pages on which a label alone would be wrong


def test_another_record_is_never_read():
    other = pairs("R-300", "Ida Berg", "Ida Berg", "2026-01-01")
    matched = [rule.where for one in read(shown("R-300", cards(other))).values() for rule in one.matched]
    assert not any(isinstance(where, ByTask) for where in matched)
    assert answer_of_proof({"number": "R-200"}, FILE, shown("R-300", cards(other))).value is not True


def test_a_page_that_does_not_say_whose_record_it_shows_is_left_to_a_person():
    author = read(page(*cards(OWN[1:])))["author"]
    assert (author.state, author.candidates) == ("uncertain", ("Dora Novak",))
    assert "does not show whose record it is" in author.why


@pytest.mark.parametrize("above", [True, False])
def test_like_labels_of_a_related_record_are_left_to_a_person_where_its_own_are_gone(above: bool):
    related = [heading("Related request R-300", 2), *cards(pairs("R-300", "Ida Berg", "Ida Berg", "2026-01-01"))]
    own = cards(OWN[:2])
    seen = shown("R-200", [*related, heading("Request", 2), *own] if above else [*own, *related])
    assert read(seen)["committer"].state != "value"


def below(elements: Sequence[Element]) -> list[Element]:
    """Return the elements in rows that are further down."""
    return [one if one.row is None else replace(one, row=one.row + 20) for one in elements]


@cases("layout", [cells, cards, headed, property_cells])
@pytest.mark.parametrize("above", [True, False])
def test_a_label_that_the_record_lacks_is_not_read_of_another_record(layout: Layout, above: bool):
    """The other record names itself by the label of the identity."""
    related = [heading("Related request", 2), *layout(pairs("R-300", "Ida Berg", "Ida Berg", "2026-01-01"))]
    own = layout([OWN[0], *OWN[2:]])
    parts = [*related, heading("This request", 2), *below(own)] if above else [*own, *below(related)]
    found = read(shown("R-200", parts), file=flow_of(layout=layout))
    assert found["author"].state in ("uncertain", "missing")


@cases("layout", [cells, cards, headed])
def test_other_records_leave_what_only_the_own_part_shows(layout: Layout):
    related = [heading("Related request", 2), *layout([("Number", "R-300"), ("Team", "Blue")])]
    seen = shown("R-200", [*related, heading("This request", 2), *below(layout(OWN))])
    assert values(read(seen, file=flow_of(layout=layout)))["author"] == "Dora Novak"


def test_a_text_under_the_label_of_the_id_that_is_no_id_hides_no_value():
    seen = shown("R-200", cells([("Number", "2 linked"), *OWN[1:]]))
    assert values(read(seen, file=flow_of(layout=cells)))["author"] == "Dora Novak"


def test_a_column_of_other_records_above_leaves_the_own_part_to_be_read():
    others = [replace(one, place="table>tr>td") for one in columns([("Number", "R-300"), ("Team", "Blue")])]
    seen = shown("R-200", [*others, *below(cells(OWN[1:]))])
    assert values(read(seen, file=flow_of(layout=cells)))["author"] == "Dora Novak"


def test_two_places_that_a_label_may_mean_are_left_to_a_person():
    """Where the examples had the value stands another one, and the label is elsewhere."""
    moved = [("Number", "R-200"), ("Author", "Dora Novak"), ("Approved by", "Ida Berg"), ("Closed on", "2026-07-21")]
    seen = shown("R-200", [*terms(moved), *terms([("Committer", "Emil Falk")], "aside>dl")])
    assert read(seen)["committer"].state == "uncertain"


def test_changes_of_the_past_are_no_values():
    history = [heading("History", 2), *columns([("Date", "2020-01-01"), ("Field", "Author"), ("From", "Old Name")])]
    assert values(read(shown("R-200", [*cards(OWN), *history]))) == EXPECTED


# --- a name in a heading

NAMED = TaskSpec.model_validate(
    {
        "task_id": "products",
        "goal": "Read the product.",
        "start_url": "{url}",
        "input_schema": {"name": "string", "url": "string"},
        "output_schema": {"name": "string", "team": {"type": "string", "labels": ["Team"]}},
        "identity": {"name": "{name}"},
    }
)


def product(team: str, *heads: tuple[str, int], title: str) -> PageObserved:
    return page(*(heading(text, level) for text, level in heads), *terms([("Team", team)]), title=title)


def flow_of_products() -> FieldsFile:
    """Return what is learned of pages whose only heading of the first level is the name."""
    known = (("Alpha box", "Red"), ("Beta jar", "Blue"), ("Gamma cup", "Green"))
    rows = [
        WrittenRow(name, {"name": name, "url": "http://x/"}, {"name": name, "team": team},
                   product(team, (name, 1), title=name))
        for name, team in known
    ]  # fmt: skip
    return learned_flow(NAMED, learn_fields(NAMED, rows), rows).flow.files.fields


@cases("heads", [[("Delta pan", 2)], [("Our shop", 1), ("Delta pan", 2)], [("Products", 1), ("Delta pan", 3)]])
def test_a_name_that_has_come_to_another_heading_proves_the_record(heads: list[tuple[str, int]]):
    seen, file, named = product("Gold", *heads, title="Delta pan - Shop"), flow_of_products(), {"name": "Delta pan"}
    assert answer_of_proof(named, file, seen, named).value is True
    found = read_fields(tuple(file.fields), file, seen, {}, named, named=named)
    assert values({one.field: one for one in found}) == {"name": "Delta pan", "team": "Gold"}


@pytest.mark.parametrize("title", ["Beta jar", "Shop"])
def test_a_heading_of_another_record_is_left_to_a_person_where_the_title_does_not_say_whose_page_it_is(title: str):
    seen, named = product("Blue", ("Beta jar", 1), ("Delta pan", 2), title=title), {"name": "Delta pan"}
    assert answer_of_proof(named, flow_of_products(), seen, named).value is not True


# --- the files


def test_a_flow_without_a_task_is_read_as_before():
    rules = {
        name: replace(one, rules=tuple(r for r in one.rules if not isinstance(r.where, ByTask)), homes=())
        for name, one in FILE.fields.items()
    }
    older = replace(FILE, fields=rules, task=None)
    assert "task" not in msgspec.json.decode(msgspec.json.encode(older))
    assert values(read(shown("R-200", terms(OWN)), file=older)) == EXPECTED
    assert read(shown("R-200", texts(OWN)), file=older)["author"].state == "missing"


def test_a_task_that_cannot_be_read_is_told():
    with pytest.raises(ValueError, match=r"fields\.json: task: output_schema\.owner"):
        parse_files({FIELDS_FILE: '{"task": {"fields": {"owner": {"type": "colour"}}}}'})


def headline(number: str, status: str, kind: str) -> PageObserved:
    """Return a page whose headline has links of its own, none with a label: its number, its status and its kind."""
    links = [el("link", one, box=box(10 + 200 * at, 40)) for at, one in enumerate((f"#{number}", status, kind))]
    return page(heading("Pump leaks"), *row("Number", number), *links)


def test_a_value_that_only_the_text_before_it_tells_is_read_on_records_with_another_text_behind_it():
    schema = {"number": SPEC.output_schema["number"], "status": OutputField.model_validate(STATUS)}
    spec = SPEC.model_copy(update={"output_schema": schema})
    rows = [
        WrittenRow(number, {"number": number}, {"number": number, "status": status}, headline(number, status, kind))
        for number, status, kind in (("3", "closed", "defect"), ("4", "new", "task"))
    ]
    learned = learn_fields(spec, rows)
    read = predict(learned, "5", {"number": "5"}, headline("5", "in work", "enhancement")).readings["status"]
    assert (read.certainty, [one.value for one in read.candidates]) == ("certain", ["in work"])
    twice = headline("5", "in work", "task")
    other = [el("link", "#9", box=box(10, 400)), el("link", "gone", box=box(210, 400))]
    several = predict(learned, "5", {"number": "5"}, page(*twice.elements, *other)).readings["status"]
    assert several.certainty not in ("certain", "healed")
