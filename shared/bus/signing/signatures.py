"""Signatures of events: what a service may send, it signs with a key of its own.

Signed are the bytes as they are sent and the subject that they travel on, so that a signature is of no use for other
bytes, and none for the same bytes under the name of another run or sample. It is a header of the message, and stays
with it in the stream.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from shared.bus.decoding import decode_or_skip
from shared.errors import NotSigned
from shared.subjects import EVENTS, Stored, pattern_of

SIGNATURE = "Exhibit-Signature"
"""The header: the public key in hex, a dot, and the signature in base64."""
PURPOSE = b"an event of exhibit, 1\n"
"""What is signed begins so, so that the signature is one of nothing else."""
_BY_PATTERN = {subject.pattern: subject for subject in EVENTS}
_KEY = re.compile(r"[0-9a-f]{64}")


class KnownSigners(Protocol):
    """Which service a public key is of."""

    def service_of(self, key: str) -> str | None:
        """Return the service, None for a key of none. ``key``: 64 hex digits."""
        ...


class Nobody:
    """Knows no key: everything that must be signed is refused."""

    def service_of(self, key: str) -> str | None:
        return None


NOBODY = Nobody()


class EventSigner:
    """Signs what one service sends. ``on_sign``: called before each signature."""

    def __init__(self, key: Ed25519PrivateKey, on_sign: Callable[[], None] = lambda: None) -> None:
        self._key, self._on_sign = key, on_sign
        self.public = key.public_key().public_bytes_raw().hex()

    def header(self, where: str, data: bytes) -> str:
        """Return the header of these bytes on this subject."""
        self._on_sign()
        return f"{self.public}.{base64.b64encode(self._key.sign(_signed(where, data))).decode()}"


@dataclass(frozen=True)
class Signing:
    """What one connection signs with, and whom it believes. ``signer``: None signs nothing, as people do."""

    signer: EventSigner | None
    known: KnownSigners


UNSIGNED = Signing(None, NOBODY)


def require_signature(
    known: KnownSigners, subject: Stored[Any], where: str, data: bytes, headers: Mapping[str, str]
) -> None:
    """Raise NotSigned unless a service that may send this has signed just these bytes on the subject ``where``."""
    if not subject.signers:
        return
    allowed = " or ".join(subject.signers)
    key, _, written = headers.get(SIGNATURE, "").partition(".")
    if not key:
        raise NotSigned(f"it has no signature, and only {allowed} may send it", why="not_signed")
    service = known.service_of(key) if _KEY.fullmatch(key) else None
    if service is None:
        raise NotSigned(
            f"it is signed by the key {key[:16]}, which is of no service that is known here, and only {allowed} may "
            f"send it; services of other users and machines are known by the keys that `exhibit bus-config` writes",
            why="unknown_signer",
        )
    if not _is_signed(key, written, where, data):
        raise NotSigned(f"the signature by {service} is not of these bytes on {where}", why="bad_signature")
    if service not in subject.signers:
        raise NotSigned(f"it is signed by {service}, and only {allowed} may send it", why="other_signer")


def is_believed(known: KnownSigners, where: str, data: bytes, headers: Mapping[str, str]) -> bool:
    """Whether an event in the stream is from a service that may send it; False also where it is none of a kind that is
    known, or says that it is of another kind than its subject. For readers of what others handle."""
    subject = _BY_PATTERN.get(pattern_of(where))
    if subject is None:
        return False
    if not subject.signers:
        return decode_or_skip(data, subject.message) is not None
    try:
        require_signature(known, subject, where, data, headers)
    except NotSigned:
        return False
    return True


def _is_signed(key: str, written: str, where: str, data: bytes) -> bool:
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(base64.b64decode(written, validate=True), _signed(where, data))
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True


def _signed(where: str, data: bytes) -> bytes:
    """What is signed. A subject holds no line break, so that no other subject and bytes give the same."""
    return b"%s%s\n%s" % (PURPOSE, where.encode(), data)
