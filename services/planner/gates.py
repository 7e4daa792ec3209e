"""Pure: when a sample counts as done, and how it ends when it does not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

from services.planner.fields import source_of
from services.planner.identity import equal, expected
from services.planner.page_text import text_of
from services.planner.sample_state import MAX_BAD_REPLIES, MAX_FAILURES, Ending, SampleState, View
from services.planner.values import Invalid, Normal, as_shown, fold, is_not_present, normalise, tidy
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import Done, Fail, FieldValue, SaveProgress
from shared.task_spec import OutputField, nullable

FAILURES: dict[str, Ending] = {
    "not_found": Ending("failed", "not_found", "the record does not exist", "record"),
    "missing_column": Ending("failed", "missing_column", "the sample lacks a column the task needs", "record"),
    "auth_required": Ending("auth_required", "login_required", "the site asks for a login", "site"),
    "blocked": Ending("failed", "blocked", "the site does not let us in", "site"),
    "identity_mismatch": Ending("failed", "identity_mismatch", "the page shows another record", "site"),
    "ambiguous": Ending("needs_review", "ambiguous_value", "the page shows two values for one field", "us"),
    "http_error": Ending("failed", "http_error", "the site answered with an error", "site"),
    "unreachable": Ending("failed", "unreachable", "the site cannot be reached", "site"),
    "policy_denied": Ending("failed", "policy_denied", "the address may not be visited", "us"),
}
_CUT_OFF = re.compile(r"\.\.\. \(\+\d+ characters: extract\)$")
GAVE_UP = Ending("failed", "gave_up", "the decider gave up", "us")


@dataclass(frozen=True)
class Bounce:
    """Not done yet: what the decider is told, once."""

    message: str


@dataclass(frozen=True)
class Problem:
    """One reason why a sample is not done. ``reason`` is the code of the result if it stays so."""

    reason: str
    message: str


@dataclass(frozen=True)
class Checked:
    values: tuple[FieldValue, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def judge_done(view: View, done: Done) -> tuple[Ending | Bounce, tuple[FieldValue, ...]]:
    """Whether ``done`` is accepted, and the values as they go into the result either way."""
    checked = check(view, done)
    return ruling(view.state, checked), checked.values


def check(view: View, done: Done) -> Checked:
    """Values in their types, with everything that speaks against them."""
    judged = [_judge(name, field, view, done) for name, field in view.spec.output_schema.items()]
    values = tuple(value for value, _, _ in judged)
    problems = (
        *_identity_problems(view, values),
        *_missing(view, values),
        *(problem for _, found, _ in judged for problem in found),
        *_artifact_problems(view),
    )
    return Checked(values, problems, tuple(note for _, _, notes in judged for note in notes))


def ruling(state: SampleState, checked: Checked) -> Ending | Bounce:
    """Done; or back once with the exact reason; or to a person. Another record than the one asked for is final:
    told what was expected, a decider could only be tempted to write it."""
    notes = (*state.notes, *checked.notes)
    flagged = bool(checked.notes)
    if not checked.problems:
        return Ending("done", "", "", "", checked.values, flagged, notes)
    first = checked.problems[0]
    if first.reason == "identity_mismatch":
        return replace(FAILURES[first.reason], message=first.message, notes=notes, flagged=True)
    if state.bounces == 0:
        return Bounce("\n".join(problem.message for problem in checked.problems))
    told = "; ".join(problem.message for problem in checked.problems)
    return Ending("needs_review", first.reason, told, "us", checked.values, True, notes)


def judge_fail(view: View, fail: Fail) -> Ending:
    """The ending a failure code stands for, with what was said about it."""
    ending = FAILURES.get(fail.code, GAVE_UP)
    review = ending.status == "needs_review"
    values = partial_values(view) if review else ()
    message = tidy(fail.note)[:1000] or ending.message
    return replace(ending, message=message, values=values, flagged=review, notes=view.state.notes)


def limit_reached(view: View, elapsed_s: float) -> Ending | None:
    """The ending when a bound is reached: steps, time, failures in a row, answers that could not be used."""
    state, spec = view.state, view.spec
    if state.bad_replies >= MAX_BAD_REPLIES:
        return _cut_short(view, "bad_replies", f"{MAX_BAD_REPLIES} answers in a row could not be used: {_last(state)}")
    if state.failures >= MAX_FAILURES:
        return _cut_short(view, "too_many_failures", f"{MAX_FAILURES} actions in a row failed: {_last(state)}")
    if spec.max_time_s and elapsed_s >= spec.max_time_s:
        return _cut_short(view, "time_exceeded", f"not finished within {spec.max_time_s:g} s")
    if state.steps >= spec.max_steps:
        return _cut_short(view, "max_steps_exceeded", f"not finished within {spec.max_steps} steps")
    return None


def _cut_short(view: View, reason: str, message: str) -> Ending:
    """What was read of the right record is kept as a partial success."""
    values = partial_values(view)
    read = any(value.state != "not_found" and value.field not in view.spec.identity for value in values)
    status = "partial_success" if read else "failed"
    return Ending(status, reason, message, "us", values if read else (), read, view.state.notes)


def partial_values(view: View) -> tuple[FieldValue, ...]:
    """Readings so far, normalised; nothing where the record was not proven to be the right one."""
    if not view.state.proven:
        return ()
    nothing = Done(values={})
    return tuple(_judge(name, field, view, nothing)[0] for name, field in view.spec.output_schema.items())


# --- one field


def _judge(name: str, field: OutputField, view: View, done: Done) -> tuple[FieldValue, list[Problem], list[str]]:
    """The field's value in its type, what is wrong with it, and what a reviewer should know."""
    before = view.state.seen.get(name)
    written = _written(name, field, view, done)
    doubts = _doubts(written, field, view) if written is not before else []
    if written.state != "value":
        return written, _not_present_problems(name, field, written), doubts
    normal = normalise(field.type, written.value)
    if isinstance(normal, Invalid):
        return _with(written, None), [Problem("invalid_values", f"{name}: {normal.message}")], doubts
    return _with(written, normal.value), [], doubts


