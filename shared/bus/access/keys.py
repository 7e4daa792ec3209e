"""Nkeys: the Ed25519 keys by which a NATS server knows its users. A seed is secret; a public key names the user."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# The package nkeys has no types.
from __future__ import annotations

import secrets
from typing import Any

import nkeys

from shared.errors import PermanentError

SEED_BYTES = 32


def new_seed() -> str:
    """Return the seed of a new user, of 256 random bits."""
    seed: bytes = nkeys.encode_seed(secrets.token_bytes(SEED_BYTES), nkeys.PREFIX_BYTE_USER)
    return seed.decode()


def secret_of(seed: str) -> bytes:
    """Return the bytes of a seed. Raises what :func:`public_key` raises."""
    public_key(seed)
    _, raw = nkeys.decode_seed(bytearray(seed.encode()))
    return bytes(raw[:SEED_BYTES])


def public_key(seed: str) -> str:
    """Return what a server's configuration names the user by. Raises PermanentError when it is not a user's seed."""
    try:
        pair: Any = nkeys.from_seed(bytearray(seed.encode()))
        public: str = pair.public_key.decode()
    except (nkeys.NkeysError, ValueError, IndexError):
        public = ""
    if not public.startswith("U"):
        raise PermanentError("not the seed of a NATS user: it begins with SU and has 58 characters", code="bus_refused")
    return public
