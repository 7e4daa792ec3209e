"""An API is asked over real sockets under the rules of a session; no browser is needed for that."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from services.browser_pool.adapters import api_response
from services.browser_pool.adapters.api_response import MAX_RESPONSE_BYTES, fetch_response
from services.browser_pool.adapters.guard.pacing import Pacing, SessionPace
from services.browser_pool.adapters.guard.session_guard import SessionGuard
from services.browser_pool.ports import ApiRequest, ApiResponse, FetchRefused
from services.browser_pool.safety.politeness import PaceLimits
from shared.contracts.browser.responses import ApiHeader
from shared.network.host_policy import HostPolicy
from shared.network.name_resolver import NameResolver
from shared.secrets.store import SecretStore, Vault
from tests.typed import expect

SECRET = "k7-very!secret-Token=42"
HEADER = (ApiHeader(name="Authorization", value="Bearer ", secret="TOKEN"),)


@dataclass
class Api:
    """A server that sends these bytes, and what it was sent."""

    answer: bytes = b""
    port: int = 0
    asked: list[str] = field(default_factory=list[str])
    hangs: bool = False

    def says(
        self, body: bytes | str, status: str = "200 OK", media_type: str = "application/json", **more: str
    ) -> None:
        data = body.encode() if isinstance(body, str) else body
        headers = {"content-type": media_type, "content-length": str(len(data)), **more}
        lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
        self.answer = "\r\n".join([*lines, "", ""]).encode() + data

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
            writer.write(self.answer)
            await writer.drain()
            if self.hangs:
                await reader.read()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def served() -> AsyncGenerator[Api]:
    api = Api()
    api.says('{"number": 7}')
    async with await asyncio.start_server(api.serve, "127.0.0.1", 0) as server:
        api.port = server.sockets[0].getsockname()[1]
        yield api


class Names(NameResolver):
    """Every name has this address."""

    def __init__(self, *addresses: str) -> None:
        super().__init__()
        self._fixed = addresses

    async def addresses(self, host: str) -> tuple[str, ...]:
        return self._fixed


async def ask(
    url: str,
    allowed: tuple[str, ...],
    private: tuple[str, ...],
    *,
    headers: tuple[ApiHeader, ...] = HEADER,
    names: NameResolver | None = None,
    timeout_s: float = 20.0,
    sealed: str = "",
    pace: SessionPace | None = None,
) -> ApiResponse | FetchRefused:
    vault = Vault(SecretStore(None, {"EXHIBIT_SECRET_TOKEN": SECRET}), ("TOKEN",))
    await vault.open()
    guard = SessionGuard(
        cast("Any", None),
        "context",
        HostPolicy(allowed, private),
        pace or SessionPace(Pacing(None, lambda: 0.0), PaceLimits(), "s"),
        names or NameResolver(),
        proxied=False,
        on_close=lambda _: None,
        tabs={},
        sealed=sealed,
    )
    return await fetch_response(ApiRequest(url, headers, timeout_s), guard, vault)


async def test_the_secret_reaches_the_api_and_the_body_comes_back_byte_for_byte():
    async with served() as api:
        api.says('{"number": 7.00 }')
        got = await ask(f"http://{api.host}/t/7?a=%2F", (api.host,), (api.host,))
        assert got == ApiResponse(200, "application/json", b'{"number": 7.00 }')
        (request,) = api.asked
    lines = request.lower().splitlines()
    assert lines[0] == "get /t/7?a=%2f http/1.1"
    assert f"authorization: bearer {SECRET.lower()}" in lines
    assert f"host: {api.host}" in lines
    assert "accept-encoding: identity" in lines
    assert not any(line.startswith("cookie") for line in lines)


@pytest.mark.parametrize(
    ("url", "allowed", "private", "addresses"),
    [
        ("http://{host}/x", ("other.example",), ("{host}",), ()),
        ("http://{host}/x", (), (), ()),
        ("http://{host}/x", ("{host}",), (), ()),
        ("http://api.example:{port}/x", ("api.example",), (), ("127.0.0.1",)),
        ("https://api.example:{port}/x", ("api.example",), ("other.example",), ("93.184.216.34", "10.0.0.1")),
        ("http://user:pw@{host}/x", ("{host}",), ("{host}",), ()),
        ("file:///etc/passwd", ("{host}",), ("{host}",), ()),
        ("about:blank", ("{host}",), ("{host}",), ()),
    ],
)
async def test_a_host_that_is_not_allowed_or_private_is_not_asked(
    url: str, allowed: tuple[str, ...], private: tuple[str, ...], addresses: tuple[str, ...]
):
    async with served() as api:
        asked = [[one.format(host=api.host, port=api.port) for one in many] for many in ((url,), allowed, private)]
        names = Names(*addresses) if addresses else None
        got = expect(await ask(asked[0][0], tuple(asked[1]), tuple(asked[2]), names=names), FetchRefused)
        assert (got.code, api.asked) == ("policy_denied", [])


async def test_a_name_that_turns_private_between_check_and_connection_is_not_asked():
    """The transport resolves once more and connects to what it has checked itself."""

    class Turning(NameResolver):
        calls = 0

        async def addresses(self, host: str) -> tuple[str, ...]:
            self.calls += 1
            return ("93.184.216.34",) if self.calls <= 2 else ("127.0.0.1",)

    async with served() as api:
        url = f"https://api.example:{api.port}/x"
        got = expect(await ask(url, ("api.example",), (), names=Turning()), FetchRefused)
        assert (got.code, api.asked) == ("policy_denied", [])


async def test_a_secret_is_not_sent_in_clear_to_a_public_host():
    got = expect(
        await ask("http://api.example/x", ("api.example",), ("api.example",), names=Names("93.184.216.34")),
        FetchRefused,
    )
    assert (got.code, "over https only" in got.message) == ("policy_denied", True)


async def test_a_redirect_is_not_followed_not_even_to_an_allowed_host():
    async with served() as api, served() as other:
        api.says("", "307 Temporary Redirect", location=f"http://{other.host}/taken")
        got = expect(await ask(f"http://{api.host}/x", (api.host, other.host), (api.host, other.host)), FetchRefused)
        assert (got.code, other.asked) == ("redirected", [])


async def test_a_session_that_shows_a_stored_page_asks_nothing():
    async with served() as api:
        got = expect(
            await ask(f"http://{api.host}/x", (api.host,), (api.host,), sealed="file:///page.mhtml"), FetchRefused
        )
        assert (got.code, api.asked) == ("policy_denied", [])


@pytest.mark.parametrize(
    "shown",
    [
        SECRET, json.dumps({"echo": f"Bearer {SECRET}"}), json.dumps({"echo": SECRET}).replace("k7", "\\u006b7"),
        json.dumps({"echo": "azctdmVyeSFzZWNyZXQtVG9rZW49NDI="}), json.dumps({"echo": "k7-very%21secret-Token%3D42"}),
    ],
)  # fmt: skip
async def test_a_response_that_shows_the_secret_is_none(shown: str):
    async with served() as api:
        api.says(shown)
        got = expect(await ask(f"http://{api.host}/x", (api.host,), (api.host,)), FetchRefused)
        assert got.code == "shows_secret"
        assert SECRET not in got.message


async def test_a_body_without_end_or_of_another_encoding_is_no_response():
    async with served() as api:
        where = (f"http://{api.host}/x", (api.host,), (api.host,))
        api.says(b"x" * (MAX_RESPONSE_BYTES + 1))
        large = await ask(*where)
        api.says(gzip.compress(b"{}"), content_encoding="gzip")
        packed = await ask(*where)
        api.says("{}", content_length="100")
        cut = await ask(*where)
        api.hangs = True
        api.answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"
        slow = await ask(*where, timeout_s=0.2)
    refused = [one.code for one in (large, packed, cut, slow) if isinstance(one, FetchRefused)]
    assert refused == ["too_large", "encoded", "unreachable", "timeout"]


async def test_a_server_that_is_not_there_and_an_unknown_secret_are_told_without_its_value(
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level(logging.DEBUG)
    async with served() as api:
        gone = f"http://{api.host}/x"
        assert isinstance(await ask(gone, (api.host,), (api.host,)), ApiResponse)
        unknown = await ask(gone, (api.host,), (api.host,), headers=(ApiHeader(name="X", secret="OTHER"),))
        rules = (api.host,)
    refused = await ask(gone, rules, rules)
    assert isinstance(unknown, FetchRefused)
    assert isinstance(refused, FetchRefused)
    assert (unknown.code, refused.code) == ("no_secret", "unreachable")
    assert SECRET not in unknown.message + refused.message + caplog.text


async def test_a_busy_answer_pauses_the_domain_as_that_of_a_page_does():
    told: list[tuple[str, int | None, str | None]] = []

    class Recorded(SessionPace):
        def record_answer(self, url: str, status: int | None, retry_after: str | None = None) -> None:
            told.append((url, status, retry_after))

    pace = Recorded(Pacing(None, lambda: 0.0), PaceLimits(), "s")
    async with served() as api:
        url = f"http://{api.host}/x"
        api.says("{}", "429 Too Many Requests", retry_after="7")
        assert isinstance(await ask(url, (api.host,), (api.host,), pace=pace), ApiResponse)
        api.says("", "302 Found", location="/y")
        await ask(url, (api.host,), (api.host,), pace=pace)
        api.says(b"x" * (MAX_RESPONSE_BYTES + 1))
        await ask(url, (api.host,), (api.host,), pace=pace)
    assert told == [(url, 429, "7"), (url, 302, None), (url, None, None)]


def test_what_is_sent_anyway_is_in_lower_case_so_that_a_header_of_the_task_replaces_it():
    assert all(name == name.lower() for name in api_response.SENT_ANYWAY)
