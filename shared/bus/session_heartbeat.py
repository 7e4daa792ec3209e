"""The heart-beat of whoever holds a browser session."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from shared.aio import cancel_until_done
from shared.bus.ports import Asks
from shared.contracts.browser_pool import KeepSession, SessionLeased
from shared.errors import ExhibitError
from shared.subjects import KEEP

log = logging.getLogger(__name__)

EVERY_S = 10.0
TTL_S = 30.0
"""What a session that is kept is leased for: two beats may go missing."""
BEAT_BOUND_S = 5.0


@asynccontextmanager
async def kept(asks: Asks, session: SessionLeased, every_s: float = EVERY_S) -> AsyncGenerator[None]:
    """While the block runs, the session does not end for want of use, however long nothing is asked of it."""
    beating = asyncio.create_task(_beat(asks, session, every_s))
    try:
        yield
    finally:
        await cancel_until_done(beating)


async def _beat(asks: Asks, session: SessionLeased, every_s: float) -> None:
    request = KeepSession(session_id=session.session_id, instance_id=session.instance_id)
    while True:
        await asyncio.sleep(every_s)
        try:
            await asks.ask(KEEP, request, timeout_s=BEAT_BOUND_S)
        except ExhibitError as exc:
            # Whoever uses the session next is told the same, and acts on it.
            log.info("session %s could not be kept: %s: %s", session.session_id, exc.code, exc)
