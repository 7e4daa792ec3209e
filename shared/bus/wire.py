"""How asks and failures look on the wire: NATS micro's error headers, and a Failure as the body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
import nats.errors
from nats.aio.msg import Msg
from nats.micro.request import ERROR_CODE_HEADER, Request

from shared.bus.runner import decode
from shared.contracts.base import Failure, Message
from shared.errors import from_failure
from shared.subjects import Ask

ReqT = TypeVar("ReqT", bound=Message)
RepT = TypeVar("RepT")


async def respond(request: Request, msg_reply: str, answer: bytes | Failure) -> None:
    """Sends the reply, or the failure; a request that was published without a reply subject wants neither."""
    if not msg_reply:
        return
    try:
        await _send(request, answer)
    except nats.errors.MaxPayloadError:
        await _send(request, Failure(code="too_large", message="the answer is larger than the bus allows", retry=False))


async def _send(request: Request, answer: bytes | Failure) -> None:
    if isinstance(answer, Failure):
        # A header holds one line of ASCII; the body says it in full.
        line = answer.message.encode("ascii", "replace").decode().replace("\r", " ").replace("\n", " ")
        await request.respond_error(answer.code, line[:200], msgspec.json.encode(answer))
    else:
        await request.respond(answer)


def reply_of(subject: Ask[ReqT, RepT], msg: Msg) -> RepT:
    """The decoded reply; a failure is raised as the error it was on the other side."""
    headers: Mapping[str, str] = msg.headers or {}
    if ERROR_CODE_HEADER in headers:
        raise from_failure(decode(msg.data, Failure))
    reply: Any = msgspec.json.decode(msg.data, type=subject.reply)
    return reply
