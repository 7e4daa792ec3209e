"""Which element and which part of its text is meant by what a person or a model says of a value."""

from __future__ import annotations

from typing import Any

from shared.contracts.results import TextPart, ValueSource
from shared.flows.building.meant_value import MeantValue, element_meant, find_meant, value_meant
from shared.pages.elements import text_of
from shared.task.output_field import OutputField
from tests.cases import cases
from tests.unit.shared.flows.recorded_world import element

TITLE, MARK = TextPart(text="Key card does not open"), TextPart(text="#11", kind="badge", minor=True)
HEADING = element(1, "heading", "Key card does not open #11", parts=(TITLE, MARK))
STATE = element(2, "text", "Open since 12 May 2026")
OWNER = element(3, "definition", "Ann Lee", header="Owner")
TWICE = element(4, "text", "12 of 12 lines")
ROOM = element(5, "text", "2 Open since 12 May 2026")
PRICE = element(6, "text", "Price: 7.25")
PUBLISHER = (element(7, "text", "Publisher:"), element(8, "link", "Salt House", url="/publisher/4"))
PAGE = (HEADING, STATE, OWNER, TWICE, PRICE, *PUBLISHER)


@cases(
    ("words", "ref", "text"),
    [
        ("1", 1, "Key card does not open #11"),
        ("1 Key card does not open", 1, "Key card does not open"),
        ("1 key CARD does not open", 1, "Key card does not open"),  # the page's own letters are kept
        ("1 #11", 1, "#11"),
        ("key card does not open", 1, "Key card does not open"),
        ("beside owner", 3, "Ann Lee"),
        ("beside Price", 6, "7.25"),
        ("beside price:", 6, "7.25"),
        ("beside Publisher", 8, "Salt House"),
        ("ann lee", 3, "Ann Lee"),
        ("2 12 May 2026", 2, "12 May 2026"),
        ("12 May 2026", 2, "12 May 2026"),
        ("since 12 May", 2, "since 12 May"),
    ],
)
def test_a_number_a_label_or_a_text_means_one_value(words: str, ref: int, text: str):
    found = find_meant(words.split(), PAGE)
    assert isinstance(found, MeantValue)
    assert (found.element.ref, found.text) == (ref, text)


def test_a_number_before_a_text_is_of_an_element_or_of_the_text_but_not_of_both():
    found = find_meant(["2", "Open", "since", "12", "May", "2026"], (*PAGE, ROOM))
    assert isinstance(found, str)
    assert "2 places are meant" in found
    alone = find_meant(["2", "Open", "since", "12", "May", "2026"], (ROOM,))
    assert isinstance(alone, MeantValue)
    assert alone.element is ROOM


@cases(
    ("words", "told"),
    [
        ("9", "shows no '9'"),
        ("1 Key car", "element 1 shows 'Key card does not open #11', and 'Key car' does not"),  # no whole word
        ("4 12", "and '12' does not stand there once"),
        ("12", "3 places are meant"),
        ("beside nobody", "shows no 'beside nobody'"),
        ("", "say which text"),
    ],
)
def test_what_means_no_single_value_is_told(words: str, told: str):
    found = find_meant(words.split(), PAGE)
    assert isinstance(found, str)
    assert told in found


def test_an_element_that_is_named_by_its_number_is_that_element_whatever_stands_elsewhere():
    found = element_meant(2, "since 12 May", (*PAGE, ROOM))
    assert isinstance(found, MeantValue)
    assert (found.element.ref, found.text) == (2, "since 12 May")
    assert element_meant(99, "", PAGE) == "the page shows no element 99"


SOURCE = ValueSource(
    snapshot_id="s", observation_sha256="", url="", ref=1, role="combobox", label=None, box=None, frame="main"
)
NOBODY = ["Unassigned"]


@cases(
    ("shown", "states", "kind", "state", "text"),
    [
        ("Ann", (), {"type": "string | null", "not_present": NOBODY}, "value", "Ann"),
        ("Unassigned", ("blank",), {"type": "string | null", "not_present": NOBODY}, "not_present", "Unassigned"),
        ("Unassigned", ("blank",), {"type": "string"}, "value", "Unassigned"),  # it is what the page shows
        ("Choose one", ("placeholder",), {"type": "string | null"}, "not_present", "Choose one"),
        ("---------", (), {"type": "string | null"}, "not_present", "---------"),
        ("", (), {"type": "string | null"}, "not_present", ""),
        ("NEW", (), {"type": "enum", "values": ["New", "Old"]}, "value", "NEW"),
    ],
)
def test_what_a_list_shows_is_recorded_in_the_words_of_the_page(
    shown: str, states: tuple[str, ...], kind: dict[str, Any], state: str, text: str
):
    one = element(1, "combobox", "Owner", tag="select", value=shown, states=states)
    found = value_meant("owner", OutputField(**kind), one, text_of(one), SOURCE, "ann")
    assert not isinstance(found, str)
    assert (found.state, found.shown) == (state, text)


@cases(
    ("shown", "states", "told"), [("Choose one", ("placeholder",), "until something is chosen"), ("", (), "no value")]
)
def test_what_shows_nothing_is_no_value_of_a_field_that_must_have_one(shown: str, states: tuple[str, ...], told: str):
    one = element(1, "combobox", "Owner", tag="select", value=shown, states=states)
    found = value_meant("owner", OutputField(type="string"), one, text_of(one), SOURCE, "ann")
    assert isinstance(found, str)
    assert told in found
