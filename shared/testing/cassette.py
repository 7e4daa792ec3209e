"""Recordings of what a model answered, and a Messages endpoint that plays them back through the real SDK.

An answer is a decision about what was shown. So an exchange keeps the part of the request that the decision was
made on (the page as it was shown, or the question), and is only played back to a request that shows the same: where a
page or the way it is told has changed, the answer is no longer a decision about it, and playing it would prove nothing.
Instructions, history and tools may change; whether the model would still decide so is then for a new recording to say.

    recorded   what a live endpoint (a model, or a person in its place) answers, through `recording()`
    played     `playing()`: each key's answers in their order; anything else is answered with HTTP 400 and the reason
"""

from __future__ import annotations

import asyncio
import difflib
import json
import re
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FENCED = r"<untrusted_data>\n(.*?)\n</untrusted_data>"
_PAGE = re.compile(rf"PAGE STATE\n{FENCED}", re.S)
_SAMPLE = re.compile(r'"sample_id": "([^"]*)"')
_PORT = re.compile(r"(127\.0\.0\.1|localhost):\d+")
MAX_TOLD_LINES = 20

Json = dict[str, Any]


@dataclass(frozen=True)
class Exchange:
    """``key``: which sample and what kind of question; ``shown``: what the answer is about; ``answer``: the message."""

    key: str
    shown: str
    answer: Json
    status: int = 200


@dataclass
class Cassette:
    """All exchanges of one recording, in the order in which they happened; ``about`` says how they came to be."""

    about: str
    origins: list[str] = field(default_factory=list[str])
    """Where the sites were served then; answers may name them."""
    exchanges: list[Exchange] = field(default_factory=list[Exchange])

    @classmethod
    def read(cls, path: Path) -> Cassette:
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls(data["about"], data["origins"], [Exchange(**one) for one in data["exchanges"]])

    def write(self, path: Path) -> None:
        data = {"about": self.about, "origins": self.origins, "exchanges": [vars(one) for one in self.exchanges]}
        path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


# --- what of a request counts


def key_of(request: Mapping[str, Any]) -> str:
    """The sample, and the tool that tells what kind of question it is."""
    names = [str(tool.get("name")) for tool in request.get("tools", [])]
    kind = "decide" if "done" in names else names[0] if names else "text"
    found = _SAMPLE.search(_texts(request.get("system"))) if kind == "decide" else None
    return f"{kind} {found[1]}" if found else kind


def shown_in(request: Mapping[str, Any]) -> str:
    """The page as it was shown; the whole question where there is none. Ports differ from run to run."""
    content = request["messages"][-1]["content"]
    text = _texts(content)
    page = _PAGE.search(text)
    return normal(page[1] if page else text)


def normal(text: str) -> str:
    """The same site on another port is the same site."""
    return _PORT.sub(r"\1:PORT", text)


def with_ports(answer: Json, ports: Mapping[str, str]) -> Json:
    """``ports`` maps an origin as it was recorded to the one of now."""
    text = json.dumps(answer)
    for then, now in ports.items():
        text = text.replace(then, now)
    return json.loads(text)


def _texts(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []  # pyright: ignore[reportUnknownVariableType]
    return "\n".join(_block(block) for block in blocks)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _block(block: Json) -> str:
    if block.get("type") == "text":
        return str(block["text"])
    # Pixels differ from machine to machine; that a picture was asked about does not.
    return f"[{block.get('type')}]"


# --- playing back


@dataclass
class Player:
    """Answers of a cassette; ``unexpected`` says what was asked that it cannot answer."""

    cassette: Cassette
    ports: Mapping[str, str] = field(default_factory=dict[str, str])
    played: dict[str, int] = field(default_factory=dict[str, int])
    unexpected: list[str] = field(default_factory=list[str])

    def answer(self, request: Json) -> tuple[int, Json]:
        """The next answer of this key, where what is shown is what it was given for."""
        key, shown = key_of(request), shown_in(request)
        of_key = [one for one in self.cassette.exchanges if one.key == key]
        at = self.played.get(key, 0)
        if at >= len(of_key):
            return self._refused(f"{key}: {len(of_key)} answers were recorded, and this is question {at + 1}")
        if of_key[at].shown != shown:
            return self._refused(
                f"{key}, question {at + 1}: another page is shown\n{_difference(of_key[at].shown, shown)}"
            )
        self.played[key] = at + 1
        return of_key[at].status, with_ports(of_key[at].answer, self.ports)

    def left(self, kind: str) -> int:
        """Answers to questions of this kind (the first word of their keys) that nobody asked for."""
        recorded = sum(one.key.split()[0] == kind for one in self.cassette.exchanges)
        return recorded - sum(count for key, count in self.played.items() if key.split()[0] == kind)

    def _refused(self, why: str) -> tuple[int, Json]:
        self.unexpected.append(why)
        error = {"type": "invalid_request_error", "message": f"not in the recording: {why}"}
        return 400, {"type": "error", "error": error}


def _difference(then: str, now: str) -> str:
    lines = difflib.unified_diff(then.splitlines(), now.splitlines(), "recorded", "shown", n=0, lineterm="")
    return "\n".join(list(lines)[:MAX_TOLD_LINES])


@asynccontextmanager
async def playing(player: Player) -> AsyncGenerator[str]:
    """The address of a Messages endpoint that plays the cassette back."""

    async def answer(body: bytes, _: Mapping[str, str]) -> tuple[int, bytes]:
        status, reply = player.answer(json.loads(body))
        return status, json.dumps(reply).encode()

    async with _serving(answer) as url:
        yield url


# --- recording


@asynccontextmanager
async def recording(cassette: Cassette, upstream: str) -> AsyncGenerator[str]:
    """The address of an endpoint that passes everything on to ``upstream``, and keeps what it answered."""

    kept: dict[bytes, int] = {}

    async def answer(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        status, reply = await asyncio.to_thread(_passed_on, upstream, body, headers)
        request = json.loads(body)
        if status == 200:
            # A client that gave up waiting asks the same once more: its last answer is the one that counted.
            at = kept.setdefault(body, len(cassette.exchanges))
            cassette.exchanges[at : at + 1] = [Exchange(key_of(request), shown_in(request), json.loads(reply), status)]
        return status, reply

    async with _serving(answer) as url:
        yield url


def _passed_on(upstream: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    kept = {name: headers[name] for name in ("content-type", "x-api-key", "anthropic-version") if name in headers}
    request = urllib.request.Request(f"{upstream}/v1/messages", body, kept)  # noqa: S310  our own endpoint
    try:
        with urllib.request.urlopen(request, timeout=900) as reply:  # noqa: S310
            return reply.status, reply.read()
    except urllib.error.HTTPError as exc:
        return exc.code, exc.read()


# --- the least of an HTTP server


Answers = Callable[[bytes, Mapping[str, str]], Awaitable[tuple[int, bytes]]]


@asynccontextmanager
async def _serving(answer: Answers) -> AsyncGenerator[str]:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _one(reader, writer, answer)
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answers) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[1:]
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    status, data = await answer(body, headers)
    start = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n"
    writer.write(f"{start}content-length: {len(data)}\r\n\r\n".encode() + data)
    await writer.drain()
