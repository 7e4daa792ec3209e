"""`exhibit key`: show the public key whose private part seals runs on this machine."""

from __future__ import annotations

import sys

import msgspec
import typer

from services.console import exits
from services.console.commands.verify import print_refusal
from services.console.options import AsJson, load_settings
from services.console.terminal.plain_output import print_err, print_out
from shared.errors import ExhibitError
from shared.evidence_format.signing import key_path, load_signing_key
from shared.settings import Settings


def key(as_json: AsJson = False) -> None:
    """Print the public key that seals runs here, and its fingerprint; created on first use."""
    raise typer.Exit(print_key(load_settings(), as_json=as_json))


def print_key(settings: Settings, *, as_json: bool) -> int:
    """Print the public key and its fingerprint; create the key pair if there is none. Return the exit code."""
    try:
        public = load_signing_key(settings).public
    except ExhibitError as exc:
        return print_refusal(str(exc), as_json=as_json)
    if as_json:
        result = {"fingerprint": public.fingerprint, "public_key": public.pem}
        sys.stdout.write(msgspec.json.encode(result).decode() + "\n")
    else:
        # PEM readers ignore text before the key.
        print_out(f"Fingerprint: {public.fingerprint}\n{public.pem}")
        print_err(f"The private key is in {key_path(settings)}: keep it secret.\n")
    return exits.OK
