"""Whether the process that an ask was sent to still runs.

An ask to one instance may take minutes (a slow page). If that process dies meanwhile, nobody
answers and nobody says so; NATS knows at once that it is gone, but has to be asked.
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
    """From now on this process says that it is there, for as long as it is connected."""

    async def on_ping(msg: Msg) -> None:
        await msg.respond(b"")

    await nc.subscribe(ping_subject(instance_id), cb=on_ping)


async def run_while_alive(nc: NatsClient, instance_id: str, work: Coroutine[Any, Any, ReplyT]) -> ReplyT:
    """The outcome of ``work``; Unavailable (``instance_gone``) as soon as the instance is not there any more."""
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
            continue  # busy, or the bus itself is away: that says nothing of the instance
