"""NATS as the bus uses it: replies and failures on the wire, its errors as ours, flushing, and pings of an instance.

A failure travels as NATS micro's error headers, with a Failure as the body. An ask to one instance may take minutes (a
slow page), and NATS reports nothing when that process dies meanwhile. But it reports a subject without responders, so
the instance is pinged while the ask is under way.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec
import nats.errors
import nats.js.errors
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.micro.request import ERROR_CODE_HEADER, Request

from shared.aio import run_unless
from shared.bus.decoding import decode
from shared.contracts.base import Failure, Message
from shared.errors import PermanentError, Unavailable, from_failure
from shared.subjects import PREFIX, Ask

ReqT = TypeVar("ReqT", bound=Message)
RepT = TypeVar("RepT")
ReplyT = TypeVar("ReplyT")
EVERY_S, PING_BOUND_S = 1.0, 5.0
"""How often an instance that was asked is pinged, and how long it may take to answer a ping."""


REPLIES = "_INBOX."
"""Where whoever asks waits for the reply."""


STORED_IN = "Nats-Stream"
"""Header by which a server says of a message that it has read it from a stream."""


def is_ask(msg: Msg, subject: str) -> bool:
    """Return whether a message is an ask of ``subject``, sent by somebody who waits for the reply at an inbox, or for
    none. Anything else must reach no handler, and must not be answered.

    A server checks a sender's rights to the subject of a message, and not to the subject of its reply, which is sent
    with the rights of whoever answers. And JetStream sends stored messages to wherever a reader says: where it pushes
    they keep their own subject, and one that is read alone goes out under that of the reply.
    """
    asked = msg.subject == subject and STORED_IN not in (msg.headers or {})
    return asked and (msg.reply == "" or msg.reply.startswith(REPLIES))


async def respond(request: Request, msg_reply: str, answer: bytes | Failure) -> None:
    """Send the reply or the failure; nothing where the request names no reply subject."""
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


def parse_reply(subject: Ask[ReqT, RepT], msg: Msg) -> RepT:
    """Return the decoded reply; raise a failure as the error that it was on the other side."""
    headers: Mapping[str, str] = msg.headers or {}
    if ERROR_CODE_HEADER in headers:
        raise from_failure(decode(msg.data, Failure))
    reply: Any = decode(msg.data, subject.reply)
    return reply


@contextmanager
def map_nats_errors() -> Generator[None]:
    """Raise NATS errors of the block as ours."""
    try:
        yield
    except (TimeoutError, nats.js.errors.NoStreamResponseError) as exc:
        raise Unavailable("the bus did not answer in time", code="bus_slow") from exc
    except (nats.js.errors.ServiceUnavailableError, nats.errors.ConnectionClosedError) as exc:
        raise Unavailable(f"the bus cannot store messages now: {exc}", code="bus_unavailable") from exc
    except nats.errors.MaxPayloadError as exc:
        raise PermanentError("the message is larger than the bus allows", code="too_large") from exc


async def flush(nc: NatsClient) -> None:
    """Return once the server has processed all that this client has sent. Raises what ``nc.flush`` raises.

    nats-py sends its ping ahead of what it has buffered, so only the answer to a second ping comes after that.
    """
    await nc.flush()
    await nc.flush()


def ping_subject(instance_id: str) -> str:
    return f"{PREFIX}.ask.instance.{instance_id}"


async def answer_pings(nc: NatsClient, instance_id: str) -> None:
    """Answer pings for this instance from now on, for as long as it is connected."""

    subject = ping_subject(instance_id)

    async def on_ping(msg: Msg) -> None:
        if msg.reply and is_ask(msg, subject):
            await msg.respond(b"")

    await nc.subscribe(subject, cb=on_ping)


async def run_while_alive(nc: NatsClient, instance_id: str, work: Coroutine[Any, Any, ReplyT]) -> ReplyT:
    """Return the result of ``work``; raise Unavailable (``instance_gone``) as soon as the instance is gone."""
    gone = Unavailable(f"the process {instance_id} that was asked is gone", code="instance_gone")
    return await run_unless(work, _until_gone(nc, instance_id), gone)


async def _until_gone(nc: NatsClient, instance_id: str) -> None:
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            await nc.request(ping_subject(instance_id), b"", timeout=PING_BOUND_S)
        except nats.errors.NoRespondersError:
            return
        except (TimeoutError, nats.errors.Error):
            continue  # a busy instance, or a lost connection, does not mean that it is gone
