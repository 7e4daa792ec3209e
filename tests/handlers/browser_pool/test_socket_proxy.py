"""The proxy of the WebSockets of a browser, as a SOCKS client meets it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from services.browser_pool.adapters.guard import socket_proxy
from services.browser_pool.adapters.guard.socket_proxy import SocketProxy

GREETING, GREETED = b"\x05\x01\x00", b"\x05\x00"
GRANTED, NOT_ALLOWED, UNREACHABLE, UNKNOWN_COMMAND = 0, 2, 4, 7
Ask = Callable[[bytes], Awaitable[tuple[int, asyncio.StreamReader, asyncio.StreamWriter]]]


class Judge:
    """Refuses the hosts it is told to; notes what it was asked about."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, tuple[str, ...]]] = []
        self.names = {"app.example": ("127.0.0.1",), "two.example": ("127.0.0.9", "127.0.0.1")}
        self.refused: set[str] = set()

    async def refusal(self, host: str, port: int, addresses: tuple[str, ...]) -> str | None:
        self.asked.append((host, port, addresses))
        return "not here" if self.refused & {host, *addresses} else None

    async def resolve(self, host: str) -> tuple[str, ...]:
        return self.names.get(host, ())


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest_asyncio.fixture
async def proxy() -> AsyncIterator[SocketProxy]:
    proxy = await SocketProxy.start()
    yield proxy
    await proxy.close()


@pytest_asyncio.fixture
async def echo() -> AsyncIterator[int]:
    """The port of a server that sends back what it gets, in capitals."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(line.upper())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


@pytest_asyncio.fixture
async def ask(proxy: SocketProxy) -> AsyncIterator[Ask]:
    """Sends a greeting and a request; returns the reply code and the connection."""
    port = int(proxy.arguments[0].rpartition(":")[2])
    writers: list[asyncio.StreamWriter] = []

    async def send(request: bytes) -> tuple[int, asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writers.append(writer)
        writer.write(GREETING + request)
        assert await reader.readexactly(2) == GREETED
        return (await reader.readexactly(10))[1], reader, writer

    yield send
    for writer in writers:
        writer.close()


def to_name(name: str, port: int) -> bytes:
    return b"\x05\x01\x00\x03" + bytes((len(name),)) + name.encode() + port.to_bytes(2, "big")


def to_ipv4(address: str, port: int) -> bytes:
    return b"\x05\x01\x00\x01" + bytes(map(int, address.split("."))) + port.to_bytes(2, "big")


@pytest.mark.parametrize("request_to", [to_ipv4, to_name])
async def test_what_is_granted_passes_both_ways(
    proxy: SocketProxy, judge: Judge, ask: Ask, echo: int, request_to: Callable[[str, int], bytes]
):
    proxy.decide_by(judge.refusal, judge.resolve)
    answer, reader, writer = await ask(request_to("127.0.0.1" if request_to is to_ipv4 else "app.example", echo))
    assert answer == GRANTED
    writer.write(b"hello\n")
    assert await reader.readline() == b"HELLO\n"
    writer.write_eof()
    assert await reader.read() == b""


async def test_another_user_of_the_machine_is_not_answered(
    proxy: SocketProxy, judge: Judge, monkeypatch: pytest.MonkeyPatch
):
    """By the kernel's own table: the proxy takes itself for another user than the one that connects."""
    proxy.decide_by(judge.refusal, judge.resolve)
    monkeypatch.setattr("services.browser_pool.adapters.guard.socket_proxy.os.geteuid", lambda: os.getuid() + 1)
    reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.arguments[0].rpartition(":")[2]))
    writer.write(GREETING)
    assert await reader.read() == b""
    writer.close()


async def test_a_name_is_decided_about_with_the_addresses_that_are_connected_to(
    proxy: SocketProxy, judge: Judge, ask: Ask, echo: int
):
    proxy.decide_by(judge.refusal, judge.resolve)
    assert (await ask(to_name("two.example", echo)))[0] == GRANTED  # at its second address: nobody is at the first
    assert judge.asked == [("two.example", echo, ("127.0.0.9", "127.0.0.1"))]
    judge.refused = {"127.0.0.9"}
    assert (await ask(to_name("two.example", echo)))[0] == NOT_ALLOWED


async def test_nothing_is_connected_before_somebody_decides(ask: Ask, echo: int):
    assert (await ask(to_ipv4("127.0.0.1", echo)))[0] == NOT_ALLOWED


async def test_a_name_without_address_is_unreachable(proxy: SocketProxy, judge: Judge, ask: Ask):
    proxy.decide_by(judge.refusal, judge.resolve)
    assert (await ask(to_name("nowhere.example", 80)))[0] == UNREACHABLE


@pytest.mark.parametrize(
    "request_",
    [
        b"\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50",  # BIND
        b"\x05\x03\x00\x01\x7f\x00\x00\x01\x00\x50",  # UDP ASSOCIATE
        b"\x05\x01\x00\x09\x7f\x00\x00\x01\x00\x50",  # an unknown kind of address
    ],
)
async def test_only_connections_to_hosts_are_made(proxy: SocketProxy, judge: Judge, ask: Ask, request_: bytes):
    proxy.decide_by(judge.refusal, judge.resolve)
    assert (await ask(request_))[0] == UNKNOWN_COMMAND
    assert judge.asked == []


async def test_more_connections_than_the_limit_are_refused(
    proxy: SocketProxy, judge: Judge, ask: Ask, echo: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(socket_proxy, "MAX_CONNECTIONS", 2)
    proxy.decide_by(judge.refusal, judge.resolve)
    answers = [(await ask(to_ipv4("127.0.0.1", echo)))[0] for _ in range(3)]
    assert answers == [GRANTED, GRANTED, NOT_ALLOWED]


async def test_closing_ends_what_is_connected(proxy: SocketProxy, judge: Judge, ask: Ask, echo: int):
    proxy.decide_by(judge.refusal, judge.resolve)
    answer, reader, _ = await ask(to_ipv4("127.0.0.1", echo))
    assert answer == GRANTED
    await proxy.close()
    assert await reader.read() == b""
