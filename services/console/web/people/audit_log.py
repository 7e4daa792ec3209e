"""The audit log of the console: one line for each page that is opened, each act, and whoever is refused."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from shared.contracts.base import Part
from shared.errors import Unavailable
from shared.settings import Settings

MOST_ID_CHARS = 200
MOST_REFUSED, REFUSED_S = 60, 60.0
"""Lines about whoever was refused, in that time. Further ones are counted: who is not let in must not fill a disk."""


class AuditEntry(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One line.

    ``person`` and ``roles``: who has asked, as the proxy has told it; without a proxy, the user who has started the
    server, and nobody for whoever was not let in. ``session``: number of the browser session, 0 without one. ``peer``:
    address of the connection. ``page``: name of the route. ``run``, ``sample``, ``named``: what it was about, by its id
    or name. ``status``: of the answer; 0: an act that is about to be done. ``why``: of a refusal; ``path``: what was
    asked for then, without its query. ``left_out``: refusals before this one without a line.
    """

    at: datetime
    person: str = ""
    roles: tuple[str, ...] = ()
    session: int = 0
    peer: str = ""
    method: str = ""
    page: str = ""
    run: str = ""
    sample: str = ""
    named: str = ""
    status: int
    ms: int = 0
    why: str = ""
    path: str = ""
    left_out: int = 0


def audit_file(settings: Settings) -> Path:
    return settings.state_dir / "console/audit.jsonl"


@dataclass
class AuditLog:
    """Appends to a file, which nobody but its user reads. Each line opens the file: one that was moved away for
    keeping is followed by a new one."""

    path: Path
    _refused: list[float] = field(default_factory=list[float])
    _left_out: int = 0

    def add(self, entry: AuditEntry) -> None:
        """Raises Unavailable: what cannot be noted is not shown."""
        line = msgspec.json.encode(entry) + b"\n"
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                if os.write(file, line) != len(line):
                    raise OSError("only a part was written")
            finally:
                os.close(file)
        except OSError as exc:
            message = f"the audit log {self.path} cannot be written: {exc.strerror or exc}"
            raise Unavailable(message) from exc

    def refuse(self, entry: AuditEntry) -> None:
        """Note that somebody was not let in. It is refused all the same where that cannot be noted."""
        now = time.monotonic()
        self._refused = [at for at in self._refused if now - at < REFUSED_S]
        if len(self._refused) >= MOST_REFUSED:
            self._left_out += 1
            return
        self._refused.append(now)
        try:
            self.add(replace(entry, left_out=self._left_out))
        except Unavailable:
            return
        self._left_out = 0
