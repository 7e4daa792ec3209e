"""Whether values may stand in for others: what a page shows while its own request is not answered, or has failed, may
be there until the answer comes."""

from __future__ import annotations

from collections.abc import Iterable

from services.planner.state.attempt_state import SampleProblem, SampleView
from shared.contracts.steps import FieldValue
from shared.evidence_format.cells import with_cells

KEY = "background_requests"


def awaited_problems(view: SampleView, values: Iterable[FieldValue]) -> list[SampleProblem]:
    """Return a problem for each answer that was missing while values were read that it may replace. What proves the
    record is what was asked for, whatever comes."""
    fields: dict[str, list[str]] = {}
    for value in (one for each in values for one in with_cells(each)):
        awaited = value.source.awaited if value.source is not None and value.origin == "page" else ""
        if awaited and value.state != "not_found" and value.field not in view.spec.identity:
            fields.setdefault(awaited, []).append(value.field)
    return [SampleProblem("still_loading", _words(names, awaited)) for awaited, names in fields.items()]


def _words(names: list[str], awaited: str) -> str:
    told = f"read while the page had no answer of {awaited}, which may bring other values"
    return f"{', '.join(names)}: {told} (`{KEY}` of the spec names requests that bring none)"
