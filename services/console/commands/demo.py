"""`exhibit demo`: the practice tickets, collected on this machine."""

from __future__ import annotations

import os
import sys

PROGRAM = "exhibit.demo"
"""It knows the practice sites, and the services know nothing of them."""


def demo() -> None:
    """Collect 60 practice tickets, from nothing to evidence in this folder, and compare them with the site."""
    # It takes the place of this process, and Ctrl-C with it. -P: no module of the folder that this is called in.
    os.execv(sys.executable, [sys.executable, "-P", "-m", PROGRAM])  # noqa: S606 -- both are ours
