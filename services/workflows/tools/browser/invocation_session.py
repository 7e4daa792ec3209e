"""The browser session of one invocation: the one that was given, or one that is leased when it is first used."""

from __future__ import annotations

import asyncio
from typing import Protocol

from services.workflows.ports import HostCallError, ToolContext
from shared.aio import cancel_and_wait
from shared.bus.ports import Asks, Blobs
from shared.contracts.browser_pool import LeaseSession, ProfilePaused
from shared.contracts.results import Artifact
from shared.contracts.workflows.invocations import BrowserAccess
from shared.sessions import lease_session

RELEASE_BOUND_S = 20.0


class BrowserBus(Asks, Blobs, Protocol):
    """What is needed of the bus."""


class InvocationSession:
    """``snapshot_id``: the last observation; ``files``: what was captured, by hash. Use it within ``lock``: one action
    at a time."""

    def __init__(
        self, context: ToolContext, bus: BrowserBus, request: LeaseSession | None, wait_bound_s: float
    ) -> None:
        self.bus, self._request, self._wait_bound_s = bus, request, wait_bound_s
        self._given = (
            BrowserAccess(instance_id=context.browser_instance_id, session_id=context.browser_session_id)
            if context.browser_session_id
            else None
        )
        self._leased: asyncio.Future[BrowserAccess] | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self.lock = asyncio.Lock()
        self.snapshot_id = ""
        self.files: dict[str, Artifact] = {}

    async def access(self) -> BrowserAccess:
        """Return the session. Raises HostCallError where none may be leased, and what `lease_session` raises."""
        if self._given is not None:
            return self._given
        if self._request is None:
            message = "browser: no browser session was given, and no host is declared that one may open"
            raise HostCallError("PermissionError", f"{message}: write tools/browser.yaml with kind: browser and hosts")
        if self._leased is None or (self._leased.done() and self._leased.exception() is not None):
            self._leased = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._hold(self._request, self._leased))
        return await asyncio.shield(self._leased)

    async def drop_lost(self) -> None:
        """The leased session has ended by itself; the next use leases another one."""
        await self.release()
        self._leased, self._task, self._stop = None, None, asyncio.Event()
        self.snapshot_id = ""

    async def release(self) -> None:
        """Release a leased session; a given one is left to its owner. Idempotent."""
        task = self._task
        if task is None:
            return
        self._stop.set()
        if self._leased is not None and not self._leased.done():
            await cancel_and_wait(task)
        await asyncio.wait([task], timeout=RELEASE_BOUND_S)
        if not task.done():
            await cancel_and_wait(task)

    async def _hold(self, request: LeaseSession, leased: asyncio.Future[BrowserAccess]) -> None:
        try:
            async with lease_session(self.bus, request, wait_bound_s=self._wait_bound_s) as lease:
                if isinstance(lease, ProfilePaused):
                    message = f"browser: the login state {lease.auth_profile!r} is paused: {lease.reason}"
                    raise HostCallError("PermissionError", message)
                session = lease.session
                leased.set_result(BrowserAccess(instance_id=session.instance_id, session_id=session.session_id))
                await self._stop.wait()
        except Exception as exc:  # noqa: BLE001  raised to whoever waits for the session
            if not leased.done():
                leased.set_exception(exc)
        finally:
            if not leased.done():
                leased.cancel()
