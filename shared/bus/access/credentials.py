"""How a connection proves who it is: by the context of a server of this user, else by the seed of a NATS user."""

from __future__ import annotations

import ssl
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.bus.access.contexts import find_context
from shared.bus.access.keys import public_key
from shared.errors import ExhibitError, PermanentError
from shared.settings import Settings

SERVICES = "services"
"""Folder with the seeds of services, in a folder of seeds."""


@dataclass(frozen=True, kw_only=True)
class BusAccess:
    """``seeds``: the file with the seed of a user, or a folder with one for each. ``ca``: certificates to trust."""

    seeds: Path | None = None
    ca: Path | None = None


NO_ACCESS = BusAccess()


def access_of(settings: Settings) -> BusAccess:
    """Return what the settings name."""
    return BusAccess(seeds=settings.nats_seed, ca=settings.nats_ca)


@dataclass(frozen=True, kw_only=True)
class ConnectOptions:
    """``named``: of nats-py. ``has_key``: whether any is offered; ``is_user``: whether it is that of a NATS user."""

    named: dict[str, Any]
    has_key: bool = False
    is_user: bool = False


def connect_options(url: str, user: str, access: BusAccess) -> ConnectOptions:
    """Return how ``user`` connects. Raises what :func:`find_context` and :func:`read_seed` raise."""
    named: dict[str, Any] = {} if access.ca is None else {"tls": _tls(access.ca)}
    if find_context(url) is not None:
        # Read for each connection: a server that was started again has another token.
        return ConnectOptions(named={**named, "token": lambda: _token_now(url)}, has_key=True)
    seeds = used_seeds(url, access)
    if seeds is None:
        return ConnectOptions(named=named)
    file = seed_file(seeds, user)
    seed = read_seed(file)
    named |= {"nkeys_seed": str(file), "inbox_prefix": inbox_of(public_key(seed))}
    return ConnectOptions(named=named, has_key=True, is_user=True)


def used_seeds(url: str, access: BusAccess) -> Path | None:
    """Return the seeds by which processes are known at ``url``; None where it is a bus without users. Raises what
    :func:`find_context` raises."""
    return access.seeds if find_context(url) is None else None


def inbox_of(key: str) -> str:
    """Return the prefix of the subjects on which the user with this public key gets its replies."""
    return f"_INBOX.{key}"


def seed_file(seeds: Path, user: str) -> Path:
    """Return the file with the seed of ``user``, in a folder as `exhibit bus-config` writes it."""
    if not seeds.is_dir():
        return seeds
    of_service = seeds / SERVICES / f"{user}.seed"
    return of_service if of_service.exists() else seeds / f"{user}.seed"


def read_seed(file: Path) -> str:
    """Return the seed. Raises PermanentError when it cannot be read, or may be read by everybody."""
    try:
        with file.open(encoding="ascii") as opened:
            mode = stat.S_IMODE(Path(file).stat().st_mode)
            seed = opened.read(200).strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise PermanentError(f"the seed {file} cannot be read: {_reason(exc)}", code="bus_refused") from None
    if mode & stat.S_IRWXO:
        raise PermanentError(f"the seed {file} is open to all users: chmod 0600 {file}", code="bus_refused")
    try:
        public_key(seed)
    except PermanentError as exc:
        raise PermanentError(f"{file}: {exc}", code="bus_refused") from None
    return seed


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or "" if isinstance(error, OSError) else "it is no text"


def _tls(ca: Path) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=str(ca))
    except (OSError, ssl.SSLError) as exc:
        raise PermanentError(f"the certificates {ca} cannot be read: {exc}", code="bus_refused") from exc


def _token_now(url: str) -> str:
    """Return the token, or "" where there is none now: the server refuses that, and the client tries again."""
    try:
        context = find_context(url)
    except ExhibitError:
        return ""
    return "" if context is None else context.token
