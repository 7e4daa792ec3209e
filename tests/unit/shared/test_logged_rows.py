"""A step log with the rows that are new to each step has all rows, in the same bytes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from services.evidence.state.file_contents import AttemptLog, logged_value
from shared.contracts.actions import AnyAction, Done, Goto, SaveProgress
from shared.contracts.steps import CellValue, FieldValue, RowValue, StepTaken, ValueCandidate
from shared.evidence_format.cells import plain_rows
from shared.evidence_format.log_codec import encode_log, entry_of, parse_log, step_of
from shared.recordings.logged_rows import LoggedRows, complete_steps

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SAVE, END = SaveProgress(values={}, reason="kept"), Done(values={}, reason="all")


def row(value: Any, *candidates: str) -> RowValue:
    others = tuple(ValueCandidate(shown=one) for one in candidates)
    return RowValue(cells=(CellValue(field="amount", state="value", value=value, candidates=others),))


def field(rows: Sequence[RowValue], name: str = "lines") -> FieldValue:
    return FieldValue(field=name, state="value", value=plain_rows(rows), rows=tuple(rows))


def took(number: int, action: AnyAction, values: Sequence[FieldValue], seen: Sequence[FieldValue] = ()) -> StepTaken:
    return StepTaken(
        run_id="r", sample_id="s", attempt=1, step=number, started_at=NOW, ended_at=NOW, observation=None,
        decided_by="rules", action=action, values=tuple(values), seen=tuple(seen),
    )  # fmt: skip


def shortened(steps: Sequence[StepTaken]) -> list[StepTaken]:
    logged = LoggedRows()
    return [logged.shorten(step) for step in steps]


def filed(steps: Sequence[StepTaken]) -> list[StepTaken]:
    """As the log of evidence gives them back."""
    entries = parse_log(encode_log([entry_of(step) for step in steps]))
    return [step_of(entry, "r", "s") for entry in entries]


def rows_in(step: StepTaken) -> list[int]:
    return [len(value.rows) for value in (*step.values, *step.seen)]


def test_each_step_has_its_new_rows_and_the_end_has_all():
    rows = [row(number) for number in range(5)]
    steps = [
        took(1, SAVE, [field(rows[:2])], [field(rows[:2])]),
        took(2, Goto(url="/2", reason="on"), (), [field(rows[:2])]),
        took(3, SAVE, [field(rows)], [field(rows)]),
        took(4, END, [field(rows)], [field(rows)]),
    ]
    assert [rows_in(step) for step in shortened(steps)] == [[2, 2], [0], [3, 3], [5, 0]]
    assert complete_steps(filed(shortened(steps))) == steps


@pytest.mark.parametrize("other", [1.0, True, "1"])
def test_what_only_python_takes_for_equal_is_another_row(other: Any):
    """As JSON they differ, and a log is JSON."""
    steps = [took(1, SAVE, [field([row(1)])]), took(2, SAVE, [field([row(other), row(2)])])]
    again = complete_steps(filed(shortened(steps)))
    assert [msgspec.json.encode(step) for step in again] == [msgspec.json.encode(step) for step in steps]


def any_rows(rng: random.Random, before: Sequence[RowValue]) -> list[RowValue]:
    """The rows before, with more behind them, and sometimes with a row that changed, came between or is gone."""
    rows = [*before, *(row(rng.choice([1, 1.0, True, None, "ä", rng.random()])) for _ in range(rng.randint(0, 3)))]
    if rows and rng.random() < 0.3:
        at = rng.randrange(len(rows))
        rows[at : at + rng.randint(0, 2)] = [row(rng.choice([1, "new"]), "said otherwise")] * rng.randint(0, 2)
    return rows


def test_any_log_gives_its_steps_again():
    for seed in range(300):
        rng = random.Random(seed)
        rows: dict[str, list[RowValue]] = {"lines": [], "members": []}
        steps: list[StepTaken] = []
        for number in range(1, rng.randint(2, 9)):
            rows = {name: any_rows(rng, before) for name, before in rows.items()}
            told = [field(one, name) for name, one in rows.items()]
            seen = [one if rng.random() < 0.7 else field(any_rows(rng, one.rows), one.field) for one in told]
            seen += [FieldValue(field="lines", state="not_found", lacking="it goes on")] * (rng.random() < 0.2)
            action = rng.choice([SAVE, END, Goto(url="/", reason="on")])
            steps.append(took(number, action, rng.sample(told, rng.randint(0, 2)), rng.sample(seen, len(seen))))
        again = complete_steps(filed(shortened(steps)))
        assert [msgspec.json.encode(one) for one in again] == [msgspec.json.encode(one) for one in steps], seed


def test_a_log_that_lacks_the_rows_gives_no_steps():
    rows = [row(number) for number in range(4)]
    steps = shortened([took(1, SAVE, [field(rows[:2])]), took(2, SAVE, [field(rows)])])
    with pytest.raises(msgspec.ValidationError, match=r"step 2 goes on from 2 rows of 'lines', and no step before"):
        complete_steps(steps[1:])


def test_steps_of_earlier_versions_are_whole():
    steps = [took(1, SAVE, [field([row(1)])]), took(2, SAVE, [field([row(1), row(2)])])]
    assert complete_steps(filed(steps)) == steps
    logs = [encode_log([entry_of(step) for step in log]) for log in (steps, shortened(steps))]
    assert [[entry["version"] for entry in msgspec.json.decode(log)] for log in logs] == [[2, 2], [2, 3]]


def test_the_rows_that_are_new_to_a_step_bear_out_no_result():
    """A part of the rows is no value of the field."""
    rows = [row(number) for number in range(4)]
    steps = shortened([took(1, SAVE, [field(rows[:2])]), took(2, SAVE, [field(rows)]), took(3, END, [field(rows)])])
    log = AttemptLog.of(1, map(entry_of, steps))
    assert logged_value(field(rows)) in log.logged
    assert logged_value(field(rows[2:])) not in log.logged
    assert logged_value(field(rows)) not in AttemptLog.of(1, map(entry_of, steps[:2])).logged


def test_rows_that_are_not_one_for_each_object_are_left_as_they_are():
    odd = replace(field([row(1), row(2)]), value=[{"amount": 1}])
    steps = [took(1, SAVE, [odd]), took(2, SAVE, [odd])]
    assert shortened(steps) == steps
