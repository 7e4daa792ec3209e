"""`exhibit key`: show the public key whose private part seals the runs of this user."""

from __future__ import annotations

import sys
from typing import Annotated

import msgspec
import typer

from services.console import exits
from services.console.commands.verify import print_refusal
from services.console.options import AsJson, load_settings
from services.console.terminal.plain_output import print_err, print_out
from shared.errors import ExhibitError
from shared.evidence_format.signing import key_path, load_known_key, load_signing_key
from shared.settings import Settings

New = Annotated[bool, typer.Option("--new", help="Make the key pair, if there is none yet.")]


def key(new: New = False, as_json: AsJson = False) -> None:
    """Print the public key that seals your runs, and its fingerprint. The first run makes it, or --new."""
    raise typer.Exit(print_key(load_settings(), new=new, as_json=as_json))


def print_key(settings: Settings, *, new: bool = False, as_json: bool) -> int:
    """Print the public key and its fingerprint. Return the exit code. ``new``: make the pair if there is none."""
    try:
        public = load_signing_key(settings).public if new else load_known_key(settings)
    except ExhibitError as exc:
        return print_refusal(str(exc), as_json=as_json)
    if public is None:
        told = f"there is no key at {key_path(settings)} yet: your first run makes it, or `exhibit key --new`"
        return print_refusal(told, as_json=as_json)
    if as_json:
        result = {"fingerprint": public.fingerprint, "public_key": public.pem}
        sys.stdout.write(msgspec.json.encode(result).decode() + "\n")
    else:
        # PEM readers ignore text before the key.
        print_out(f"Fingerprint: {public.fingerprint}\n{public.pem}")
        print_err(f"The private key is in {key_path(settings)}: keep it secret.\n")
    return exits.OK
