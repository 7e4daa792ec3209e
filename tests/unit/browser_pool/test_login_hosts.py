"""Which hosts a login state is for, and what of it is given to a browser."""

from __future__ import annotations

from typing import Any

from services.browser_pool.login_hosts import hosts_of_state, login_refusal, read_hosts, state_for


def cookie(domain: str) -> dict[str, Any]:
    return {"name": "who", "value": "x", "domain": domain, "path": "/"}


def storage(origin: str) -> dict[str, Any]:
    return {"origin": origin, "localStorage": []}


STATE = {
    "cookies": [cookie("desk.example"), cookie(".bank.example"), cookie("127.0.0.1")],
    "origins": [storage("http://127.0.0.1:5000"), storage("https://sso.example")],
}


def test_hosts_are_those_of_cookies_and_storage_and_those_that_were_allowed_by_name():
    found = hosts_of_state(STATE, ("start.example:8443", "*"))
    assert found == (
        *("desk.example", "bank.example", "*.bank.example", "127.0.0.1"),
        *("127.0.0.1:5000", "sso.example:443", "start.example:8443"),
    )


def test_a_state_is_loaded_as_it_was_recorded():
    recorded = {**STATE, "hosts": list(hosts_of_state(STATE))}
    assert state_for(recorded, read_hosts(recorded)) == STATE
    assert state_for(STATE, read_hosts(STATE)) == STATE


def test_what_goes_to_other_hosts_than_the_file_names_is_not_loaded():
    narrowed = {**STATE, "hosts": ["www.desk.example", "my.bank.example", "127.0.0.1:5000"]}
    kept = state_for(narrowed, read_hosts(narrowed))
    assert kept == {"cookies": [cookie("desk.example")], "origins": [storage("http://127.0.0.1:5000")]}


def test_what_names_no_host_is_left_for_the_browser_to_refuse():
    odd = {"cookies": [cookie(""), {"name": "x"}], "origins": [storage("null")]}
    assert hosts_of_state(odd) == ()
    assert state_for(odd, ("desk.example",)) == odd


def test_a_cookie_that_names_an_address_goes_to_its_host():
    by_address = {"name": "who", "value": "x", "url": "https://desk.example/login"}
    assert hosts_of_state({"cookies": [by_address]}) == ("desk.example",)
    assert state_for({"cookies": [by_address]}, ("desk.example",))["cookies"] == [by_address]
    assert state_for({"cookies": [by_address]}, ("bank.example",))["cookies"] == []


def test_a_cookie_of_all_names_below_a_domain_goes_to_no_session_of_one_of_them():
    state = {"cookies": [cookie(".bank.example")]}
    assert state_for(state, ("bank.example",))["cookies"] == []
    assert state_for(state, ("bank.example", "*.bank.example"))["cookies"] == state["cookies"]


def test_a_login_goes_to_a_session_that_may_open_one_of_its_hosts():
    hosts = ("desk.example", "sso.example")
    assert login_refusal("desk", hosts, ("other.example", "sso.example")) == ""
    assert login_refusal("desk", hosts, ()) == ""
    told = login_refusal("desk", hosts, ("other.example",))
    assert "'desk' is for desk.example, sso.example, and this session may open other.example only" in told
