"""Pure: what a page of a list holds, as a decider reports it, and which of that is new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from services.planner.sample_state import View
from shared.contracts.planner import ReportItems


@dataclass(frozen=True)
class Listed:
    """``problems`` says why items were left out, in words for the decider."""

    new: tuple[dict[str, Any], ...]
    known: int
    problems: tuple[str, ...]


def item_key(item: Mapping[str, object]) -> str:
    """Equal for items that say the same."""
    return "\x1f".join(f"{name}={item[name]}" for name in sorted(item))


def checked(view: View, action: ReportItems) -> Listed:
    """The items that were not reported before, each once."""
    fresh = {item_key(item): item for item in action.items}
    new = tuple(item for key, item in fresh.items() if key not in view.state.listed)
    return Listed(new, len(action.items) - len(new), ())
