"""The one element that a selector names: exact, agreeing with all that is known of it, or none with the reason."""

from __future__ import annotations

from msgspec.structs import replace

from shared.flows.files import ElementFacts
from shared.pages.locate.by_selector import facts_of_selector, find_element
from shared.pages.locate.findings import Ambiguous, Found, NotFound, Undecidable
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import cell, el, heading, page, text
from tests.unit.shared.flows.located_elements import found, located

SAVE = 'role=button[name="Save"]'


def test_the_element_of_this_role_and_name():
    one = expect(found(SAVE, el("button", "Save all"), el("button", " Save "), el("link", "Save")), Found)
    assert one.element.ref == 2


def test_case_counts_unless_nothing_has_the_same():
    assert isinstance(found(SAVE, el("button", "SAVE")), Found)
    one = expect(found(SAVE, el("button", "SAVE"), el("button", "Save")), Found)
    assert one.element.ref == 2


def test_two_like_it_are_not_told_apart_and_none_says_what_is_there():
    assert isinstance(found(SAVE, el("button", "Save"), el("button", "Save")), Ambiguous)
    none = expect(found(SAVE, el("button", "Send"), el("link", "Save")), NotFound)
    assert "'Send'" in none.message
    assert "'Save'" not in none.message.replace("button 'Save' was", "")


def test_a_page_that_waits_for_an_answer_is_named():
    none = expect(find_element(SAVE, page(dialog="Leave?"), {}, {}), NotFound)
    assert "'Leave?'" in none.message


@cases(
    ("selector", "ref"),
    [
        ("label=Country", 3), ("text=Files", 1), ('[data-testid="go"]', 4), ('region="Parts" >> role=link', 4),
        ('header="Owner" >> role=link', 5), ('after="Files" >> role=textbox', 2), ('li:has-text("Aetna")', 6),
    ],
)  # fmt: skip
def test_each_kind_of_selector(selector, ref):
    elements = (
        heading("Files"),
        el("textbox", "City", tag="input"),
        el("combobox", "Country", tag="select"),
        located(el("link", "Open", regions=("Parts",)), testid='[data-testid="go"]'),
        el("link", "Ann", header="Owner"),
        el("option", "Aetna", tag="li"),
        el("option", "Aetna Inc", tag="li"),
    )
    one = expect(found(selector, *elements), Found)
    assert one.element.ref == ref


def test_the_row_that_has_these_cells():
    rows = [
        (cell("Name", name, n), cell("Firm", firm, n), el("link", "Open", row=n))
        for n, (name, firm) in enumerate([("Ann Lee", "Acme"), ("Ann Lee", "Acme Ltd"), ("Ann", "Lee")], 1)
    ]
    one = expect(found('row=["Ann Lee", "Acme"] >> role=link', *(e for row in rows for e in row)), Found)
    assert one.element.row == 1
    assert isinstance(found('row=["Bob"] >> role=link', *rows[0]), NotFound)


def test_a_numbered_line_is_named_by_its_text():
    lines = [e for n in (8, 9) for e in (cell(None, f"{n} total = {n}", n), el("link", "blame", row=n))]
    one = expect(found('row=["total = 9"] >> role=link', *lines), Found)
    assert one.element.row == 9


def test_what_else_is_known_must_lead_to_the_same_element():
    elements = (located(el("button", "Save"), id="#a"), located(el("button", "Send"), id="#b"))
    assert isinstance(found(SAVE, *elements, facts=ElementFacts(role="button", selectors=("#a",))), Found)
    moved = expect(found(SAVE, *elements, facts=ElementFacts(role="button", selectors=("#b",))), Ambiguous)
    assert "'Send'" in moved.message
    lost = expect(found(SAVE, *elements, facts=ElementFacts(role="button", selectors=("text=Keep",))), Found)
    assert lost.lost == ("text=Keep",)
    assert not lost.healed


def test_a_renamed_element_is_found_by_two_others_that_agree_never_by_one():
    renamed = located(el("button", "Store"), id="#save", testid='[data-testid="save"]')
    both = ElementFacts(role="button", selectors=("#save", '[data-testid="save"]'))
    one = expect(found(SAVE, renamed, facts=both), Found)
    assert one.healed
    assert isinstance(found(SAVE, renamed, facts=ElementFacts(role="button", selectors=("#save",))), NotFound)
    link = located(el("link", "Store"), id="#save", testid='[data-testid="save"]')
    assert not isinstance(found(SAVE, link, facts=both), Found)


