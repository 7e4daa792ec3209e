"""What a flow reads by what it has learned, beside what the labels of the page say: each field for itself. Pure.

The flow's rules and the labels are two readings of one field. Where the first is open and the second certain, the
second counts. Where both are certain and differ, neither does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from services.planner.judge.reported_values import is_same_value, value_problems
from services.planner.state.attempt_state import SampleView
from shared.contracts.browser_pool import PageObserved
from shared.contracts.planner import BY_FLOW
from shared.contracts.steps import FieldValue, Note, ValueCandidate, plain_note
from shared.contracts.workflows.flows import FlowAnswer
from shared.extraction.values import FieldType
from shared.field_types import nullable
from shared.flows.files import FieldsFile
from shared.flows.lacking import vanished_fields
from shared.flows.reading import LocatedReading, answer_of_readings, flow_error, to_value
from shared.pages.identity.identity import read_page
from shared.pages.loading import find_loading_sign
from shared.pages.read.fields import field_values, value_source
from shared.task.output_field import OutputField
from shared.task.typed_values import find_shown_problem, recorded_hints, typed_value
from shared.text.normal import Invalid, Normal, fold, quoted

BY_LABELS = "what the flow has learned does not tell it; it was read by its label"
ACCEPTED = "it is not certain; a person has accepted that this flow loses it"
VANISHED = (
    "every recorded page showed it, and this one does not where they did; "
    "if its record has none, learn the flow again with a record that has none"
)
UNTOLD = "what the flow has learned does not tell it, and no label of the page does"


@dataclass(frozen=True)
class FieldsAnswered:
    """The answer to a call that reads fields. ``seen``: what was read, and what is left open, with its candidates.

    ``read``: the readings that the answer is made of. ``waits_for``: the answer by which the page is looked at again
    before this one counts. ``may_be_found``: a field that must be there was not found, and nothing contradicts itself:
    the next driver may find it.
    """

    answer: FlowAnswer
    seen: tuple[FieldValue, ...]
    read: tuple[LocatedReading, ...]
    notes: tuple[Note, ...]
    waits_for: FlowAnswer
    may_be_found: bool = False


@dataclass(frozen=True)
class _Settled:
    """One field. ``value``: what it is, or what leaves it open. ``is_open``: it is not certain; ``differs``: since two
    readings differ."""

    reading: LocatedReading
    value: FieldValue | None = None
    note: str = ""
    is_open: bool = False
    differs: bool = False


def answer_fields(
    learned: FlowAnswer,
    read: tuple[LocatedReading, ...],
    view: SampleView,
    page: PageObserved,
    file: FieldsFile,
) -> FieldsAnswered:
    """Return the answer to a call that reads these fields. ``learned``: what the flow's own rules answer.

    A field that the task does not require stops no flow: it is None there, and is for a person where anything of it
    is shown, or where a page of which more is not as recorded does not show what every recorded one did. One of which
    a person has accepted that it is lost is None without that."""
    types = file.types
    proven = is_record_shown(view, page)
    labelled = values_by_label(view, page) if proven else {}
    settled = [_settled(one, labelled.get(one.field), view, page, types) for one in read]
    vanished = vanished_fields(read, file, page)
    settled = [_vanished(one) if one.is_open and one.reading.field in vanished else one for one in settled]
    settled = [_given_up(one) if one.is_open and one.reading.field in file.given_up else one for one in settled]
    required = {*view.spec.required_fields, *view.spec.identity}
    loading = bool(find_loading_sign(page))
    stops = [one.reading.field not in view.spec.output_schema or one.reading.field in required for one in settled]
    passed = [
        replace(one.reading, state="empty", text="", element=None, left_out=False)
        if one.is_open and not stop and not loading
        else one.reading
        for one, stop in zip(settled, stops, strict=True)
    ]
    answer = answer_of_readings(passed, page, types)
    is_open = any(one.is_open for one in settled)
    differs = any(one.differs for one in settled)
    waits_for = answer
    if answer.error is None and is_open:
        differing = flow_error("value_uncertain", "two readings of a field differ")
        waits_for = learned if learned.error is not None else differing
    values = tuple(one.value for one in settled if one.value is not None)
    return FieldsAnswered(
        answer,
        values if answer.error is None or proven else (),
        tuple(passed),
        tuple(plain_note(one.note, one.reading.field) for one in settled if one.note),
        waits_for,
        may_be_found=answer.error is not None and not differs,
    )


def is_record_shown(view: SampleView, page: PageObserved) -> bool:
    """Return whether the page shows the sample's record: by its identity, or because it was proven at this address."""
    proof = read_page(view.spec, view.sample, page).proof.state
    return proof == "proven" or (proof == "unproven" and page.url in view.state.proven_at)


