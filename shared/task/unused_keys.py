"""Keys of a valid spec that would have no effect. They are refused where a spec is written or submitted, not where the
spec of an earlier run is read."""

from __future__ import annotations

from collections.abc import Iterator

from shared.contracts.discovery import Problem
from shared.task.route import is_way_to_list
from shared.task.spec import TaskSpec

_OF_A_LIST = ("list", "limit", "expected_items", "pagination")
_OF_A_RECORD_S_FIELD = ("under", "shown_in", "derived")
_OF_A_RECORD = (
    "identity",
    "judgment_required",
    "judgment_question",
    "judgment_output_schema",
    "workflow",
    "save_workflow",
    "heal",
)
JUDGMENT_PARTS = frozenset({"answer", "confidence", "reasoning", "evidence_refs"})
"""Every judgment has these parts; a task chooses the answers only."""


def find_unused_keys(spec: TaskSpec, name: str = "spec") -> tuple[Problem, ...]:
    """Return a problem for each key that would have no effect. ``name`` begins the path of each."""
    return tuple(Problem(where=f"{name}.{key}", message=message) for key, message in _idle(spec))


def _idle(spec: TaskSpec) -> Iterator[tuple[str, str]]:
    written = spec.model_dump(by_alias=True, exclude_defaults=True)
    if spec.phase == "execution":
        for key in _OF_A_LIST:
            if key in written:
                yield key, 'it has an effect in a task of the phase "discovery" only; leave it out'
    else:
        for key in _OF_A_RECORD:
            if key in written:
                yield key, "it has no effect in a task that lists records; leave it out"
        for name, field in written["output_schema"].items():
            for key in _OF_A_RECORD_S_FIELD:
                if key in field:
                    message = "it has no effect on items of a list; say in list.under and list.columns where they stand"
                    yield f"output_schema.{name}.{key}", message
        for at, step in enumerate(spec.route):
            if not is_way_to_list(step):
                message = "on the way to a list nothing is read, picked, kept, or done for good; leave it out"
                yield f"route[{at}]", message
    if not spec.judgment_required and spec.phase == "execution":
        for key in ("judgment_question", "judgment_output_schema"):
            if key in written:
                yield key, "it has an effect only where judgment_required is true"
    for part in spec.judgment_output_schema or {}:
        if part not in JUDGMENT_PARTS:
            known = ", ".join(sorted(JUDGMENT_PARTS))
            yield f"judgment_output_schema.{part}", f"a judgment has the parts {known} and no other"
