"""What the guard of a session decides by itself, without a browser."""

from __future__ import annotations

from asyncio import run
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from services.browser_pool.adapters.guard.pacing import Admission
from services.browser_pool.adapters.guard.session_guard import MAX_DENIED, SEALED, DocumentUse, SessionGuard
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.login_states import LoginState
from shared.contracts.results import Effect, Navigated, NotSeen, PageChanged
from shared.network.host_policy import HostPolicy
from shared.network.name_resolver import NameResolver
from tests.cases import cases

PUBLIC, INSIDE = "93.184.216.34", "10.0.0.7"
SITE = HostPolicy(("desk.example",))


class Names(NameResolver):
    """Every name has these addresses; names that were asked for are kept."""

    def __init__(self, *addresses: str) -> None:
        super().__init__()
        self.fixed, self.asked = addresses, list[str]()

    async def addresses(self, host: str) -> tuple[str, ...]:
        self.asked.append(host)
        return self.fixed


class Turns:
    """The pace: whose turn was asked for, and whether it comes."""

    def __init__(self, reason: str = "") -> None:
        self.reason, self.asked = reason, list[str]()

    async def admit(self, url: str) -> Admission:
        self.asked.append(url)
        return Admission(not self.reason, reason=self.reason)


def guard(bounds: HostPolicy = SITE, *addresses: str, turns: Turns | None = None, **facts: Any) -> SessionGuard:
    given: dict[str, Any] = {"context": None, "proxied": False, "on_close": lambda _: None, "tabs": {}, **facts}
    given |= {"pace": turns or Turns(), "names": Names(*(addresses or (PUBLIC,)))}
    return SessionGuard(context_id="context", bounds=bounds, **given)


# --- secrets


@cases(
    ("url", "bounds", "addresses", "may"),
    [
        ("https://desk.example/login", SITE, (PUBLIC,), True),
        ("https://www.desk.example/login", SITE, (PUBLIC,), True),
        ("https://evil.example/login", SITE, (PUBLIC,), False),
        ("desk.example", SITE, (PUBLIC,), False),
        ("http://desk.example/login", SITE, (PUBLIC,), False),
        # in clear only to a host that is named private, and is private
        ("http://desk.example/login", SITE, (INSIDE,), False),
        ("http://desk.example/login", HostPolicy(SITE.allowed, SITE.allowed), (INSIDE,), True),
        ("http://desk.example/login", HostPolicy(SITE.allowed, SITE.allowed), (PUBLIC,), False),
        ("http://desk.example/login", HostPolicy((), SITE.allowed), (INSIDE,), False),
        ("http://127.0.0.1:8000/", HostPolicy(("127.0.0.1",), ("127.0.0.1",)), (), True),
        ("http://127.0.0.1:8000/", HostPolicy(("127.0.0.1",), ()), (), False),
    ],
)
def test_where_secrets_may_be_typed(url: str, bounds: HostPolicy, addresses: tuple[str, ...], may: bool):
    assert run(guard(bounds, *addresses).may_hold_secrets(url)) is may


def test_a_proxy_alone_may_know_the_address_of_a_private_host():
    named = HostPolicy(SITE.allowed, SITE.allowed)
    for proxied, addresses, may in ((True, (), True), (False, (), False), (True, (PUBLIC,), False)):
        one = guard(named, proxied=proxied)
        cast("Names", one.names).fixed = addresses
        assert run(one.may_hold_secrets("http://desk.example/")) is may


# --- documents


@cases(
    ("url", "where", "addresses", "opens"),
    [
        ("https://desk.example/1", "tab", (PUBLIC,), True),
        ("https://desk.example/1", "popup", (PUBLIC,), True),
        ("https://desk.example/1", "tab", (INSIDE,), False),
        ("https://evil.example/1", "tab", (PUBLIC,), False),
        ("https://evil.example/1", "popup", (PUBLIC,), False),
        ("https://evil.example/1", "part", (PUBLIC,), True),
        ("https://evil.example/1", "part", (INSIDE,), False),
        ("http://127.0.0.1/", "part", (), False),
    ],
)
def test_which_documents_are_requested(url: str, where: DocumentUse, addresses: tuple[str, ...], opens: bool):
    assert (run(guard(SITE, *addresses).document(url, where, False)) is None) is opens


