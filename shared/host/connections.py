"""How a program reaches the system: a client of the bus, or a session of the browser pool.

Without a bus in the settings, the services that it needs run in this process until the block ends. What that takes, the
client of the bus and the hosting of services, is imported when something is opened: programs that may do so, such as
each command that is asked for its options, start without it.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from shared.bus.ports import Asks, Blobs
from shared.contracts.actions import BrowserAction
from shared.contracts.browser_pool import (
    ActOnPage,
    LeaseSession,
    ObservePage,
    PageObserved,
    ProfilePaused,
    SessionLeased,
)
from shared.contracts.results import ActionResult
from shared.errors import PermanentError
from shared.hosts import EVERY_HOST, host_of
from shared.sessions import lease_session
from shared.subjects import ACT, OBSERVE

if TYPE_CHECKING:
    from shared.bus.nats_bus import Bus
    from shared.bus.signing.service_keys import KeysInMemory
    from shared.client import Client
    from shared.settings import Settings

ACT_TIMEOUT_S = 120.0
LEASE_WAIT_S, LEASE_TIMEOUT_S = 10.0, 60.0


@asynccontextmanager
async def open_client(settings: Settings, names: Iterable[str] | None = None) -> AsyncGenerator[Client]:
    """Yield a client of the bus in the settings, or of the named services (None: of all) run in this process."""
    from shared.bus.access.credentials import access_of
    from shared.client import connect
    from shared.client.bus_use import OPERATOR
    from shared.host.service_names import NAMES
    from shared.host.services import run_embedded

    if settings.nats_url is None:
        manager = run_embedded(settings, NAMES if names is None else names)
    else:
        manager = connect(settings.nats_url, access_of(settings), OPERATOR)
    async with manager as client:
        yield client


@dataclass(frozen=True)
class OpenedBus:
    """``own_url``: of the bus that runs in this process; empty: it is the one in the settings. ``keys``: of the
    services on it."""

    bus: Bus
    settings: Settings
    own_url: str = ""
    keys: KeysInMemory | None = None

    @asynccontextmanager
    async def with_services(self, names: Iterable[str]) -> AsyncGenerator[None]:
        """Run more services within the block, unless those of the bus in the settings answer."""
        from shared.host.services import run_services

        if not self.own_url:
            yield
            return
        async with run_services(self.settings, self.own_url, names, self.keys):
            yield


@asynccontextmanager
async def open_bus(settings: Settings, names: Iterable[str], name: str) -> AsyncGenerator[OpenedBus]:
    """Yield the bus in the settings, or one in this process with the named services. ``name``: of the connection."""
    from shared.bus.access.credentials import access_of
    from shared.bus.nats_bus import connect_bus
    from shared.bus.signing.service_keys import KeysInMemory
    from shared.client.bus_use import OPERATOR
    from shared.host.nats_server import nats_server
    from shared.host.services import run_services

    async with AsyncExitStack() as stack:
        own_url, keys = "", KeysInMemory()
        if settings.nats_url is None:
            store = stack.enter_context(TemporaryDirectory(prefix="exhibit-streams-"))
            own_url = await stack.enter_async_context(nats_server(Path(store)))
            await stack.enter_async_context(run_services(settings, own_url, names, keys))
        url = own_url or settings.nats_url or ""
        bus = await stack.enter_async_context(connect_bus(url, name=name, access=access_of(settings), user=OPERATOR))
        yield OpenedBus(bus, settings, own_url, keys)


class SessionBus(Asks, Blobs, Protocol):
    """The bus: requests, and the files that come of them."""


@dataclass
class ManualSession:
    """A leased session. ``snapshot_id`` is that of the latest observation; element numbers refer to it."""

    bus: SessionBus
    lease: SessionLeased
    snapshot_id: str = ""

    async def act(self, action: BrowserAction, *, step_picture: bool = False) -> ActionResult:
        request = ActOnPage(
            session_id=self.lease.session_id,
            instance_id=self.lease.instance_id,
            action=action,
            step_picture=step_picture,
        )
        return await self.bus.ask(ACT, request, timeout_s=ACT_TIMEOUT_S)

    async def observe(
        self, keywords: tuple[str, ...] = (), max_tokens: int = 6000, *, locators: bool = False, images: bool = False
    ) -> PageObserved:
        request = ObservePage(
            session_id=self.lease.session_id,
            instance_id=self.lease.instance_id,
            keywords=keywords,
            max_tokens=max_tokens,
            locators=locators,
            images=images,
            since=self.snapshot_id or None,
        )
        observed = await self.bus.ask(OBSERVE, request, timeout_s=ACT_TIMEOUT_S)
        self.snapshot_id = observed.snapshot_id
        return observed


@dataclass(frozen=True)
class ManualSessionTerms:
    """What a session may do. The host of ``url`` is allowed, private or not, because the user typed it."""

    url: str
    allow: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    profile: str | None = None

    def lease(self) -> LeaseSession:
        """Return the request for a session on these terms."""
        host = host_of(self.url)
        hosts = (host, *self.allow) if host else self.allow
        return LeaseSession(
            run_id="hand",
            sample_id=f"hand-{secrets.token_hex(8)}",  # whoever can guess it could watch the page
            auth_profile=self.profile,
            allowed_hosts=hosts,
            private_hosts=tuple(host for host in hosts if host != EVERY_HOST),
            secrets=self.secrets,
        )


@asynccontextmanager
async def open_pool_session(settings: Settings, terms: ManualSessionTerms) -> AsyncGenerator[ManualSession]:
    """Lease a session on the bus in the settings, or on a bus and a browser pool run in this process.

    Raises PermanentError (`login_required`) when the login state has to be recorded again.
    """
    async with AsyncExitStack() as stack:
        bus = (await stack.enter_async_context(open_bus(settings, ("browser_pool",), "hand"))).bus
        lease = await stack.enter_async_context(
            lease_session(bus, terms.lease(), wait_bound_s=LEASE_WAIT_S, lease_timeout_s=LEASE_TIMEOUT_S)
        )
        if isinstance(lease, ProfilePaused):
            raise PermanentError(lease.reason, code="login_required")
        yield ManualSession(bus, lease.session)
