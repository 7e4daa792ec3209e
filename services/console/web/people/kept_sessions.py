"""The sessions of a server, in a file of its user: a page that is open goes on when the server is there again.

The file has hashes of their secrets, and the key of their forms; it is read by its user alone. It is worth nothing
`KEPT_S` after the last of them began, so that a server that starts on another day knows nobody.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from shared.bus.access.private_files import read_private, write_private
from shared.contracts.base import Part
from shared.errors import PermanentError

KEPT_S = 12 * 3600.0


class SessionsFile(Part, frozen=True, kw_only=True):
    """``at``: when it was written, in seconds since 1970. ``sessions``: number of each, by the hash of its secret."""

    at: float
    key: bytes
    sessions: dict[str, int]
    begun: int


@dataclass(frozen=True)
class KeptSessions:
    path: Path
    now: Callable[[], float] = time.time

    def read(self) -> SessionsFile | None:
        """Return what was kept; None where that is nothing, is old, or is a file that others may read."""
        try:
            found = msgspec.json.decode(read_private(self.path, "it is written anew"), type=SessionsFile)
        except (OSError, PermanentError, msgspec.MsgspecError, ValueError):
            return None
        return found if len(found.key) == 32 and 0 <= self.now() - found.at < KEPT_S else None

    def write(self, key: bytes, sessions: Mapping[str, int], begun: int) -> None:
        """Keep them, or none where that cannot be: who has a session has it all the same."""
        kept = SessionsFile(at=self.now(), key=key, sessions=dict(sessions), begun=begun)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self.path, msgspec.json.encode(kept))
        except OSError:
            return
