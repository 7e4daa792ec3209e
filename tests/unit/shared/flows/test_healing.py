"""What a flow finds in another way than it was recorded: the element, the typed record, and what stays closed."""

from __future__ import annotations

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.contracts.workflows.flows import ClickElement, FlowAnswer
from shared.flows.answering import FlowContext, Perform, decide_call
from shared.flows.files import ElementFacts, FlowFiles
from shared.pages.locate.findings import Ambiguous, Found
from tests.typed import expect
from tests.unit.planner.planner_pages import el, page
from tests.unit.shared.flows.located_elements import found, located

BLAME = 'role=link[name="Blame"]'
PATH = "nav > a:nth-of-type(2)"


def link(name: str, path: str, fingerprint: str) -> Element:
    return replace(located(el("link", name), css=path), fingerprint=fingerprint)


BLAMED = ElementFacts(role="link", selectors=("text=Blame", PATH), fingerprints=("f-blame",))


def test_links_in_another_order_are_told_by_name_and_fingerprint():
    links = (link("Blame", "nav > a:nth-of-type(1)", "f-blame"), link("Code", PATH, "f-code"))
    one = expect(found(BLAME, *links, facts=BLAMED), Found)
    assert (one.element.name, one.moved) == ("Blame", (PATH,))


def test_a_look_alike_of_another_form_is_not_taken_for_what_has_moved():
    links = (link("Blame", "footer > a", "f-other"), link("Annotate", PATH, "f-annotate"))
    assert isinstance(found(BLAME, *links, facts=BLAMED), Ambiguous)


def test_an_id_that_leads_elsewhere_is_never_overruled():
    links = (link("Blame", "nav > a:nth-of-type(1)", "f-blame"), located(el("link", "Code"), id="#blame"))
    facts = ElementFacts(role="link", selectors=("#blame",), fingerprints=("f-blame",))
    assert isinstance(found(BLAME, *links, facts=facts), Ambiguous)


def test_of_several_of_one_name_the_one_alone_in_its_part():
    ann = 'role=link[name="Ann Lee"]'
    links = (el("link", "Ann Lee", regions=("Results",)), el("link", "Ann Lee"), el("link", "Ann Lee"))
    facts = ElementFacts(role="link", selectors=('region="Results" >> role=link',))
    one = expect(found(ann, *links, facts=facts), Found)
    assert (one.element.ref, one.others) == (1, 2)
    two = found(ann, el("link", "Bo", regions=("Results",)), el("link", "Ann Lee"), el("link", "Ann Lee"), facts=facts)
    assert not isinstance(two, Found)
    by_order = ElementFacts(role="link", selectors=("nav > a",))
    assert not isinstance(found(ann, *links, facts=by_order), Found)


def decided(selector: str, *elements: Element, irreversible: bool = False) -> Perform | FlowAnswer:
    context = FlowContext(FlowFiles(locators={selector: BLAMED}))
    return decide_call(ClickElement(selector=selector, irreversible=irreversible), page(*elements), context)


def test_a_heal_is_recorded_with_what_was_lost_and_what_matched():
    links = (link("Blame", "nav > a:nth-of-type(1)", "f-blame"), link("Code", PATH, "f-code"))
    done = expect(decided(BLAME, *links), Perform)
    assert done.heal is not None
    assert (done.heal.kind, done.heal.rung, done.heal.subject) == ("element", "moved", BLAME)
    assert [way.key for way in done.heal.moved] == [PATH]
    assert [way.key for way in done.heal.matched] == [BLAME, "text=Blame"]
    assert done.heal.witnesses == ("name", "fingerprint")
    assert done.heal.observation_sha256 == page(*links).sha256
    unchanged = expect(decided(BLAME, link("Blame", PATH, "f-blame")), Perform)
    assert unchanged.heal is None


def test_what_is_pressed_once_is_not_healed():
    links = (link("Blame", "nav > a:nth-of-type(1)", "f-blame"), link("Code", PATH, "f-code"))
    stopped = expect(decided(BLAME, *links, irreversible=True), FlowAnswer)
    assert stopped.error is not None
    assert stopped.error.code == "element_ambiguous"


CHECKS = 'role=link[name="Checks"]'
CHECKED = ElementFacts(role="link", selectors=("text=Checks", 'after="Talk" >> role=link'), fingerprints=("f-checks",))


def tab(name: str, place: str = "main>div>nav>a") -> Element:
    return replace(el("link", name), place=place, fingerprint=f"new {name} {place}")


def test_a_list_in_another_order_is_told_where_all_markup_is_new():
    one = expect(found(CHECKS, tab("Checks"), tab("Talk"), tab("Files"), facts=CHECKED), Found)
    assert (one.element.name, one.moved) == ("Checks", ('after="Talk" >> role=link',))


def test_a_name_outside_of_the_list_is_another_elements():
    """The entry itself may have got another name."""
    elsewhere = replace(tab("Checks", "aside>nav>a"), ref=9)
    assert isinstance(found(CHECKS, tab("Talk"), tab("Results"), elsewhere, facts=CHECKED), Ambiguous)
    apart = (tab("Talk"), tab("Results"), el("heading", "Another request"), tab("Checks"))
    assert isinstance(found(CHECKS, *apart, facts=CHECKED), Ambiguous)


def test_where_recorded_markup_is_still_there_a_list_alone_tells_nothing():
    recorded = replace(tab("Results"), fingerprint="f-checks")
    assert isinstance(found(CHECKS, tab("Checks"), tab("Talk"), recorded, facts=CHECKED), Ambiguous)


def test_an_id_and_a_name_that_agree_tell_what_has_moved():
    country, office = located(el("combobox", "Country"), id="#country"), located(el("combobox", "Office"), id="#office")
    facts = ElementFacts(role="combobox", selectors=("#country", 'after="Where" >> role=combobox'))
    where = el("heading", "Where")
    one = expect(found('role=combobox[name="Country"]', where, office, country, facts=facts), Found)
    assert (one.element.name, one.moved) == ("Country", ('after="Where" >> role=combobox',))
    exchanged = (
        where,
        located(el("combobox", "Country"), id="#office"),
        located(el("combobox", "Office"), id="#country"),
    )
    assert isinstance(found('role=combobox[name="Country"]', *exchanged, facts=facts), Ambiguous)
    path = ElementFacts(role="combobox", selectors=("#where > select", 'after="Where" >> role=combobox'))
    by_path = (where, office, located(el("combobox", "Country"), css="#where > select"))
    assert isinstance(found('role=combobox[name="Country"]', *by_path, facts=path), Ambiguous)
