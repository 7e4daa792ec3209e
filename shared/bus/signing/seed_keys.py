"""Keys of services that are users of a bus: derived from the seed of each, the public ones in a file.

`exhibit bus-config` writes the file. It holds nothing secret; what matters is that nobody else can write it.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from shared.bus.access.credentials import SERVICES, read_seed, seed_file
from shared.bus.access.keys import SEED_BYTES, secret_of
from shared.bus.access.rights import BusUser
from shared.bus.signing.service_keys import checks_signatures
from shared.bus.signing.signatures import EventSigner, Signing
from shared.errors import PermanentError
from shared.subjects import SIGNING

SIGNERS = "signers.json"
PURPOSE = b"the key by which a service of exhibit signs events, 1"
WRITE_IT = f"`exhibit bus-config` writes {SIGNERS} beside the seeds: write it, give it to this process, and start again"


class SignersFile(msgspec.Struct, frozen=True, kw_only=True):
    """``services``: the public keys of each service that signs, in hex."""

    version: int = 1
    services: dict[str, tuple[str, ...]]


def signer_of(seed: str) -> EventSigner:
    """Return what the service with this seed signs with.

    It is another key than that of the NATS user: with that one a process signs whatever a server sends it, so that a
    server could have it sign an event.
    """
    derived = HKDF(algorithm=SHA256(), length=SEED_BYTES, salt=None, info=PURPOSE).derive(secret_of(seed))
    return EventSigner(Ed25519PrivateKey.from_private_bytes(derived))


def signers_file(seeds: Mapping[str, str]) -> bytes:
    """Return the file of public keys. ``seeds``: the seed of each user by its name."""
    services = {name: (signer_of(seeds[name]).public,) for name in sorted(SIGNING)}
    return msgspec.json.format(msgspec.json.encode(SignersFile(services=services)), indent=2) + b"\n"


class SeedKeys:
    """See the module. ``seeds``: as in :class:`shared.bus.access.credentials.BusAccess`."""

    def __init__(self, seeds: Path) -> None:
        self._seeds = seeds

    def signing_of(self, user: BusUser) -> Signing:
        """See :class:`shared.bus.signing.service_keys.ServiceKeys`."""
        file = seed_file(self._seeds, user.name)
        signer = signer_of(read_seed(file)) if user.name in SIGNING else None
        known = PublicKeys(find_signers(self._seeds))
        if checks_signatures(user):
            known.require(user.name, signer)
        return Signing(signer, known)


def find_signers(seeds: Path) -> Path:
    """Return where the public keys are: in the folder that `exhibit bus-config` has written, or beside the seed."""
    if seeds.is_dir():
        return seeds / SIGNERS
    return (seeds.parent.parent if seeds.parent.name == SERVICES else seeds.parent) / SIGNERS


class PublicKeys:
    """The keys in a file, which is read again when it changes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_of: tuple[int, int, int] | None = None
        self._services: dict[str, str] = {}

    def service_of(self, key: str) -> str | None:
        """See :class:`shared.bus.signing.signatures.KnownSigners`. Nobody is known while the file cannot be read."""
        try:
            self._refresh()
        except PermanentError:
            return None
        return self._services.get(key)

    def require(self, name: str, signer: EventSigner | None) -> None:
        """Raise PermanentError (``no_signers``) unless the file has keys of all services that sign, and that of the
        service ``name`` is ``signer``."""
        self._refresh()
        missing = SIGNING - set(self._services.values())
        if missing:
            raise _unusable(self._path, f"has no key of {', '.join(sorted(missing))}")
        if signer is not None and self._services.get(signer.public) != name:
            raise _unusable(self._path, f"has another key of {name} than this process")

    def _refresh(self) -> None:
        try:
            facts = self._path.stat()
            version = facts.st_ino, facts.st_mtime_ns, facts.st_size
            if version == self._read_of:
                return
            if facts.st_mode & stat.S_IWOTH:
                raise _unusable(self._path, "can be written by all users")
            file = msgspec.json.decode(self._path.read_bytes(), type=SignersFile)
        except OSError as exc:
            raise _unusable(self._path, f"cannot be read ({exc.strerror})") from exc
        except msgspec.DecodeError as exc:
            raise _unusable(self._path, f"holds no keys ({exc})") from exc
        self._services = {key: service for service, keys in file.services.items() for key in keys}
        self._read_of = version


def _unusable(path: Path, why: str) -> PermanentError:
    return PermanentError(
        f"events of services are taken only with their signatures, and {path} with their public keys {why}: {WRITE_IT}",
        code="no_signers",
    )
