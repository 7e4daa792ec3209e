"""When steps are taken that not all samples have taken: by what the page shows. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from shared.flows.compiling.alignment import Column
from shared.flows.compiling.plan import Condition
from shared.flows.compiling.steps import PlannedSteps
from shared.pages.locate.selectors import is_listed_css, parse_selector
from shared.recordings.recording import Recording
from shared.text.normal import quoted


def find_conditions(
    steps: PlannedSteps, columns: Sequence[Column], samples: Sequence[Recording]
) -> tuple[dict[int, Condition], list[str]]:
    """Return the condition of each column that not all samples have: that the page shows what its first call needs."""
    conditions: dict[int, Condition] = {}
    doubts: list[str] = []
    previous: frozenset[int] = frozenset()
    current: Condition | None = None
    for at, (column, planned) in enumerate(zip(columns, steps.calls, strict=True)):
        if planned is None or planned.condition is None or planned.condition.kind != "samples":
            previous, current = (frozenset(), None) if planned is not None else (previous, current)
            continue
        took = frozenset(map(int, planned.condition.text.split(",")))
        if took != previous or current is None:
            selector = getattr(planned.call, "selector", "")
            others = ", ".join(sample.sample_id for n, sample in enumerate(samples) if n not in took)
            if not selector:
                doubts.append(
                    f"step {column.any.step} ({planned.call.__struct_config__.tag}) was not taken by {others}, "
                    "and nothing on the page says when it is to be taken: add a sample, or compile without these"
                )
            elif not _is_told_by_page(selector):
                doubts.append(
                    f"step {column.any.step} ({planned.call.__struct_config__.tag}{_named(column)}) was not taken by "
                    f"{others}, and only its place in the page ({selector}) says when it is to be taken, which a "
                    "stored page does not tell: take it by what names it on each row, or by what stands beside it"
                )
            current = Condition("shown", selector) if selector else None
        if current is not None:
            conditions[at] = current
        previous = took
    return conditions, doubts


def _is_told_by_page(selector: str) -> bool:
    parsed = parse_selector(selector)
    return parsed.kind != "css" or parsed.name is not None or is_listed_css(selector)


def _named(column: Column) -> str:
    target = column.any.target
    return f" {quoted(target.name)}" if target is not None and target.name else ""
