"""Ports for servers that must know theirs before they listen."""

from __future__ import annotations

import os
import random
import socket

FIRST, EACH, PROCESSES = 15_000, 1_500, 8


def free_port() -> int:
    """Return a free port of loopback below the ephemeral range.

    The system does not assign it to another process before the server listens, nor during a restart. Parallel test
    processes use separate ranges.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % PROCESSES
    first = FIRST + worker * EACH
    for port in random.sample(range(first, first + EACH), 50):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError(f"none of 50 ports from {first} on is free")
