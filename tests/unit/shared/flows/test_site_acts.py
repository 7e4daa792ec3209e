"""Acts that may change the site though nothing on the page says so: their control has sent something before."""

from __future__ import annotations

from msgspec.structs import replace

from shared.contracts.actions import ByCss, ByRef, Click, PickOption
from shared.contracts.results import Change
from shared.flows.building.site_acts import described_act, may_change_site
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


def test_what_the_page_itself_says_is_asked_for_without_a_row():
    press = Click(target=ByRef(ref=3, snapshot_id="s1"), reason="")
    assert may_change_site(press, PAGE, ())
    assert described_act(press, PAGE) == "click on button 'Save'"
    assert described_act(pick(9), PAGE) == "pick"
    assert described_act(Click(target=ByCss(css="a.title"), reason=""), PAGE) == "click on css=a.title"
