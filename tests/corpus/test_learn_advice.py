"""What `learn` says of a field that was not learned settles it: tried on stored pages of third-party apps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from shared.extraction.synthesis import MIN_EXAMPLES
from shared.flows.learning.example_checks import FieldCheck
from shared.flows.learning.flow import learned_flow
from shared.flows.learning.learned_fields import SAY_LABELS, WrittenRow, learn_fields
from shared.task.spec import TaskSpec
from tests.corpus import stored
from tests.corpus.readers.asking import task

APPS = ("app_klaus", "app_datasette", "app_sqladmin")
FIRST, FEW = (0, 4), (2, 3)
MOST_ROUNDS = 2
"""A row first, and then the key that another reason asks for."""


def rows_of(app: str, group: stored.Group, names: Sequence[str]) -> list[WrittenRow]:
    """Return the pages of one record each, with what its database has."""
    observed = stored.read_observed(app)
    return [
        WrittenRow(one.name, one.row, {name: one.truth[name] for name in names}, observed[one.name].page)
        for one in group.pages
        if one.spec in ("naive", "careful")
        and one.truth
        and one.name in observed
        and all(name in one.truth for name in names)
    ]


def refused(spec: TaskSpec, rows: Sequence[WrittenRow]) -> dict[str, FieldCheck]:
    checks = learned_flow(spec, learn_fields(spec, rows), rows).checks
    return {one.field: one for one in checks if one.problem}


def with_key(spec: TaskSpec, careful: TaskSpec, name: str) -> TaskSpec:
    fields = {**spec.output_schema, name: careful.output_schema[name]}
    return spec.model_copy(update={"output_schema": fields})


def followed(
    check: FieldCheck, spec: TaskSpec, careful: TaskSpec, rows: Sequence[WrittenRow], rest: Sequence[WrittenRow]
) -> Iterator[tuple[TaskSpec, list[WrittenRow]]]:
    """Yield the task and the rows after what is said was done: its key as the careful task has it, or a row."""
    if SAY_LABELS in check.settles:
        yield with_key(spec, careful, check.field), [*rows]
    have = sum(bool(one.values[check.field]) for one in rows)
    if have < MIN_EXAMPLES:
        shows = [one for one in rest if one.values[check.field]]
        yield spec, [*rows, *shows[: MIN_EXAMPLES - have]]
    elif "row" in check.settles:
        yield from ((spec, [*rows, one]) for one in rest)


def is_settled(
    check: FieldCheck,
    spec: TaskSpec,
    careful: TaskSpec,
    rows: Sequence[WrittenRow],
    rest: Sequence[WrittenRow],
    rounds: int = MOST_ROUNDS,
) -> bool:
    for changed, more in followed(check, spec, careful, rows, rest):
        again = refused(changed, more).get(check.field)
        left = [one for one in rest if one not in more]
        if again is None or (rounds > 1 and is_settled(again, changed, careful, more, left, rounds - 1)):
            return True
    return False


@pytest.mark.parametrize("app", APPS)
def test_the_row_or_the_key_that_is_named_settles_a_field(app: str):
    group = stored.read_group(app)
    specs = group.specs
    spec, careful = task(specs["naive"]), task(specs["careful"])
    names = [name for name in spec.output_schema if name in careful.output_schema]
    rows = rows_of(app, group, names)
    tried = 0
    for begin, count in product(FIRST, FEW):
        few, rest = rows[begin : begin + count], rows[:begin] + rows[begin + count :]
        for check in refused(spec, few).values():
            tried += 1
            assert is_settled(check, spec, careful, few, rest), check.told
    assert tried
