"""The decider that needs no model. See decide.py."""

from services.planner.rules.decide import decide
from services.planner.rules.patience import PAUSES_S

__all__ = ["PAUSES_S", "decide"]
