"""The ticket site, which holds back pages of tickets until a test says go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.requests import Request
from starlette.responses import Response

from practice import serving
from practice.tickets.site import Options, TicketSite

HELD_BACK_S = 300
"""No test holds a page back for so long."""


class HeldTickets(TicketSite):
    """``held``: numbers of tickets whose pages come only after `release`."""

    def __init__(self, held: set[str]) -> None:
        super().__init__(Options(latency_ms=0))
        self._held, self._asked, self._released = held, asyncio.Event(), asyncio.Event()

    async def asked(self) -> None:
        """Return once a page that is held back was asked for."""
        await self._asked.wait()

    def release(self) -> None:
        self._released.set()

    async def _ticket_shell(self, request: Request) -> Response:
        if request.path_params["number"] in self._held:
            self._asked.set()
            await asyncio.wait_for(self._released.wait(), HELD_BACK_S)
        return await super()._ticket_shell(request)


@asynccontextmanager
async def held_tickets(*held: str) -> AsyncGenerator[tuple[HeldTickets, str]]:
    """Serve the site with the pages of these tickets held back; yield it with its address."""
    site = HeldTickets(set(held))
    async with serving.serve(site.app()) as url:
        try:
            yield site, url
        finally:
            site.release()
