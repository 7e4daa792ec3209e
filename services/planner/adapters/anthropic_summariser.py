"""Every ten steps a small model condenses the older ones. Nothing depends on it: where it cannot be asked, or answers
with nothing of use, the summary is made by rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import anthropic
from anthropic import AsyncAnthropic
from anthropic.types import Message, TextBlock

from services.planner.prompting.summaries import (
    MAX_OUTPUT_TOKENS,
    SYSTEM,
    ToCondense,
    due,
    mechanical,
    request,
    written,
)
from services.planner.sample_state import NO_USAGE, View
from shared.contracts.planner import Summary
from shared.contracts.usage import Usage
from shared.errors import Unavailable
from shared.models.messages import readable, usage_of
from shared.models.prices import Price

MAX_RETRIES = 1
TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Condensed:
    """``usage`` and ``chars`` of the call that was made, if one was."""

    summary: Summary
    usage: Usage = NO_USAGE
    chars: int = 0


class Summariser:
    """``model`` empty: always by rule."""

    def __init__(self, client: AsyncAnthropic, model: str, own_prices: Mapping[str, Price]) -> None:
        self._client, self._model, self._prices = client, model, own_prices

    async def condensed(self, view: View) -> Condensed | None:
        """None where nothing is due. Never raises for what a model or its API does."""
        what = due(view)
        if what is None:
            return None
        if not self._model or not what.entries:
            return Condensed(mechanical(view, what))
        asked = request(view, what)
        try:
            reply = await self._ask(asked)
        except (anthropic.AnthropicError, Unavailable):
            return Condensed(mechanical(view, what))
        return self._made(view, what, asked, reply)

    async def _ask(self, asked: str) -> Message:
        client = self._client.with_options(max_retries=MAX_RETRIES, timeout=TIMEOUT_S)
        reply = await client.messages.create(
            model=self._model,
            max_tokens=MAX_OUTPUT_TOKENS,
            system=SYSTEM,
            messages=[{"role": "user", "content": asked}],
        )
        return readable(reply)

    def _made(self, view: View, what: ToCondense, asked: str, reply: Message) -> Condensed:
        text = "\n".join(str(block.text) for block in reply.content if isinstance(block, TextBlock))
        summary = written(what, text, self._model) or mechanical(view, what)
        return Condensed(summary, usage_of(self._model, reply, self._prices), len(SYSTEM) + len(asked))
