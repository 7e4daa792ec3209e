"""The examples of `learn`, read by the flow that was made of them: a field that is not certain is not learned. Pure.

Each row's page is read as a run reads it. Where there are enough rows, each is also read by what the other rows teach.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shared.contracts.browser_pool import PageObserved
from shared.contracts.workflows.flows import FlowAnswer, ProveRecord, ReadFields, ReadList
from shared.extraction.rules import ByTask
from shared.field_types import is_rows
from shared.flows.answering import FlowContext, decide_call, readings_of
from shared.flows.checking.recorded_answers import same_row
from shared.flows.files import FlowFiles
from shared.flows.identifiers import to_identifier
from shared.flows.lacking import lacking_fields
from shared.flows.learning.learned_fields import ANOTHER_ROW, SAY_LABELS, SAY_NONE, LearnedTask, WrittenRow
from shared.flows.learning.marked_values import WRITE_VALUE, doubt_of_text, meanings_of
from shared.flows.reading import LocatedReading
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec, fill
from shared.text.normal import fold, quoted
from shared.text.record_words import find_mention

NOT_NAMED: Mapping[str, str] = {}
ONE_MORE = "add a row like it to the examples"
NOT_DRAWN = (
    "only the name of a picture or of a control without a text says it, and a run leaves what is not drawn to a person"
)
SAY_DRAWN = "say in the key labels of the field where its text is drawn, or take it from a page that draws it"


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
        as_written = any(
            one.name == row and _is_as_written(name, one, found) for one, found in zip(rows, read, strict=True)
        )
        settles = SAY_NONE if has_none else WRITE_VALUE if as_written else _settled_by(field)
        return FieldCheck(name, len(written), right, f"{row}: {why}", settles, required)
    if written and all(_is_undrawn(read[at].readings.get(name)) for at in written):
        return FieldCheck(name, len(written), right, NOT_DRAWN, SAY_DRAWN, required)
    by_task = _is_told_by_task(field, [read[at].readings.get(name) for at in written if rows[at].values.get(name)])
    if not by_task and (why := _told_by_no_row(name, field, [rows[at] for at in written])):
        return FieldCheck(name, len(written), right, why, WRITE_VALUE, required)
    # What names the record is found by its text, which the row gives.
    problem = "" if name in spec.identity else _problem_of_others(name, task)
    return FieldCheck(name, len(written), right, problem, _settled_by(field) if problem else "", required)


def _is_told_by_task(field: OutputField, readings: Sequence[LocatedReading | None]) -> bool:
    """Return whether the task says where the value stands, and each row is read there."""
    says = bool(field.labels) or field.shown_in is not None
    found = [one is not None and any(isinstance(rule.where, ByTask) for rule in one.matched) for one in readings]
    return says and all(found)


def _told_by_no_row(name: str, field: OutputField, rows: Sequence[WrittenRow]) -> str:
    """Return why no row tells which of several values its text stands for; empty: one does."""
    having = [one for one in rows if one.values.get(name)]
    meanings = [meanings_of(one.values[name] or "", field, one.page) for one in having]
    if not meanings or not all(meanings):
        return ""
    text, values = quoted(having[0].values[name] or ""), " and ".join(map(str, meanings[0]))
    return f"{having[0].name}: {text} stands on the page for {values}, and no row tells which of them is meant"


def _is_as_written(name: str, row: WrittenRow, found: _RowRead) -> bool:
    """Return whether the text is read that is written: a doubt of it is then one of its type."""
    reading, text = found.readings.get(name), row.values.get(name)
    return reading is not None and bool(text) and fold(reading.text) == fold(text or "")


def _is_undrawn(reading: LocatedReading | None) -> bool:
    """Return whether the place that a run cites, and takes a picture of, shows no text. Of other places only the
    pictures of a run tell whether they are drawn as they were read."""
    if reading is None or reading.state != "value" or reading.element is None:
        return False
    return reading.element.unwritten and find_mention(reading.element.name, reading.text) is not None


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
            why = _doubt_of_value(found.readings.get(name), row.values[name], field, row.page, is_lacking=is_lacking)
        else:
            continue
        if why:
            yield row.name, why


def _doubt_of_value(
    reading: LocatedReading | None, written: str | None, field: OutputField, page: PageObserved, *, is_lacking: bool
) -> str:
    if is_lacking and not written:
        return ""
    if reading is None or reading.state == "missing":
        return f"nothing is found where {quoted(written or 'none')} is written"
    if reading.state == "uncertain":
        return f"it is not certain{': ' if reading.why else ''}{reading.why}"
    if reading.state == "empty" or not written:
        if reading.state == "empty" and not written:
            return ""
        if reading.text and written and fold(reading.text) == fold(written):
            return f"{quoted(written)} is read as the words for none, and is written as a value"
        return f"{quoted(reading.text or 'none')} is read where {quoted(written or 'none')} is written"
    return doubt_of_text(reading, written, field, page)


def _doubt_of_rows(answer: FlowAnswer | None, written: Sequence[Mapping[str, str | None]]) -> str:
    if answer is None or answer.error is not None:
        return "its rows are not certain" if answer is None or answer.error is None else answer.error.message
    read = list(answer.value)
    is_same = len(read) == len(written) and all(map(same_row, read, written))
    return "" if is_same else f"{len(read)} rows are read, and not exactly the {len(written)} that are written"
