"""Claude decides: one request to the Messages API a step.

Retrying is the SDK's own (429, 5xx, connection); what it gives up on becomes one of our errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import anthropic
from anthropic import AsyncAnthropic
from anthropic.types import Message, ToolUseBlock

from services.planner.opening import opening
from services.planner.prompt import run_block, sample_block, user_message
from services.planner.sample_state import Act, Decision, Unusable, View
from services.planner.tools import BadCall, parse_call, tools_for
from shared.errors import PermanentError
from shared.models.messages import mapped, readable, usage_of
from shared.models.prices import price_of

if TYPE_CHECKING:
    from anthropic.types import TextBlockParam, ToolChoiceParam, ToolParam

MAX_OUTPUT_TOKENS = 8192
MAX_RETRIES = 3
TIMEOUT_S = 120.0


class AnthropicDecider:
    """``base_url`` None is Anthropic's own; any server that speaks the Messages API will do."""

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str | None,
        model: str,
        max_retries: int = MAX_RETRIES,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._model, self._has_key = model, bool(api_key)
        self._client = AsyncAnthropic(
            api_key=api_key or "none", base_url=base_url, max_retries=max_retries, timeout=timeout_s
        )
        self._may_force = True

    asks_model = True

    @property
    def name(self) -> str:
        return self._model

    def check(self) -> None:
        if not self._has_key:
            raise PermanentError(
                "the planner 'anthropic' needs a key: set ANTHROPIC_API_KEY, or use the planner 'rules'",
                code="model_key_missing",
            )

    async def decide(self, view: View) -> Decision:
        """Opens the start page by rule; from there on the model decides."""
        first = opening(view)
        if first is not None:
            return first
        try:
            reply = await self._ask(view)
        except anthropic.AnthropicError as exc:
            raise mapped(exc) from exc
        return self._decision(view, readable(reply))

    async def aclose(self) -> None:
        await self._client.close()

    async def _ask(self, view: View) -> Message:
        """Newer models refuse to be forced to use a tool, and say so in a 400; then the instructions must do."""
        try:
            return await self._create(view)
        except anthropic.BadRequestError as exc:
            if not self._may_force or "tool_choice" not in str(exc):
                raise
            self._may_force = False
            return await self._create(view)

    async def _create(self, view: View) -> Message:
        kind = "any" if self._may_force else "auto"
        choice = cast("ToolChoiceParam", {"type": kind, "disable_parallel_tool_use": True})
        return await self._client.messages.create(
            model=self._model,
            max_tokens=MAX_OUTPUT_TOKENS,
            system=system_blocks(view),
            messages=[{"role": "user", "content": user_message(view)}],
            tools=cast("list[ToolParam]", tools_for(view.spec)),
            tool_choice=choice,
        )

    def _decision(self, view: View, reply: Message) -> Decision:
        usage = usage_of(self._model, reply)
        notes = () if price_of(self._model) is not None else (f"no price is known for the model {self._model}",)
        calls = [block for block in reply.content if isinstance(block, ToolUseBlock)]
        if not calls:
            told = f"There was no tool call (the answer stopped with {reply.stop_reason}). Call exactly one tool."
            return Unusable(told, self._model, usage, notes)
        name, arguments = (getattr(calls[0], part, None) for part in ("name", "input"))
        action = parse_call(str(name), arguments, view)
        if isinstance(action, BadCall):
            return Unusable(action.message, self._model, usage, notes, only_first(calls, "looked at"))
        return Act(action, self._model, usage, notes=notes, remark=only_first(calls, "executed"))


def only_first(calls: Sequence[object], what: str) -> str:
    """A server may give several calls although it was asked for one."""
    return f"Only the first of the {len(calls)} calls of this answer was {what}." if len(calls) > 1 else ""


def system_blocks(view: View) -> list[TextBlockParam]:
    """Block one is the same for the whole run, and cached; block two is the sample's own."""
    return [
        {"type": "text", "text": run_block(view.spec), "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": sample_block(view)},
    ]
