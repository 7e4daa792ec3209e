"""RunRecordings of a model's answers, and a Messages endpoint that plays them back through the real SDK.

An answer is a decision about what was shown. So an exchange holds the part of the request that the decision was made on
(the page as it was shown, or the question), and is only played back to a request that shows the same: after a change of
the page, or of how it is shown, the answer is no longer a decision about it. Instructions, history and tools may
change; only a new recording tells whether the model would still decide so.

    `recording_server`   records the answers of a live endpoint: a model, or a person in its place
    `playback_server`    plays each key's answers in order; any other request gets HTTP 400 with the reason
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
MAX_DIFF_LINES = 20

Json = dict[str, Any]


@dataclass(frozen=True)
class Exchange:
    """``key``: sample and kind of question; ``shown``: what the answer is about; ``answer``: the message."""

    key: str
    shown: str
    answer: Json
    status: int = 200


@dataclass
class Cassette:
    """All exchanges of one recording, in order. ``about`` tells how it was made."""

    about: str
    origins: list[str] = field(default_factory=list[str])
    """Origins of the recorded sites; answers may contain them."""
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
    """Return the kind of question, by its tools, and the sample."""
    names = [str(tool.get("name")) for tool in request.get("tools", [])]
    kind = "decide" if "done" in names else names[0] if names else "text"
    found = _SAMPLE.search(_texts(request.get("system"))) if kind == "decide" else None
    return f"{kind} {found[1]}" if found else kind


def shown_in(request: Mapping[str, Any]) -> str:
    """Return the page as it was shown, or the whole question where there is none, without port numbers."""
    content = request["messages"][-1]["content"]
    text = _texts(content)
    page = _PAGE.search(text)
    return normal(page[1] if page else text)


def normal(text: str) -> str:
    """Return ``text`` with a placeholder for local port numbers, which differ between runs."""
    return _PORT.sub(r"\1:PORT", text)


def with_ports(answer: Json, ports: Mapping[str, str]) -> Json:
    """Replace recorded origins in an answer; ``ports`` maps them to the current ones."""
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
    # Pixels differ between machines; that the question has a picture does not.
    return f"[{block.get('type')}]"


# --- playing back


@dataclass
class Player:
    """Plays back a cassette; ``unexpected`` lists the requests that it could not answer."""

    cassette: Cassette
    ports: Mapping[str, str] = field(default_factory=dict[str, str])
    played: dict[str, int] = field(default_factory=dict[str, int])
    unexpected: list[str] = field(default_factory=list[str])

    def answer(self, request: Json) -> tuple[int, Json]:
        """Return the next answer of this key if it was given for what is shown, else HTTP 400 and the reason."""
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
        """Return how many answers to questions of this kind (the first word of their keys) were not played."""
        recorded = sum(one.key.split()[0] == kind for one in self.cassette.exchanges)
        return recorded - sum(count for key, count in self.played.items() if key.split()[0] == kind)

    def _refused(self, why: str) -> tuple[int, Json]:
        self.unexpected.append(why)
        error = {"type": "invalid_request_error", "message": f"not in the recording: {why}"}
        return 400, {"type": "error", "error": error}


def _difference(then: str, now: str) -> str:
    lines = difflib.unified_diff(then.splitlines(), now.splitlines(), "recorded", "shown", n=0, lineterm="")
    return "\n".join(list(lines)[:MAX_DIFF_LINES])


@asynccontextmanager
async def playback_server(player: Player) -> AsyncGenerator[str]:
    """Serve a Messages endpoint that plays the cassette back; yield its URL."""

    async def answer(body: bytes, _: Mapping[str, str]) -> tuple[int, bytes]:
        status, reply = player.answer(json.loads(body))
        return status, json.dumps(reply).encode()

    async with answering_server(answer) as url:
        yield url


# --- recording


@asynccontextmanager
async def recording_server(cassette: Cassette, upstream: str) -> AsyncGenerator[str]:
    """Serve an endpoint that forwards requests to ``upstream`` and records the answers; yield its URL."""

    kept: dict[bytes, int] = {}
    open_questions: dict[bytes, asyncio.Future[tuple[int, bytes]]] = {}

    async def ask(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Ask once: a client that timed out waits with its next request for the answer to the first one."""
        asked = open_questions.get(body)
        if asked is None:
            asked = asyncio.ensure_future(asyncio.to_thread(_forward, upstream, body, headers))
            open_questions[body] = asked
            asked.add_done_callback(lambda _: open_questions.pop(body))
        return await asyncio.shield(asked)

    async def answer(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        status, reply = await ask(body, headers)
        request = json.loads(body)
        if status == 200:
            # A client that timed out sends the same request again: the last answer is the one it used.
            at = kept.setdefault(body, len(cassette.exchanges))
            cassette.exchanges[at : at + 1] = [Exchange(key_of(request), shown_in(request), json.loads(reply), status)]
        return status, reply

    async with answering_server(answer) as url:
        yield url


def _forward(upstream: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    kept = {name: headers[name] for name in ("content-type", "x-api-key", "anthropic-version") if name in headers}
    request = urllib.request.Request(f"{upstream}/v1/messages", body, kept)  # noqa: S310  our own endpoint
    try:
        with urllib.request.urlopen(request, timeout=900) as reply:  # noqa: S310
            return reply.status, reply.read()
    except urllib.error.HTTPError as exc:
        return exc.code, exc.read()


# --- a minimal HTTP server


Answers = Callable[[bytes, Mapping[str, str]], Awaitable[tuple[int, bytes]]]


@asynccontextmanager
async def answering_server(answer: Answers) -> AsyncGenerator[str]:
    """Serve ``answer`` (of body and headers, to status and body) on loopback; yield the URL."""

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
