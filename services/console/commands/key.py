"""`exhibit key`: whose seal it is that this machine puts on runs."""

from __future__ import annotations

import sys

import msgspec

from services.console import exits
from services.console.commands.verify import refused
from shared.errors import ExhibitError
from shared.evidence_format.signing import key_path, signing_key
from shared.settings import Settings


def show_key(settings: Settings, *, as_json: bool) -> int:
    """Prints the public key and its fingerprint, and makes the key where there is none yet. Returns the exit code."""
    try:
        key = signing_key(settings).public
    except ExhibitError as exc:
        return refused(str(exc), as_json=as_json)
    if as_json:
        told = {"fingerprint": key.fingerprint, "public_key": key.pem}
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
    else:
        # What stands before a PEM is read over by whoever reads one.
        sys.stdout.write(f"Fingerprint: {key.fingerprint}\n{key.pem}")
        sys.stderr.write(f"The private key is in {key_path(settings)}: keep it there, and keep it to yourself.\n")
    return exits.OK
