"""The examples of `learn`, read by the flow that was made of them: a field that is not certain is not learned. Pure.

Each row's page is read as a run reads it. Where there are enough rows, each is also read by what the other rows teach.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shared.contracts.workflows.flows import FlowAnswer, ProveRecord, ReadFields, ReadList
from shared.extraction.agreement import is_same_value
from shared.extraction.values import form_of
from shared.field_types import is_rows
from shared.flows.answering import FlowContext, decide_call, readings_of
from shared.flows.checking.recorded_answers import same_row
from shared.flows.files import FlowFiles
from shared.flows.identifiers import to_identifier
from shared.flows.lacking import lacking_fields
from shared.flows.learning.learned_fields import ANOTHER_ROW, SAY_LABELS, SAY_NONE, LearnedTask, WrittenRow
from shared.flows.reading import LocatedReading
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec, fill
from shared.text.normal import quoted

NOT_NAMED: Mapping[str, str] = {}
ONE_MORE = "add a row like it to the examples"


@dataclass(frozen=True)
class FieldCheck:
    """Whether a field was learned. ``right``: how many of the ``written`` rows the flow reads as they are written.

    ``problem``: why it is not certain, for people; empty: it is. ``settles``: the row or the key of the spec that would
    settle it. ``required``: the task asks for it of every record."""

    field: str
    written: int
    right: int
    problem: str = ""
    settles: str = ""
    required: bool = False

    @property
    def told(self) -> str:
        return f"{self.field}: {self.problem}" + (f"; {self.settles}" if self.settles else "")


def check_examples(
    spec: TaskSpec, task: LearnedTask, files: FlowFiles, rows: Sequence[WrittenRow]
) -> tuple[FieldCheck, ...]:
    """Return for each field of the task whether it was learned, by the rows whose page is their record's."""
    rows = [one for one in rows if one.name not in task.of_others]
    read = [_read_row(files, one, _named_by(spec, one)) for one in rows]
    return tuple(_check(name, field, spec, task, rows, read) for name, field in spec.output_schema.items())


def unproven_rows(spec: TaskSpec, task: LearnedTask, files: FlowFiles, rows: Sequence[WrittenRow]) -> tuple[str, ...]:
    """Return for each row whose page a run does not take for that of its record why, and what to do about it."""
    found = [f"{name}: {wrong}; {ANOTHER_ROW}" for name, wrong in task.of_others.items()]
    for one in rows if spec.identity else ():
        if one.name in task.of_others:
            continue
        answer = decide_call(ProveRecord(expected=_named_by(spec, one)), one.page, _context(files, one))
        if isinstance(answer, FlowAnswer) and answer.error is not None:
            found.append(f"{one.name}: {answer.error.message}")
    return tuple(found)


# --- one row


@dataclass(frozen=True)
class _RowRead:
    """``lacking``: fields that are nowhere on the page, and stop nothing. ``lists``: answers, of fields of rows."""

    readings: Mapping[str, LocatedReading]
    lacking: frozenset[str]
    lists: Mapping[str, FlowAnswer]


def _named_by(spec: TaskSpec, row: WrittenRow) -> dict[str, str]:
    """Return the fields that name the record, and their texts in this row."""
    return {name: fill(text, dict(row.row)) for name, text in spec.identity.items()}


def _context(files: FlowFiles, row: WrittenRow, named: Mapping[str, str] = NOT_NAMED) -> FlowContext:
    variables = {to_identifier(name): text for name, text in row.row.items()}
    return FlowContext(files=files, variables=variables, named=named)


def _read_row(files: FlowFiles, row: WrittenRow, named: Mapping[str, str]) -> _RowRead:
    """Read the page as a run does that has asked whose record it is."""
    context = _context(files, row, named)
    readings = readings_of(ReadFields(fields=tuple(files.fields.fields)), row.page, context)
    answers = {name: decide_call(ReadList(name=name), row.page, context) for name in files.fields.lists}
    return _RowRead(
        {one.field: one for one in readings},
        lacking_fields(readings, files.fields, row.page),
        {name: one for name, one in answers.items() if isinstance(one, FlowAnswer)},
    )


