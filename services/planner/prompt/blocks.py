"""Pure: the two system blocks. What they hold decides what of a prompt is cached, so neither depends on a step."""

from __future__ import annotations

import json
from collections.abc import Sequence

from services.planner.page.identity import row_of
from services.planner.prompt.instructions import instructions
from services.planner.prompt.tokens import Ruler
from services.planner.state.sample_state import View
from shared.models.fence import MORE, clipped, fenced
from shared.task_route import told as in_words
from shared.task_spec import TaskSpec
from shared.text.normal import tidy

ROW_TOKENS, HINTS_TOKENS = 2000, 1000
HINT_CHARS = 400
_RULER = Ruler()
"""Never calibrated here: a block that was cut anew as the count changes would not be found in the cache."""


def run_block(spec: TaskSpec) -> str:
    """Identical, byte for byte, for every step of every sample of a run, so that it is cached."""
    named = f"\nSecrets you may type with type_secret, by name: {', '.join(spec.secrets)}." if spec.secrets else ""
    most = spec.max_actions_per_turn
    calls = f"\nAn answer has {most} calls at most.\n" if most > 1 else "\nAn answer has exactly one call.\n"
    told = instructions(judging=spec.judgment_required) + calls
    task = f"{told}\nThe task: {spec.task_id}\n{spec.system_prompt.strip()}".rstrip()
    return f"{task}{_route(spec)}{named}\n"


def _route(spec: TaskSpec) -> str:
    """{column} in it is one of the sample's row."""
    if not spec.route:
        return ""
    steps = "\n".join(f"{number}. {in_words(step)}" for number, step in enumerate(spec.route, 1))
    return f"\nThe suggested way; where a page differs, reach the same by another way:\n{steps}"


def sample_block(view: View) -> str:
    """The row of the input this sample stands for, and what earlier samples have taught: identical for every step of
    the sample, each to a fixed length."""
    row = json.dumps(row_of(view.sample), ensure_ascii=False, indent=1)
    shown = _RULER.cut(row, ROW_TOKENS)
    begins = (
        f"The sample to work on, as the input file describes it:\n{fenced(shown if shown == row else shown + MORE)}\n"
    )
    return f"{begins}{_hints(view.hints)}"


def _hints(hints: Sequence[str]) -> str:
    """They were written down by a model that had read pages, so they are data like any page."""
    lines = [f"- {clipped(tidy(hint), HINT_CHARS)}" for hint in hints if hint.strip()]
    if not lines:
        return ""
    text = _RULER.cut("\n".join(lines), HINTS_TOKENS)
    return f"\nWhat earlier samples of this site have taught; it may not hold for this one:\n{fenced(text)}\n"
