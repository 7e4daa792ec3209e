"""Claude decides: one request to the Messages API a step, and one to a small model every ten steps.

Retrying is the SDK's own (connection, timeout, 408, 409, 429, 5xx); what it gives up on becomes one of our errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import anthropic
from anthropic import AsyncAnthropic
from anthropic.types import Message, ToolUseBlock

from services.planner.adapters.anthropic_summariser import Summariser
from services.planner.opening import opening
from services.planner.prompting.assembly import NoRoom, Prompt, assembled
from services.planner.prompting.calls import BadCall, Call, parse_calls
from services.planner.prompting.tokens import PLANNED_TOKENS
from services.planner.sample_state import NO_USAGE, Act, Decision, Unusable, View
from services.planner.transitions import KEPT_SUMMARIES
from shared.contracts.planner import Summary
from shared.contracts.usage import Usage, add_usage
from shared.errors import PermanentError
from shared.models.messages import mapped, overloaded, readable, too_long, usage_of
from shared.models.prices import NONE_OF_OURS, Price, price_of

if TYPE_CHECKING:
    from anthropic.types import TextBlockParam, ToolChoiceParam, ToolParam

MAX_OUTPUT_TOKENS = 8192
MAX_RETRIES = 3
RETRIES_BEFORE_FALLBACK = 2
TIMEOUT_S = 120.0
SHORTER = 0.5
"""Of the usual length, where the API says that a prompt is too long."""
CUT_OFF = ("max_tokens", "model_context_window_exceeded")


@dataclass(frozen=True)
class Answer:
    """A message, whose it is, and the prompt it answers."""

    model: str
    prompt: Prompt
    reply: Message


class AnthropicDecider:
    """``base_url`` None is Anthropic's own; any server that speaks the Messages API will do. ``fallback_model`` is
    asked where ``model`` is overloaded three times in a row; ``own_prices`` go before those that are known."""

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str | None,
        model: str,
        fast_model: str = "",
        fallback_model: str | None = None,
        own_prices: Mapping[str, Price] = NONE_OF_OURS,
        max_retries: int = MAX_RETRIES,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._model, self._fallback, self._prices, self._has_key = model, fallback_model, own_prices, bool(api_key)
        retries = min(max_retries, RETRIES_BEFORE_FALLBACK) if fallback_model else max_retries
        self._client = AsyncAnthropic(
            api_key=api_key or "none", base_url=base_url, max_retries=retries, timeout=timeout_s
        )
        self._summariser = Summariser(self._client, fast_model, own_prices)
        self._not_forced: set[str] = set()

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
        """Opens the start page by rule; from there on the model decides. A summary that is due comes first."""
        first = opening(view)
        if first is not None:
            return first
        condensed = await self._summariser.condensed(view)
        if condensed is None:
            return self._decision(view, await self._asked(view), None, NO_USAGE, 0)
        known = (*view.state.summaries, condensed.summary)[-KEPT_SUMMARIES:]
        view = replace(view, state=replace(view.state, summaries=known))
        answer = await self._asked(view)
        return self._decision(view, answer, condensed.summary, condensed.usage, condensed.chars)

    async def aclose(self) -> None:
        await self._client.close()

    # --- asking

    async def _asked(self, view: View) -> Answer:
        try:
            return await self._fitting(view)
        except anthropic.AnthropicError as exc:
            raise mapped(exc) from exc

    async def _fitting(self, view: View) -> Answer:
        """A prompt that is too long for the API after all is cut harder, once."""
        try:
            return await self._by_either(view, _prompt(view, PLANNED_TOKENS))
        except anthropic.APIStatusError as exc:
            if not too_long(exc):
                raise
        try:
            return await self._by_either(view, _prompt(view, SHORTER * PLANNED_TOKENS))
        except anthropic.APIStatusError as exc:
            if not too_long(exc):
                raise
            told = "the prompt is too long for the model, even at half its usual length"
            raise PermanentError(told, code="prompt_too_long") from exc

    async def _by_either(self, view: View, prompt: Prompt) -> Answer:
        try:
            return await self._ask(self._model, view, prompt)
        except anthropic.AnthropicError as exc:
            if self._fallback is None or not overloaded(exc):
                raise
            return await self._ask(self._fallback, view, prompt)

    async def _ask(self, model: str, view: View, prompt: Prompt) -> Answer:
        """Newer models refuse to be forced to use a tool, and say so in a 400; then the instructions must do."""
        try:
            return await self._create(model, view, prompt)
        except anthropic.BadRequestError as exc:
            if model in self._not_forced or "tool_choice" not in str(exc):
                raise
            self._not_forced.add(model)
            return await self._create(model, view, prompt)

    async def _create(self, model: str, view: View, prompt: Prompt) -> Answer:
        kind = "auto" if model in self._not_forced else "any"
        single = {"disable_parallel_tool_use": True} if view.spec.max_actions_per_turn == 1 else {}
        reply = await self._client.messages.create(
            model=model,
            max_tokens=MAX_OUTPUT_TOKENS,
            system=system_blocks(prompt),
            messages=[{"role": "user", "content": prompt.user}],
            tools=cast("list[ToolParam]", prompt.tools),
            tool_choice=cast("ToolChoiceParam", {"type": kind, **single}),
        )
        return Answer(model, prompt, readable(reply))

    # --- what came back

    def _decision(
        self, view: View, answer: Answer, summary: Summary | None, before: Usage, before_chars: int
    ) -> Act | Unusable:
        usage = add_usage(before, usage_of(answer.model, answer.reply, self._prices))
        chars = before_chars + answer.prompt.chars
        notes = self._notes(answer.model)
        calls, cut = calls_of(answer.reply)
        if not calls:
            return Unusable(_no_call(answer.reply), answer.model, usage, notes, cut, summary, chars)
        parsed = parse_calls(calls, view)
        remark = " ".join(part for part in (parsed.remark, cut) if part)
        if isinstance(parsed.first, BadCall):
            return Unusable(parsed.first.message, answer.model, usage, notes, remark, summary, chars)
        return Act(
            parsed.first, answer.model, usage,
            notes=notes, remark=remark, then=parsed.then, summary=summary, prompt_chars=chars,
        )  # fmt: skip

    def _notes(self, model: str) -> tuple[str, ...]:
        notes = [] if price_of(model, self._prices) is not None else [f"no price is known for the model {model}"]
        if model != self._model:
            notes.append(f"{model} decided where {self._model} was overloaded")
        return tuple(notes)


def calls_of(reply: Message) -> tuple[list[Call], str]:
    """The calls of an answer. The last one of an answer that was cut off may lack its end, and is left out."""
    calls = [
        Call(str(getattr(block, "name", None)), getattr(block, "input", None))
        for block in reply.content
        if isinstance(block, ToolUseBlock)
    ]
    if reply.stop_reason not in CUT_OFF or not calls or not isinstance(reply.content[-1], ToolUseBlock):
        return calls, ""
    return calls[:-1], "Your answer was cut off at its greatest length, so its last call was left out: be shorter."


def _no_call(reply: Message) -> str:
    if reply.stop_reason in CUT_OFF:
        return "Your answer was cut off before its first call was complete. Call one tool, with short arguments."
    if reply.stop_reason == "refusal":
        return "The model refused to answer. The work is to read what pages show: call a tool, or fail with code other."
    return f"There was no tool call (the answer stopped with {str(reply.stop_reason)[:40]}). Call a tool."


def _prompt(view: View, most_tokens: float) -> Prompt:
    prompt = assembled(view, most_tokens=most_tokens)
    if isinstance(prompt, NoRoom):
        raise PermanentError(prompt.message, code="prompt_too_long")
    return prompt


def system_blocks(prompt: Prompt) -> list[TextBlockParam]:
    """Block one, with the tools before it, is the same for the whole run; block two for the whole sample."""
    return [
        {"type": "text", "text": prompt.run_block, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": prompt.sample_block, "cache_control": {"type": "ephemeral"}},
    ]
