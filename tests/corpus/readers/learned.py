"""What rules say that were learned from some pages of a kind, of the other pages of the kind; alone and in a flow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from shared.extraction.task_values import flow_task_of
from shared.extraction.values import form_of
from shared.flows.files import FieldsFile
from shared.flows.identifiers import to_identifier
from shared.flows.learning.learned_fields import LearnedTask, WrittenRow, learn_fields, predict
from shared.flows.reading import answer_of_readings, read_fields, words_for_nothing
from shared.task.row_values import expected_identity
from shared.task.spec import TaskSpec
from shared.task.typed_values import as_shown
from tests.corpus.readers.asking import field_name, sample_of, task, told_element
from tests.corpus.readers.values import told_ink
from tests.corpus.rows import Row, Rows
from tests.corpus.stored import AskedPage, Group, PageSeen

WRITTEN = 3
"""Pages of a kind that the rules are learned from: the first two with all values, and the next one without one."""


def learned_rows(group: Group, observed: Mapping[str, PageSeen]) -> Rows:
    """Return the readings of all pages that were not learned from."""
    kinds: dict[str, list[AskedPage]] = defaultdict(list)
    for one in group.pages:
        if one.kind and one.truth and one.name in observed:
            kinds[one.kind].append(one)
    found: Rows = {}
    for pages in kinds.values():
        found |= _rows_of_kind(group, pages, observed)
    return found


def _rows_of_kind(group: Group, pages: Sequence[AskedPage], observed: Mapping[str, PageSeen]) -> Rows:
    written = _written(pages)
    if len(written) < WRITTEN or len(pages) == len(written):
        return {}
    spec, names = _task(group, pages)
    rows = [
        WrittenRow(
            one.name, one.row, {name: one.truth[field] for name, field in names.items()}, observed[one.name].page
        )
        for one in written
    ]
    learned = learn_fields(spec, rows)
    others = [one for one in pages if one not in written]
    return {one.name: _readings(spec, learned, one, observed[one.name], names) for one in others}


def _written(pages: Sequence[AskedPage]) -> list[AskedPage]:
    whole = [one for one in pages if all(one.truth.values())][: WRITTEN - 1]
    others = [one for one in pages if one not in whole]
    lacking = [one for one in others if not all(one.truth.values())] or others
    return [*whole, *lacking[:1]]


def _task(group: Group, pages: Sequence[AskedPage]) -> tuple[TaskSpec, dict[str, str]]:
    """Return the task with the fields that all pages have a truth of, and what these are called in the rows."""
    shared = [name for name in pages[0].truth if all(name in one.truth for one in pages)]
    if pages[0].spec:
        return task(group.specs[pages[0].spec]), {name: name for name in shared}
    names = {field_name(at): name for at, name in enumerate(shared)}
    schema = {name: {"type": "string | null", "labels": [field]} for name, field in names.items()}
    return task({"task_id": "t", "goal": "g", "start_url": "{url}", "output_schema": schema}), names


def _readings(
    spec: TaskSpec, learned: LearnedTask, asked: AskedPage, seen: PageSeen, names: Mapping[str, str]
) -> list[Row]:
    page, ink = seen.page, seen.ink
    known = {key: one for key, one in learned.fields.items() if not one.problem}
    file = FieldsFile(
        fields={key: one.rules for key, one in known.items()},
        types={key: form_of(spec.output_schema[key]) for key in known},
        constants=tuple(sorted(learned.constants)),
        task=flow_task_of(spec, to_identifier),
    )
    named = expected_identity(spec, sample_of(asked))
    row = {to_identifier(name): text for name, text in asked.row.items()}
    located = {
        one.field: one for one in read_fields(tuple(known), file, page, words_for_nothing(file), row, named=named)
    }
    rows: list[Row] = []
    for key, reading in predict(learned, seen.name, asked.row, page).readings.items():
        shown = " | ".join(one.value for one in reading.candidates) if reading.value is None else ""
        state = reading.certainty if not reading.absent else "not_present"
        seen_at = located[key].element if key in located and reading.value else None
        rows.append(Row("learned", names[key], state, reading.value, doubt=shown or told_ink(ink, seen_at, "value")))
    for key, one in located.items():
        answer = answer_of_readings([one], page, file.types)
        value = answer.value[key] if answer.error is None and isinstance(answer.value, dict) else None
        state = one.state if answer.error is None else "doubt"
        rows.append(
            Row(
                "flow", names[key], "not_present" if state == "empty" else state,
                None if value is None else as_shown(value), told_element(one.element, one.text),
                " | ".join(one.candidates) if state in ("uncertain", "doubt") else told_ink(ink, one.element, state),
            )
        )  # fmt: skip
    return rows
