"""What a record lacks as a whole: the right identity, required fields, required artifacts."""

from __future__ import annotations

from collections.abc import Iterable

from services.planner.judge.reported_values import claimed
from services.planner.page.identity import expected_identity, identity_proof, is_equal_text
from services.planner.state.attempt_state import SampleProblem, SampleView
from services.planner.values.typed_values import as_shown
from shared.contracts.steps import FieldValue
from shared.text.normal import quoted


def missing_field_problems(view: SampleView, values: Iterable[FieldValue]) -> list[SampleProblem]:
    """Return a problem if required fields, or all fields, were not found."""
    absent = [v.field for v in values if v.state == "not_found"]
    nothing = len(absent) == len(view.spec.output_schema)
    missing = absent if nothing else [name for name in absent if name in view.spec.required_fields]
    if not missing:
        return []
    return [
        SampleProblem("missing_fields", f"You called done but these required fields are missing: {', '.join(missing)}")
    ]


def identity_problems(view: SampleView, values: Iterable[FieldValue]) -> list[SampleProblem]:
    """Return a problem unless the values name the record that was asked for and a page was proven to show it."""
    by_name = {value.field: value for value in values}
    for name, wanted in expected_identity(view.spec, view.sample).items():
        value = by_name[name]
        if value.state == "not_found":
            return [SampleProblem("missing_fields", f"You called done but these required fields are missing: {name}")]
        if not any(is_equal_text(as_shown(form), wanted) for form in (value.shown, value.value) if form is not None):
            message = f"you reported {quoted(as_shown(claimed(value)))} where {quoted(wanted)} was asked for"
            return [SampleProblem("identity_mismatch", f"{message}. {_record_advice(view)}", name)]
    if view.spec.identity and not view.state.proven:
        return [SampleProblem("identity_mismatch", _record_advice(view))]
    return []


def _record_advice(view: SampleView) -> str:
    """Return what the page shows and what the decider should do about it."""
    asked = ", ".join(f"{name} {quoted(value)}" for name, value in expected_identity(view.spec, view.sample).items())
    proof = identity_proof(view.spec, view.sample, view.page) if view.page is not None else None
    if proof is not None and proof.state == "proven":
        return f"The page shows the record that was asked for ({asked}); report what it shows"
    wrong = f"; {proof.wrong}" if proof is not None and proof.wrong else ""
    return (
        f"No page was seen that shows the record that was asked for ({asked}){wrong}. "
        "If the record does not exist, call fail with the code not_found"
    )


def shows_other_record(view: SampleView) -> bool:
    """Return whether the current page shows another record."""
    return view.page is not None and identity_proof(view.spec, view.sample, view.page).state == "mismatch"


def missing_artifacts(view: SampleView) -> tuple[str, ...]:
    """Return the entries of `required_artifacts` that no artifact of the proven record satisfies."""
    held = view.state.proven_artifacts()
    return tuple(
        wanted
        for wanted in view.spec.required_artifacts
        if not any(_satisfies(wanted, artifact.kind, artifact.label) for artifact in held)
    )


def to_kind_and_label(wanted: str) -> tuple[str, str]:
    """Return the parts of an entry such as `screenshot:ticket`. An empty label is satisfied by any."""
    kind, _, label = wanted.partition(":")
    return kind, label


def _satisfies(wanted: str, kind: str, label: str) -> bool:
    wanted_kind, wanted_label = to_kind_and_label(wanted)
    return kind == wanted_kind and wanted_label in ("", label)


def artifact_problems(view: SampleView) -> list[SampleProblem]:
    """Return a problem if required artifacts are missing."""
    missing = missing_artifacts(view)
    if not missing:
        return []
    return [
        SampleProblem("missing_artifacts", f"You called done but these artifacts are missing: {', '.join(missing)}")
    ]
