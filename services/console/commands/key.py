"""`exhibit key`: show the public key whose private part seals the runs of this user."""

from __future__ import annotations

from typing import Annotated

import typer

from services.console.options import AsJson, load_settings
from services.console.outcomes import CommandOutcome, CommandResult, ErrorLine, RunRefused
from shared.errors import ExhibitError
from shared.evidence_format.signing import key_path, load_known_key, load_signing_key

New = Annotated[bool, typer.Option("--new", help="Make the key pair, if there is none yet.")]


def key(new: New = False, as_json: AsJson = False) -> CommandOutcome:
    """Print the public key that seals your runs, and its fingerprint. The first run makes it, or --new."""
    settings = load_settings()
    place = key_path(settings)
    try:
        public = load_signing_key(settings).public if new else load_known_key(settings)
    except ExhibitError as exc:
        return RunRefused(str(exc))
    if public is None:
        return RunRefused(f"there is no key at {place} yet: your first run makes it, or `exhibit key --new`")
    lines = (
        f"Fingerprint: {public.fingerprint}",
        public.pem.removesuffix("\n"),  # PEM readers ignore text before the key
        ErrorLine(f"The private key is in {place}: keep it secret."),
    )
    return CommandResult(lines, {"fingerprint": public.fingerprint, "public_key": public.pem})
