"""What the handlers of the browser pool need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from services.browser_pool.login_states import LoginStore
from services.browser_pool.sessions import Sessions
from services.browser_pool.viewers import Viewers
from shared.bus.access.use import BusUse
from shared.bus.ports import Blobs, Records
from shared.secrets.store import SecretStore
from shared.streams import ANSWERS, ARTIFACTS, AUTH_PROFILES, AUTH_SESSIONS, SITE_PACE, SITE_PAUSES


class SecretBindings(Protocol):
    """Which secrets this pool knows, and which hosts they are for. Both read files."""

    def missing(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the unknown names."""
        ...

    def refusals(self, names: tuple[str, ...], hosts: tuple[str, ...]) -> tuple[str, ...]:
        """Return why known ones may not be used by a session that may open ``hosts``."""
        ...


@dataclass
class BrowserPoolDeps:
    sessions: Sessions
    blobs: Blobs
    instance_id: str
    new_id: Callable[[], str]
    utc_now: Callable[[], datetime]
    records: Records
    logins: LoginStore
    viewers: Viewers = field(default_factory=Viewers)
    secrets: SecretBindings = field(default_factory=lambda: SecretStore(None, {}))


BUS_USE = BusUse(
    records=(
        SITE_PACE,
        SITE_PAUSES,
        AUTH_PROFILES,
        AUTH_SESSIONS,
    ),
    watches=(SITE_PAUSES,),
    gets=(ANSWERS,),
    puts=(ARTIFACTS,),
)
"""What the service does on the bus besides what its actor says; its rights follow from it."""
