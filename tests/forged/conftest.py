"""One system for each module, with a library of its own, whose samples are worked out by rules."""

from __future__ import annotations

from tests.drift.conftest import client

__all__ = ["client"]
