"""The login states of this machine: their names and hosts. What they hold is a secret, and is not told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from shared.settings import Settings

MOST_STATES = 500
MOST_BYTES = 64 * 1024**2


def login_folder(settings: Settings) -> Path:
    """Return the folder that has a file for each login state; it may not exist."""
    return settings.state_dir / "auth"


@dataclass(frozen=True)
class LoginFacts:
    """``hosts``: that it may be used for; empty: they follow from what it holds. ``ends_at``: when the last of its
    cookies expires; None: some end with the browser, or it has none. ``lost``: why it cannot be read."""

    name: str
    recorded_at: datetime
    hosts: tuple[str, ...] = ()
    ends_at: datetime | None = None
    lost: str = ""


def read_logins(settings: Settings) -> list[LoginFacts]:
    """Return the login states of this machine, by name, `MOST_STATES` at most."""
    files = sorted(login_folder(settings).glob("*.json"))[:MOST_STATES]
    return [_facts_of(file) for file in files if not file.name.startswith(".")]


def _facts_of(file: Path) -> LoginFacts:
    recorded_at = datetime.fromtimestamp(0, UTC)
    try:
        recorded_at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
        if file.stat().st_size > MOST_BYTES:
            return LoginFacts(file.stem, recorded_at, lost="it is too large to be one")
        known: Any = json.loads(file.read_bytes())
    except OSError as exc:
        return LoginFacts(file.stem, recorded_at, lost=exc.strerror or "it cannot be read")
    except (ValueError, RecursionError):
        return LoginFacts(file.stem, recorded_at, lost="it is no login state")
    if not isinstance(known, dict) or "cookies" not in known:
        return LoginFacts(file.stem, recorded_at, lost="it is no login state")
    state = cast("Mapping[str, Any]", known)
    hosts = state.get("hosts")
    named = tuple(map(str, cast("list[Any]", hosts))) if isinstance(hosts, list) else ()
    return LoginFacts(file.stem, recorded_at, named, _end_of(state.get("cookies")))


def _end_of(cookies: Any) -> datetime | None:
    """Return when the last cookie expires; None where one has no such time."""
    try:
        ends = [float(cookie.get("expires", -1)) for cookie in cookies]
        return datetime.fromtimestamp(max(ends), UTC) if ends and min(ends) > 0 else None
    except (TypeError, ValueError, AttributeError, OverflowError, OSError):
        return None