def values_by_label(view: SampleView, page: PageObserved) -> dict[str, FieldValue]:
    """Return what the labels say of each field: a value that fits it, or the texts between which the page leaves it
    open."""
    read = read_page(view.spec, view.sample, page)
    found = field_values(view.spec, read.readings, page)
    return {one.field: one for one in found if _fits(one, view.spec.output_schema[one.field]) or one.candidates}


def _fits(value: FieldValue, field: OutputField) -> bool:
    """Return whether it is a value of its field, or the page's words that there is none."""
    if value.state == "not_present":
        return bool(value.shown) and nullable(field.type)
    if value.state != "value" or value.source is None or find_shown_problem(field, value.shown or ""):
        return False
    order = recorded_hints(value.source)
    return isinstance(typed_value(field, value.value, title=value.source.title, order=order), Normal)


def _vanished(one: _Settled) -> _Settled:
    """Return a field of which it is not known whether the record lacks it as one for a person."""
    value = FieldValue(field=one.reading.field, state="not_found", lacking=VANISHED)
    return one if one.value is not None else replace(one, value=value)


def _given_up(one: _Settled) -> _Settled:
    reading = replace(one.reading, state="empty", text="", element=None, left_out=False)
    return _Settled(reading, note=ACCEPTED)


def _settled(
    one: LocatedReading,
    labelled: FieldValue | None,
    view: SampleView,
    page: PageObserved,
    types: Mapping[str, FieldType],
) -> _Settled:
    field = view.spec.output_schema.get(one.field)
    kind = types.get(one.field)
    if one.state == "value" and kind is not None and isinstance(problem := to_value(kind, one), Invalid):
        one = replace(one, state="uncertain", candidates=(one.text,), why=problem.message)
    if field is None:
        return _Settled(one, is_open=one.state in ("uncertain", "missing"))
    by_label = labelled if labelled is not None and labelled.state != "not_found" else None
    if one.state in ("value", "empty"):
        return _confirmed(one, by_label, labelled, field, view, page)
    texts = tuple(dict.fromkeys(one.candidates))
    others = [text for text in texts if by_label is not None and not shows_same(by_label, text, field)]
    if by_label is None or (one.state == "missing" and texts):
        return _left_open(one, labelled, texts)
    if others:
        return _differing(one, by_label, texts, "its label says another text", page)
    return _by_label(one, by_label, page)


def _confirmed(
    one: LocatedReading,
    by_label: FieldValue | None,
    labelled: FieldValue | None,
    field: OutputField,
    view: SampleView,
    page: PageObserved,
) -> _Settled:
    """Return what the flow's rules are certain of, unless the page contradicts it."""
    own = value_of(one, field, page)
    if own is not None:
        ref = own.source.ref if own.source is not None else None
        agrees = by_label is not None and shows_same(by_label, one.text, field)
        # What its label says of it too, on the record's own page, needs no other word for it.
        problems = [] if agrees else [problem.message for problem in value_problems(own, field, view, ref)]
        return _differing(one, by_label, (one.text,), "; ".join(problems), page) if problems else _Settled(one, own)
    if one.state == "value" or by_label is None:
        open_now = one.state == "empty" and labelled is not None and bool(labelled.candidates)
        return _left_open(one, labelled, ()) if open_now else _Settled(one)
    if one.text and by_label.state == "value":
        return _differing(one, by_label, (one.text,), "its label says a value", page)
    return _by_label(one, by_label, page)


