"""What the readers of single values say of a page: labels, identity, how a sample ends, and its re-performance."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from msgspec.structs import replace as replace_part

from services.planner.drivers.rules.decide_rules import decide
from services.planner.judge.drawn_values import judge_drawn
from services.planner.judge.gates import Rejection, judge_done, judge_fail
from services.planner.reperform.stored_page_view import StoredPageView, view_stored_page
from services.planner.reperform.verdicts import StoredFile, StoredPage, value_verdict
from services.planner.state.attempt_state import Act, AttemptState, Ending, Entry, SampleView
from shared.contracts.actions import Click, Done, Fail, Goto, Screenshot
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.discovery import Sample
from shared.contracts.results import Ink
from shared.contracts.steps import FieldValue
from shared.field_types import base_type
from shared.flows.waiting import ALL_LOOKS
from shared.pages.identity.identity import read_page
from shared.pages.read.dates import date_hints
from shared.pages.read.fields import FieldAmbiguous, FieldFound, Reading, field_value, field_values
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.task.typed_values import as_shown, typed_value
from shared.text.normal import Normal
from tests.corpus.readers.asking import told_element
from tests.corpus.rows import Row

Inks = Mapping[int, Ink]
MANY_LOOKS = 10 * ALL_LOOKS


def value_rows(spec: TaskSpec, sample: Sample, page: PageObserved, inks: Inks, names: Mapping[str, str]) -> list[Row]:
    """Return the readings of all fields by their labels, and what re-performance says of each value. ``names``: what
    the fields are called in the rows."""
    read = read_page(spec, sample, page)
    witness = view_stored_page(spec, sample, page)
    rows: list[Row] = []
    for name, field in spec.output_schema.items():
        called, reading = names.get(name, name), read.readings[name]
        rows.append(label_row("labels", called, name, field, reading, page, inks))
        if isinstance(reading, FieldFound):
            again = _again(field_value(name, field, reading, page), field, reading.candidate.element, witness)
            rows += [] if again is None else [Row("reperform", called, again)]
    return rows


def label_row(
    reader: str, called: str, name: str, field: OutputField, reading: Reading, page: PageObserved, inks: Inks
) -> Row:
    if isinstance(reading, FieldAmbiguous):
        return Row(reader, called, "ambiguous", doubt=" | ".join(reading.texts[:6]))
    value = field_value(name, field, reading, page)
    if not isinstance(reading, FieldFound):
        return Row(reader, called, "missing")
    one = reading.candidate
    ink = told_ink(inks, one.element, value.state)
    doubts = [ink, f"cut {one.cut_chars}" if one.cut_chars else ""]
    at, doubt = told_element(one.element, one.shown), ", ".join(filter(None, doubts))
    if value.state != "value":
        return Row(reader, called, value.state, one.shown or None, at, doubt)
    typed = _typed(field, one.shown, one.title, page)
    if typed is None:
        return Row(reader, called, "doubt", at=at, doubt=f"no {base_type(field.type)}: {one.shown}")
    shown = "" if base_type(field.type) == "string" or typed == one.shown else f" shown {one.shown!r}"
    return Row(reader, called, "value", typed, at + shown, doubt)


def told_ink(inks: Inks, element: Element | None, state: str) -> str:
    """Return what the picture says against a reading, as for a result: nothing shows where there is nothing."""
    ink = None if element is None else inks.get(element.ref)
    return "" if ink is None or (state != "value" and ink.state != "unexplained") else f"ink {ink.state}"


def _typed(field: OutputField, shown: str, title: str | None, page: PageObserved) -> str | None:
    order = date_hints(page) if base_type(field.type) in ("date", "date-time") else None
    normal = typed_value(field, shown, title=title, order=order)
    return as_shown(normal.value) if isinstance(normal, Normal) else None


def _again(value: FieldValue, field: OutputField, element: Element, witness: StoredPageView) -> str | None:
    """Return what re-performance says of the value on the same page; None: it finds it."""
    if value.source is None:
        return None
    order = witness.order if base_type(field.type) in ("date", "date-time") else None
    normal = typed_value(field, value.shown or "", title=value.source.title, order=order)
    if value.state == "value" and isinstance(normal, Normal):
        value = replace_part(value, value=normal.value)
    elif value.state == "value":
        return None
    assert value.source is not None
    source = replace_part(value.source, kept_ref=element.ref, page_sha256="p", observation_file_sha256="o")
    both = StoredPage(StoredFile("p", "p", witness), StoredFile("o", "o", witness))
    verdict = value_verdict(replace_part(value, source=source), field, both).verdict
    return None if verdict == "same" else verdict


# --- whose record it is


def identity_rows(spec: TaskSpec, sample: Sample, other: Sample, page: PageObserved) -> list[Row]:
    """Return whether the page shows the record, and whether it would show another one that was asked for."""
    if not spec.identity:
        return []
    own, others = read_page(spec, sample, page), read_page(spec, other, page)
    asked = ", ".join(other.fields.get(name, "") for name in other.fields if other.fields[name] != sample.fields[name])
    return [
        Row("identity", "own", own.proof.state, doubt=own.proof.wrong),
        Row("identity", f"asked for {asked}", others.proof.state),
    ]


# --- how a sample ends that is decided by rules on this page


def ending_row(spec: TaskSpec, sample: Sample, page: PageObserved, inks: Inks, rows: Sequence[Row]) -> Row:
    """Return how the sample ends where this is the only page, which does not change any more. ``rows``: the readings;
    values of the result are told where they are others."""
    read = read_page(spec, sample, page)
    page = replace_part(page, scroll_y_px=page.scroll_max_y_px)
    proven = read.proof.state == "proven"
    opened = Entry(Goto(url=page.url), None, "", url=page.url, proven=proven)
    at = frozenset({page.url}) if proven else frozenset[str]()
    state = AttemptState(
        history=(opened,), steps=1, looks=MANY_LOOKS, proven=proven, proven_at=at,
        on_other_record=read.proof.state == "mismatch",
        seen={one.field: one for one in field_values(spec, read.readings, page)} if proven else {},
    )  # fmt: skip
    view = SampleView(spec, sample, state, page)
    decision = decide(view)
    if isinstance(decision, Act) and isinstance(decision.action, Screenshot):
        pictured = Entry(decision.action, None, "", url=page.url, proven=proven)
        view = replace(view, state=_with(state, pictured))
        decision = decide(view)
    if not isinstance(decision, Act):
        return Row("ending", "", "waits")
    ending = _ending(view, decision)
    if ending is None:
        return Row("ending", "", "acts", _told_act(decision, page))
    return _ending_row(judge_drawn(_with_ink(ending, inks)), {row.value for row in rows if row.reader == "labels"})


def _ending(view: SampleView, decision: Act) -> Ending | None:
    if isinstance(decision.action, Fail):
        ended = judge_fail(view, decision.action, by_model=False)
    elif isinstance(decision.action, Done):
        refused = Entry(decision.action, None, "", refused=True)
        once = SampleView(view.spec, view.sample, _with(view.state, refused), view.page)
        ended, _ = judge_done(once, decision.action, by_model=False)
    else:
        return None
    assert not isinstance(ended, Rejection), ended
    return ended


def _with(state: AttemptState, entry: Entry) -> AttemptState:
    return replace(state, history=(*state.history, entry))


def _with_ink(ending: Ending, inks: Inks) -> Ending:
    return replace(ending, values=tuple(_drawn(value, inks) for value in ending.values))


def _drawn(value: FieldValue, inks: Inks) -> FieldValue:
    source = value.source
    if source is None or source.ref not in inks:
        return value
    return replace_part(value, source=replace_part(source, ink=inks[source.ref]))


def _ending_row(ending: Ending, read: Container[str | None]) -> Row:
    if ending.status != "done":
        return Row("ending", "", ending.status, ending.reason)
    shown = [f"{one.field}={text}" for one in ending.values if (text := as_shown(one.value)) and text not in read]
    return Row("ending", "", "done, flagged" if ending.flagged or ending.notes else "done", ", ".join(shown) or None)


def _told_act(decision: Act, page: PageObserved) -> str:
    kind = type(decision.action).__name__.lower()
    target = decision.action.target if isinstance(decision.action, Click) else None
    ref = getattr(target, "ref", 0)
    element = next((one for one in page.elements if one.ref == ref), None)
    return f"{kind} {told_element(element)}".strip()
