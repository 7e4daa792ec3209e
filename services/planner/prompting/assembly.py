"""Pure: a whole prompt, put together so that it is never longer than it may be.

What is fixed (tools, instructions, task, row, goal, schema, what is known) is measured first, on the very text that is
sent. Of what that leaves, the history gets three tenths, and the page the rest. Only the page and older steps are cut.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from services.planner.prompting.blocks import run_block, sample_block
from services.planner.prompting.history import actions_so_far
from services.planner.prompting.notices import notices
from services.planner.prompting.page_part import choices, page_state
from services.planner.prompting.progress import progress
from services.planner.prompting.task_part import goal, output_schema
from services.planner.prompting.tokens import (
    ENVELOPE_TOKENS,
    HISTORY_SHARE,
    LEAST_PAGE_TOKENS,
    PLANNED_TOKENS,
    Ruler,
    ruler,
)
from services.planner.prompting.tools import Tool, tools_for
from services.planner.sample_state import View

CLOSING = "Take the single best next action."
CLOSING_SEVERAL = f"Further calls may follow in the same answer where they belong to this page as it is. {CLOSING}"
LIKE_CHARS = 20_000


@dataclass(frozen=True)
class Prompt:
    """What is sent. ``tokens`` is what it is reckoned to be."""

    tools: list[Tool]
    run_block: str
    sample_block: str
    user: str
    tokens: float

    @property
    def chars(self) -> int:
        """Length of all parts, as they are sent."""
        return sum(map(len, self.parts))

    @property
    def parts(self) -> tuple[str, ...]:
        return (written(self.tools), self.run_block, self.sample_block, self.user)


@dataclass(frozen=True)
class Fit:
    """How much of what may be cut is shown."""

    ruler: Ruler
    page_tokens: float
    history_tokens: float


@dataclass(frozen=True)
class NoRoom:
    """The parts that may not be cut leave no room for a page. ``message`` is for people."""

    message: str


def assembled(view: View, *, most_tokens: float = PLANNED_TOKENS) -> Prompt | NoRoom:
    """The prompt for the next decision, of at most ``most_tokens``."""
    tools, system = tools_for(view.spec), (run_block(view.spec), sample_block(view))
    sized = fitted(view, tools, system, most_tokens)
    if isinstance(sized, NoRoom):
        return sized
    user = user_message(view, sized)
    return Prompt(tools, *system, user, prompt_tokens(sized.ruler, tools, system, user))


def fitted(view: View, tools: list[Tool], system: tuple[str, str], most_tokens: float) -> Fit | NoRoom:
    """How much of page and history there is room for."""
    rule = ruler((written(tools), *system, _like(view)), view.state.chars_per_token)
    fixed = prompt_tokens(rule, tools, system, _without(view, rule))
    free = most_tokens - fixed
    history = actions_so_far(view.state, rule, max(0.0, HISTORY_SHARE * free))
    page = free - rule.tokens(history)
    if page < LEAST_PAGE_TOKENS:
        return NoRoom(
            f"the task leaves no room for a page: its tools, instructions, goal and output schema alone are about "
            f"{fixed:.0f} of {most_tokens:.0f} tokens; name fewer fields, or describe them in fewer words"
        )
    return Fit(rule, page, HISTORY_SHARE * free)


def prompt_tokens(rule: Ruler, tools: list[Tool], system: tuple[str, str], user: str) -> float:
    """Of all that is sent."""
    return ENVELOPE_TOKENS + rule.tokens(written(tools), *system, user)


def user_message(view: View, fit: Fit) -> str:
    """Page state, actions so far, what is known, goal, output schema, notices, closing line."""
    page = page_state(view, fit.ruler, fit.page_tokens)
    return _joined(view, page, actions_so_far(view.state, fit.ruler, fit.history_tokens))


def written(tools: list[Tool]) -> str:
    return json.dumps(tools, ensure_ascii=False)


def _joined(view: View, page: str, history: str) -> str:
    task = (goal(view), output_schema(view.spec))
    parts = (page, history, progress(view), *task, choices(view), notices(view), _closing(view))
    return "\n\n".join(part for part in parts if part)


def _closing(view: View) -> str:
    return CLOSING if view.spec.max_actions_per_turn == 1 or view.last_step else CLOSING_SEVERAL


def _without(view: View, rule: Ruler) -> str:
    """The same message with neither the text of the page nor a history."""
    empty = replace(view.state, history=(), summaries=())
    return _joined(view, page_state(view, rule, 0.0), actions_so_far(empty, rule, 0.0))


def _like(view: View) -> str:
    page = view.page.text[:LIKE_CHARS] if view.page is not None else ""
    return page + _joined(view, "", "")
