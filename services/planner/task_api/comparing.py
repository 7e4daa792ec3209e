"""What the values of an API are worth: whether they are enough without a browser, and whether a page bears them out.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from services.planner.state.attempt_state import Ending, SampleProblem, SampleView, ending_of
from services.planner.task_api.reading import ResponseRead
from shared.contracts.steps import FieldValue, Note
from shared.field_types import base_type
from shared.task.output_field import OutputField
from shared.task.route import FetchFile
from shared.task.row_values import expected_identity
from shared.task.spec import TaskSpec, has_irreversible_step
from shared.task.typed_values import as_shown
from shared.text.normal import quoted, tidy

# --- before the browser


def needs_browser(spec: TaskSpec, read: ResponseRead) -> str:
    """Return why the browser is used after the API has answered; empty: what it gave is all that the task needs."""
    if not read.proven:
        return read.problem
    if spec.required_artifacts or spec.judgment_required:
        return "the task needs pictures, files or a judgment"
    if has_irreversible_step(spec) or any(isinstance(step, FetchFile) for step in spec.route):
        return "the route of the task does more than read"
    given = {value.field for value in read.values}
    needed = {*spec.identity, *(spec.required_fields or spec.output_schema)}
    left = [name for name in spec.output_schema if name in needed - given]
    left += [note.field for note in read.notes if note.field not in read.absent and note.field not in left]
    return f"left for the browser: {', '.join(left)}" if left else ""


def all_values(spec: TaskSpec, read: ResponseRead) -> tuple[FieldValue, ...]:
    """Return a value for each output field, in order. Those that the response lacks were not found."""
    given = {value.field: value for value in read.values}
    return tuple(given.get(name) or FieldValue(field=name, state="not_found") for name in spec.output_schema)


def ending_by_api(spec: TaskSpec, read: ResponseRead) -> Ending:
    """Return the end of a sample that the API has given all of."""
    return Ending("done", "", "", "", all_values(spec, read))


# --- after the browser


@dataclass(frozen=True)
class MergedValues:
    """The values of page and API together, and where they contradict each other."""

    values: tuple[FieldValue, ...]
    problems: tuple[SampleProblem, ...] = ()
    notes: tuple[Note, ...] = ()


def merged_values(view: SampleView, values: Iterable[FieldValue]) -> MergedValues:
    """Return the page's values, and the API's where the page has none. Where both are there, they must be the same."""
    merged: list[FieldValue] = []
    problems: list[SampleProblem] = []
    notes: list[Note] = []
    for value in values:
        given = view.state.from_api.get(value.field)
        if given is None or (value.state == "value" and value.value is None):  # that one has a problem of its own
            merged.append(value)
        elif value.state == "not_found":
            merged.append(given)
        else:
            merged.append(value)
            if not _is_same(value, given, view.spec.output_schema[value.field]):
                text = f"the API gives {_told(given)}, and the page shows {_told(value)}"
                problems.append(SampleProblem("api_differs", text, value.field))
                notes.append(Note(kind="api_differs", field=value.field, text=text))
    return MergedValues(tuple(merged), tuple(problems), tuple(notes))


def _told(value: FieldValue) -> str:
    if value.state == "not_present":
        return f"that there is none ({quoted(value.shown)})" if value.shown else "that there is none"
    return quoted(as_shown(value.value))


def _is_same(one: FieldValue, other: FieldValue, field: OutputField) -> bool:
    if "not_present" in (one.state, other.state):
        return one.state == other.state
    a, b, kind = one.value, other.value, base_type(field.type)
    if kind == "decimal":
        return Decimal(str(a)) == Decimal(str(b))
    if kind == "date-time":
        return a == b or _is_same_moment(str(a), str(b))
    if kind == "string":
        return tidy(str(a)) == tidy(str(b))
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def _is_same_moment(one: str, other: str) -> bool:
    """Return whether both texts have a time zone and name one moment."""
    a, b = datetime.fromisoformat(one), datetime.fromisoformat(other)
    return a.tzinfo is not None and b.tzinfo is not None and a == b


def disputed_absence(view: SampleView, said: str) -> Ending | None:
    """Return the end of a sample whose record the API has given, and of which the browser says that there is none."""
    if not view.state.from_api:
        return None
    asked = ", ".join(f"{name} {quoted(key)}" for name, key in expected_identity(view.spec, view.sample).items())
    text = f"the API gives the record that was asked for ({asked}), and the site says that there is none"
    return ending_of("api_differs", "; ".join(filter(None, (text, said))))
