"""Which keys the services of a process have on a bus that it did not start for itself."""

from __future__ import annotations

from shared.bus.access.credentials import BusAccess, used_seeds
from shared.bus.signing.registered_keys import RegisteredKeys
from shared.bus.signing.seed_keys import SeedKeys
from shared.bus.signing.service_keys import ServiceKeys


def keys_of(url: str, access: BusAccess) -> ServiceKeys:
    """Return keys of the users of the bus; on a bus without users those that processes of this user of the machine
    register. Raises what :func:`shared.bus.access.contexts.find_context` raises."""
    seeds = used_seeds(url, access)
    return RegisteredKeys() if seeds is None else SeedKeys(seeds)
