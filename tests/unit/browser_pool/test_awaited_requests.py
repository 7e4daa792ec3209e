"""Which requests in flight may bring the values of a page, and which are rounds of a poll."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from services.browser_pool.adapters.network import Network, own_addresses
from services.browser_pool.page.polls import HELD_S, ROUNDS

SITE = "https://desk.example.com"


class Thing:
    """An object of the browser's with these properties."""

    def __init__(self, **facts: Any) -> None:
        self.__dict__.update(facts)


class Traffic:
    """A page whose requests and answers come as the test says, on a clock of its own."""

    def __init__(self, known: set[str] | None = None) -> None:
        self.now_s = 100.0
        self._handlers: dict[str, Callable[[Any], None]] = {}
        self.page: Any = Thing(url=f"{SITE}/t/1", is_closed=lambda: False)
        self.frame = Thing(page=self.page, parent_frame=None, is_detached=lambda: False)
        context: Any = Thing(on=self._handlers.__setitem__)
        self.known = set[str]() if known is None else known
        self.network = Network(context, lambda: self.now_s, 30.0, self.known)
        self.load()

    def load(self) -> None:
        self.answer(self.ask("/t/1", kind="document"))

    def ask(
        self, path: str, *, kind: str = "fetch", method: str = "GET", body: bytes | None = None, part: bool = False
    ) -> Any:
        url = path if path.startswith("http") else f"{SITE}{path}"
        frame = self.frame if not part else Thing(**{**vars(self.frame), "parent_frame": self.frame})
        request = Thing(
            url=url, method=method, post_data_buffer=body, resource_type=kind, frame=frame, failure=None, begun=False,
            is_navigation_request=lambda: kind == "document",
        )  # fmt: skip
        self._handlers["request"](request)
        return request

    def answer(
        self, request: Any, after_s: float = 0.1, status: int = 200, media_type: str = "application/json"
    ) -> None:
        self.now_s += after_s
        if not request.begun:
            self.begin(request, status, media_type)
        self._handlers["requestfinished"](request)

    def begin(self, request: Any, status: int = 200, media_type: str = "application/json") -> None:
        request.begun = True
        said = Thing(request=request, url=request.url, status=status, headers={"content-type": media_type})
        self._handlers["response"](said)

    def fail(self, request: Any, failure: str) -> None:
        request.failure = failure
        self._handlers["requestfailed"](request)

    @property
    def awaited(self) -> tuple[str, ...]:
        """The paths of what is awaited now, with nothing that has just ended."""
        return _paths(self.network.awaited(self.page, OWN, self.now_s + 1))

    @property
    def failed(self) -> tuple[str, ...]:
        return _paths(self.network.failed(self.page, OWN))


OWN = own_addresses(f"{SITE}/t/1", ("api.other.example",))


def _paths(found: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one.removeprefix(f"GET {SITE}") for one in found)


@pytest.mark.parametrize("kind", ["fetch", "xhr", "script"])
def test_an_answer_is_awaited_however_long_it_takes(kind: str) -> None:
    one = Traffic()
    request = one.ask("/api/owner?id=7", kind=kind)
    one.now_s += 3600
    assert one.awaited == ("/api/owner",)
    one.answer(request)
    assert one.awaited == ()
    assert one.network.awaited(one.page, OWN, one.now_s) != ()  # it has come since the page was read


def test_what_brings_no_values_is_not_awaited() -> None:
    one = Traffic()
    for kind in ("image", "ping", "eventsource", "websocket", "stylesheet", "font", "other"):
        one.ask(f"/{kind}", kind=kind)
    one.ask("https://chat.example.net/poll")
    one.begin(one.ask("/news"), media_type="text/event-stream; charset=utf-8")
    one.ask("/engine.io/?EIO=4&transport=polling&t=x1")
    one.ask("/bus/longpolling/poll", method="POST", body=b"1")
    assert one.awaited == ()


def test_a_part_of_the_page_and_an_allowed_host_are_its_own() -> None:
    one = Traffic()
    one.ask("/part", kind="document", part=True)
    one.ask("https://static.example.com/late.js", kind="script")
    one.ask("https://api.other.example/owner")
    assert len(one.awaited) == 3


def test_an_answer_that_has_begun_is_awaited_to_its_end() -> None:
    one = Traffic()
    one.begin(one.ask("/api/owner"))
    assert one.awaited == ("/api/owner",)


def test_answers_one_after_the_other_are_all_awaited() -> None:
    one = Traffic()
    for after_s in (6.0, 6.0, 6.0):
        request = one.ask("/api/step")
        assert one.awaited == ("/api/step",)
        one.answer(request, after_s)
    for question in (b"{menu}", b"{user}", b"{tags}", b"{lists}"):
        one.answer(one.ask("/graphql", method="POST", body=question), 0.2)
    one.ask("/graphql", method="POST", body=b"{owner}")
    assert len(one.awaited) == 1


