"""Ports for servers that are told theirs before they have it."""

from __future__ import annotations

import os
import random
import socket

FIRST, EACH, PROCESSES = 15_000, 1_500, 8


def free_port() -> int:
    """Of loopback, and below those that the system gives out: nobody gets it by chance until the server has it, nor
    while the server is started again. Processes that run tests side by side have ports of their own."""
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
