"""Of several like parts with the same labels, the one that shows the asked id is read; without one none is."""

from __future__ import annotations

from typing import Any

from shared.contracts.browser_pool import Element, PageObserved
from shared.extraction.certainty import words_of_doubt
from shared.extraction.pages import ObservedPage
from shared.extraction.synthesis import Example, learn_field
from shared.flows.files import FieldsFile
from shared.flows.reading import LocatedReading, read_fields
from tests.cases import cases
from tests.unit.planner.planner_pages import el, heading, page

PEOPLE = ("Ann Lee", "Søren Kjær", "Vera Novak")
Pair = tuple[str, str]
OWN = [("Number", "T-1"), ("Owner", "Ida Falk"), ("State", "open")]
TWIN = [("Number", "T-11"), ("Owner", "Bo Dahl"), ("State", "shut")]


def table(pairs: list[Pair], at: int = 1, **more: Any) -> list[Element]:
    """Return a table of labels and values; ``at``: number of its first row."""
    found: list[Element] = []
    for row, (label, value) in enumerate(pairs, at):
        found.append(el("rowheader", label, tag="th", place="form>table>tr>th", row=row, column=0, **more))
        found.append(el("cell", value, tag="td", place="form>table>tr>td", row=row, column=1, header=label, **more))
    return found


def learned() -> FieldsFile:
    shown = [
        page(heading("A ticket"), *table([("Number", f"T-{at}0"), ("Owner", who), ("State", "new")]))
        for at, who in enumerate(PEOPLE, 1)
    ]
    pages = [ObservedPage.of(one) for one in shown]
    owner = learn_field([Example(one, who) for one, who in zip(pages, PEOPLE, strict=True)], ("Owner",))
    number = learn_field([Example(one, f"T-{at}0") for at, one in enumerate(pages, 1)], ("Number",))
    return FieldsFile(fields={"owner": owner, "number": number})


FILE = learned()


def read(seen: PageObserved, number: str = "T-1") -> LocatedReading:
    (reading,) = read_fields(("owner",), FILE, seen, {}, named={"number": number})
    return reading


@cases("own_first", [True, False])
def test_the_part_that_shows_the_asked_id_is_read(own_first: bool):
    parts = (OWN, TWIN) if own_first else (TWIN, OWN)
    seen = page(heading("Two tickets"), *table(parts[0]), *table(parts[1], 10))
    assert (read(seen).state, read(seen).text, read(seen).healed) == ("value", "Ida Falk", True)
    assert read(seen, "T-11").text == "Bo Dahl"
    assert read(seen, "T-2").state != "value"


def test_three_parts_are_told_apart_as_two_are():
    third = [("Number", "T-12"), ("Owner", "Uma Berg"), ("State", "open")]
    assert read(page(*table(TWIN), *table(OWN, 10), *table(third, 20))).text == "Ida Falk"


@cases(
    "parts",
    [
        (TWIN[1:], OWN),  # the other part does not say whose it is
        (TWIN, OWN[1:]),
        (OWN, [("Number", "T-1"), *TWIN[1:]]),  # both say that they are the asked one
        (OWN, [("Number", ""), *TWIN[1:]]),
        (TWIN[:2], OWN),  # where a part ends is not told
        (TWIN[:2], [*OWN[1:], OWN[0]]),
        ([*OWN[1:], OWN[0]], [*TWIN[1:], TWIN[0]]),  # another order than on the examples
        ([TWIN[1], TWIN[2]], [OWN[0], OWN[1], OWN[2]], [("Number", "T-12")]),
        ([OWN[0], ("Owner", "Ida Falk"), ("Owner", "Uma Berg")], TWIN),
    ],
)
def test_parts_that_do_not_all_say_whose_they_are_are_for_a_person(parts: tuple[list[Pair], ...]):
    seen = page(*(one for at, part in enumerate(parts) for one in table(part, 1 + 10 * at)))
    assert read(seen).state in ("uncertain", "missing")


def test_a_part_that_reaches_over_two_regions_is_none():
    mixed = [*table(OWN[:1], regions=("This",)), *table(OWN[1:], 2, regions=("Other",)), *table(TWIN, 10)]
    assert read(page(*mixed)).state != "value"


def test_a_renamed_label_in_the_own_part_takes_no_value_of_the_other():
    renamed = [("Holder" if label == "Owner" else label, value) for label, value in OWN]
    for parts in ((renamed, TWIN), (TWIN, renamed), (renamed, TWIN[:2]), (TWIN[:2], renamed)):
        seen = page(*table(parts[0]), *table(parts[1], 10))
        assert read(seen).state in ("uncertain", "missing")
        assert read(seen, "T-11").text in ("", "Bo Dahl")


def test_one_id_in_the_place_of_the_values_is_no_other_record():
    moved = [OWN[2], ("Team", "Red"), OWN[0], OWN[1]]
    assert (read(page(*table(moved))).state, read(page(*table(moved))).text) == ("value", "Ida Falk")


def test_what_stands_under_the_id_of_another_record_is_told_as_of_that_one():
    reading = read(page(*table(OWN[:1]), *table(TWIN, 10)))
    assert (reading.state, reading.candidates, reading.why) == (
        "uncertain", ("Bo Dahl",), words_of_doubt("of_other_record"),
    )  # fmt: skip
