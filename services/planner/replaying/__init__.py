"""Pure: the decider that takes the steps of a recorded attempt again, and says what is different now."""

from __future__ import annotations

from services.planner.replaying.decide import decide

__all__ = ["decide"]
