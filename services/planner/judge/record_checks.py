"""Checks of a report as a whole: the right identity, required fields, required artifacts, and the judgment.

A judgment must answer the question, give reasons, and refer to existing evidence. Whether it is right is for the person
who reads it.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from services.planner.judge.reported_values import reported_value
from services.planner.state.attempt_state import SampleProblem, SampleView, invalid_words, is_invalid
from shared.contracts.actions import Judgment, JudgmentGiven
from shared.contracts.steps import FieldValue, Note, plain_note
from shared.pages.effects.closing import find_dismissal
from shared.pages.identity.identity import identity_proof, read_page
from shared.pages.read.fields import FieldFound, FieldMissing
from shared.task.judgments import answers_of, find_answer
from shared.task.route import FetchFile
from shared.task.row_values import expected_identity
from shared.task.typed_values import as_shown
from shared.text.dismissals import AGREEING
from shared.text.names import safe_label
from shared.text.normal import fold, quoted
from shared.text.record_words import is_same_id

LEAST_REASONING_CHARS = 15
DOUBTFUL_BELOW = 0.6


def missing_field_problems(view: SampleView, values: Iterable[FieldValue]) -> list[SampleProblem]:
    """Return a problem if required fields, or all fields, were not found. Those that are open are another problem."""
    absent = [v.field for v in values if v.state == "not_found" and not v.candidates and not v.lacking]
    nothing = len(absent) == len(view.spec.output_schema)
    missing = absent if nothing else [name for name in absent if name in view.spec.required_fields]
    if not missing:
        return []
    named = ", ".join(f"{name}{_what_stands_there(view, name)}" for name in missing)
    return [SampleProblem("missing_fields", f"these required fields are missing: {named}", lacking=True)]


def _what_stands_there(view: SampleView, name: str) -> str:
    """Return what the current page has in the field's place: nothing, or an icon; empty where it is not known."""
    if view.page is None:
        return ""
    reading = read_page(view.spec, view.sample, view.page).readings[name]
    if isinstance(reading, FieldMissing) and reading.icons:
        return " (the page shows an icon there: an `enum` of words for its states, such as passed and failed, is read)"
    return " (the page shows it empty)" if isinstance(reading, FieldFound) and not reading.candidate.shown else ""


def identity_problems(view: SampleView, values: Iterable[FieldValue]) -> list[SampleProblem]:
    """Return a problem unless the values name the record that was asked for and a page was proven to show it."""
    by_name = {value.field: value for value in values}
    for name, wanted in expected_identity(view.spec, view.sample).items():
        value = by_name[name]
        if value.state == "not_found" and (view.state.on_other_record or shows_other_record(view)):
            return [SampleProblem("identity_mismatch", _record_advice(view))]
        if value.state == "not_found":
            return [SampleProblem("missing_fields", f"{name} is missing, by which the record is known", lacking=True)]
        if not any(is_same_id(as_shown(form), wanted) for form in (value.shown, value.value) if form is not None):
            message = f"{quoted(as_shown(reported_value(value)))} was reported where {quoted(wanted)} was asked for"
            return [SampleProblem("identity_mismatch", f"{message}. {_record_advice(view)}", name)]
    if view.spec.identity and not view.state.proven:
        return [SampleProblem("identity_mismatch", _record_advice(view))]
    return []


def _record_advice(view: SampleView) -> str:
    """Return what the page shows and what the driver should do about it."""
    asked = ", ".join(f"{name} {quoted(value)}" for name, value in expected_identity(view.spec, view.sample).items())
    proof = identity_proof(view.spec, view.sample, view.page) if view.page is not None else None
    if proof is not None and proof.state == "proven":
        return f"The page shows the record that was asked for ({asked}); report what it shows"
    wrong = f"; {proof.wrong}" if proof is not None and proof.wrong else ""
    other = "; if only another record is shown, with the code identity_mismatch" if wrong else ""
    return (
        f"No page was seen that shows the record that was asked for ({asked}){wrong}. "
        f"If the record does not exist, call fail with the code not_found{other}"
    )


def shows_other_record(view: SampleView) -> bool:
    """Return whether the current page shows another record."""
    return bool(other_record_text(view))


def other_record_text(view: SampleView) -> str:
    """Return how the current page shows another record; empty: it does not."""
    proof = identity_proof(view.spec, view.sample, view.page) if view.page is not None else None
    return proof.wrong if proof is not None and proof.state == "mismatch" else ""


def missing_artifacts(view: SampleView) -> tuple[str, ...]:
    """Return the entries of `required_artifacts` that no artifact of the proven record satisfies."""
    held = [(one.kind, one.label) for one in view.state.proven_artifacts() if not is_invalid(one)]
    held += [("download", label) for label in _fetched_by_address(view)]
    return tuple(wanted for wanted in view.spec.required_artifacts if not any(_satisfies(wanted, *one) for one in held))


