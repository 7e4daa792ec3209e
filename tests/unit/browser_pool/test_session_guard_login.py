"""What the guard of a session refuses beside a stored page, and with a login state of other hosts."""

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

PUBLIC, PRIVATE = ("93.184.216.34",), ("10.0.0.7",)
SOCKET = "wss://push.example/"


class Names(NameResolver):
    """Every name is that of a public address."""

    async def addresses(self, host: str) -> tuple[str, ...]:
        return PUBLIC


def guard(bounds: HostPolicy, **more: Any) -> SessionGuard:
    pace = SessionPace(Pacing(None, lambda: 0.0), PaceLimits(), "s")
    ends = {"proxied": False, "on_close": lambda _: None, "tabs": {}}
    return SessionGuard(cast("Any", None), "context", bounds, pace, Names(), **ends, **more)


def test_a_stored_page_opens_no_web_socket():
    assert guard(HostPolicy()).socket(SOCKET, PUBLIC) is None
    assert "is a private address" in str(guard(HostPolicy()).socket(SOCKET, PRIVATE))
    assert guard(HostPolicy(), sealed="file:///kept/page.html").socket(SOCKET, PUBLIC) == SEALED


@pytest.mark.parametrize(("first", "opened"), [("https://desk.example/", True), ("https://other.example/", False)])
async def test_a_session_with_a_login_begins_at_one_of_its_hosts(first: str, opened: bool):
    one = guard(HostPolicy(), login=LoginState("desk", Path("desk.json"), "ab", ("desk.example",)))
    refused = await one.document(first, "tab", False)
    assert (refused is None) is opened
    assert one.bounds.allowed == (("desk.example:443",) if opened else ())
