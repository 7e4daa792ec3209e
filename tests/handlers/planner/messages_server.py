"""A Messages endpoint on loopback that plays back one answer per request and records the requests.

An answer may depend on its request: it is made by a function then.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One reply. ``cut`` closes the connection after half of the body; a ``str`` body is sent unchanged."""

    body: Any
    status: int = 200
    cut: bool = False
    headers: dict[str, str] = field(default_factory=dict)


Answer = Reply | Callable[[dict[str, Any]], Reply]


def cut_off() -> Reply:
    """Return a reply whose connection breaks in the middle."""
    return Reply({"type": "message", "content": []}, cut=True)


@dataclass
class Endpoint:
    url: str = ""
    replies: list[Answer] = field(default_factory=list[Answer])
    by_model: Mapping[str, Sequence[Answer]] = field(default_factory=dict[str, list[Answer]])
    """Replies to the requests for one model only, in order; the last one repeats."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


def tool_call(name: str, arguments: Any, **usage: int) -> Reply:
    content = [{"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}]
    return message(content, "tool_use", **usage)


def message(content: list[dict[str, Any]], stop_reason: str, **usage: int) -> Reply:
    counted = {"input_tokens": 100, "output_tokens": 20, **usage}
    given = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content}
    return Reply({**given, "stop_reason": stop_reason, "stop_sequence": None, "usage": counted})


def error(status: int, told: str = "no", **headers: str) -> Reply:
    return Reply({"type": "error", "error": {"type": "api_error", "message": told}}, status, headers=headers)


@asynccontextmanager
async def endpoint(
    *replies: Answer, by_model: Mapping[str, Sequence[Answer]] | None = None
) -> AsyncGenerator[Endpoint]:
    """Serve the replies in order; the last one repeats."""
    served = Endpoint(replies=list(replies), by_model=by_model or {})

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _answer(await reader.readuntil(b"\r\n\r\n"), reader, writer, served)
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield served


async def _answer(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, served: Endpoint) -> None:
    lines = head.decode("latin-1").split("\r\n")[1:]
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    served.requests.append(json.loads(body))
    served.keys.append(headers.get("authorization", "") + headers.get("x-api-key", ""))
    reply = _next(served)
    data = (reply.body if isinstance(reply.body, str) else json.dumps(reply.body)).encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items())
    status = f"HTTP/1.1 {reply.status} X\r\ncontent-type: application/json\r\nconnection: close\r\n"
    sent = data[: len(data) // 2] if reply.cut else data
    writer.write(f"{status}{more}content-length: {len(data)}\r\n\r\n".encode() + sent)
    await writer.drain()


def _next(served: Endpoint) -> Reply:
    request = served.requests[-1]
    model = request.get("model")
    replies = served.by_model.get(str(model), served.replies)
    own = model in served.by_model
    asked = sum(
        one.get("model") == model if own else one.get("model") not in served.by_model for one in served.requests
    )
    answer = replies[min(asked, len(replies)) - 1]
    return answer if isinstance(answer, Reply) else answer(request)