def _written(name: str, field: OutputField, view: View, done: Done) -> FieldValue:
    """What the decider says of a field; what it saved or was seen to read before, where it says the same or nothing."""
    before = view.state.seen.get(name)
    raw, words = done.values.get(name), done.not_present.get(name)
    if raw is None and words is None:
        return before or FieldValue(field=name, state="not_found")
    element = _element(view.page, done.refs.get(name))
    source = source_of(element, view.page) if element is not None and view.page is not None else None
    shown = _shown(raw, element) if words is None else words
    if words is not None or is_not_present(shown, field.not_present):
        now = FieldValue(field=name, state="not_present", shown=shown, source=source)
        same = before is not None and before.state == "not_present" and before.shown == shown
    else:
        now = FieldValue(field=name, state="value", value=raw, shown=shown, source=source)
        same = before is not None and before.state == "value" and before.value == raw
    return before if same and before is not None else now


def saved(view: View, action: SaveProgress) -> tuple[tuple[FieldValue, ...], tuple[str, ...]]:
    """What SaveProgress keeps, as written, and what a reviewer should know of it."""
    said = Done(values=action.values)
    known = {name: field for name, field in view.spec.output_schema.items() if action.values.get(name) is not None}
    values = tuple(_written(name, field, view, said) for name, field in known.items())
    return values, tuple(note for value in values for note in _doubts(value, known[value.field], view))


def _shown(raw: Any, element: Element | None) -> str:
    """The text on the page: the element's own where the value is another form of it."""
    text = as_shown(raw)
    if element is None or not isinstance(raw, str) or fold(text) in fold(text_of(element)):
        return text
    return text_of(element) or text


def _not_present_problems(name: str, field: OutputField, value: FieldValue) -> list[Problem]:
    if value.state == "not_present" and not nullable(field.type):
        return [
            Problem(
                "invalid_values", f"{name}: {value.shown!r} is no value, and the task does not allow it to be absent"
            )
        ]
    return []


