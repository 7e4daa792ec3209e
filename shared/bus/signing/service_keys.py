"""Who gives the services of a process their keys."""

from __future__ import annotations

from typing import Protocol

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.bus.access.rights import BusUser
from shared.bus.signing.signatures import EventSigner, Signing
from shared.subjects import SIGNING


class ServiceKeys(Protocol):
    def signing_of(self, user: BusUser) -> Signing:
        """Return what a service signs with, and whom it believes. Raises PermanentError (``no_signers``) when what it
        has to know is missing."""
        ...


class KeysInMemory:
    """New keys for the services of one process, which believe each other and nobody else. They are never written, so
    that whoever knows the secret of the bus finds none, and they end with the process."""

    def __init__(self) -> None:
        self._signers: dict[str, EventSigner] = {}
        self._services: dict[str, str] = {}

    def signing_of(self, user: BusUser) -> Signing:
        """See :class:`ServiceKeys`."""
        return Signing(self.signer_of(user.name), self)

    def signer_of(self, service: str) -> EventSigner | None:
        """Return what the service signs with, the same for each of its connections; None where it signs nothing."""
        if service in SIGNING and service not in self._signers:
            signer = self._signers[service] = EventSigner(Ed25519PrivateKey.generate())
            self._services[signer.public] = service
        return self._signers.get(service)

    def service_of(self, key: str) -> str | None:
        """See :class:`shared.bus.signing.signatures.KnownSigners`."""
        return self._services.get(key)


def checks_signatures(user: BusUser) -> bool:
    """Whether the user handles what must be signed."""
    routes = user.actor.stored.values() if user.actor is not None else ()
    return any(route.subject.signers for route in routes)
