"""Reads the values of a recorded result again where they were. Values that are on no page are carried over."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from services.planner.judge.reported_values import is_shown_in, unconfirmed_problems
from services.planner.page.fields import Candidate, FieldFound, field_value, value_source
from services.planner.page.identity import read_page
from services.planner.page.text import label_form, text_of, truncation_of
from services.planner.state.attempt_state import SampleView
from shared.contracts.actions import Done
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import FieldValue, StepTaken
from shared.text.normal import fold


def recorded_values(log: Sequence[StepTaken]) -> tuple[FieldValue, ...]:
    """Return the values as they went into the result."""
    last = log[-1] if log else None
    return last.values if last is not None and isinstance(last.action, Done) else ()


def reread_step(value: FieldValue, plan: Sequence[StepTaken]) -> int:
    """Return the step before which a value is read again: the first that was decided on its page."""
    seen = [(step.step, step.observation) for step in plan if step.observation is not None]
    source = value.source
    if source is not None:
        for fits in (
            [n for n, ref in seen if ref.snapshot_id == source.snapshot_id],
            [n for n, ref in seen if ref.sha256 == source.observation_sha256],
            [n for n, ref in reversed(seen) if ref.url == source.url],
        ):
            if fits:
                return fits[0]
    return plan[-1].step


def reread_value(value: FieldValue, view: SampleView, page: PageObserved) -> FieldValue:
    """Return the field as the page shows it now. An unchanged text keeps its value."""
    if value.origin != "page":
        return value
    now = _by_label(value, view, page) or _by_rule(value, view, page) or _by_element(value, view, page)
    if now is None:
        return FieldValue(field=value.field, state="not_found")
    same = now.state == value.state and fold(now.shown or "") == fold(value.shown or "")
    return msgspec.structs.replace(value, source=now.source) if same else now


def _by_label(value: FieldValue, view: SampleView, page: PageObserved) -> FieldValue | None:
    """Return the value of the one element with this role under the recorded label."""
    source = value.source
    if source is None or not source.label:
        return None
    label = label_form(source.label)
    fits = [
        e for e in page.elements
        if e.frame == source.frame and e.role == source.role and label in (label_form(e.header or ""), _own_label(e))
    ]  # fmt: skip
    return _shown_by(fits[0], value, view, page) if len(fits) == 1 else None


def _own_label(element: Element) -> str:
    return label_form(element.name) if element.value is not None else ""


def _by_rule(value: FieldValue, view: SampleView, page: PageObserved) -> FieldValue | None:
    """Return the value under the labels of the task."""
    reading = read_page(view.spec, view.sample, page).readings[value.field]
    if not isinstance(reading, FieldFound):
        return None
    return field_value(value.field, view.spec.output_schema[value.field], reading, page)


def _by_element(value: FieldValue, view: SampleView, page: PageObserved) -> FieldValue | None:
    """Without a label: return the value of an element of the same kind that still shows it, else of the only one."""
    source, field = value.source, view.spec.output_schema[value.field]
    if value.state == "not_found":
        return None
    if source is None:
        stands = not unconfirmed_problems(value, field, view, None)
        return value if stands else None
    kind = [e for e in page.elements if e.frame == source.frame and e.role == source.role and e.header is None]
    still = [e for e in kind if value.shown and is_shown_in(value.shown, field, text_of(e), title=e.title)]
    if still:
        return msgspec.structs.replace(value, source=value_source(still[0], page))
    return _shown_by(kind[0], value, view, page) if len(kind) == 1 else None


def _shown_by(element: Element, value: FieldValue, view: SampleView, page: PageObserved) -> FieldValue:
    field, text = view.spec.output_schema[value.field], text_of(element)
    if truncation_of(text) is not None and not unconfirmed_problems(value, field, view, element.ref):
        return msgspec.structs.replace(value, source=value_source(element, page))
    return field_value(value.field, field, FieldFound(Candidate(text, element, element.row)), page)
