"""Contexts: what a client needs to reach a server that runs on this machine, in a file that only its user can read.

Whoever starts a server writes one and removes it at the end. A client of the same user that knows the URL finds it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import psutil

from shared.bus.access.private_files import make_private_folder, read_private, write_private
from shared.errors import PermanentError, Unavailable

SERVER = "nats-server"
"""Name of the server's process."""
DEFAULT_PORT = 4222


@dataclass(frozen=True, kw_only=True)
class BusContext:
    """``token``: the secret of the server at ``url``, made for this start of it; its process is ``server_pid``."""

    url: str
    token: str = field(repr=False)
    server_pid: int
    version: int = 1


def context_folders() -> tuple[Path, ...]:
    """Return where contexts are: in the state folder of the user, or in the temporary folder where there is none."""
    temporary = Path(tempfile.gettempdir()) / f"exhibit-{os.geteuid()}" / "bus"
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not state.is_absolute():
        try:
            state = Path.home() / ".local" / "state"
        except RuntimeError:  # a user without a home
            return (temporary,)
    return state / "exhibit" / "bus", temporary


def write_context(context: BusContext) -> Path:
    """Write a context at once as a whole, and return its file. Those of servers that have ended are removed.

    Raises Unavailable when there is no folder that only this user can read.
    """
    reasons: list[str] = []
    for folder in context_folders():
        try:
            make_private_folder(folder)
            _remove_stale(folder)
            return write_private(folder / _name(context.url), msgspec.json.encode(context))
        except (OSError, PermanentError) as exc:
            reasons.append(str(exc))
    raise Unavailable(f"the key of the bus cannot be kept: {'; '.join(reasons)}", code="no_bus")


def remove_context(path: Path, context: BusContext) -> None:
    """Remove the file; one that another server has put in its place stays."""
    with suppress(FileNotFoundError, PermanentError):
        if _read(path) == context:
            path.unlink()


def find_context(url: str) -> BusContext | None:
    """Return the context of the server at ``url``, None if this user has none.

    Raises Unavailable when the server of the context has ended: whoever listens there now is somebody else. Raises
    PermanentError when others can read the file, or it is not a context.
    """
    for folder in context_folders():
        path = folder / _name(url)
        try:
            context = _read(path)
        except FileNotFoundError:
            continue
        if not _is_running(context):
            raise Unavailable(
                f"the bus at {url} has ended and left {path} behind: start it again with `exhibit up`, "
                f"or remove the file to use another server at this address",
                code="no_bus",
            )
        return context
    return None


def _name(url: str) -> str:
    parts = urlsplit(url if "://" in url else f"nats://{url}")
    host = (parts.hostname or "").replace(":", "_")
    return f"{'127.0.0.1' if host == 'localhost' else host}-{parts.port or DEFAULT_PORT}.json"


def _is_running(context: BusContext) -> bool:
    """Whether the process is there, and is a server of this user: its number may be that of another one by now."""
    try:
        process = psutil.Process(context.server_pid)
        with process.oneshot():
            is_server = process.name() == SERVER and process.status() != psutil.STATUS_ZOMBIE
            return is_server and process.uids().effective == os.geteuid()
    except psutil.Error:
        return False


def _read(path: Path) -> BusContext:
    """Raises FileNotFoundError; PermanentError when it is not a file of this user alone, or not a context."""
    data = read_private(path, "remove it, and start the bus again")
    try:
        return msgspec.json.decode(data, type=BusContext)
    except msgspec.DecodeError as exc:
        raise PermanentError(f"{path} is not the context of a bus: remove it", code="bus_refused") from exc


def _remove_stale(folder: Path) -> None:
    for path, context in _contexts_in(folder):
        if not _is_running(context):
            remove_context(path, context)


def _contexts_in(folder: Path) -> Iterator[tuple[Path, BusContext]]:
    for path in folder.glob("*.json"):
        with suppress(FileNotFoundError, PermanentError):
            yield path, _read(path)
