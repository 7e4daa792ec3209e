"""Looks at what runs on a bus without changing it: services and their load, queues, messages that were given up."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import cast

import msgspec
import nats
import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import ConsumerInfo, RawStreamMsg

from shared.bus.access.credentials import BusAccess, connect_options
from shared.bus.nats_bus import check_server
from shared.contracts.base import Failure
from shared.setup.bus_facts import ASKED_S, PINGED_S, server_version_of
from shared.setup.fleet_facts import FleetFacts, FleetInstance, FleetQueue, GivenUp, instance_of
from shared.streams import DEAD_LETTER_STREAM, DELIVERIES, SAMPLES
from shared.subjects import DEAD_LETTERS

MOST_LETTERS, MOST_LOOKS = 20, 60
"""Messages that were given up: told, and looked for, from the newest on."""
MOST_TEXT_CHARS = 2000


async def look_at_fleet(url: str, user: str, access: BusAccess) -> FleetFacts:
    """Raises what `shared.bus.nats_bus.connect_bus` raises."""
    options = connect_options(url, user, access)
    await check_server(url, options)

    async def ignore(_: Exception) -> None:
        """A right that this user does not have: what cannot be seen is not told."""

    nc = await nats.connect(url, name="exhibit-fleet", connect_timeout=5, error_cb=ignore, **options.named)
    try:
        version = server_version_of(nc)
        if options.is_user:
            return FleetFacts(version, is_user=True)
        instances, queues, webhooks, (dead, letters) = await asyncio.gather(
            _instances(nc), _queues(nc), _webhooks(nc), _given_up(nc)
        )
        return FleetFacts(version, False, instances, queues, webhooks, dead, letters)
    finally:
        with suppress(OSError):
            await nc.close()


async def _instances(nc: Client) -> tuple[FleetInstance, ...]:
    found: dict[str, FleetInstance] = {}

    async def on_answer(msg: Msg) -> None:
        with suppress(ValueError, KeyError, TypeError):
            one = instance_of(json.loads(msg.data))
            found[f"{one.service}/{one.instance_id}"] = one

    inbox = nc.new_inbox()
    subscription = await nc.subscribe(inbox, cb=on_answer)
    await nc.publish("$SRV.STATS", reply=inbox)
    await asyncio.sleep(PINGED_S)
    await subscription.unsubscribe()
    return tuple(found[key] for key in sorted(found))


async def _queues(nc: Client) -> tuple[FleetQueue, ...]:
    queues = [_queue_of(one) for one in await _consumers(nc, SAMPLES.name)]
    return tuple(sorted((one for one in queues if one is not None), key=lambda one: (one.run_id, one.attempt_base)))


def _queue_of(one: ConsumerInfo) -> FleetQueue | None:
    run_id, _, base = (one.name or "").removeprefix("samples_").rpartition("_")
    if not run_id or not base.isdecimal():
        return None
    return FleetQueue(
        run_id=run_id,
        attempt_base=int(base),
        waiting=one.num_pending or 0,
        at_work=one.num_ack_pending or 0,
        most=one.config.max_ack_pending or 0,
    )


async def _webhooks(nc: Client) -> int:
    return sum((one.num_pending or 0) + (one.num_ack_pending or 0) for one in await _consumers(nc, DELIVERIES.name))


async def _consumers(nc: Client, stream: str) -> list[ConsumerInfo]:
    try:
        return await nc.jetstream(timeout=ASKED_S).consumers_info(stream)
    except (nats.errors.Error, TimeoutError):
        return []


async def _given_up(nc: Client) -> tuple[int, tuple[GivenUp, ...]]:
    js = nc.jetstream(timeout=ASKED_S)
    letters: list[GivenUp] = []
    try:
        state = (await js.stream_info(DEAD_LETTER_STREAM.name)).state
        first = max(state.first_seq, state.last_seq - MOST_LOOKS + 1)
        for number in range(state.last_seq, first - 1, -1):
            if len(letters) >= min(MOST_LETTERS, state.messages):
                break
            with suppress(nats.js.errors.NotFoundError):
                letters.append(_letter(number, await js.get_msg(DEAD_LETTER_STREAM.name, number)))
    except (nats.errors.Error, TimeoutError):
        return 0, ()
    return state.messages, tuple(letters)


def _letter(number: int, msg: RawStreamMsg) -> GivenUp:
    headers = cast("dict[str, str]", msg.headers or {})
    try:
        why = msgspec.json.decode(headers.get("Exhibit-Failure", ""), type=Failure)
    except (msgspec.DecodeError, ValueError):
        why = Failure(code="internal", message="the reason that is with it cannot be read", retry=False)
    return GivenUp(
        number=number,
        at=msg.time or datetime.fromtimestamp(0, UTC),
        kind=(msg.subject or "").removeprefix(f"{DEAD_LETTERS}.")[:200],
        code=str(why.code),
        message=why.message[:MOST_TEXT_CHARS],
    )
