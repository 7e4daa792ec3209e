"""One field of a report: its typed value, where it comes from, and what contradicts it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace as replace_part

from services.planner.judge.merged_lists import of_this_page, with_other_pages
from services.planner.judge.reported_values import (
    element_of,
    label_problems,
    rival_notes,
    shown_text,
    unconfirmed_problems,
    value_problems,
)
from services.planner.judge.rows.reported import ReportedRows, problems_of_rows, reported_rows
from services.planner.state.attempt_state import Entry, SampleProblem, SampleView
from shared.contracts.actions import AskPicture, Done, SaveProgress
from shared.contracts.steps import FieldValue, Note, plain_note
from shared.field_types import base_type, is_rows, nullable
from shared.pages.elements import cut_chars_in
from shared.pages.identity.identity import read_page
from shared.pages.read.fields import FieldAmbiguous, told_open, value_candidates, value_source
from shared.task.output_field import OutputField
from shared.task.typed_values import as_shown, find_shown_problem, is_not_present, recorded_hints, typed_value
from shared.text.normal import QUOTED_CHARS, Invalid, fold, quoted
from shared.text.record_words import is_pending


def partial_values(view: SampleView) -> tuple[FieldValue, ...]:
    """Return the typed readings so far; empty if the right record was not proven."""
    if not view.state.proven:
        return ()
    nothing, fields = Done(values={}), view.spec.output_schema
    return tuple(_with_candidates(judge_field(name, field, view, nothing)[0], view) for name, field in fields.items())


def _with_candidates(value: FieldValue, view: SampleView) -> FieldValue:
    """Return a value that was not found with the texts between which the page leaves it open."""
    if value.state != "not_found" or value.candidates or view.page is None:
        return value
    reading = read_page(view.spec, view.sample, view.page).readings.get(value.field)
    if not isinstance(reading, FieldAmbiguous):
        return value
    found = value_candidates(reading, view.spec.output_schema[value.field], view.page)
    return replace_part(value, candidates=found)


def _open_problem(value: FieldValue) -> SampleProblem:
    """Return the problem of a field whose page shows several values, or one of which it is not certain."""
    texts = [one.shown for one in value.candidates]
    if len(set(texts)) == 1:
        return SampleProblem("ambiguous_value", f"not certain to be the value: {told_open(texts)}", value.field)
    return SampleProblem("ambiguous_value", f"more than one value on the page: {told_open(texts)}", value.field)


def judge_field(
    name: str, field: OutputField, view: SampleView, done: Done, by_model: bool = False
) -> tuple[FieldValue, list[SampleProblem], list[Note]]:
    """Return the field's typed value, its problems, and notes for a reviewer."""
    if is_rows(field.type):
        return _judge_rows(name, field, view, done, by_model=by_model)
    before = view.state.seen.get(name)
    written = _with_origin(_claimed_value(name, field, view, done), field, view, by_model)
    problems = _model_problems(written, before, field, view, done.refs.get(name)) if by_model else []
    rivals = rival_notes(written, field, view) if by_model else []
    notes = [*truncation_notes(written), *rivals, *(problem.note for problem in problems)]
    if written.candidates:
        return written, [_open_problem(written), *problems], notes
    if written.lacking:
        return written, [SampleProblem("missing_fields", written.lacking, name), *problems], notes
    if written.state != "value":
        return written, [*_not_present_problems(name, field, written), *problems], notes
    if mismatch := find_shown_problem(field, written.shown or as_shown(written.value)):
        return _with_value(written, None), [SampleProblem("invalid_values", mismatch, name), *problems], notes
    if by_model and written.origin == "page" and is_pending(written.shown or as_shown(written.value)):
        message = f"{name}: {quoted(as_shown(written.value))} stands there until the value comes"
        return _with_value(written, None), [SampleProblem("missing_fields", message, name)], notes
    source = written.source
    normal = (
        typed_value(field, written.value, title=source.title, order=recorded_hints(source))
        if source is not None
        else typed_value(field, written.value)
    )
    if isinstance(normal, Invalid):
        message = normal.message if len(as_shown(written.value)) <= QUOTED_CHARS else _type_problem(written, field)
        return _with_value(written, None), [SampleProblem("invalid_values", message, name), *problems], notes
    return _with_value(written, normal.value), problems, notes


