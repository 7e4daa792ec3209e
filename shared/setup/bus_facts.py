"""Looks at a bus without changing it: whether it takes us, what waits on it, and which services answer."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import nats
import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from shared.bus.access.credentials import BusAccess, connect_options
from shared.bus.nats_bus import check_server
from shared.streams import DEAD_LETTER_STREAM, SAMPLES

PINGED_S = 0.5
"""How long answers of services are waited for."""
ASKED_S = 2.0


@dataclass(frozen=True)
class BusFacts:
    """``is_user``: the server knows us by a key of our own, and lets us see a part only. ``None``: not to be seen."""

    version: str
    stores: bool
    has_key: bool
    is_user: bool
    waiting: int | None = None
    dead: int | None = None
    services: Mapping[str, int] = field(default_factory=dict[str, int])


async def look_at_bus(url: str, user: str, access: BusAccess) -> BusFacts:
    """Raises what `shared.bus.nats_bus.connect_bus` raises."""
    options = connect_options(url, user, access)
    await check_server(url, options)

    async def ignore(_: Exception) -> None:
        """A right that this user does not have: what cannot be seen is not told."""

    nc = await nats.connect(url, name="exhibit-doctor", connect_timeout=5, error_cb=ignore, **options.named)
    try:
        return BusFacts(
            version=server_version_of(nc),
            stores=bool(nc._server_info.get("jetstream")),  # pyright: ignore[reportPrivateUsage]
            has_key=options.has_key,
            is_user=options.is_user,
            waiting=None if options.is_user else await _messages(nc, SAMPLES.name),
            dead=None if options.is_user else await _messages(nc, DEAD_LETTER_STREAM.name),
            services={} if options.is_user else await _services(nc),
        )
    finally:
        with suppress(OSError):
            await nc.close()


def server_version_of(nc: Client) -> str:
    """Return the version of the server, such as ``2.12.1``."""
    known = nc.connected_server_version
    return f"{known.major}.{known.minor}.{known.patch}"


async def _messages(nc: Client, stream: str) -> int | None:
    try:
        return (await nc.jetstream(timeout=ASKED_S).stream_info(stream)).state.messages
    except nats.js.errors.NotFoundError:
        return 0
    except (nats.errors.Error, TimeoutError):
        return None


async def _services(nc: Client) -> dict[str, int]:
    """Return how many instances of each service answer."""
    found: Counter[str] = Counter()

    async def on_answer(msg: Msg) -> None:
        with suppress(ValueError, KeyError, TypeError):
            found[str(json.loads(msg.data)["name"])[:40]] += 1

    inbox = nc.new_inbox()
    subscription = await nc.subscribe(inbox, cb=on_answer)
    await nc.publish("$SRV.PING", reply=inbox)
    await asyncio.sleep(PINGED_S)
    await subscription.unsubscribe()
    return dict(sorted(found.items()))
