"""Condenses older steps with a small model every ten steps.

Nothing depends on it: if the model cannot be asked, or its answer is unusable, the summary is made by rule.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.model_tasks.summaries import (
    MAX_OUTPUT_TOKENS,
    SYSTEM,
    TOOL,
    StepsToCondense,
    rule_summary,
    steps_to_condense,
    summary_request,
)
from services.planner.model_tasks.summaries import parse_summary as made_of
from services.planner.prompt.tokens import weight
from services.planner.state.attempt_state import NO_USAGE, SampleView
from shared.contracts.base import Usage
from shared.contracts.steps import Summary
from shared.errors import ExhibitError
from shared.models.client import Answer
from shared.models.opening import open_model
from shared.settings import Settings

MAX_RETRIES = 1
TIMEOUT_S = 30.0


@dataclass(frozen=True)
class NewSummary:
    """A summary, with the usage, length and weight of the call that made it, if there was one."""

    summary: Summary
    usage: Usage = NO_USAGE
    chars: int = 0
    weight: float = 0.0


class Summariser:
    """Makes summaries; always by rule if no fast model is set."""

    def __init__(self, settings: Settings) -> None:
        self._model = open_model(
            settings, "fast", max_output_tokens=MAX_OUTPUT_TOKENS, max_retries=MAX_RETRIES, timeout_s=TIMEOUT_S
        )

    async def summarise(self, view: SampleView) -> NewSummary | None:
        """Return a summary, or None if none is due. Never raises for errors of a model or its API."""
        what = steps_to_condense(view)
        if what is None:
            return None
        if not self._model.model or not what.entries:
            return NewSummary(rule_summary(view, what))
        asked = summary_request(view, what)
        try:
            answer = await self._model.ask([{"type": "text", "text": SYSTEM}], asked, [TOOL])
        except ExhibitError:
            return NewSummary(rule_summary(view, what))
        sent = SYSTEM + asked
        return NewSummary(self._to_summary(view, what, answer), answer.usage, len(sent), weight(sent))

    async def aclose(self) -> None:
        await self._model.aclose()

    def _to_summary(self, view: SampleView, what: StepsToCondense, answer: Answer) -> Summary:
        said = next((call.arguments for call in answer.calls if call.name == TOOL["name"]), None)
        return made_of(what, said, self._model.model) or rule_summary(view, what)
