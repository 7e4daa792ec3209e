"""The services, by name."""

from __future__ import annotations

NAMES = ("evidence", "browser_pool", "workflows", "vision", "planner", "discovery")
"""In the order of their start; they stop in reverse, so that evidence still files what was captured."""
