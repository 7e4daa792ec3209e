"""The drift switches: valid requests, and the cookie."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from practice.drift import COOKIE, KNOWN, VARIABLE, Drift, DriftCookie, alone, drift_of, drifted, pairs


async def _answer(query: str = "", cookie: str = "") -> tuple[int, str, str]:
    """Status, text and cookie of a site that says which drift it was asked for."""

    async def said(request: Request) -> Response:
        return PlainTextResponse(str(drift_of(request)))

    app = DriftCookie(Starlette(routes=[Route("/", said)]))
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    headers = [(b"cookie", cookie.encode())] if cookie else []
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": query.encode(), "headers": headers}
    await app(scope, receive, send)
    answered = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], sent[1]["body"].decode(), answered.get("set-cookie", "")


def test_names_are_read_in_any_order_and_told_in_one():
    drift = Drift.of(" wrap ,rename,,")
    assert (drift.has("rename"), drift.has("wrap"), drift.has("popup")) == (True, True, False)
    assert (str(drift), drift) == ("rename,wrap", {"rename", "wrap"})
    assert not Drift.of("")


def test_nothing_changes_without_drift():
    none = Drift.of("")
    assert none.label("Assignee", {"Assignee": "Owner"}) == "Assignee"
    assert none.ordered("abcde") == list("abcde")
    assert none.name("panel wide") == "panel wide"
    assert none.css(".panel { color: red }") == ".panel { color: red }"


def test_another_order_holds_everything_once_and_starts_with_something_else():
    for count in range(2, 12):
        reordered = Drift.of("reorder").ordered(range(count))
        assert sorted(reordered) == list(range(count))
        assert reordered[0] != 0


def test_a_style_sheet_follows_the_names_of_its_elements():
    drift = Drift.of("wrap")
    css = "@media (max-width: 9.5px) {\n.a > .b-c, #id { margin: .5em; background: url(/x.svg) } }"
    told = drift.css(css)
    names = re.findall(r"[.#]([\w-]+)(?= |,)", told.partition("{\n")[2].partition("{")[0])
    assert names == [drift.name("a"), drift.name("b-c"), drift.name("id")]
    assert "(max-width: 9.5px)" in told
    assert "margin: .5em; background: url(/x.svg)" in told


async def test_an_address_is_kept_in_a_cookie_wins_over_it_and_both_over_the_environment(
    monkeypatch: pytest.MonkeyPatch,
):
    _, said, cookie = await _answer("drift=rename,reorder")
    assert said == "rename,reorder"
    kept = cookie.partition(";")[0]
    assert await _answer(cookie=kept) == (200, "rename,reorder", "")
    _, said, cookie = await _answer("drift=", kept)
    assert said == ""
    assert cookie.startswith(f"{COOKIE}=;")
    monkeypatch.setenv(VARIABLE, "popup,iframe")
    assert [(await _answer(*one))[1] for one in ((), ("drift=wrap",), ("", f"{COOKIE}="))] == [
        "popup,iframe",
        "wrap",
        "",
    ]


@pytest.mark.parametrize(("query", "cookie"), [("drift=frames", ""), ("", f"{COOKIE}=frames")])
async def test_drift_that_does_not_exist_is_answered_with_what_does(query: str, cookie: str):
    status, said, _ = await _answer(query, cookie)
    assert status == 400
    assert all(name in said for name in KNOWN)


def test_a_site_whose_environment_is_wrong_does_not_start(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, "frames")
    with pytest.raises(ValueError, match="no such drift: frames"):
        DriftCookie(Starlette())


def test_every_switch_is_met_alone_and_with_every_other_and_other_words_make_another_page():
    assert {frozenset(one) for one in alone()} == {frozenset({switch}) for switch in KNOWN}
    assert {frozenset(one) for one in pairs()} == {frozenset({a, b}) for a in KNOWN for b in KNOWN if a != b}
    for drift in (Drift(), *alone(), *pairs()):
        assert drift.is_same_page == (not drift.has("rename"))


async def test_within_a_block_the_whole_site_is_changed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, "wrap")
    with drifted(Drift.of("popup,iframe")):
        assert (await _answer())[1] == "popup,iframe"
        with drifted(Drift()):
            assert (await _answer())[1] == ""
    assert (await _answer())[1] == "wrap"
    monkeypatch.delenv(VARIABLE)
    with drifted(Drift.of("popup")):
        pass
    assert VARIABLE not in os.environ
