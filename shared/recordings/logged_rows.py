"""The rows of a field in a step log: a step has those that no step before it has logged.

A record whose rows are on many pages is read page by page, and after each step all rows so far are known. A log that
repeated them would grow with the square of the pages. So a step has the number of the first rows that it leaves out
(``known_rows``), and whoever reads steps completes them. The values of a step that ends a sample as done have all rows:
what a result is checked against does not depend on other steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from shared.contracts.actions import Done
from shared.contracts.steps import FieldValue, StepTaken


class LoggedRows:
    """The rows of each field as the steps of one attempt have logged them. Each step is given once, in order."""

    def __init__(self) -> None:
        self._latest: dict[str, FieldValue] = {}

    def shorten(self, step: StepTaken) -> StepTaken:
        """Return the step without the rows at the beginning of a field that the log has."""
        known = self._known(step)
        self._remember(step)
        if not known:
            return step
        seen = tuple(_without(known, one) for one in step.seen)
        values = step.values if _has_whole_values(step) else tuple(_without(known, one) for one in step.values)
        return replace(step, values=values, seen=seen, known_rows=known)

    def complete(self, step: StepTaken) -> StepTaken:
        """Return the step with all rows that were known; inverse of `shorten`. Raises msgspec.ValidationError if no
        step before it has logged them."""
        if step.known_rows:
            seen = tuple(self._whole(step, one) for one in step.seen)
            whole = _has_whole_values(step)
            values = step.values if whole else tuple(self._whole(step, one) for one in step.values)
            step = replace(step, values=values, seen=seen, known_rows={})
        self._remember(step)
        return step

    def _known(self, step: StepTaken) -> dict[str, int]:
        """Return for each field how many of its first rows the log has; the same number holds for values and seen."""
        counts: dict[str, int] = {}
        for value in step.seen if _has_whole_values(step) else (*step.values, *step.seen):
            before = self._latest.get(value.field)
            if before is not None:
                same = _same_rows(before, value)
                counts[value.field] = min(counts.get(value.field, same), same)
        return {field: count for field, count in counts.items() if count}

    def _remember(self, step: StepTaken) -> None:
        self._latest |= {value.field: value for value in (*step.seen, *step.values) if _row_objects(value)}

    def _whole(self, step: StepTaken, value: FieldValue) -> FieldValue:
        count, before = step.known_rows.get(value.field, 0), self._latest.get(value.field)
        if not count:
            return value
        if before is None or count > len(before.rows) or not isinstance(value.value, list):
            raise msgspec.ValidationError(
                f"step {step.step} goes on from {count} rows of {value.field!r}, and no step before it has logged them"
            )
        plain = [*_row_objects(before)[:count], *cast("list[Any]", value.value)]
        return replace(value, rows=before.rows[:count] + value.rows, value=plain)


def complete_steps(steps: Iterable[StepTaken]) -> list[StepTaken]:
    """Return the steps of one attempt, from its first on, with all rows that were known at each. Raises
    msgspec.ValidationError if a step before them is missing that has logged some."""
    logged = LoggedRows()
    return [logged.complete(step) for step in steps]


def whole_values(step: StepTaken) -> list[FieldValue]:
    """Return the values of a step as it is logged, without those of which earlier steps have the first rows."""
    return [one for one in step.values if _has_whole_values(step) or one.field not in step.known_rows]


def _has_whole_values(step: StepTaken) -> bool:
    return isinstance(step.action, Done)


def _row_objects(value: FieldValue) -> list[Any]:
    """Return the rows as objects; empty where they are not one for each row."""
    rows = list(cast("Sequence[Any]", value.value)) if isinstance(value.value, list | tuple) else []
    return rows if len(rows) == len(value.rows) else []


def _same_rows(before: FieldValue, value: FieldValue) -> int:
    """Return how many of the first rows are written in the same bytes: 1, 1.0 and true are equal to Python alone."""
    pairs = zip(before.rows, value.rows, _row_objects(before), _row_objects(value), strict=False)
    count = 0
    for one, other, plain, other_plain in pairs:
        if one is not other and msgspec.json.encode(one) != msgspec.json.encode(other):
            break
        if msgspec.json.encode(plain) != msgspec.json.encode(other_plain):
            break
        count += 1
    return count


def _without(known: Mapping[str, int], value: FieldValue) -> FieldValue:
    count = known.get(value.field, 0)
    return replace(value, rows=value.rows[count:], value=_row_objects(value)[count:]) if count else value
