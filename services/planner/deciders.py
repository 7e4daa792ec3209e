"""Which brain decides. The model's is imported only where it is asked for: its SDK takes a second to load."""

from __future__ import annotations

from services.planner import replaying, rules
from services.planner.deps import Decider
from services.planner.listing import rules_listing
from services.planner.operator_decider import OperatorDecider
from services.planner.state.sample_state import Decision, View
from shared.bus.ports import Asks
from shared.contracts.planner import BY_OPERATOR, BY_REPLAY, BY_RULE, PLANNERS
from shared.errors import Unsupported
from shared.settings import Settings


class RulesDecider:
    """No model: see :mod:`services.planner.rules`, and for finding samples ``listing/rules_listing.py``."""

    name = BY_RULE
    asks_model = False

    def check(self) -> None: ...

    async def decide(self, view: View) -> Decision:
        if view.spec.phase == "discovery":
            return rules_listing.decide(view)
        return rules.decide(view)

    async def aclose(self) -> None: ...


class ReplayDecider:
    """No model either: the steps of the recorded log that the view holds."""

    name = BY_REPLAY
    asks_model = False

    def check(self) -> None: ...

    async def decide(self, view: View) -> Decision:
        return replaying.decide(view)

    async def aclose(self) -> None: ...


class Deciders:
    """One decider of each name for the whole process; a model's client keeps its connections until `aclose`."""

    def __init__(self, settings: Settings, asks: Asks) -> None:
        self._settings, self._asks = settings, asks
        self._made: dict[str, Decider] = {}

    def __call__(self, name: str) -> Decider:
        """Raises Unsupported where no decider has this name."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    async def aclose(self) -> None:
        for decider in self._made.values():
            await decider.aclose()

    def _make(self, name: str) -> Decider:
        if name == BY_RULE:
            return RulesDecider()
        if name == BY_REPLAY:
            return ReplayDecider()
        if name == BY_OPERATOR:
            return OperatorDecider(self._asks)
        if name == "anthropic":
            from services.planner.adapters.anthropic_decider import AnthropicDecider

            return AnthropicDecider(self._settings)
        known = ", ".join(PLANNERS)
        raise Unsupported(f"there is no planner {name!r}; the planners are {known}", code="unknown_planner")