def _fetched_by_address(view: SampleView) -> list[str]:
    """Return the labels of route steps that fetched a file by its address. The file is named after itself."""
    steps = dict(enumerate(view.spec.route, start=1))
    fetched: list[str] = []
    for entry in view.state.history:
        step = steps.get(entry.route.step) if entry.route is not None else None
        if entry.proven and isinstance(step, FetchFile) and step.open is not None:
            fetched += [step.download for one in entry.brought if one.kind == "download" and not is_invalid(one)]
    return fetched


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
    invalid = [one for one in view.state.proven_artifacts() if is_invalid(one)]
    wanted = [one for one in invalid if any(_satisfies(name, one.kind, one.label) for name in missing)]
    if wanted:
        return [SampleProblem("invalid_file", "; ".join(dict.fromkeys(map(invalid_words, wanted))))]
    return [SampleProblem("missing_artifacts", f"these artifacts are missing: {', '.join(missing)}", lacking=True)]


def consent_notes(view: SampleView) -> tuple[Note, ...]:
    """Return a note where a question for consent lies over the page, which can only be agreed to."""
    buttons = [] if view.page is None else [e.name for e in view.page.elements if e.in_dialog and e.role == "button"]
    if view.page is None or not any(fold(name) in AGREEING for name in buttons):
        return ()
    if find_dismissal(view.page, view.spec.may_press) is not None:
        return ()
    named = ", ".join(map(quoted, buttons[:5]))
    return (
        plain_note(
            f"a question lies over the page, and nothing closes it but to agree ({named}); `may_press` allows it"
        ),
    )


def file_notes(view: SampleView) -> tuple[Note, ...]:
    """Return a note for each file that is not what it is called, or that could not be opened to see it."""
    files = (one for one in view.state.proven_artifacts() if one.content is not None and one.content.problem)
    return tuple(plain_note(text) for text in dict.fromkeys(map(invalid_words, files)))


# --- the judgment


def to_judgment(
    view: SampleView, given: JudgmentGiven | None, decided_by: str
) -> tuple[Judgment | None, tuple[SampleProblem, ...]]:
    """Return the judgment that goes into the result, and its problems."""
    spec = view.spec
    if not spec.judgment_required:
        return None, ()
    if given is None:
        message = f"there is no judgment; the task asks: {spec.judgment_question}"
        return None, (SampleProblem("judgment_missing", message, lacking=True),)
    answers = answers_of(spec.judgment_output_schema)
    answer = find_answer(answers, given.answer)
    given = replace(given, evidence_refs=_to_filenames(view, given.evidence_refs))
    judgment = Judgment(
        question=spec.judgment_question or "",
        answer=answer or given.answer,
        confidence=given.confidence,
        reasoning=given.reasoning,
        evidence_refs=given.evidence_refs,
        decided_by=decided_by,
    )
    return judgment, tuple(
        SampleProblem("invalid_judgment", message) for message in _judgment_problems(view, given, answer, answers)
    )


def _to_filenames(view: SampleView, refs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the references as file names. A label of exactly one file counts as its name."""
    files = [filed.filename for filed in view.state.artifacts]
    labels = [safe_label(filed.artifact.label) for filed in view.state.artifacts]
    unique = {label: name for label, name in zip(labels, files, strict=True) if labels.count(label) == 1}
    by_hash = {filed.artifact.sha256: filed.filename for filed in view.state.artifacts}
    brought = (artifact for entry in view.state.history for artifact in entry.brought if artifact.kind == "download")
    again = {safe_label(one.label): by_hash[one.sha256] for one in brought if one.sha256 in by_hash}
    unique = {**{label: name for label, name in again.items() if label not in labels}, **unique}
    return tuple(ref if ref in files else unique.get(safe_label(ref), ref) for ref in refs)


def is_doubtful(judgment: Judgment) -> bool:
    """Return whether a person should check the judgment first."""
    return judgment.confidence < DOUBTFUL_BELOW or fold(judgment.answer) == "inconclusive"


def _judgment_problems(
    view: SampleView, given: JudgmentGiven, answer: str | None, answers: tuple[str, ...]
) -> list[str]:
    wrong: list[str] = []
    if answer is None:
        wrong.append(f"judgment.answer: {quoted(given.answer)} is none of {', '.join(answers)}")
    if not 0.0 <= given.confidence <= 1.0:
        wrong.append(f"judgment.confidence: {given.confidence:g} is not between 0 and 1")
    if len(given.reasoning.strip()) < LEAST_REASONING_CHARS:
        wrong.append("judgment.reasoning: say in at least one sentence what was seen and why it leads to the answer")
    files = [filed.filename for filed in view.state.artifacts]
    there = ", ".join(files) or "none yet"
    if not given.evidence_refs:
        wrong.append(f"judgment.evidence_refs: name the files that show it; there are: {there}")
    proven = {filed.filename for entry in view.state.history if entry.proven for filed in entry.filed}
    elsewhere = [ref for ref in given.evidence_refs if ref in files and ref not in proven]
    if elsewhere:
        wrong.append(
            f"judgment.evidence_refs: {', '.join(elsewhere[:5])} was captured before the record was proven to be the "
            "one asked for; capture it again"
        )
    unknown = [quoted(ref) for ref in given.evidence_refs if ref not in files]
    if unknown:
        wrong.append(f"judgment.evidence_refs: there is no file {', '.join(unknown[:5])}; there are: {there}")
    return wrong
