"""What the handlers of the browser pool need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from services.browser_pool.login_states import LoginStore
from services.browser_pool.sessions import Sessions
from shared.bus.ports import Blobs, Records


@dataclass
class BrowserPoolDeps:
    sessions: Sessions
    blobs: Blobs
    instance_id: str
    new_id: Callable[[], str]
    utc_now: Callable[[], datetime]
    records: Records
    logins: LoginStore
    missing_secrets: Callable[[tuple[str, ...]], tuple[str, ...]] = lambda names: ()
    """Return those of the given names that are unknown to this pool."""
