"""Pure: when a sample counts as done, and how it ends when it does not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

from msgspec.structs import replace as replace_part

from services.planner.judging.judgment import judged, unsure
from services.planner.judging.reported import (
    CUT_OFF,
    claim,
    element_of,
    label_problems,
    means_same,
    problems_of,
    standing_problems,
)
from services.planner.listing.items import listing_ended
from services.planner.reading.fields import source_of
from services.planner.reading.identity import equal, expected, prove, shows_record
from services.planner.reading.page_text import asks_for_password, text_of
from services.planner.state.sample_state import Ending, Problem, View
from services.planner.values.typed_values import (
    QUOTED_CHARS,
    Invalid,
    as_shown,
    fold,
    is_not_present,
    quoted,
    tidy,
    typed,
)
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import AskPicture, Done, Fail, FieldValue, Judgment, SampleFinished, SaveProgress
from shared.task_spec import DateOrder, OutputField, base_type, nullable

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
    "off_route": Ending("needs_review", "off_route", "the page does not offer what the route asks for", "us"),
    "ambiguous_target": Ending("needs_review", "ambiguous_target", "two things on the page are called so", "us"),
    "ambiguous_record": Ending("needs_review", "ambiguous_record", "two records match what was asked for", "record"),
    "invalid_input": Ending("needs_review", "invalid_input", "the form does not take a value of the row", "record"),
    "replay_differs": Ending("needs_review", "replay_differs", "the page is not as it was recorded", "site"),
    "replay_withheld": Ending("needs_review", "replay_withheld", "a step was not taken again", "us"),
    "unknown_outcome": Ending("needs_review", "unknown_outcome", "nobody knows whether it was submitted", "us"),
}
DISPUTED = Ending("needs_review", "disputed_not_found", "the page shows the record that is said not to exist", "us")
GAVE_UP = Ending("failed", "gave_up", "the decider gave up", "us")


@dataclass(frozen=True)
class Bounce:
    """Not done yet: what the decider is told, once."""

    message: str


@dataclass(frozen=True)
class Checked:
    values: tuple[FieldValue, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    judgment: Judgment | None = None


def judge_done(
    view: View, done: Done, *, by_model: bool = True, decided_by: str = ""
) -> tuple[Ending | Bounce, tuple[FieldValue, ...]]:
    """Whether ``done`` is accepted, and the values as they go into the result either way.

    What the rules report they have read off the page; what a model reports is compared with it.
    """
    if view.spec.phase == "discovery":
        return listing_ended(view, _artifact_problems(view)), ()
    checked = check(view, done, by_model=by_model, decided_by=decided_by)
    return ruling(view, checked, by_model=by_model), checked.values


def check(view: View, done: Done, *, by_model: bool = True, decided_by: str = "") -> Checked:
    """Values in their types, with everything that speaks against them."""
    fields = [_judge(name, field, view, done, by_model) for name, field in view.spec.output_schema.items()]
    values = tuple(value for value, _, _ in fields)
    judgment, doubts = judged(view, done.judgment, decided_by)
    problems = (
        *_identity_problems(view, values),
        *_missing(view, values),
        *(problem for _, found, _ in fields for problem in found),
        *_artifact_problems(view),
        *doubts,
    )
    return Checked(values, problems, tuple(note for _, _, notes in fields for note in notes), judgment)


def ruling(view: View, checked: Checked, *, by_model: bool) -> Ending | Bounce:
    """Done; or back once with the exact reason; or to a person. Another record than the one asked for is never done."""
    state = view.state
    notes = (*state.notes, *checked.notes)
    if not checked.problems:
        return Ending("done", "", "", "", checked.values, _flagged(view, checked), notes, checked.judgment)
    first = checked.problems[0]
    final = first.reason == "identity_mismatch"
    if state.refusals(Done) == 0 and not view.last_step and (by_model or not final):
        return Bounce("\n".join(problem.message for problem in checked.problems))
    if final:
        ending = FAILURES[first.reason]
        fault = ending.fault if not by_model or _shows_another(view) else "us"
        return replace(ending, message=first.message, fault=fault, notes=notes, flagged=True)
    told = "; ".join(problem.message for problem in checked.problems)
    return Ending("needs_review", first.reason, told, "us", checked.values, True, notes, checked.judgment)


def _flagged(view: View, checked: Checked) -> bool:
    """Done, with something that a person should look at."""
    return bool(checked.notes) or (checked.judgment is not None and unsure(checked.judgment))


def judge_fail(view: View, fail: Fail, *, by_model: bool = True) -> Ending | Bounce:
    """The ending a failure code stands for, with what was said about it. That a record does not exist
    is not taken from a model while the page shows it, nor without a picture; once it is sent back."""
    doubts = _not_found_doubts(view) if by_model and fail.code == "not_found" else ()
    if doubts and view.state.refusals(Fail) == 0 and not view.last_step:
        return Bounce("\n".join(doubt.message for doubt in doubts))
    disputed = [doubt.message for doubt in doubts if doubt.reason == "disputed_not_found"]
    ending = DISPUTED if disputed else FAILURES.get(fail.code, GAVE_UP)
    review = ending.status == "needs_review"
    values = partial_values(view) if review else ()
    message = tidy(fail.note)[:1000] or ending.message
    if disputed:
        message = f"{disputed[0]}; the decider said: {message}"
    return replace(ending, message=message, values=values, flagged=review, notes=view.state.notes)


def _not_found_doubts(view: View) -> tuple[Problem, ...]:
    labels = [filed.artifact.label for filed in view.state.artifacts if filed.artifact.kind == "screenshot"]
    doubts: list[Problem] = []
    if view.page is not None and shows_record(view.spec, view.sample, view.page):
        asked = ", ".join(f"{name} {quoted(value)}" for name, value in expected(view.spec, view.sample).items())
        told = f"You called fail with the code not_found, but the page shows the record that was asked for: {asked}"
        doubts.append(Problem("disputed_not_found", told))
    elif "not_found" not in labels:
        told = "You called fail with the code not_found, but this screenshot is missing: screenshot:not_found"
        doubts.append(Problem("missing_artifacts", told))
    return tuple(doubts)


def login_wall(finished: SampleFinished, page: PageObserved | None) -> str:
    """What showed that nobody is logged in, where something did; empty where nothing did.

    A login state is no longer used for any sample then, so a decider's word alone is not enough, and neither is 403:
    that one record may not be seen says nothing of the others.
    """
    if finished.status != "auth_required" or page is None:
        return ""
    # Its query may bear what only this one login is to know, and the reason is shown with every other sample.
    url = page.url.partition("?")[0].partition("#")[0]
    if page.http_status == 401:
        return f"{url} answered HTTP 401"
    return f"{url} asks for a password" if asks_for_password(page) else ""


def partial_values(view: View) -> tuple[FieldValue, ...]:
    """Readings so far, normalised; nothing where the record was not proven to be the right one."""
    if not view.state.proven:
        return ()
    nothing = Done(values={})
    return tuple(_judge(name, field, view, nothing)[0] for name, field in view.spec.output_schema.items())


# --- one field


def _judge(
    name: str, field: OutputField, view: View, done: Done, by_model: bool = False
) -> tuple[FieldValue, list[Problem], list[str]]:
    """The field's value in its type, what is wrong with it, and what a reviewer should know."""
    before = view.state.seen.get(name)
    written = _with_origin(_written(name, field, view, done), field, view, by_model)
    problems = _against(written, before, field, view, done.refs.get(name)) if by_model else []
    notes = [*cut_off(written), *(problem.message for problem in problems)]
    if written.state != "value":
        return written, [*_not_present_problems(name, field, written), *problems], notes
    source = written.source
    normal = (
        typed(field, written.value, title=source.title, order=cast("DateOrder | None", source.date_order))
        if source is not None
        else typed(field, written.value)
    )
    if isinstance(normal, Invalid):
        told = normal.message if len(as_shown(written.value)) <= QUOTED_CHARS else _unreadable(written, field)
        return _with(written, None), [Problem("invalid_values", f"{name}: {told}"), *problems], notes
    return _with(written, normal.value), problems, notes


