"""Which recorded samples are done again on the site for a check: those that only look."""

from __future__ import annotations

from typing import Any

from shared.flows.checking.live_check import live_lease, live_sample
from shared.flows.checking.site_changes import may_change_site
from tests.cases import cases
from tests.typed import expect
from tests.unit.shared.flows.recorded_world import Recorder, element, spec_of


def clicked(role: str, name: str = "Go", **facts: Any) -> str:
    one = Recorder("R1", {"number": "1"})
    one.open("http://site/1", element(1, role, name, **facts))
    one.click(1)
    return may_change_site(one.sample)


@cases(
    ("role", "facts"),
    [
        ("link", {"url": "http://site/2"}), ("button", {"area": "search"}), ("button", {"states": ("collapsed",)}),
        ("tab", {}), ("checkbox", {}), ("button", {"name": "Show details"}), ("button", {"name": "Next page"}),
        ("button", {"name": "Close", "in_dialog": True}), ("button", {"name": "Reject all cookies", "in_dialog": True}),
        ("button", {"name": "Accept all cookies", "in_dialog": True}),
    ],
)  # fmt: skip
def test_what_only_looks_may_be_done_again(role: str, facts: dict[str, Any]):
    assert clicked(role, **facts) == ""


@cases(
    ("role", "facts"),
    [
        ("button", {}), ("switch", {}), ("link", {"url": "javascript:send()"}), ("link", {}), ("menuitem", {}),
        ("button", {"in_dialog": True}), ("button", {"name": "Delete", "in_dialog": True}),
        ("button", {"name": "Show and send"}), ("button", {"name": "Rechnung bezahlen"}),
    ],
)  # fmt: skip
def test_what_may_send_something_is_named(role: str, facts: dict[str, Any]):
    name = facts.get("name", "Go")
    assert clicked(role, **facts) == f"step 2 (click) on the {role} '{name}' may change something on the site"


@cases(("name", "harmless"), [("Close", True), ("Accept all cookies", True), ("OK", False), ("Delete", False)])
def test_in_a_dialog_of_a_page_that_was_not_stored_the_name_decides(name: str, harmless: bool):
    one = Recorder("R1", {"number": "1"})
    one.show(element(1, "button", name, in_dialog=True), stored=False)
    one.click(1)
    assert (may_change_site(one.sample) == "") is harmless


def searched(role: str, *more: str) -> str:
    """Return what is said of a button that is pressed after something was typed, on a page that was not stored."""
    one = Recorder("R1", {"number": "1"})
    inputs = [element(n, each, f"Input {n}") for n, each in enumerate((role, *more), 2)]
    one.show(element(1, "button", "Go"), *inputs, stored=False)
    for each in inputs:
        one.type(each.ref, "1")
    one.click(1)
    return may_change_site(one.sample)


def test_a_button_after_a_search_box_asks_only_and_one_after_more_inputs_may_send():
    assert searched("searchbox") == ""
    assert searched("textbox")
    assert searched("searchbox", "textbox")


def test_on_a_page_that_was_not_stored_a_link_that_led_on_only_looks():
    one = Recorder("R1", {"number": "1"})
    one.show(element(1, "link", "Next", tag="a"), element(2, "button", "Approve"), stored=False)
    one.click(1, element(2, "button", "Approve"))
    assert may_change_site(one.sample) == ""
    one.click(2)
    assert may_change_site(one.sample) == "step 2 (click) on the button 'Approve' may change something on the site"
    stays = Recorder("R1", {"number": "1"})
    stays.show(element(1, "link", "Vote", tag="a"), stored=False)
    stays.click(1)
    assert may_change_site(stays.sample)


def looks(sample_id: str) -> Recorder:
    one = Recorder(sample_id, {"url": "http://other/1", "key": sample_id})
    one.open("http://site/1", element(1, "textbox", "Words"))
    one.type(1, sample_id)
    return one


def sends(sample_id: str) -> Recorder:
    one = looks(sample_id)
    one.show(element(2, "button", "Save"))
    one.click(2)
    return one


def test_the_first_held_out_sample_is_done_unless_the_flow_may_change_something():
    spec = spec_of()
    first, second = looks("R1").sample, looks("R2").sample
    assert live_sample(spec, [first], [second]) is second
    assert live_sample(spec, [first], []) == "no sample was held out"
    for told in (live_sample(spec, [sends("R1").sample], [second]), live_sample(spec, [second], [sends("R1").sample])):
        assert isinstance(told, str)
        assert told.startswith("R1: step 3 (click)")
    route = [{"press": "Send", "irreversible": True}]
    told = expect(live_sample(spec_of(route=route), [first], [second]), str)
    assert "cannot be taken back" in told


def test_the_browser_of_a_check_may_do_what_that_of_a_run_may():
    row = looks("R1").sample
    of_row = live_lease(spec_of(start_url="{url}", auth_profile="shop", auth_concurrency=2), row)
    assert (of_row.allowed_hosts, of_row.private_hosts) == (("other",), ())
    assert (of_row.auth_profile, of_row.auth_concurrency) == ("shop", 2)
    named = live_lease(spec_of(allowed_hosts=["site"], secrets=["password"]), row)
    assert (named.allowed_hosts, named.private_hosts) == (("site",), ("site",))
    assert named.secrets == ("password",)
