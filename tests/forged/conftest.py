"""A system with a library of its own, whose samples are worked out by rules."""

from __future__ import annotations

from tests.drift.conftest import with_library

__all__ = ["with_library"]
