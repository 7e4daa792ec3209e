"""What was learned from examples, on a terminal: what was found where, questions, and predictions."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from shared.extraction.certainty import FieldReading, words_of_doubt
from shared.extraction.lists import ListReading
from shared.extraction.rules import describe_rule
from shared.flows.learning.learned_fields import ExampleQuestion, LearnedTask, Prediction, WrittenRow, is_sure
from shared.text.normal import printable

MOST_RULES = 3
MOST_CHARS = 60


def learned_table(task: LearnedTask, rows: Sequence[WrittenRow]) -> Table:
    """Return what was found where, and how each example is read by what the others teach."""
    table = Table("field", "written", "where it is found", "learned from the others", box=None, pad_edge=False)
    for name, one in task.fields.items():
        written = [row.values.get(name) or "(none)" for row in rows]
        rules = [*one.rules.rules, *(rule for some in one.rules.variants for rule in some)]
        told = [describe_rule(rule) for rule in rules]
        more = [f"and {len(told) - MOST_RULES} more"] if len(told) > MOST_RULES else []
        measured = one.confidence
        figures = f"{measured.right} right, {measured.wrong} wrong, {measured.to_review} for a person"
        where = "\n".join([*told[:MOST_RULES], *more]) or f"NOWHERE: {one.problem}"
        table.add_row(*map(_cell, (name, "\n".join(map(_short, written)), where, figures)))
    for name, one in task.lists.items():
        counts = "\n".join(f"{len(row.lists[name])} rows" for row in rows if name in row.lists)
        ways = len(one.rules.ways)
        where = f"{ways} {'way' if ways == 1 else 'ways'} to separate its rows" if ways else f"NOWHERE: {one.problem}"
        table.add_row(*map(_cell, (name, counts, where, "")))
    return table


def predictions_table(task: LearnedTask, predictions: Sequence[Prediction]) -> Table:
    table = Table("row", *task.fields, *task.lists, box=None, pad_edge=False)
    for one in predictions:
        read = [reading_text(one.readings[name]) for name in task.fields]
        table.add_row(_cell(one.name), *map(_cell, [*read, *(rows_text(one.lists[name]) for name in task.lists)]))
    return table


def reading_text(reading: FieldReading) -> str:
    if reading.absent:
        return "(none)"
    if reading.value is not None:
        return _short(reading.value) + (" (healed)" if reading.certainty == "healed" else "")
    found = " or ".join(_short(one.value) for one in reading.candidates)
    return f"? {found}: {words_of_doubt(reading.doubt)}" if found else "? not found"


def rows_text(reading: ListReading) -> str:
    count = f"{len(reading.rows)} {'row' if len(reading.rows) == 1 else 'rows'}"
    return count if is_sure(reading) else f"? {count}: not every one of them is certain"


def question_lines(question: ExampleQuestion) -> list[str]:
    """Return the question with its numbered options."""
    lines = [question.text]
    for number, option in enumerate(question.options, 1):
        lines.append(f"  {number}  {'(the page shows none)' if option is None else _short(option)}")
    return [printable(line) for line in [*lines, "  or write the value as it is; empty: leave it for later"]]


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]} ..."


def _cell(text: str) -> str:
    return escape(printable(text, keep="\n"))
