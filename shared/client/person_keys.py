"""The key by which a person signs decisions: a file of the person, which is made when it is first needed."""

from __future__ import annotations

import base64
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.errors import Unavailable
from shared.evidence_format.signing import PublicKey, create_key_file, parse_private_key, user_state
from shared.settings import Settings
from shared.text.names import safe_id

PEOPLE = "people"


class PersonKey:
    """An Ed25519 key, apart from the one that seals runs and those of services."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key())

    def sign(self, data: bytes) -> str:
        """Return the signature in base64."""
        return base64.b64encode(self._key.sign(data)).decode()


def person_key_path(name: str, settings: Settings) -> Path:
    """Return where the key of a person is: in the state folder that the settings name, else in that of the user."""
    state = settings.state_dir if "state_dir" in settings.model_fields_set else user_state()
    return state / PEOPLE / f"{safe_id(name)}.pem"


def load_person_key(name: str, settings: Settings, file: Path | None = None) -> PersonKey:
    """Return the key of a person; make it if there is none and no file is named.

    Raises:
        Unavailable: it cannot be read or made (``no_signing_key``).
    """
    path = file or person_key_path(name, settings)
    try:
        if file is None and not path.exists():
            create_key_file(path)
        pem = path.read_bytes()
    except OSError as exc:
        message = f"the key of {name} cannot be had at {path}: {exc.strerror or exc}"
        raise Unavailable(message, code="no_signing_key") from exc
    return PersonKey(parse_private_key(pem, path))
