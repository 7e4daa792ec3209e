"""What the guard of a session decides: where secrets may be typed, and which documents wait for their turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from services.browser_pool.adapters.guard.pacing import Pacing, SessionPace
from services.browser_pool.adapters.guard.session_guard import SEALED, SessionGuard
from services.browser_pool.login_states import LoginState
from services.browser_pool.safety.politeness import PaceLimits
from shared.network.host_policy import HostPolicy
from shared.network.name_resolver import NameResolver
from shared.testing.bus import MemoryBus

NOON = 1_900_000_000.0
PRIVATE, PUBLIC = "10.0.0.7", "93.184.216.34"
HOST = "desk.example"


class Names(NameResolver):
    """Every name has these addresses."""

    def __init__(self, *addresses: str) -> None:
        super().__init__()
        self._fixed = addresses

    async def addresses(self, host: str) -> tuple[str, ...]:
        return self._fixed


def guard(
    bounds: HostPolicy, *addresses: str, proxied: bool = False, pace: SessionPace | None = None, sealed: str = ""
) -> SessionGuard:
    unpaced = SessionPace(Pacing(None, lambda: NOON), PaceLimits(), "s")
    return SessionGuard(
        cast("Any", None),
        "context",
        bounds,
        pace or unpaced,
        Names(*addresses),
        proxied=proxied,
        on_close=lambda _: None,
        tabs={},
        sealed=sealed,
    )


@pytest.mark.parametrize(
    ("url", "private", "addresses", "proxied", "may"),
    [
        ("https://desk.example/login", (), (PUBLIC,), False, True),
        ("https://other.example/login", (), (PUBLIC,), False, False),
        ("http://desk.example/login", (), (PUBLIC,), False, False),
        # a private address does not make it a host that the task calls private
        ("http://desk.example/login", (), (PRIVATE,), False, False),
        ("http://desk.example/login", ("other.example",), (PRIVATE,), False, False),
        ("http://desk.example/login", (HOST,), (PRIVATE,), False, True),
        ("http://desk.example/login", (HOST,), (PUBLIC,), False, False),
        ("http://desk.example/login", (HOST,), (), False, False),
        ("http://desk.example/login", (HOST,), (), True, True),
        ("http://desk.example/login", (HOST,), (PUBLIC,), True, False),
        ("about:blank", (HOST,), (PRIVATE,), False, False),
    ],
)
async def test_secrets_are_typed_over_https_or_at_a_private_host_that_the_task_names(
    url: str, private: tuple[str, ...], addresses: tuple[str, ...], proxied: bool, may: bool
) -> None:
    one = guard(HostPolicy((HOST,), private), *addresses, proxied=proxied)
    assert await one.may_hold_secrets(url) is may


async def test_a_document_waits_for_its_turn_once_and_its_redirects_do_not() -> None:
    waits: list[float] = []
    now_s = NOON

    async def sleep(pause_s: float) -> None:
        nonlocal now_s
        now_s += pause_s
        if pause_s:
            waits.append(pause_s)

    pacing = Pacing(MemoryBus(), lambda: now_s, sleep)
    one = guard(HostPolicy((HOST,)), PUBLIC, pace=SessionPace(pacing, PaceLimits(interval_s=2.0), "s"))
    first = f"https://{HOST}/one"
    for hop in (False, True, True):
        assert await one.document(first, "tab", hop) is None
    assert waits == []
    assert await one.document(f"https://{HOST}/two", "tab", False) is None
    assert waits == [2.0]


async def test_a_document_that_may_not_be_opened_takes_no_turn() -> None:
    one = guard(HostPolicy((HOST,)), PRIVATE)
    assert "is none of the hosts" in str(await one.document("https://other.example/", "tab", False))
    assert "is a private address" in str(await one.document(f"https://{HOST}/", "tab", False))


async def test_without_named_hosts_the_first_document_decides() -> None:
    one = guard(HostPolicy(), PUBLIC)
    assert await one.document("https://first.example/", "tab", False) is None
    assert one.bounds.allowed == ("first.example:443",)
    assert "is none of the hosts" in str(await one.document("https://second.example/", "tab", False))


async def test_where_a_stored_page_is_shown_nothing_else_is_opened() -> None:
    one = guard(HostPolicy((HOST,)), PUBLIC, sealed="file:///kept/page.html")
    assert await one.document("file:///kept/page.html", "tab", False) is None
    for url, where, hop in (
        ("file:///kept/page.html", "popup", False),
        ("file:///kept/page.html", "tab", True),
        (f"https://{HOST}/", "tab", False),
    ):
        assert await one.document(url, cast("Any", where), hop) == SEALED


def test_where_a_stored_page_is_shown_no_web_socket_is_opened() -> None:
    socket = "wss://push.example/"
    assert guard(HostPolicy()).socket(socket, (PUBLIC,)) is None
    assert "is a private address" in str(guard(HostPolicy()).socket(socket, (PRIVATE,)))
    assert guard(HostPolicy(), sealed="file:///kept/page.html").socket(socket, (PUBLIC,)) == SEALED


@pytest.mark.parametrize(("first", "opened"), [(HOST, True), ("other.example", False)])
async def test_a_session_with_a_login_begins_at_one_of_its_hosts(first: str, opened: bool) -> None:
    one = guard(HostPolicy(), PUBLIC)
    one.login = LoginState("desk", Path("desk.json"), "ab", (HOST,))
    refused = await one.document(f"https://{first}/", "tab", False)
    assert (refused is None) is opened
    assert one.bounds.allowed == ((f"{HOST}:443",) if opened else ())