# --- one field


def _check(
    name: str,
    field: OutputField,
    spec: TaskSpec,
    task: LearnedTask,
    rows: Sequence[WrittenRow],
    read: Sequence[_RowRead],
) -> FieldCheck:
    required = name in spec.required_fields or name in spec.identity
    learned = task.lists.get(name) if is_rows(field.type) else task.fields.get(name)
    if learned is None:
        why = "no row has a value of it" if not field.derived else "no page shows what is derived"
        return FieldCheck(name, 0, 0, why, "" if field.derived else "add a column with its values", required)
    written = [at for at, one in enumerate(rows) if name in (one.lists if is_rows(field.type) else one.values)]
    if learned.problem:
        return FieldCheck(name, len(written), 0, learned.problem, learned.settles, required)
    doubts = dict(_doubts(name, field, rows, read))
    right = sum(rows[at].name not in doubts for at in written)
    if doubts:
        row, why = next(iter(doubts.items()))
        has_none = any(one.name == row and name in one.values and not one.values[name] for one in rows)
        settles = SAY_NONE if has_none else _settled_by(field)
        return FieldCheck(name, len(written), right, f"{row}: {why}", settles, required)
    # What names the record is found by its text, which the row gives.
    problem = "" if name in spec.identity else _problem_of_others(name, task)
    return FieldCheck(name, len(written), right, problem, _settled_by(field) if problem else "", required)


def _settled_by(field: OutputField) -> str:
    return ONE_MORE if field.labels or is_rows(field.type) else f"{SAY_LABELS}, or {ONE_MORE}"


def _problem_of_others(name: str, task: LearnedTask) -> str:
    """Return why a field that the flow reads on its own examples is not certain on others; empty: nothing says so."""
    if name not in task.fields:
        return ""
    one = task.fields[name]
    if one.confidence.wrong:
        return f"what the other rows teach reads {one.confidence.wrong} of the rows wrongly"
    if 2 * one.taught < one.tested:
        return f"what the other rows teach reads {one.taught} of {one.tested} rows"
    return ""


def _doubts(
    name: str, field: OutputField, rows: Sequence[WrittenRow], read: Sequence[_RowRead]
) -> Iterator[tuple[str, str]]:
    """Yield each row that the flow does not read as it is written, and how."""
    for row, found in zip(rows, read, strict=True):
        if name in row.lists:
            why = _doubt_of_rows(found.lists.get(name), row.lists[name])
        elif name in row.values:
            is_lacking = name in found.lacking
            why = _doubt_of_value(found.readings.get(name), row.values[name], field, is_lacking=is_lacking)
        else:
            continue
        if why:
            yield row.name, why


def _doubt_of_value(
    reading: LocatedReading | None, written: str | None, field: OutputField, *, is_lacking: bool
) -> str:
    if is_lacking and not written:
        return ""
    if reading is None or reading.state == "missing":
        return f"nothing is found where {quoted(written or 'none')} is written"
    if reading.state == "uncertain":
        return f"it is not certain{': ' if reading.why else ''}{reading.why}"
    if reading.state == "empty" or not written:
        is_same = reading.state == "empty" and not written
        return (
            "" if is_same else f"{quoted(reading.text or 'none')} is read where {quoted(written or 'none')} is written"
        )
    is_same = is_same_value(form_of(field), reading.text, written)
    return "" if is_same else f"{quoted(reading.text)} is read where {quoted(written)} is written"


def _doubt_of_rows(answer: FlowAnswer | None, written: Sequence[Mapping[str, str | None]]) -> str:
    if answer is None or answer.error is not None:
        return "its rows are not certain" if answer is None or answer.error is None else answer.error.message
    read = list(answer.value)
    is_same = len(read) == len(written) and all(map(same_row, read, written))
    return "" if is_same else f"{len(read)} rows are read, and not exactly the {len(written)} that are written"
