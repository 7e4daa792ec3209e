"""Builds a whole prompt that is never longer than allowed.

The fixed parts (tools, instructions, task, row, goal, schema, known facts) are measured first, on the text that is
sent. Of the rest, the history gets three tenths and the page all else. Only the page and older steps are cut.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.planner.prompt.history import actions_so_far
from services.planner.prompt.message_parts import choices, goal, known_part, notices, output_schema, page_state
from services.planner.prompt.system_blocks import run_block, sample_block
from services.planner.prompt.tokens import (
    ENVELOPE_TOKENS,
    HISTORY_SHARE,
    LEAST_PAGE_TOKENS,
    PLANNED_TOKENS,
    Ruler,
    calibrated_ruler,
    weight,
)
from services.planner.prompt.tools import Tool, tools_for
from services.planner.state.attempt_state import SampleView
from services.planner.state.limits import is_last_step

CLOSING = "Take the single best next action."
CLOSING_SEVERAL = f"{CLOSING} Calls that belong with it on this page as it is may follow in the same answer."


@dataclass(frozen=True)
class Prompt:
    """What is sent. `tokens` is the estimate of its length."""

    tools: list[Tool]
    written_tools: str
    run_block: str
    sample_block: str
    user: str
    tokens: float

    @property
    def weight(self) -> float:
        """The estimated tokens before any scale."""
        return sum(map(weight, self.parts))

    @property
    def chars(self) -> int:
        """Length of all parts as they are sent."""
        return sum(map(len, self.parts))

    @property
    def parts(self) -> tuple[str, ...]:
        return (self.written_tools, self.run_block, self.sample_block, self.user)


@dataclass(frozen=True)
class PromptRoom:
    """How many tokens the parts that may be cut may have."""

    ruler: Ruler
    page_tokens: float
    history_tokens: float


@dataclass(frozen=True)
class NoRoom:
    """The fixed parts leave no room for a page. `message` is for people."""

    message: str


def assemble_prompt(view: SampleView, *, share: float = 1.0) -> Prompt | NoRoom:
    """Return the prompt for the next decision. `share`: the part of the room for page and history to use."""
    tools = tools_for(view.spec)
    before = (tools_json(tools), run_block(view.spec), sample_block(view))
    sized = room_for(view, before, share)
    if isinstance(sized, NoRoom):
        return sized
    user = user_message(view, sized)
    return Prompt(tools, *before, user, ENVELOPE_TOKENS + sized.ruler.tokens(*before, user))


def room_for(view: SampleView, before: Sequence[str], share: float = 1.0) -> PromptRoom | NoRoom:
    """Return the room for page and history. `before`: the parts before the user's turn."""
    rule = calibrated_ruler(view.state.token_scale)
    fixed = ENVELOPE_TOKENS + rule.tokens(*before, _fixed_message(view))
    free = share * (PLANNED_TOKENS - fixed)
    steps = max(0.0, HISTORY_SHARE * free)
    page = free - rule.tokens(actions_so_far(view.state, rule, steps))
    if share == 1.0 and page < LEAST_PAGE_TOKENS:
        return NoRoom(
            f"the task leaves no room for a page: its tools, instructions, goal and output schema alone are about "
            f"{fixed:.0f} of {PLANNED_TOKENS} tokens; name fewer fields, or describe them in fewer words"
        )
    return PromptRoom(rule, max(LEAST_PAGE_TOKENS, page), steps)


def user_message(view: SampleView, fit: PromptRoom) -> str:
    """Return page state, actions so far, known facts, goal, output schema, notices and closing line."""
    page = page_state(view, fit.ruler, fit.page_tokens)
    return _joined(view, page, actions_so_far(view.state, fit.ruler, fit.history_tokens))


def tools_json(tools: list[Tool]) -> str:
    """Return the tools as they are sent."""
    return json.dumps(tools, ensure_ascii=False)


def _joined(view: SampleView, page: str, history: str) -> str:
    task = (goal(view), output_schema(view.spec))
    parts = (page, history, known_part(view), *task, choices(view), notices(view), _closing(view))
    return "\n\n".join(part for part in parts if part)


def _closing(view: SampleView) -> str:
    return CLOSING if view.spec.max_actions_per_turn == 1 or is_last_step(view) else CLOSING_SEVERAL


def _fixed_message(view: SampleView) -> str:
    """Return the message with neither the page's text nor a history."""
    empty = replace(view.state, history=(), summaries=())
    return _joined(view, page_state(view, Ruler(), 0.0), actions_so_far(empty, Ruler(), 0.0))
