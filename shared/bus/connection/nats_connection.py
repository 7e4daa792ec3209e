"""The connection to a NATS server, without a defect of nats-py 2.16."""

# pyright: reportUnknownMemberType=false
from __future__ import annotations

import asyncio
from typing import cast

from nats.aio.client import Client


class NatsConnection(Client):
    """Goes on to read after a flush that was cancelled or timed out.

    nats-py sets the result of that flush when the server's answer comes; the InvalidStateError ends its read loop, and
    the connection is deaf from then on.
    """

    async def _process_pong(self) -> None:
        waiting = cast("list[asyncio.Future[bool]]", self._pongs)
        if waiting and waiting[0].done():  # nobody waits for this answer
            waiting[0] = asyncio.get_running_loop().create_future()
        await super()._process_pong()
