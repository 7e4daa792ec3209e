"""Notices when the instance that an ask was sent to has died.

An ask to one instance may take minutes (a slow page), and NATS reports nothing when that process dies meanwhile. But it
reports a subject without responders, so the instance is pinged while the ask is under way.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import nats.errors
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg

from shared.aio import run_unless
from shared.errors import Unavailable
from shared.subjects import PREFIX

ReplyT = TypeVar("ReplyT")
EVERY_S = 1.0
PING_BOUND_S = 5.0


def ping_subject(instance_id: str) -> str:
    return f"{PREFIX}.ask.instance.{instance_id}"


async def answer_pings(nc: NatsClient, instance_id: str) -> None:
    """Answer pings for this instance from now on, for as long as it is connected."""

    async def on_ping(msg: Msg) -> None:
        await msg.respond(b"")

    await nc.subscribe(ping_subject(instance_id), cb=on_ping)


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