def _against(
    written: FieldValue, before: FieldValue | None, field: OutputField, view: View, ref: int | None
) -> list[Problem]:
    """What was confirmed when it was saved need not stand on this page; its label must not say otherwise. What was
    worked out, or read from a picture, stands on no page in these words."""
    if written.origin == "vision":
        return label_problems(written, field, view, ref, proven_only=True)
    if written.origin != "page":
        return []
    if written is before and written.field not in view.state.unconfirmed:
        return label_problems(written, field, view, ref, proven_only=True)
    return problems_of(written, field, view, ref)


def _with_origin(value: FieldValue, field: OutputField, view: View, by_model: bool) -> FieldValue:
    """Where a model has it from: the page, a picture that was asked about, or its own working out, where allowed."""
    if not by_model or value.state != "value" or value.origin != "page":
        return value
    if value.source is None and any(fold(said) == fold(as_shown(value.value)) for said in _pictured(value.field, view)):
        return replace_part(value, origin="vision")
    return replace_part(value, origin="derived") if field.derived else value


def _pictured(name: str, view: View) -> list[str]:
    """What pictures of this very record were found to say of a field, and surely."""
    asked = (e for e in view.state.history if isinstance(e.action, AskPicture) and e.action.field == name)
    return [entry.said for entry in asked if entry.said and entry.sure and entry.proven]