CARD = "text=Winter"


def test_of_several_links_to_one_address_the_recorded_one_is_meant():
    picture, title = (el("link", "Winter", url="http://s/book/6", fingerprint=mark) for mark in "ab")
    known = ElementFacts(role="link", effects=("page_changed",), fingerprints=("b",))
    assert expect(found(CARD, picture, title, facts=known), Found).element.ref == 2
    assert expect(found(CARD, picture, title), Found).element.ref == 1
    for leads_on in ("http://s/book/7", "#", "javascript:void(0)", "http://s/list#"):
        assert isinstance(found(CARD, replace(picture, url=leads_on), title, facts=known), Ambiguous)
    hooks = [replace(one, url="#") for one in (picture, title)]
    assert isinstance(found(CARD, *hooks, facts=known), Ambiguous)
    other = replace(title, url="http://s/book/7")
    assert isinstance(found(CARD, picture, other, facts=known), Ambiguous)
    sends = replace(known, effects=("submitted",))
    assert isinstance(found(CARD, picture, title, facts=sends), Ambiguous)


def test_a_text_is_one_that_the_page_shows_before_it_is_the_name_of_a_picture():
    picture, title = el("link", "Winter", unwritten=True), el("link", "Winter", url="/book/6")
    assert expect(found(CARD, picture, title), Found).element.ref == 2
    assert expect(found(CARD, picture), Found).element.ref == 1
    assert expect(found("text=Search", el("textbox", "Search"), el("button", "Search")), Found).element.ref == 2


def test_an_element_of_another_role_is_not_it():
    assert isinstance(found("text=Save", el("link", "Save"), facts=ElementFacts(role="button")), NotFound)


@cases("css", ["button", "div", "Save", ".x"])
def test_a_tag_or_a_class_is_not_told_by_an_observation(css):
    assert found(css, el("button", "Save", tag="button")) == Undecidable(css)


def test_css_that_an_observation_cannot_tell_is_left_to_the_browser():
    assert found("div.card > a:hover", text("x")) == Undecidable("div.card > a:hover")


def test_an_entry_is_known_by_its_template():
    facts = ElementFacts(role="link", selectors=("text={number}",))
    locators = {'row=["{number}"] >> role=link': facts}
    assert facts_of_selector('row=["TCK-1"] >> role=link', locators, {"number": "TCK-1"}) is facts
    assert facts_of_selector('row=["TCK-2"] >> role=link', locators, {"number": "TCK-1"}) is None


def test_ways_that_lead_to_different_elements_heal_none():
    facts = ElementFacts(role="button", selectors=("#a", "#b"), fingerprints=("f1",))
    send, go = (located(el("button", name, fingerprint="f1"), id=one) for name, one in (("Send", "#a"), ("Go", "#b")))
    assert isinstance(found(SAVE, send, go, facts=facts), Ambiguous)
    healed = found(SAVE, send, facts=facts)
    assert isinstance(healed, Found)
    assert (healed.element.name, healed.healed) == ("Send", True)


CLOSE = 'role=button[name="Close"]'


def test_what_closes_a_popup_is_found_only_over_the_page():
    facts = ElementFacts(role="button", over_page=True)
    own, over = el("button", "Close"), el("button", "Close", in_dialog=True)
    one = expect(found(CLOSE, own, over, facts=facts), Found)
    assert one.element.in_dialog
    assert isinstance(found(CLOSE, own, facts=facts), NotFound)
    assert isinstance(found("#close", own, facts=facts), NotFound)


def test_nothing_of_the_page_stands_behind_or_beside_what_lies_over_it():
    after = 'after="Files" >> role=link'
    banner = el("heading", "Cookies", in_dialog=True)
    one = expect(found(after, heading("Files"), banner, banner, banner, el("link", "a.pdf")), Found)
    assert one.element.name == "a.pdf"
    assert isinstance(found('after="Cookies" >> role=link', banner, el("link", "a.pdf")), NotFound)