def test_a_document_of_a_tab_waits_for_its_turn_and_a_redirect_and_a_part_do_not():
    turns = Turns()
    one = guard(turns=turns)
    asked: list[tuple[str, DocumentUse, bool]] = [
        ("/1", "tab", False), ("/2", "tab", True), ("/3", "part", False), ("/4", "popup", False),
    ]  # fmt: skip
    for url, where, hop in asked:
        assert run(one.document(f"https://desk.example{url}", where, hop)) is None
    assert run(one.document("https://evil.example/", "tab", False)) is not None
    assert turns.asked == ["https://desk.example/1", "https://desk.example/4"]
    late = guard(turns=Turns("the turn did not come"))
    assert run(late.document("https://desk.example/", "tab", False)) == "the turn did not come"


def test_without_allowed_hosts_the_first_document_of_a_tab_says_which():
    one = guard(HostPolicy())
    assert run(one.document("https://cdn.example/", "part", False)) is None
    assert (one.used, one.bounds.allowed) == (False, ())
    assert run(one.document("https://desk.example/", "tab", False)) is None
    assert (one.used, one.bounds.allowed) == (True, ("desk.example:443",))
    assert run(one.document("https://other.example/", "tab", False)) is not None
    assert run(guard(HostPolicy()).document("nowhere", "tab", False)) is not None


def test_a_login_state_is_for_its_hosts():
    login = LoginState("desk", Path("desk.json"), "0" * 64, ("desk.example",))
    assert run(guard(HostPolicy(), login=login).document("https://desk.example/", "tab", False)) is None
    refused = guard(HostPolicy(), login=login)
    assert "'desk' is for desk.example" in (run(refused.document("https://evil.example/", "tab", False)) or "")
    assert refused.bounds.allowed == ()


def test_a_session_that_shows_a_stored_page_opens_it_and_nothing_else():
    one = guard(sealed="file:///page.mhtml")
    assert run(one.document("file:///page.mhtml", "tab", False)) is None
    others: list[tuple[str, DocumentUse, bool]] = [
        ("file:///page.mhtml", "part", False), ("file:///page.mhtml", "tab", True),
        ("https://desk.example/", "tab", False), ("https://desk.example/", "part", False),
    ]  # fmt: skip
    for url, where, hop in others:
        assert run(one.document(url, where, hop)) == SEALED
    assert one.socket("wss://desk.example/", (PUBLIC,)) == SEALED


def test_sockets_go_where_parts_of_pages_may_come_from():
    assert guard().socket("wss://evil.example/", (PUBLIC,)) is None
    assert guard().socket("wss://evil.example/", (INSIDE,)) is not None


def test_names_of_hosts_that_are_named_private_and_addresses_are_not_resolved():
    one = guard(HostPolicy(("desk.example", "127.0.0.1"), ("desk.example", "127.0.0.1")))
    for url in ("https://desk.example/", "http://127.0.0.1:9/"):
        assert run(one.document(url, "tab", False)) is None
    assert cast("Names", one.names).asked == []


# --- what has come all the same


class Tab:
    """A page of the browser: what was done with it."""

    def __init__(self, *frames: str) -> None:
        self.frames, self.done, self.asked = frames, list[str](), 0

    async def goto(self, url: str, timeout: float) -> None:
        self.done.append(url)

    async def close(self) -> None:
        self.done.append("closed")

    async def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        first, *others = ({"frame": {"id": name}} for name in self.frames)
        return {"frameTree": {**first, "childFrames": others}}


class Context:
    def __init__(self, *pages: Tab) -> None:
        self.pages = pages

    async def new_cdp_session(self, page: Tab) -> Tab:
        page.asked += 1
        return page


def test_a_session_holds_the_frames_of_its_pages():
    first, second = Tab("f1", "f2"), Tab("f3")
    one = guard(context=Context(first, second), tabs={"f0": True})
    assert [run(one.holds(frame)) for frame in ("f0", "f1", "f2", "f3", "f4")] == [True, True, True, True, False]
    assert (first.asked, second.asked) == (1, 1)
    assert not run(guard(context=Context(), tabs={"f0": True}).holds("f0"))


async def arrived(url: str, *, parent: object = None, tab: int = 0, **facts: Any) -> tuple[list[str], int]:
    """Return what was done with the tab of a document that came without being asked for, and what was denied."""
    tabs = (Tab("f1"), Tab("f2"))[: facts.pop("count", 2)]
    one = guard(context=Context(*tabs), **facts)
    frame = SimpleNamespace(parent_frame=parent, url=url, page=tabs[tab])
    one._check_arrival(cast("Any", frame))
    await one.wait_for_checks()
    return tabs[tab].done, len(one.denied)


