"""The driver that asks Claude: one request to the Messages API per step, and one to a small model every ten steps.

The SDK retries (connection, timeout, 408, 409, 429, 5xx); what it gives up on is raised as one of our errors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from services.planner.drivers.model.model_tasks import NewSummary, Summariser
from services.planner.prompt.assembly import NoRoom, Prompt, assemble_prompt
from services.planner.prompt.call_parsing import BadCall, ModelCall, ParsedCalls, parse_calls
from services.planner.state.attempt_state import Act, Decision, SampleView, UnusableAnswer
from services.planner.state.common_decisions import start_page_decision
from services.planner.state.transitions import KEPT_SUMMARIES
from shared.contracts.base import add_usage
from shared.contracts.steps import Note, plain_note
from shared.errors import PermanentError, Unavailable
from shared.evidence_format.files.prompt import PromptCall, PromptFile
from shared.models.client import MAX_RETRIES, TIMEOUT_S, Answer, ModelClient, ModelKind, open_model
from shared.settings import Settings

MAX_OUTPUT_TOKENS = 8192
RETRIES_BEFORE_FALLBACK = 2
SHORTER = 0.25
"""Share of the usual page and history, if the API says that a prompt is too long."""
TRUNCATED_STOPS = ("max_tokens", "model_context_window_exceeded")


@dataclass(frozen=True)
class ModelReply:
    """A reply, the model that gave it, and the prompt."""

    model: ModelClient
    prompt: Prompt
    answer: Answer


class AnthropicDriver:
    """Decides by a model. The fallback model, if one is set, is asked when the main one is overloaded three times in a
    row."""

    def __init__(self, settings: Settings, *, max_retries: int = MAX_RETRIES, timeout_s: float = TIMEOUT_S) -> None:
        self._has_key = bool(settings.anthropic_api_key)

        def make_client(kind: ModelKind, retries: int) -> ModelClient:
            return open_model(
                settings, kind, max_output_tokens=MAX_OUTPUT_TOKENS, max_retries=retries, timeout_s=timeout_s
            )

        falls_back = bool(settings.fallback_model)
        self._model = make_client("main", min(max_retries, RETRIES_BEFORE_FALLBACK) if falls_back else max_retries)
        self._fallback = make_client("fallback", max_retries) if falls_back else None
        self._summariser = Summariser(settings)

    asks_model = True

    @property
    def name(self) -> str:
        return self._model.model

    def check(self) -> None:
        if not self._has_key:
            raise PermanentError(
                "the planner 'anthropic' needs a key: set ANTHROPIC_API_KEY, or use the planner 'rules'",
                code="model_key_missing",
            )

    async def decide(self, view: SampleView) -> Decision:
        """Open the start page by rule; from there on the model decides. A due summary is made first."""
        first = start_page_decision(view)
        if first is not None:
            return first
        condensed = await self._summariser.summarise(view)
        if condensed is not None:
            known = (*view.state.summaries, condensed.summary)[-KEPT_SUMMARIES:]
            view = replace(view, state=replace(view.state, summaries=known))
        return self._to_decision(view, await self._ask_fitting(view), condensed)

    async def aclose(self) -> None:
        for one in (self._model, self._fallback, self._summariser):
            if one is not None:
                await one.aclose()

    # --- asking

    async def _ask_fitting(self, view: SampleView) -> ModelReply:
        """Ask; if the API says that the prompt is too long, ask once more with a shorter one."""
        try:
            return await self._ask_with_fallback(view, _prompt(view))
        except PermanentError as exc:
            if exc.code != "prompt_too_long":
                raise
        return await self._ask_with_fallback(view, _prompt(view, SHORTER))

    async def _ask_with_fallback(self, view: SampleView, prompt: Prompt) -> ModelReply:
        try:
            return await self._ask(self._model, view, prompt)
        except Unavailable as exc:
            if self._fallback is None or exc.code != "model_overloaded":
                raise
            return await self._ask(self._fallback, view, prompt)

    async def _ask(self, model: ModelClient, view: SampleView, prompt: Prompt) -> ModelReply:
        several = view.spec.max_actions_per_turn > 1
        answer = await model.ask(system_blocks(prompt), prompt.user, prompt.tools, parallel=several)
        return ModelReply(model, prompt, answer)

    # --- what came back

    def _to_decision(
        self, view: SampleView, answered: ModelReply, condensed: NewSummary | None
    ) -> Act | UnusableAnswer:
        decision = self._parse_reply(view, answered)
        if condensed is None:
            return decision
        return replace(
            decision,
            usage=add_usage(condensed.usage, decision.usage),
            summary=condensed.summary,
            prompt_chars=condensed.chars + decision.prompt_chars,
            prompt_weight=condensed.weight + decision.prompt_weight,
        )

    def _parse_reply(self, view: SampleView, answered: ModelReply) -> Act | UnusableAnswer:
        model, answer, prompt = answered.model.model, answered.answer, answered.prompt
        notes = self._notes(answered.model)
        calls, cut = complete_calls(answer)
        parsed = parse_calls(calls, view) if calls else ParsedCalls(BadCall(_no_call(answer)))
        remark = " ".join(part for part in (parsed.remark, cut) if part)
        decision: Act | UnusableAnswer
        if isinstance(parsed.first, BadCall):
            decision = UnusableAnswer(parsed.first.message, model, answer.usage, notes, remark)
        else:
            decision = Act(parsed.first, model, answer.usage, notes=notes, remark=remark, then=parsed.then)
            decision = replace(decision, reflection=parsed.reflection)
        asked = _kept_prompt(answered) if view.spec.keep_prompts else None
        return replace(decision, prompt_chars=prompt.chars, prompt_weight=prompt.weight, asked=asked)

    def _notes(self, model: ModelClient) -> tuple[Note, ...]:
        notes = [] if model.has_price else [plain_note(f"no price is known for the model {model.model}")]
        if model.model != self.name:
            notes.append(plain_note(f"{model.model} decided where {self.name} was overloaded"))
        return tuple(notes)


def complete_calls(answer: Answer) -> tuple[list[ModelCall], str]:
    """Return the calls of an answer, and a remark. The last call of a truncated answer may be incomplete and is
    dropped."""
    calls = [ModelCall(call.name, call.arguments) for call in answer.calls]
    if answer.stop_reason not in TRUNCATED_STOPS or not calls:
        return calls, ""
    return calls[:-1], "Your answer was cut off at its greatest length, so its last call was left out: be shorter."


def _no_call(answer: Answer) -> str:
    if answer.stop_reason in TRUNCATED_STOPS:
        return "Your answer was cut off before its first call was complete. Call one tool, with short arguments."
    if answer.stop_reason == "refusal":
        return "The model refused to answer. The work is to read what pages show: call a tool, or fail with code other."
    return f"There was no tool call (the answer stopped with {answer.stop_reason}). Call a tool."


def _prompt(view: SampleView, share: float = 1.0) -> Prompt:
    prompt = assemble_prompt(view, share=share)
    if isinstance(prompt, NoRoom):
        raise PermanentError(prompt.message, code="task_too_long")
    return prompt


def _kept_prompt(answered: ModelReply) -> PromptFile:
    """Return what was sent and what came back, for the evidence."""
    prompt, answer = answered.prompt, answered.answer
    return PromptFile(
        model=answered.model.model,
        instructions=prompt.run_block,
        task=prompt.sample_block,
        page=prompt.user,
        tools=tuple(str(tool["name"]) for tool in prompt.tools),
        text=answer.text,
        calls=tuple(PromptCall(name=call.name, arguments=call.arguments) for call in answer.calls),
        stop_reason=answer.stop_reason,
        usage=answer.usage,
    )


def system_blocks(prompt: Prompt) -> list[dict[str, object]]:
    """Return the blocks with cache marks: the first is equal for the run, the second for the sample."""
    return [
        {"type": "text", "text": prompt.run_block, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": prompt.sample_block, "cache_control": {"type": "ephemeral"}},
    ]
