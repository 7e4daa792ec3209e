"""Keys of services on a bus without users, where all of them are processes of one user of this machine.

A service makes a new key for each start and never writes it. Its public key it writes into a folder that only its user
can read or write, under the name of the key: the other services of the user find it there, also after the process
has ended, for what it has signed stays in the stream. So neither the bus nor its secret says whom to believe.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.bus.access.contexts import context_folders
from shared.bus.access.private_files import make_private_folder, read_private, write_private
from shared.bus.access.rights import BusUser
from shared.bus.signing.signatures import EventSigner, Signing
from shared.errors import PermanentError, Unavailable
from shared.streams import DAY_S, EVENTS_STREAM
from shared.subjects import SIGNING

FOLDER = "signers"
SHOW_EVERY_S = 3600.0
"""How often a process that signs shows that its key is in use."""
KEPT_S = EVENTS_STREAM.max_age_s + DAY_S
"""A key that was not in use for so long has signed nothing that is still in the stream."""


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """``service``: whose key it is that the file is named by."""

    version: int = 1
    service: str


class RegisteredKeys:
    """See the module. Registrations are read when a key is met for the first time."""

    def __init__(self) -> None:
        self._services: dict[str, str] = {}

    def signing_of(self, user: BusUser) -> Signing:
        """See :class:`shared.bus.signing.service_keys.ServiceKeys`. Raises Unavailable when there is no folder that
        only this user can read."""
        return Signing(self._signer_of(user.name) if user.name in SIGNING else None, self)

    def service_of(self, key: str) -> str | None:
        """See :class:`shared.bus.signing.signatures.KnownSigners`."""
        if key not in self._services and (service := _read_service(key)) is not None:
            self._services[key] = service
        return self._services.get(key)

    def _signer_of(self, service: str) -> EventSigner:
        key = Ed25519PrivateKey.generate()
        name = _file(key.public_key().public_bytes_raw().hex())
        data = msgspec.json.encode(Registration(service=service))
        return EventSigner(key, _Shown(_write(name, data) / name, data).show)


class _Shown:
    """Keeps the registration of a key that is in use from being removed as an old one."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path, self._data, self._at_s = path, data, time.monotonic()

    def show(self) -> None:
        if time.monotonic() - self._at_s < SHOW_EVERY_S:
            return
        self._at_s = time.monotonic()
        try:
            os.utime(self._path)
        except OSError:  # it is gone
            _write(self._path.name, self._data)


def _folders() -> Iterator[Path]:
    return (folder / FOLDER for folder in context_folders())


def _file(key: str) -> str:
    return f"{key}.json"


def _write(name: str, data: bytes) -> Path:
    """Write a registration; return its folder. Those that are of no use any more are removed."""
    reasons: list[str] = []
    for folder in _folders():
        try:
            make_private_folder(folder.parent)
            make_private_folder(folder)
            _remove_old(folder)
            write_private(folder / name, data)
        except (OSError, PermanentError) as exc:
            reasons.append(str(exc))
        else:
            return folder
    raise Unavailable(f"the public key of this service cannot be kept: {'; '.join(reasons)}", code="no_bus")


def _remove_old(folder: Path) -> None:
    for path in folder.glob("*.json"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > KEPT_S:
                path.unlink()


def _read_service(key: str) -> str | None:
    """Return the service of a registration, None where there is none that only this user can have written."""
    for folder in _folders():
        with suppress(FileNotFoundError, PermanentError, msgspec.DecodeError):
            return msgspec.json.decode(read_private(folder / _file(key), "remove it"), type=Registration).service
    return None
