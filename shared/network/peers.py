"""Which user of this machine is at the other end of a connection over loopback."""

from __future__ import annotations

from pathlib import Path

TABLE = Path("/proc/net/tcp")
LOCAL, REMOTE, UID = 1, 2, 7
"""Columns of the kernel's table of TCP connections."""


def user_of(local: tuple[str, int], remote: tuple[str, int], table: str) -> int | None:
    """Return the id of the user whose socket has these ends, IPv4 addresses with their ports; None if there is none.

    ``table``: the text of ``/proc/net/tcp``.
    """
    wanted = _end(*local), _end(*remote)
    for line in table.splitlines()[1:]:
        columns = line.split()
        if len(columns) > UID and (columns[LOCAL], columns[REMOTE]) == wanted:
            return int(columns[UID])
    return None


def is_of_user(local: tuple[str, int], remote: tuple[str, int], uid: int) -> bool:
    """Return whether the socket with these ends is one of the user ``uid``. True where the system has no table."""
    try:
        table = TABLE.read_text(encoding="ascii")
    except OSError:
        return True
    return user_of(local, remote, table) == uid


def _end(address: str, port: int) -> str:
    numbers = [int(part) for part in address.split(".")]
    # The kernel writes an address as the number that its bytes are on this machine, which is little-endian.
    return f"{bytes(reversed(numbers)).hex().upper()}:{port:04X}"
