"""Pure: a whole prompt, put together so that it is never longer than it may be.

What is fixed (tools, instructions, task, row, goal, schema, what is known) is measured first, on the very text that is
sent. Of what that leaves, the history gets three tenths, and the page the rest. Only the page and older steps are cut.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.planner.prompt.history import actions_so_far
from services.planner.prompt.known_part import known_part
from services.planner.prompt.notices import notices
from services.planner.prompt.page_part import choices, page_state
from services.planner.prompt.system_blocks import run_block, sample_block
from services.planner.prompt.task_part import goal, output_schema
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
    """What is sent. ``tokens`` is what it is reckoned to be."""

    tools: list[Tool]
    written_tools: str
    run_block: str
    sample_block: str
    user: str
    tokens: float

    @property
    def weight(self) -> float:
        """What its tokens are reckoned to be before any scale."""
        return sum(map(weight, self.parts))

    @property
    def chars(self) -> int:
        """Length of all parts, as they are sent."""
        return sum(map(len, self.parts))

    @property
    def parts(self) -> tuple[str, ...]:
        return (self.written_tools, self.run_block, self.sample_block, self.user)


@dataclass(frozen=True)
class PromptRoom:
    """How much of what may be cut is shown."""

    ruler: Ruler
    page_tokens: float
    history_tokens: float


@dataclass(frozen=True)
class NoRoom:
    """The parts that may not be cut leave no room for a page. ``message`` is for people."""

    message: str


def assemble_prompt(view: SampleView, *, share: float = 1.0) -> Prompt | NoRoom:
    """The prompt for the next decision. ``share``: of the room for page and history that is used."""
    tools = tools_for(view.spec)
    before = (tools_json(tools), run_block(view.spec), sample_block(view))
    sized = room_for(view, before, share)
    if isinstance(sized, NoRoom):
        return sized
    user = user_message(view, sized)
    return Prompt(tools, *before, user, ENVELOPE_TOKENS + sized.ruler.tokens(*before, user))


def room_for(view: SampleView, before: Sequence[str], share: float = 1.0) -> PromptRoom | NoRoom:
    """How much of page and history there is room for; ``before``: the parts that come before the user's turn."""
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
    """Page state, actions so far, what is known, goal, output schema, notices, closing line."""
    page = page_state(view, fit.ruler, fit.page_tokens)
    return _joined(view, page, actions_so_far(view.state, fit.ruler, fit.history_tokens))


def tools_json(tools: list[Tool]) -> str:
    return json.dumps(tools, ensure_ascii=False)


def _joined(view: SampleView, page: str, history: str) -> str:
    task = (goal(view), output_schema(view.spec))
    parts = (page, history, known_part(view), *task, choices(view), notices(view), _closing(view))
    return "\n\n".join(part for part in parts if part)


def _closing(view: SampleView) -> str:
    return CLOSING if view.spec.max_actions_per_turn == 1 or is_last_step(view) else CLOSING_SEVERAL


def _fixed_message(view: SampleView) -> str:
    """The same message with neither the text of the page nor a history."""
    empty = replace(view.state, history=(), summaries=())
    return _joined(view, page_state(view, Ruler(), 0.0), actions_so_far(empty, Ruler(), 0.0))
