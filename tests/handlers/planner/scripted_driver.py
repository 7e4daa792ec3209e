"""A driver with scripted answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from services.planner.state.attempt_state import Act, Decision, SampleView, UnusableAnswer
from shared.contracts.actions import Goto
from shared.contracts.base import Usage
from tests.unit.planner.planner_pages import URL

SPENT = Usage(llm_calls=1, input_tokens=1000, output_tokens=100, cost_usd=0.01)


@dataclass
class ScriptedDriver:
    """A driver that gives its answers in order; the last one repeats."""

    answers: list[Any]
    usage: Usage = SPENT
    name: str = "told"
    asks_model: bool = True
    views: list[SampleView] = field(default_factory=list)

    def check(self) -> None: ...

    async def decide(self, view: SampleView) -> Decision:
        self.views.append(view)
        said = self.answers[min(len(self.views), len(self.answers)) - 1]
        if isinstance(said, str):
            return UnusableAnswer(said, self.name, self.usage)
        if isinstance(said, Act):
            return said
        first, *then = said if isinstance(said, tuple) else (said,)
        return Act(first, self.name, self.usage, then=tuple(then))

    async def aclose(self) -> None: ...


def told(*answers: Any, **rest: Any) -> ScriptedDriver:
    return ScriptedDriver([Goto(url=URL), *answers], **rest)
