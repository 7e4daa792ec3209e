"""`exhibit demo`: the practice tickets, collected on this machine."""

from __future__ import annotations

import os
import sys

import typer

from services.console import exits
from shared.errors import PermanentError
from shared.extras import need_extra

PROGRAM = "exhibit.demo"
"""It knows the practice sites, and the services know nothing of them."""


def demo() -> None:
    """Collect 60 practice tickets, from nothing to evidence in this folder, and compare them with the site."""
    try:
        need_extra("practice")
    except PermanentError as exc:
        exits.print_error(exc, as_json=False)
        raise typer.Exit(exits.CANNOT_RUN) from None
    # It takes the place of this process, and Ctrl-C with it. -P: no module of the folder that this is called in.
    os.execv(sys.executable, [sys.executable, "-P", "-m", PROGRAM])  # noqa: S606 -- both are ours