def _unreadable(value: FieldValue, field: OutputField) -> str:
    return f"{quoted(as_shown(value.value))} cannot be read as {base_type(field.type)}"


def _written(name: str, field: OutputField, view: View, done: Done) -> FieldValue:
    """What the decider says of a field; what it saved or was seen to read before, where it says the same or nothing."""
    before = view.state.seen.get(name)
    raw, words = done.values.get(name), done.not_present.get(name)
    if raw is None and words is None:
        return before or FieldValue(field=name, state="not_found")
    element = element_of(view.page, done.refs.get(name))
    shown = _shown(raw, field, element) if words is None else words
    source = source_of(element, view.page, shown, field) if element is not None and view.page is not None else None
    if words is not None or is_not_present(shown, field.not_present):
        now = FieldValue(field=name, state="not_present", shown=shown, source=source)
        same = before is not None and before.state == "not_present" and before.shown == shown
    else:
        now = FieldValue(field=name, state="value", value=raw, shown=shown, source=source)
        same = before is not None and before.state == "value" and before.value == raw
    return before if same and before is not None else now


def saved(view: View, action: SaveProgress) -> tuple[tuple[FieldValue, ...], tuple[str, ...], frozenset[str]]:
    """What SaveProgress keeps, as written; what a reviewer should know of it; the fields that no page showed."""
    said = Done(values=action.values, not_present=action.not_present, refs=action.refs)
    named = {name for name, value in action.values.items() if value is not None} | set(action.not_present)
    known = {name: field for name, field in view.spec.output_schema.items() if name in named}
    values = tuple(_with_origin(_written(n, field, view, said), field, view, True) for n, field in known.items())
    fresh = [value for value in values if value is not view.state.seen.get(value.field)]
    doubts = {v.field: _saved_doubts(v, known[v.field], view, action.refs.get(v.field)) for v in fresh}
    still = {v.field for v in values if v not in fresh} & view.state.unconfirmed
    notes = (*(note for v in fresh for note in cut_off(v)), *(p.message for found in doubts.values() for p in found))
    return values, notes, frozenset({name for name, found in doubts.items() if found} | still)


def _saved_doubts(value: FieldValue, field: OutputField, view: View, ref: int | None) -> list[Problem]:
    if view.state.astray and value.origin == "page":
        return [Problem("unconfirmed_values", f"{value.field}: it was saved while another record was shown")]
    return _standing(value, field, view, ref)


def cut_off(value: FieldValue) -> list[str]:
    if value.state == "not_found" or not CUT_OFF.search(value.shown or ""):
        return []
    return [f"{value.field}: the text is longer than an observation shows, and was cut off"]


def _shown(raw: Any, field: OutputField, element: Element | None) -> str:
    """The text on the page: the element's own where the value is another form of it."""
    text = as_shown(raw)
    if element is None or fold(text) in fold(text_of(element)):
        return text
    return text_of(element) if means_same(raw, field, text_of(element), title=element.title) else text


def _not_present_problems(name: str, field: OutputField, value: FieldValue) -> list[Problem]:
    if value.state == "not_present" and not nullable(field.type):
        return [
            Problem(
                "invalid_values", f"{name}: {value.shown!r} is no value, and the task does not allow it to be absent"
            )
        ]
    return []


def _with(value: FieldValue, normal: Any) -> FieldValue:
    return replace_part(value, value=normal)


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
            told = f"{name}: you reported {quoted(as_shown(claim(value)))} where {quoted(wanted)} was asked for"
            return [Problem("identity_mismatch", f"{told}. {_whose_record(view)}")]
    if view.spec.identity and not view.state.proven:
        return [Problem("identity_mismatch", _whose_record(view))]
    return []


def _whose_record(view: View) -> str:
    """What the page shows, and what to do about it."""
    asked = ", ".join(f"{name} {quoted(value)}" for name, value in expected(view.spec, view.sample).items())
    proof = prove(view.spec, view.sample, view.page) if view.page is not None else None
    if proof is not None and proof.state == "proven":
        return f"The page shows the record that was asked for ({asked}); report what it shows"
    wrong = f"; {proof.wrong}" if proof is not None and proof.wrong else ""
    return (
        f"No page was seen that shows the record that was asked for ({asked}){wrong}. "
        "If the record does not exist, call fail with the code not_found"
    )


def _shows_another(view: View) -> bool:
    return view.page is not None and prove(view.spec, view.sample, view.page).state == "mismatch"


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


def _standing(value: FieldValue, field: OutputField, view: View, ref: int | None) -> list[Problem]:
    return standing_problems(value, field, view, ref) if value.origin == "page" else []