def _doubts(value: FieldValue, field: OutputField, view: View) -> list[str]:
    """A value must stand where it is said to stand, or at least on the page the decider was shown."""
    if value.state == "not_found" or view.page is None or not (value.shown or "").strip():
        return []
    if _CUT_OFF.search(value.shown or ""):
        return [f"{value.field}: the text is longer than an observation shows, and was cut off"]
    ref = value.source.ref if value.source is not None else None
    element = _element(view.page, ref)
    if element is None:
        standing = any(_stands_in(value, field, text_of(e)) for e in view.page.elements)
        return [] if standing else [_doubt(value, "the page")]
    text = text_of(element)
    return [] if _stands_in(value, field, text) else [_doubt(value, f"element {ref}, which shows {text!r}")]


def _stands_in(value: FieldValue, field: OutputField, text: str) -> bool:
    """Word for word, or the text means the same value of the type."""
    raw: Any = value.value if value.state == "value" else value.shown
    pieces = cast("list[object]", raw) if isinstance(raw, list) else [cast("object", raw)]
    if all(fold(as_shown(piece)) in fold(text) for piece in pieces):
        return True
    meant = normalise(field.type, cast("object", raw))
    return value.state == "value" and isinstance(meant, Normal) and meant == normalise(field.type, text)


def _doubt(value: FieldValue, where: str) -> str:
    return f"{value.field}: {as_shown(value.value) or value.shown!r} is not shown by {where}"


def _element(page: PageObserved | None, ref: int | None) -> Element | None:
    if page is None or ref is None:
        return None
    return next((element for element in page.elements if element.ref == ref), None)


def _with(value: FieldValue, normal: Any) -> FieldValue:
    return FieldValue(field=value.field, state=value.state, value=normal, shown=value.shown, source=value.source)


# --- the whole sample


def _missing(view: View, values: Iterable[FieldValue]) -> list[Problem]:
    absent = [v.field for v in values if v.state == "not_found"]
    nothing = len(absent) == len(view.spec.output_schema)
    missing = absent if nothing else [name for name in absent if name in view.spec.required_fields]
    if not missing:
        return []
    return [Problem("missing_fields", f"You called done but these required fields are missing: {', '.join(missing)}")]


def _identity_problems(view: View, values: Iterable[FieldValue]) -> list[Problem]:
    """The values name the record that was asked for, and a page was seen that shows it."""
    by_name = {value.field: value for value in values}
    for name, wanted in expected(view.spec, view.sample).items():
        value = by_name[name]
        if value.state == "not_found":
            return [Problem("missing_fields", f"You called done but these required fields are missing: {name}")]
        if not any(equal(as_shown(form), wanted) for form in (value.shown, value.value) if form is not None):
            return [Problem("identity_mismatch", f"{name} is {value.shown!r} where {wanted!r} was asked for")]
    if view.spec.identity and not view.state.proven:
        return [Problem("identity_mismatch", "no page was seen that shows the record that was asked for")]
    return []


def missing_artifacts(view: View) -> tuple[str, ...]:
    """Entries of required_artifacts that nothing captured on the proven record answers."""
    held = view.state.proven_artifacts()
    return tuple(
        wanted
        for wanted in view.spec.required_artifacts
        if not any(_answers(wanted, artifact.kind, artifact.label) for artifact in held)
    )


def _answers(wanted: str, kind: str, label: str) -> bool:
    wanted_kind, _, wanted_label = wanted.partition(":")
    return kind == wanted_kind and wanted_label in ("", label)


def _artifact_problems(view: View) -> list[Problem]:
    missing = missing_artifacts(view)
    if not missing:
        return []
    return [Problem("missing_artifacts", f"You called done but these artifacts are missing: {', '.join(missing)}")]


def _last(state: SampleState) -> str:
    return state.last.message if state.last is not None else ""
