"""Knowing that the server has had what was said to it."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of a few of its functions untyped.
from __future__ import annotations

from nats.aio.client import Client as NatsClient


async def arrived(nc: NatsClient) -> None:
    """Returns once the server has had everything that this client said before. Raises what ``flush`` raises.

    Asked twice: nats-py's question goes out ahead of what it still has in its buffer, which is then sent; the answer to
    the second question comes behind that.
    """
    await nc.flush()
    await nc.flush()
