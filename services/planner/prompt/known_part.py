"""What is known so far: each list with its last entries and its total. It comes from pages, so all of it is data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from services.planner.state.attempt_state import AttemptState, SampleView
from services.planner.state.progress import known_values_json
from shared.contracts.actions import Goto
from shared.contracts.results import ActionResult
from shared.models.fence import clipped, fenced
from shared.text.normal import tidy

SHOWN = 10
LINE_CHARS = 200


def known_part(view: SampleView) -> str:
    """Return visited pages, files, failed addresses, known fields, and counts of listed items. Empty at the start."""
    state = view.state
    parts = (
        _list("PAGES VISITED", _pages(state)),
        _list("FILES", [f"{one.filename} ({one.artifact.kind})" for one in state.artifacts]),
        _list("ADDRESSES THAT FAILED", _failed(state)),
        _kept(state),
        _listed(view),
    )
    return "\n\n".join(part for part in parts if part)


def _list(name: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    shown = [clipped(tidy(line), LINE_CHARS) for line in lines[-SHOWN:]]
    return f"{name} ({len(lines)}{f', the last {SHOWN}' if len(lines) > SHOWN else ''})\n{fenced(chr(10).join(shown))}"


def _pages(state: AttemptState) -> list[str]:
    """In the order of the last visit."""
    return _latest(entry.url for entry in state.history)


def _failed(state: AttemptState) -> list[str]:
    results = ((entry.action, entry.result) for entry in state.history if entry.result is not None)
    return _latest(
        f"{action.url if isinstance(action, Goto) else result.change.url_after} ({_why(result)})"
        for action, result in results
        if (isinstance(action, Goto) and not result.ok) or (result.change.http_status or 0) >= 400
    )


def _why(result: ActionResult) -> str:
    status = result.change.http_status or 0
    return f"HTTP {status}" if status >= 400 else result.code


def _latest(lines: Iterable[str]) -> list[str]:
    """Each line once, at its last place."""
    return list(reversed(dict.fromkeys(reversed([line for line in lines if line]))))


def _kept(state: AttemptState) -> str:
    if not state.seen:
        return ""
    doubtful = ", ".join(sorted(state.unconfirmed))
    doubt = f"\nNo page was seen to show what is kept of: {doubtful}" if doubtful else ""
    return f"KEPT SO FAR\n{fenced(known_values_json(state))}{doubt}"


def _listed(view: SampleView) -> str:
    """Only in a task that finds samples."""
    if view.spec.phase != "discovery":
        return ""
    most = f" of {view.spec.expected_items} expected" if view.spec.expected_items is not None else ""
    return f"ITEMS REPORTED: {len(view.state.listed)}{most}, from {view.state.listed_pages} pages"
