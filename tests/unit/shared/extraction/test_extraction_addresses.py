"""Where several elements stand beside a field's own label, the address of the page tells which one is the record's."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.extraction.addresses import AddressPart, learn_address_part
from shared.extraction.agreement import read_field
from shared.extraction.field_rules import FieldRules
from shared.extraction.pages import ObservedPage
from shared.extraction.synthesis import Example, learn_field
from tests.cases import cases
from tests.unit.shared.extraction.observed_pages import heading, row, text

SITE = "https://portal.example"
NUMBERS = ("LR-D5DA286D", "LR-4BABE1CA", "LR-00C0FFEE")


def page(path: str, *elements: dict[str, Any]) -> ObservedPage:
    return ObservedPage([Element(ref=at, **one) for at, one in enumerate(elements, 1)], url=SITE + path)


def sent(number: str, path: str, before: tuple[dict[str, Any], ...] = ()) -> ObservedPage:
    own = (text("Your request has been sent."), *row("Number", number), *row("State", "new"), *row("Reason", "Rest"))
    return page(path, heading("Request sent"), *before, *own)


def earlier(number: str) -> tuple[dict[str, Any], ...]:
    return heading("An earlier request", 2), *row("Number", number), *row("State", "approved")


def learned(path: str = "/requests/{}") -> FieldRules:
    rules = learn_field([Example(sent(one, path.format(one)), one) for one in NUMBERS], ("Number",))
    return replace(rules, address=learn_address_part([(SITE + path.format(one), one) for one in NUMBERS]))


@cases(
    ("path", "part"),
    [
        ("/requests/{}", AddressPart(step=1)),
        ("/{}/result", AddressPart(step=0)),
        ("/result?state=new&request={}", AddressPart(query="request")),
        ("/result?request={}&request=1", None),
        ("/requests/number-{}", None),
        ("/requests", None),
    ],
)
def test_the_part_of_the_address_that_is_the_value_is_learned(path: str, part: AddressPart | None):
    assert learned(path).address == part


@cases("values", [("A-1234", "A-1234"), ("open", "shut"), ("12", "13"), ("A 1234", "A 1235")])
def test_only_identifiers_that_differ_are_named_by_an_address(values: tuple[str, str]):
    assert learn_address_part([(f"{SITE}/requests/{one}", one) for one in values]) is None


def test_what_is_no_address_names_nothing():
    assert learn_address_part([("http://[/LR-1234", "LR-1234"), ("http://[/LR-1235", "LR-1235")]) is None


@cases("path", ["/requests/{}", "/result?request={}"])
def test_of_two_like_labels_the_one_that_the_address_names_is_read(path: str):
    rules = learned(path)
    reading = read_field(rules, sent("LR-7F7F7F7F", path.format("lr-7f7f7f7f"), earlier("LR-00000000")), frozenset())
    assert (reading.certainty, reading.value) == ("healed", "LR-7F7F7F7F")


@cases(
    "path",
    [
        "/requests/LR-00000001",  # neither
        "/requests",
        "/portal/requests/LR-7F7F7F7F",  # another template
        "/result?request=LR-7F7F7F7F",
    ],
)
def test_an_address_of_another_kind_tells_nothing(path: str):
    reading = read_field(learned(), sent("LR-7F7F7F7F", path, earlier("LR-00000000")), frozenset())
    assert reading.value is None


def test_the_same_number_twice_is_not_chosen_from():
    twice = sent("LR-7F7F7F7F", "/requests/LR-7F7F7F7F", earlier("LR-7F7F7F7F"))
    assert read_field(learned(), twice, frozenset()).value is None


def test_the_address_is_no_value_where_the_page_does_not_show_it():
    other = sent("LR-00000000", "/requests/LR-7F7F7F7F", earlier("LR-00000001"))
    assert read_field(learned(), other, frozenset()).value is None
    bare = page("/requests/LR-7F7F7F7F", heading("Request sent"), *row("State", "new"))
    assert read_field(learned(), bare, frozenset()).value is None