def value_of(one: LocatedReading, field: OutputField, page: PageObserved) -> FieldValue | None:
    """Return the reading of a flow as a value of the task's field, with its place; None where it has none."""
    if one.element is None:
        return None
    empty = one.state == "empty"
    return FieldValue(
        field=one.field,
        state="not_present" if empty else "value",
        value=None if empty else one.text,
        shown=one.text,
        source=value_source(one.element, page, one.text, field),
        read_by=BY_FLOW,
    )


def shows_same(value: FieldValue, text: str, field: OutputField) -> bool:
    """Return whether the text is the value, or another form of it."""
    shown, title = value.shown or "", value.source.title if value.source is not None else None
    return fold(shown) == fold(text) or is_same_value(text, field, shown, title=title)


def _by_label(one: LocatedReading, value: FieldValue, page: PageObserved) -> _Settled:
    ref = value.source.ref if value.source is not None else None
    element = next((each for each in page.elements if each.ref == ref), None)
    state = "value" if value.state == "value" else "empty"
    found = LocatedReading(one.field, state, value.shown or "", element, (value.shown or "",))
    return _Settled(found, value, BY_LABELS)


def _left_open(one: LocatedReading, labelled: FieldValue | None, texts: tuple[str, ...]) -> _Settled:
    """Return a field that neither tells. Where the page shows anything of it, that is for a person."""
    known = labelled.candidates if labelled is not None and labelled.state == "not_found" else ()
    shown = (*known, *(ValueCandidate(shown=text) for text in texts if text not in {each.shown for each in known}))
    state = one if one.state != "empty" else replace(one, state="uncertain", candidates=tuple(c.shown for c in known))
    value = FieldValue(field=one.field, state="not_found", candidates=shown) if shown else None
    return _Settled(state, value, f"{UNTOLD}{_doubt(one)}", is_open=True, differs=len(texts) > 1)


def _differing(
    one: LocatedReading, by_label: FieldValue | None, texts: tuple[str, ...], why: str, page: PageObserved
) -> _Settled:
    """Return a field of which the flow's rules and the labels say different things: a person decides."""
    labelled = () if by_label is None else (by_label.shown or "",)
    candidates = tuple(text for text in dict.fromkeys((*texts, *labelled)) if text)
    reading = LocatedReading(one.field, "uncertain", one.text, one.element, candidates, why=why)
    note = (
        f"what the flow has learned and the labels of the page differ: {' or '.join(map(quoted, candidates))} ({why})"
    )
    labelled_value = by_label or FieldValue(field=one.field, state="not_found")
    value = left_between(labelled_value, reading, page) if candidates else None
    return _Settled(reading, value, note, is_open=True, differs=True)


def left_between(value: FieldValue, one: LocatedReading, page: PageObserved) -> FieldValue:
    """Return a field that its label and the flow's rules tell differently as an open one, with the texts of both."""
    is_read = value.state != "not_found"
    own = (ValueCandidate(shown=value.shown or "", source=value.source),) if is_read else value.candidates
    known = {each.shown for each in own}
    place = None if one.element is None else value_source(one.element, page, one.text)
    others = [
        ValueCandidate(shown=text, source=place if text == one.text else None)
        for text in dict.fromkeys(one.candidates or (one.text,))
        if text and text not in known
    ]
    return FieldValue(field=value.field, state="not_found", candidates=(*own, *others))


def _doubt(one: LocatedReading) -> str:
    return f" ({one.why})" if one.why else ""
