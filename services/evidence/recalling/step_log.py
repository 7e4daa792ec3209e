"""Pure: action_log.json read back: entries to the steps they were made of, and whether they tell how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from services.evidence.recalling.paging import PAGE_BYTES, fitting
from shared.contracts.actions import Done, Fail
from shared.contracts.steps import StepTaken
from shared.evidence_format.earlier_logs import route_mark_of
from shared.evidence_format.notes import to_notes

_READERS = ("thinking", "params", "timestamp", "problems", "outcome", "previous_sha256", "sha256")


def step_of(entry: Mapping[str, Any], run_id: str, sample_id: str) -> StepTaken:
    """The step that ``log_entry`` made this entry of. Raises msgspec.ValidationError where it is of no step."""
    own = {key: value for key, value in entry.items() if key not in _READERS}
    named = {"reason": entry.get("thinking", ""), "action": entry.get("action"), **entry.get("params", {})}
    built = {
        "message": entry.get("result", ""),
        **own,
        "type": "StepTaken",
        "run_id": run_id,
        "sample_id": sample_id,
        "action": None if entry.get("action") == "none" else named,
        "result": entry.get("outcome"),
        "notes": to_notes(entry.get("notes")),
    }
    if "route" not in entry:
        built["route"] = route_mark_of(entry)
    return msgspec.convert(built, StepTaken)


def page_of(steps: Iterable[StepTaken], after_step: int, most_bytes: int = PAGE_BYTES) -> tuple[StepTaken, ...]:
    """The steps behind ``after_step`` that fit, at least one where there is one."""
    return fitting((step for step in steps if step.step > after_step), most_bytes)


def problem_of(steps: Sequence[StepTaken], taken: int | None, status: str | None, reason: str) -> str:
    """Why the end of an attempt cannot be told from its log; empty where it can. ``taken``: steps its result counts."""
    if taken is None:
        return "it has no result yet"
    if [step.step for step in steps] != list(range(1, taken + 1)):
        return f"its log has {len(steps)} of {taken} steps"
    last = steps[-1] if steps else None
    if last is None or last.refused or not isinstance(last.action, Done | Fail):
        return f"it ended as {status} ({reason.replace('_', ' ')}), without a done or a fail of its own"
    return ""
