"""Pure: what a record lacks as a whole: the right page, required fields, required artifacts."""

from __future__ import annotations

from collections.abc import Iterable

from services.planner.judge.reported_values import claim
from services.planner.page.identity import equal, expected, prove
from services.planner.state.sample_state import Problem, View
from services.planner.values.typed_values import as_shown
from shared.contracts.steps import FieldValue
from shared.text.normal import quoted


def missing_fields(view: View, values: Iterable[FieldValue]) -> list[Problem]:
    absent = [v.field for v in values if v.state == "not_found"]
    nothing = len(absent) == len(view.spec.output_schema)
    missing = absent if nothing else [name for name in absent if name in view.spec.required_fields]
    if not missing:
        return []
    return [Problem("missing_fields", f"You called done but these required fields are missing: {', '.join(missing)}")]


def identity_problems(view: View, values: Iterable[FieldValue]) -> list[Problem]:
    """The values name the record that was asked for, and a page was seen that shows it."""
    by_name = {value.field: value for value in values}
    for name, wanted in expected(view.spec, view.sample).items():
        value = by_name[name]
        if value.state == "not_found":
            return [Problem("missing_fields", f"You called done but these required fields are missing: {name}")]
        if not any(equal(as_shown(form), wanted) for form in (value.shown, value.value) if form is not None):
            told = f"you reported {quoted(as_shown(claim(value)))} where {quoted(wanted)} was asked for"
            return [Problem("identity_mismatch", f"{told}. {_whose_record(view)}", name)]
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


def shows_another(view: View) -> bool:
    return view.page is not None and prove(view.spec, view.sample, view.page).state == "mismatch"


def missing_artifacts(view: View) -> tuple[str, ...]:
    """Entries of required_artifacts that nothing captured on the proven record answers."""
    held = view.state.proven_artifacts()
    return tuple(
        wanted
        for wanted in view.spec.required_artifacts
        if not any(_answers(wanted, artifact.kind, artifact.label) for artifact in held)
    )


def kind_and_label(wanted: str) -> tuple[str, str]:
    """``screenshot:ticket``; the label is empty where any will do."""
    kind, _, label = wanted.partition(":")
    return kind, label


def _answers(wanted: str, kind: str, label: str) -> bool:
    wanted_kind, wanted_label = kind_and_label(wanted)
    return kind == wanted_kind and wanted_label in ("", label)


def artifact_problems(view: View) -> list[Problem]:
    missing = missing_artifacts(view)
    if not missing:
        return []
    return [Problem("missing_artifacts", f"You called done but these artifacts are missing: {', '.join(missing)}")]
