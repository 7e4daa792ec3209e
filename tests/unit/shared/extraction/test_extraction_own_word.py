"""A value beside a form of the field's own name within a text, as on the pages of a change in a viewer of git."""

from __future__ import annotations

from msgspec.structs import replace

from shared.contracts.results import TextPart
from shared.extraction.agreement import read_field
from shared.extraction.field_rules import FieldRules
from shared.extraction.labels.own_word import is_own_word
from shared.extraction.pages import ObservedPage
from shared.extraction.synthesis import Example, learn_field
from shared.extraction.values import FieldType
from tests.cases import cases
from tests.unit.shared.extraction.observed_pages import heading, page, text

MOMENT = FieldType(type="date-time")
AGO = "1 year, 8 months ago"
BODY, NOTE = "body>div>span>span", "body>div>p"


def one_person(person: str, at: str, message: str = "Bump version") -> ObservedPage:
    """Return a page of a change that was committed by who made it."""
    when = text(AGO, place=BODY, title=at)
    return page(heading("Change"), text(message, place=BODY), text(person, place=BODY), when)


def two_persons(person: str, other: str, at: str, message: str = "Bump version", place: str = BODY) -> ObservedPage:
    """Return a page of a change that somebody else has committed."""
    hints = (TextPart(text=AGO, title=at),)
    made = text(f"{person} authored {AGO}", place=place, hints=hints)
    committed = text(f"{other} committed {AGO}", place=place, hints=hints)
    return page(heading("Change"), text(message, place=BODY), made, committed)


FIRST, SECOND = "Mar 25, 2025 05:20:00", "Mar 24, 2025 07:06:40"
OWN, OTHER = "Mar 23, 2025 20:00:00", "Mar 20, 2025 10:00:00"


def learned_of_one(name: str, value: str, form: FieldType | None = None) -> FieldRules:
    """Return what two pages of one kind and one of the other kind teach."""
    written = {"committed at": ("2025-03-25T05:20:00", "2025-03-24T07:06:40")}.get(name, ("Ann Lee", "Bo Dahl"))
    shown = [
        Example(one_person("Ann Lee", FIRST), written[0]),
        Example(two_persons("Cy Roth", "Di Falk", OWN), value),
        Example(one_person("Bo Dahl", SECOND), written[1]),
    ]
    return learn_field(shown, [name], form)


AUTHOR = learned_of_one("author", "Cy Roth")
COMMITTER = learned_of_one("committer", "Di Falk")
COMMITTED_AT = learned_of_one("committed at", "2025-03-23T20:00:00", MOMENT)


@cases(
    "field, seen, value",
    [
        (AUTHOR, two_persons("Eve Holm", "Flo Ek", OTHER), "Eve Holm"),
        (COMMITTER, two_persons("Eve Holm", "Flo Ek", OTHER), "Flo Ek"),
        (COMMITTED_AT, two_persons("Eve Holm", "Flo Ek", OTHER), OTHER),
        (AUTHOR, two_persons("Eve Holm", "Flo Ek", OTHER, "Gus authored this"), None),
        (AUTHOR, one_person("Eve Holm", OTHER, "Gus authored this"), None),
        (AUTHOR, page(heading("Change"), text("Gus authored this", place=BODY)), None),
        (AUTHOR, two_persons("Eve Holm", "Flo Ek", OTHER, place=NOTE), None),
    ],
)
def test_one_page_of_its_kind_teaches_what_a_form_of_the_fields_name_tells(
    field: FieldRules, seen: ObservedPage, value: str | None
):
    assert read_field(field, seen, ()).value == value


def test_a_title_that_another_word_tells_is_not_read():
    [element] = [one for one in two_persons("Eve Holm", "Flo Ek", OTHER).elements if "committed" in one.name]
    hints = (TextPart(text="by day", title=OTHER),)
    moved = replace(element, name=f"Flo Ek committed it, and reverted it by day, {AGO}", hints=hints)
    assert read_field(COMMITTED_AT, ObservedPage([moved]), ()).value is None


def test_one_page_without_such_a_word_teaches_nothing():
    shown = [
        Example(one_person("Ann Lee", FIRST), "Ann Lee"),
        Example(page(heading("Change"), text("by Cy Roth", place=NOTE)), "Cy Roth"),
        Example(one_person("Bo Dahl", SECOND), "Bo Dahl"),
    ]
    field = learn_field(shown, ["author"])
    seen = page(heading("Change"), text("by Eve Holm", place=NOTE))
    assert len(field.variants) == 1
    assert read_field(field, seen, ()).certainty == "missing"


def test_a_title_that_only_its_order_tells_is_certain_beside_the_word():
    pages = (two_persons("Cy Roth", "Di Falk", FIRST), two_persons("Ann Lee", "Bo Dahl", SECOND))
    values = ("2025-03-25T05:20:00", "2025-03-24T07:06:40")
    field = learn_field([Example(*one) for one in zip(pages, values, strict=True)], ["committed at"], MOMENT)
    assert read_field(field, two_persons("Eve Holm", "Flo Ek", OTHER), ()).value == OTHER


@cases(
    "word, label, own",
    [
        ("authored", "author", True),
        ("Committed", "committer", True),
        ("committed", "committed at", True),
        ("owner", "owner", True),
        ("employee", "employer", False),
        ("authority", "author", False),
        ("dated", "due date", False),
        ("changed", "changed files", False),
        ("use", "user", False),
    ],
)
def test_a_form_of_the_fields_name(word: str, label: str, own: bool):
    assert is_own_word(word, [label]) is own
