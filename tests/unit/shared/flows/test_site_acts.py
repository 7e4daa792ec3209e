"""Acts that may change the site though nothing on the page says so: their control has sent something before."""

from __future__ import annotations

from msgspec.structs import replace

from shared.contracts.actions import ByCss, ByRef, Click, Extract, Hover, PickOption, TypeText, Wait
from shared.contracts.browser_pool import Element
from shared.contracts.results import Change, TargetFound
from shared.flows.building.site_acts import acts_on_found, described_act, may_change_site
from shared.recordings.recording import Recording
from tests.unit.shared.flows.recorded_world import Recorder, element

QUEUE, OWNER, SAVE = element(1, "combobox", "Queue"), element(2, "combobox", "Owner"), element(3, "button", "Save")
PAGE = (QUEUE, OWNER, SAVE)
POST = ("POST http://site/tickets/1",)


def pick(ref: int) -> PickOption:
    return PickOption(target=ByRef(ref=ref, snapshot_id="s1"), option="Billing", reason="")


def row_on_which_the_queue_was_picked(taken: tuple[str, ...]) -> Recording:
    one = Recorder("N-1", {})
    one.show(*PAGE)
    one.pick(1, "Billing")
    result = one.steps[-1].result
    assert result is not None
    one.mark_last(result=replace(result, change=Change(url_before="", url_after="", taken=taken)))
    return one.sample


def test_a_control_that_has_sent_something_is_asked_for_on_the_next_rows():
    saved = [row_on_which_the_queue_was_picked(POST)]
    assert may_change_site(pick(1), PAGE, saved)
    assert not may_change_site(pick(2), PAGE, saved)
    assert not may_change_site(pick(1), PAGE, [row_on_which_the_queue_was_picked(())])
    moved = (replace(QUEUE, ref=7, name="QUEUE"),)
    assert may_change_site(pick(7), moved, saved)


def test_what_is_done_to_an_element_that_is_not_on_the_page_may_be_done_to_the_control_that_has_sent():
    saved, nothing = ([row_on_which_the_queue_was_picked(taken)] for taken in (POST, ()))
    unknown = (PickOption(target=ByCss(css="#q"), option="Billing", reason=""), pick(9))
    assert [may_change_site(one, PAGE, saved) for one in unknown] == [True, True]
    assert [may_change_site(one, PAGE, nothing) for one in unknown] == [False, False]
    for looks in (Extract(target=ByCss(css="#q")), Wait(target=ByCss(css="#q")), Hover(target=ByCss(css="#q"))):
        assert not may_change_site(looks, PAGE, saved)


def test_a_press_that_loads_a_document_has_sent_what_was_asked_for():
    one = Recorder("N-1", {})
    one.show(element(1, "textbox", "Search"))
    one.press(1, "Enter")
    result = one.steps[-1].result
    assert result is not None
    sent = Change(url_before="http://site/", url_after="http://site/-/search", taken=("POST http://site/-/search",))
    typed = TypeText(target=ByRef(ref=1, snapshot_id="s1"), text="N-2", reason="")
    for status, asked in ((200, False), (None, True)):
        one.mark_last(result=replace(result, change=replace(sent, http_status=status)))
        assert may_change_site(typed, (element(1, "textbox", "Search"),), [one.sample]) is asked


def test_what_the_page_itself_says_is_asked_for_without_a_row():
    press = Click(target=ByRef(ref=3, snapshot_id="s1"), reason="")
    assert may_change_site(press, PAGE, ())
    assert described_act(press, PAGE) == "click on button 'Save'"
    assert described_act(pick(9), PAGE) == "pick"
    assert described_act(Click(target=ByCss(css="a.title"), reason=""), PAGE) == "click on css=a.title"


def test_a_selector_is_judged_by_every_element_that_it_may_hit():
    links = [replace(element(ref, "link", "Title"), fingerprint="f1", url=f"http://site/{ref}") for ref in (4, 5)]
    script = replace(links[1], ref=6, url="javascript:send()")
    found = TargetFound(role="link", name="Title", tag="a", fingerprint="f1")
    press = Click(target=ByCss(css="a.title"), reason="")

    def may(found: TargetFound | None, *elements: Element) -> bool:
        return any(may_change_site(one, elements, ()) for one in acts_on_found(press, found, elements))

    assert not may(found, *links)
    assert may(found, *links, script)
    assert may(None, *links)
    assert may(replace(found, name="Other"), *links)
