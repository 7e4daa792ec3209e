"""A Messages endpoint on the loopback interface that plays back answers, one a request, and keeps the requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reply:
    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Endpoint:
    url: str = ""
    replies: list[Reply] = field(default_factory=list)
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
    return Reply({"type": "error", "error": {"type": "api_error", "message": told}}, status, headers)


@asynccontextmanager
async def endpoint(*replies: Reply) -> AsyncGenerator[Endpoint]:
    """Answers in order; the last answer is given again and again."""
    served = Endpoint(replies=list(replies))

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
    reply = served.replies[min(len(served.requests), len(served.replies)) - 1]
    data = json.dumps(reply.body).encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items())
    status = f"HTTP/1.1 {reply.status} X\r\ncontent-type: application/json\r\nconnection: close\r\n"
    writer.write(f"{status}{more}content-length: {len(data)}\r\n\r\n".encode() + data)
    await writer.drain()
