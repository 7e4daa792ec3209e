"""A browser pool on a real bus in this process: its handlers are called directly, or by message."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.observe_site import HOSTS
from services.browser_pool import handlers
from services.browser_pool.__main__ import actor, open_deps
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.deps import BrowserPoolDeps
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.serving import serve
from shared.contracts.actions import BrowserAction, Goto
from shared.contracts.browser_pool import (
    ActOnPage,
    LeaseSession,
    NoSessionFree,
    ObservePage,
    PageObserved,
    ReleaseSession,
    SessionLeased,
)
from shared.contracts.results import ActionResult
from shared.errors import Unavailable
from shared.host.nats_server import nats_server
from shared.settings import Settings
from shared.subjects import LEASE, OBSERVE, RELEASE

ALL_TOKENS = 10_000_000
SESSIONS = 8
TRIES = 300


@dataclass
class Leased:
    """One session of the pool, by direct call and over the bus."""

    pool: Pool
    session_id: str

    @property
    def session(self) -> PageSession:
        session = self.pool.deps.sessions.held[self.session_id].session
        assert isinstance(session, PageSession)
        return session

    def request(self, **how: object) -> ObservePage:
        return ObservePage(session_id=self.session_id, instance_id=self.pool.deps.instance_id, **how)  # type: ignore[arg-type]

    async def observe(self, **how: object) -> PageObserved:
        """Observe by calling the handler, without the bus."""
        return await handlers.observe(self.request(**how), self.pool.deps)

    async def observe_by_bus(self) -> PageObserved:
        return await self.pool.client.ask(OBSERVE, self.request())

    async def act(self, action: BrowserAction) -> ActionResult:
        deps = self.pool.deps
        asked = ActOnPage(session_id=self.session_id, instance_id=deps.instance_id, action=action)
        return await handlers.act(asked, deps)

    async def goto(self, url: str) -> None:
        result = await self.act(Goto(url=url))
        if not result.ok:
            raise SystemExit(f"{url} could not be opened: {result.message}")

    async def release(self) -> None:
        request = ReleaseSession(session_id=self.session_id, instance_id=self.pool.deps.instance_id)
        await self.pool.client.ask(RELEASE, request)


@dataclass
class Pool:
    deps: BrowserPoolDeps
    client: Bus

    async def lease(self) -> Leased:
        request = LeaseSession(
            run_id="bench", sample_id="bench", ttl_s=3600.0, allowed_hosts=HOSTS, private_hosts=HOSTS
        )
        for _ in range(TRIES):
            try:
                reply = await self.client.ask(LEASE, request)
            except Unavailable as full:  # a full pool stops listening
                await asyncio.sleep(full.retry_after_s or 0.1)
                continue
            if isinstance(reply, SessionLeased):
                return Leased(self, reply.session_id)
            assert isinstance(reply, NoSessionFree)
            await asyncio.sleep(reply.retry_after_s)
        raise SystemExit("the pool has no session to lease")


@asynccontextmanager
async def pool(folder: Path) -> AsyncGenerator[Pool]:
    settings = Settings().model_copy(
        update={"state_dir": folder, "evidence_dir": folder / "evidence", "browser_capacity": SESSIONS}
    )
    stop, ready = asyncio.Event(), asyncio.Event()
    async with (
        nats_server(folder / "jetstream") as url,
        connect_bus(url, name="browser_pool") as bus,
        open_deps(settings, bus) as deps,
        connect_bus(url, name="bench") as client,
    ):
        serving = asyncio.create_task(serve(bus, actor, deps, capacity=SESSIONS, stop=stop, ready=ready))
        await ready.wait()
        try:
            yield Pool(deps, client)
        finally:
            await deps.sessions.close()
            stop.set()
            await asyncio.gather(serving, return_exceptions=True)