def _judge_rows(
    name: str, field: OutputField, view: SampleView, done: Done, *, by_model: bool
) -> tuple[FieldValue, list[SampleProblem], list[Note]]:
    """Return the rows with what is wrong with them. Those that the rules have read are what they report."""
    before = view.state.seen.get(name)
    raw = None if not by_model and before is not None else done.values.get(name)
    told = reported_rows(name, field, raw, done.not_present.get(name), view)
    value = told.value if told.value.state != "not_found" else view.state.doubts.get(name) or told.value
    problems = list(dict.fromkeys((*told.problems, *problems_of_rows(value, field))))
    if by_model and not problems and value is before and name in view.state.unconfirmed:
        problems.append(SampleProblem("unconfirmed_values", "a page spoke against what was saved of it", name))
    if by_model:
        return value, problems, [*told.notes, *(problem.note for problem in problems)]
    return value, problems, [one for one in view.state.notes if one.field == name]  # what the rules noted as they read


def _model_problems(
    written: FieldValue, before: FieldValue | None, field: OutputField, view: SampleView, ref: int | None
) -> list[SampleProblem]:
    """Return what contradicts a value that a model reports.

    A value that was confirmed when it was saved need not be on this page, but its label must not show another one. A
    derived value, or one read from a picture, is on no page in these words.
    """
    if written.origin == "vision":
        return label_problems(written, field, view, ref, proven_only=True)
    here = of_this_page(written, before, field, view)
    if written.origin != "page" or here is None:
        return []
    if written is before and written.field not in view.state.unconfirmed:
        return label_problems(here, field, view, ref, proven_only=True)
    return value_problems(here, field, view, ref)


def _with_origin(value: FieldValue, field: OutputField, view: SampleView, by_model: bool) -> FieldValue:
    """Return the value with its origin: the page, a picture that was asked about, or derived, if allowed."""
    if not by_model or value.state != "value" or value.origin != "page":
        return value
    said = next(
        (one for one in _picture_answers(value.field, view) if fold(one.picture_answer) == fold(as_shown(value.value))),
        None,
    )
    if value.source is None and said is not None:
        return replace_part(value, origin="vision", source=said.picture_source, read_by=said.picture_read_by)
    return replace_part(value, origin="derived") if field.derived else value


def _picture_answers(name: str, view: SampleView) -> list[Entry]:
    """Return the confident answers about this field from pictures of this record, the last first."""
    asked = (e for e in reversed(view.state.history) if isinstance(e.action, AskPicture) and e.action.field == name)
    return [entry for entry in asked if entry.picture_answer and entry.picture_is_sure and entry.proven]


def _type_problem(value: FieldValue, field: OutputField) -> str:
    return f"{quoted(as_shown(value.value))} cannot be read as {base_type(field.type)}"


def _claimed_value(name: str, field: OutputField, view: SampleView, done: Done) -> FieldValue:
    """Return the value that the driver claims, or the earlier reading if the claim is the same or missing."""
    before = view.state.seen.get(name)
    raw, words = done.values.get(name), done.not_present.get(name)
    raw = with_other_pages(raw, before, field, view)
    if raw is None and words is None:
        return before or view.state.doubts.get(name) or FieldValue(field=name, state="not_found")
    element = element_of(view.page, done.refs.get(name))
    shown = shown_text(raw, field, element) if words is None else words
    source = value_source(element, view.page, shown, field) if element is not None and view.page is not None else None
    cut_chars = 0 if view.page is None else cut_chars_in(shown, view.page.elements)
    if words is not None or is_not_present(shown, field):
        now = FieldValue(field=name, state="not_present", shown=shown, source=source, cut_chars=cut_chars)
        same = before is not None and before.state == "not_present" and before.shown == shown
    else:
        now = FieldValue(field=name, state="value", value=raw, shown=shown, source=source, cut_chars=cut_chars)
        same = before is not None and before.state == "value" and before.value == raw
    return before if same and before is not None and not _is_settled_now(before, now) else now


