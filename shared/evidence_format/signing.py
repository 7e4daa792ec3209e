"""The Ed25519 key that seals runs: given by the settings, or one for each user of a machine, made by the first run.

It always lies outside of the evidence.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import logging
import os
import re
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from shared.errors import PolicyDenied, Unavailable
from shared.evidence_format.files.manifest import SEAL_FORMAT, Seal
from shared.settings import Settings

log = logging.getLogger(__name__)

ALGORITHM = "Ed25519"
FILE = "signing_key.pem"
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")
_PEM, _DER = serialization.Encoding.PEM, serialization.Encoding.DER
_PUBLIC, _PRIVATE = serialization.PublicFormat.SubjectPublicKeyInfo, serialization.PrivateFormat.PKCS8


class PublicKey:
    """A public key that may have sealed a run. ``fingerprint`` is the SHA-256 of the key as DER."""

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key
        self.pem = key.public_bytes(_PEM, _PUBLIC).decode()
        self.fingerprint = hashlib.sha256(key.public_bytes(_DER, _PUBLIC)).hexdigest()

    @classmethod
    def parse(cls, pem: str | bytes) -> PublicKey | None:
        """Return the key of a PEM text; None if it holds no public key, or one of another kind."""
        try:
            key = serialization.load_pem_public_key(pem.encode() if isinstance(pem, str) else pem)
        except (ValueError, TypeError, binascii.Error):
            return None
        return cls(key) if isinstance(key, Ed25519PublicKey) else None

    def is_signed(self, data: bytes, signature: str) -> bool:
        """Whether ``signature`` (base64) is the signature of these bytes by this key."""
        try:
            self._key.verify(base64.b64decode(signature, validate=True), data)
        except (InvalidSignature, ValueError):
            return False
        return True


@lru_cache(maxsize=64)
def key_of(pem: str) -> PublicKey | None:
    """As `PublicKey.parse`, of which it keeps the last ones: reading a key takes as long as checking a signature, and a
    review has few."""
    return PublicKey.parse(pem)


def fingerprint_of(pem: str) -> str:
    """Return the fingerprint of a public key; empty for what is none."""
    key = key_of(pem)
    return key.fingerprint if key is not None else ""


@dataclass(frozen=True)
class NamedKey:
    """A public key of which only the fingerprint is known: a seal holds its whole key."""

    fingerprint: str

    @classmethod
    def parse(cls, text: str) -> NamedKey | None:
        """Return the key of a fingerprint as people write it; None if the text is none."""
        digits = text.strip().replace(":", "").lower()
        return cls(digits) if _FINGERPRINT.fullmatch(digits) else None


class SigningKey:
    """See :class:`services.evidence.ports.Signer`."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key())

    def seal(self, manifest: bytes) -> Seal:
        """Return the seal of a manifest. Deterministic: equal bytes have equal seals."""
        return Seal(
            format=SEAL_FORMAT,
            algorithm=ALGORITHM,
            manifest_sha256=hashlib.sha256(manifest).hexdigest(),
            signature=base64.b64encode(self._key.sign(manifest)).decode(),
            public_key=self.public.pem,
            fingerprint=self.public.fingerprint,
        )


def key_path(settings: Settings) -> Path:
    """Return where the key is: where the settings say; in the state folder where they name one, or where an earlier
    version has made one; else in the state folder of the user."""
    if settings.signing_key is not None:
        return settings.signing_key
    here = settings.state_dir / FILE
    return here if "state_dir" in settings.model_fields_set or here.exists() else user_state() / FILE


def user_state() -> Path:
    """Return the folder in which this user keeps what outlives a run."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (state if state.is_absolute() else Path.home() / ".local" / "state") / "exhibit"


def load_signing_key(settings: Settings) -> SigningKey:
    """Return the key that seals here; create it if there is none.

    Raises:
        PolicyDenied: the key would be inside of the evidence.
        Unavailable: the key cannot be read or created.
    """
    path = key_path(settings)
    _require_outside_evidence(path, settings)
    try:
        if not path.exists():
            create_key_file(path)
            log.warning("a key to seal runs with was made for this user: %s; keep it, and keep it secret", path)
        pem = path.read_bytes()
    except OSError as exc:
        message = f"the key that seals runs cannot be had at {path}: {exc.strerror or exc}"
        raise Unavailable(message, code="no_signing_key") from exc
    return SigningKey(parse_private_key(pem, path))


def load_known_key(settings: Settings) -> PublicKey | None:
    """Return the public key that seals here, None if there is none. Raises Unavailable if it cannot be read."""
    return load_signing_key(settings).public if key_path(settings).exists() else None


def parse_private_key(pem: bytes, path: Path) -> Ed25519PrivateKey:
    """Return the key of a PEM file. Raises Unavailable (``no_signing_key``) if it holds none of this kind."""
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError) as exc:
        raise Unavailable(f"{path} holds no private key (PEM, without a password)", code="no_signing_key") from exc
    if not isinstance(key, Ed25519PrivateKey):
        raise Unavailable(f"the key in {path} is none of Ed25519", code="no_signing_key")
    return key


def _require_outside_evidence(path: Path, settings: Settings) -> None:
    """Raise PolicyDenied if the signing key is inside the evidence, where recipients of the evidence would get it."""
    if settings.evidence_bucket is None and path.resolve().is_relative_to(settings.evidence_dir.resolve()):
        message = (
            f"the key that seals runs would lie inside the evidence, at {path}: whoever is given the evidence could "
            f"seal what they like; set EXHIBIT_STATE_DIR (or EXHIBIT_SIGNING_KEY) to another place"
        )
        raise PolicyDenied(message, code="key_in_evidence")


def create_key_file(path: Path) -> None:
    """Create the key file, readable by its owner only. If two processes do so at once, the first one's key is used."""
    pem = Ed25519PrivateKey.generate().private_bytes(_PEM, _PRIVATE, serialization.NoEncryption())
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")  # 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(name)
        except FileExistsError:
            return
    finally:
        Path(name).unlink()