@cases(
    ("url", "facts", "done"),
    [
        ("https://desk.example/", {}, []), ("https://evil.example/", {}, ["about:blank"]),
        ("https://evil.example/", {"tab": 1}, ["closed"]), ("https://evil.example/", {"count": 1}, ["about:blank"]),
        ("https://evil.example/", {"parent": "a page"}, []), ("blob:https://evil.example/1", {}, ["about:blank"]),
        ("about:blank", {}, []), ("chrome-error://x", {}, []), ("", {}, []),
        ("file:///p.mhtml", {"sealed": "file:///p.mhtml"}, []),
        ("https://desk.example/", {"sealed": "file:///p.mhtml"}, ["about:blank"]),
    ],
)  # fmt: skip
def test_a_document_that_was_not_asked_for_is_removed(url: str, facts: dict[str, Any], done: list[str]):
    assert run(arrived(url, **facts)) == (done, len(done))


async def connected(address: str, *, url: str = "https://desk.example/", document: bool = True, **facts: Any) -> int:
    """Return how many documents are denied whose browser was connected to this address."""

    async def server_addr() -> dict[str, str]:
        return {"ipAddress": address}

    tab = Tab("f1")
    one = guard(context=Context(tab), **facts)
    request = SimpleNamespace(is_navigation_request=lambda: document)
    frame = SimpleNamespace(page=tab)
    one.check_response(cast("Any", SimpleNamespace(request=request, url=url, frame=frame, server_addr=server_addr)))
    await one.wait_for_checks()
    assert tab.done == ["about:blank"] * len(one.denied)
    return len(one.denied)


@cases(
    ("address", "facts", "denied"),
    [
        (PUBLIC, {}, 0), (INSIDE, {}, 1), (INSIDE, {"document": False}, 0), (INSIDE, {"proxied": True}, 0),
        (INSIDE, {"bounds": HostPolicy(SITE.allowed, SITE.allowed)}, 0), (INSIDE, {"url": "http://10.0.0.7/"}, 0),
        (INSIDE, {"url": "nowhere"}, 0),
    ],
)  # fmt: skip
def test_the_address_that_was_connected_to_counts(address: str, facts: dict[str, Any], denied: int):
    assert run(connected(address, **facts)) == denied


# --- what an action that opened a refused document comes to


@cases(
    ("effect", "where", "refused"),
    [
        (Navigated(url="https://desk.example/2"), "tab", False),
        (PageChanged(), "tab", True),
        (NotSeen(), "tab", True),
        (None, "tab", True),
        (PageChanged(), "popup", False),
        (NotSeen(), "popup", True),
        (Navigated(url="https://desk.example/2"), "shown", True),
        (NotSeen(), "part", False),
    ],
)
def test_an_action_that_only_opened_what_was_refused_is_refused(effect: Effect | None, where: Any, refused: bool):
    told = after(done("clicked", effect=effect), where)
    assert (told.code == "policy_denied") is refused
    assert ("not opened: https://evil.example/" in told.message) is (where != "part")
    assert told.effect is None if refused else told.effect == effect


def after(outcome: PerformOutcome, *where: Any) -> PerformOutcome:
    one = guard()
    for use in where:
        one.deny("https://evil.example/", "why", use)
    assert one.refused is any(use != "part" for use in where)
    return run(one.apply_denials(outcome))


def test_an_action_that_failed_is_refused_where_a_document_was():
    failed = refuse("blocked", "covered", effect=Navigated(url="https://desk.example/2"))
    assert after(failed, "tab").code == "policy_denied"
    assert after(failed) == failed
    assert after(done("clicked", effect=PageChanged()), "popup", "tab").code == "policy_denied"


def test_refusals_are_told_once_in_part_and_until_the_next_action():
    one = guard()
    for _ in range(MAX_DENIED + 5):
        one.deny("https://evil.example/", "why", "part")
    assert len(one.denied) == MAX_DENIED
    assert one.denials() == ("https://evil.example/: why",)
    one.deny_tabs(refused=False, most=4)
    one.begin_action()
    assert one.denials() == ()
    one.deny_tabs(refused=True, most=4)
    assert one.refused
    assert "4 tabs are open" in one.denials()[0]