def _is_settled_now(before: FieldValue, now: FieldValue) -> bool:
    """Return whether the page has its answers now, and had not when it was read."""
    awaited = before.source is not None and before.source.awaited
    return bool(awaited) and now.source is not None and not now.source.awaited


def values_to_save(
    view: SampleView, action: SaveProgress
) -> tuple[tuple[FieldValue, ...], tuple[Note, ...], frozenset[str]]:
    """Return the values that `SaveProgress` keeps, notes for a reviewer, and the fields that no page has shown."""
    said = Done(values=action.values, not_present=action.not_present, refs=action.refs)
    named = {name for name, value in action.values.items() if value is not None} | set(action.not_present)
    every = {name: field for name, field in view.spec.output_schema.items() if name in named}
    of_rows = [
        reported_rows(name, field, action.values.get(name), action.not_present.get(name), view)
        for name, field in every.items()
        if is_rows(field.type)
    ]
    known = {name: field for name, field in every.items() if not is_rows(field.type)}
    values = tuple(_with_origin(_claimed_value(n, field, view, said), field, view, True) for n, field in known.items())
    fresh = [value for value in values if value is not view.state.seen.get(value.field)]
    doubts = {v.field: _save_problems(v, known[v.field], view, action.refs.get(v.field)) for v in fresh}
    still = {v.field for v in values if v not in fresh} & view.state.unconfirmed
    notes = (
        *(note for v in fresh for note in (*truncation_notes(v), *rival_notes(v, known[v.field], view))),
        *(p.note for found in doubts.values() for p in found),
    )
    doubtful = {name for name, found in doubts.items() if found} | still
    return _with_rows(values, notes, doubtful, of_rows, every)


def _with_rows(
    values: tuple[FieldValue, ...],
    notes: tuple[Note, ...],
    doubtful: set[str],
    of_rows: list[ReportedRows],
    fields: dict[str, OutputField],
) -> tuple[tuple[FieldValue, ...], tuple[Note, ...], frozenset[str]]:
    """Return what is saved with its fields of rows. That rows may not be all is no doubt of those that were saved."""
    for told in of_rows:
        name = told.value.field
        found = [*told.problems, *problems_of_rows(told.value, fields[name])]
        found = [one for one in found if one.reason != "incomplete_list"]
        notes = (*notes, *told.notes, *(problem.note for problem in found))
        doubtful = doubtful | ({name} if found else set[str]())
    kept = tuple(told.value for told in of_rows if told.value.state != "not_found")
    return (*values, *kept), notes, frozenset(doubtful)


def _save_problems(value: FieldValue, field: OutputField, view: SampleView, ref: int | None) -> list[SampleProblem]:
    if view.state.on_other_record and value.origin == "page":
        return [SampleProblem("unconfirmed_values", "it was saved while another record was shown", value.field)]
    here = of_this_page(value, view.state.seen.get(value.field), field, view)
    return [] if here is None else _page_problems(here, field, view, ref)


def truncation_notes(value: FieldValue) -> list[Note]:
    """Return a note if the shown text was cut in the observation."""
    if value.state == "not_found" or value.cut_chars == 0:
        return []
    return [plain_note("the text is longer than an observation shows, and was cut off", value.field)]


def _not_present_problems(name: str, field: OutputField, value: FieldValue) -> list[SampleProblem]:
    if value.state == "not_present" and not nullable(field.type):
        message = f"{value.shown!r} is no value, and the task does not allow it to be absent"
        return [SampleProblem("invalid_values", message, name)]
    return []


def _page_problems(value: FieldValue, field: OutputField, view: SampleView, ref: int | None) -> list[SampleProblem]:
    return unconfirmed_problems(value, field, view, ref) if value.origin == "page" else []


def _with_value(value: FieldValue, normal: Any) -> FieldValue:
    return replace_part(value, value=normal)