def test_many_quick_answers_do_not_make_a_slow_one_a_round() -> None:
    one = Traffic()
    for number in range(9):
        one.answer(one.ask(f"/user?id={number}"))
    one.ask("/user?id=77")
    one.now_s += 5
    assert one.awaited == ("/user",)


@pytest.mark.parametrize("address", ["/news", "/news?since={}"])
def test_a_poll_is_known_once_its_answer_was_held_back_and_it_is_asked_again(address: str) -> None:
    one = Traffic()
    first = one.ask(address.format(1))
    assert one.awaited == ("/news",)
    one.now_s += HELD_S + 10
    one.begin(first)
    one.ask(address.format(2))  # before all of the answer has come
    one.answer(first)
    assert one.awaited == ()


def test_a_poll_in_the_same_words_is_known_to_other_pages_but_one_in_others_may_be_an_answer_after_an_answer() -> None:
    one = Traffic()
    one.answer(one.ask("/news"), HELD_S + 10)
    one.ask("/news")
    one.answer(one.ask("/report?part=1"), HELD_S)
    one.ask("/report?part=2")
    other = Traffic(one.known)
    other.ask("/news")
    other.ask("/report?part=2")
    assert other.awaited == ("/report",)


def test_what_is_asked_again_since_it_failed_is_no_poll() -> None:
    one = Traffic()
    one.answer(one.ask("/api/owner"), HELD_S + 10, status=504)
    one.ask("/api/owner")
    assert one.awaited == ("/api/owner",)
    assert one.known == set()


@pytest.mark.parametrize("address", ["/status", "/status?n={}"])
def test_a_quick_poll_is_known_by_its_rounds(address: str) -> None:
    one = Traffic()
    for number in range(ROUNDS):
        request = one.ask(address.format(number))
        assert one.awaited == ("/status",)
        one.answer(request, 0.2)
    one.ask(address.format("last"))
    assert one.awaited == ()
    one.now_s += 20
    assert one.awaited == ("/status",)  # far longer than all before


def test_another_document_has_answered_nothing() -> None:
    one = Traffic()
    for _ in range(ROUNDS):
        one.answer(one.ask("/status"), 0.2)
    one.fail(one.ask("/api"), "net::ERR_CONNECTION_RESET")
    one.load()
    one.ask("/status")
    assert (one.awaited, one.failed) == (("/status",), ())


def test_a_request_that_failed_is_told_until_it_is_answered() -> None:
    one = Traffic()
    one.answer(one.ask("/api/owner"), status=503)
    one.fail(one.ask("/api/state"), "net::ERR_EMPTY_RESPONSE")
    assert one.failed == ("/api/owner", "/api/state")
    one.answer(one.ask("/api/owner"))
    assert one.failed == ("/api/state",)


def test_what_the_page_gave_up_or_nobody_has_is_no_failure() -> None:
    one = Traffic()
    for failure in ("net::ERR_ABORTED", "net::ERR_BLOCKED_BY_CLIENT", "net::ERR_FAILED"):
        one.fail(one.ask(f"/{failure[-6:]}"), failure)
    for status in (204, 304, 401, 403, 404):
        one.answer(one.ask(f"/{status}"), status=status)
    one.answer(one.ask("https://chat.example.net/x"), status=500)
    one.answer(one.ask("/late.js", kind="script"), status=500)
    one.answer(one.ask("/io?transport=polling"), status=502)
    assert one.failed == ()


def test_addresses_are_told_without_what_may_be_secret() -> None:
    one = Traffic()
    one.ask("/api?token=s3cret#part")
    one.ask(f"/{'x' * 500}")
    found = one.network.awaited(one.page, OWN, one.now_s)
    assert "s3cret" not in "".join(found)
    assert max(map(len, found)) <= 150


def test_what_was_sent_and_not_taken_is_told_until_the_next_action() -> None:
    one = Traffic()

    def not_taken() -> tuple[str, ...]:
        return one.network.not_taken(f"{SITE}/t/1", ("api.other.example",))

    def taken() -> tuple[str, ...]:
        return one.network.taken(f"{SITE}/t/1", ())

    for path, status in (("/taken", 201), ("/refused", 422), ("/read", 500)):
        method = "GET" if path == "/read" else "POST"
        one.answer(one.ask(path, method=method, body=b"1"), status=status)
    one.answer(one.ask("https://log.example.net/x", method="POST", body=b"1"), status=404)
    one.fail(one.ask("/form", kind="document", method="POST", body=b"1"), "net::ERR_EMPTY_RESPONSE")
    assert (not_taken(), taken()) == ((f"POST {SITE}/refused", f"POST {SITE}/form"), (f"POST {SITE}/taken",))
    one.answer(one.ask("/refused", method="POST", body=b"1"))  # sent once more, and taken
    assert not_taken() == (f"POST {SITE}/form",)
    one.network.begin_action()
    assert (not_taken(), taken()) == ((), ())
