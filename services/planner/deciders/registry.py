"""The deciders by name. That of a model is imported only on demand, because its SDK takes a second to load."""

from __future__ import annotations

from services.planner.deciders.listing.decide import decide as decide_on_list
from services.planner.deciders.operator import OperatorDecider
from services.planner.deciders.replay.decide import decide as decide_by_log
from services.planner.deciders.rules.decide import decide as decide_by_rules
from services.planner.deps import Decider
from services.planner.state.attempt_state import Decision, SampleView
from shared.bus.ports import Asks
from shared.contracts.planner import BY_OPERATOR, BY_REPLAY, BY_RULE, PLANNERS
from shared.errors import Unsupported
from shared.settings import Settings


class RulesDecider:
    """Decides by rules, without a model: see `deciders/rules/`, and `deciders/listing/` for finding samples."""

    name = BY_RULE
    asks_model = False

    def check(self) -> None: ...

    async def decide(self, view: SampleView) -> Decision:
        if view.spec.phase == "discovery":
            return decide_on_list(view)
        return decide_by_rules(view)

    async def aclose(self) -> None: ...


class ReplayDecider:
    """Repeats the recorded log of the view, without a model."""

    name = BY_REPLAY
    asks_model = False

    def check(self) -> None: ...

    async def decide(self, view: SampleView) -> Decision:
        return decide_by_log(view)

    async def aclose(self) -> None: ...


class Deciders:
    """One decider of each name for the whole process. Clients of models stay open until `aclose`."""

    def __init__(self, settings: Settings, asks: Asks) -> None:
        self._settings, self._asks = settings, asks
        self._made: dict[str, Decider] = {}

    def __call__(self, name: str) -> Decider:
        """Return the decider of this name. Raises Unsupported if there is none."""
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
            from services.planner.deciders.anthropic.decider import AnthropicDecider

            return AnthropicDecider(self._settings)
        known = ", ".join(PLANNERS)
        raise Unsupported(f"there is no planner {name!r}; the planners are {known}", code="unknown_planner")
