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
    """``seeds``: the file with the seed of a user, or a folder with one for each. ``ca``: certificates to trust.
    ``cert`` and ``key``: of this process, where the server asks for a certificate."""

    seeds: Path | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None


NO_ACCESS = BusAccess()


def access_of(settings: Settings) -> BusAccess:
    """Return what the settings name."""
    return BusAccess(seeds=settings.nats_seed, ca=settings.nats_ca, cert=settings.nats_cert, key=settings.nats_key)


@dataclass(frozen=True, kw_only=True)
class ConnectOptions:
    """``named``: of nats-py. ``has_key``: whether any is offered; ``is_user``: whether it is that of a NATS user."""

    named: dict[str, Any]
    has_key: bool = False
    is_user: bool = False


def connect_options(url: str, user: str, access: BusAccess) -> ConnectOptions:
    """Return how ``user`` connects. Raises what :func:`find_context` and :func:`read_seed` raise."""
    named: dict[str, Any] = _tls(access)
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


def _tls(access: BusAccess) -> dict[str, Any]:
    """Return the option for a server that is not checked with the certificates of the system alone."""
    if access.ca is None and access.cert is None and access.key is None:
        return {}
    if (access.cert is None) != (access.key is None):
        raise PermanentError("EXHIBIT_NATS_CERT and EXHIBIT_NATS_KEY are set together", code="bus_refused")
    try:
        context = ssl.create_default_context(cafile=access.ca)
    except (OSError, ssl.SSLError) as exc:
        raise PermanentError(f"the certificates {access.ca} cannot be read: {exc}", code="bus_refused") from exc
    if access.cert is not None:
        try:
            context.load_cert_chain(access.cert, access.key, password="")  # one with a password is not asked for it
        except (OSError, ssl.SSLError, ValueError) as exc:
            told = f"the certificate {access.cert} with the key {access.key} cannot be used: {exc}"
            raise PermanentError(told, code="bus_refused") from exc
    return {"tls": context}


def _token_now(url: str) -> str:
    """Return the token, or "" where there is none now: the server refuses that, and the client tries again."""
    try:
        context = find_context(url)
    except ExhibitError:
        return ""
    return "" if context is None else context.token
