"""Checks of a judgment: it answers the question, gives reasons, and refers to existing evidence.

Whether the judgment is right is for the person who reads it.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from services.planner.state.attempt_state import SampleProblem, SampleView
from shared.contracts.actions import Judgment, JudgmentGiven
from shared.text.names import safe_label
from shared.text.normal import fold, quoted

ANSWERS = ("yes", "no", "inconclusive")
LEAST_REASONING_CHARS = 15
DOUBTFUL_BELOW = 0.6


def answers_of(schema: dict[str, Any] | None) -> tuple[str, ...]:
    """Return the answers that a task allows: `"yes | no"`, an `enum` or a list in its `answer`; else the default."""
    written: object = (schema or {}).get("answer")
    if isinstance(written, dict):
        written = written.get("enum")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if isinstance(written, str):
        written = re.split(r"\s*\|\s*", written.strip())
    if not isinstance(written, list):
        return ANSWERS
    named = tuple(str(one) for one in written if str(one).strip())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return named or ANSWERS


def to_judgment(
    view: SampleView, given: JudgmentGiven | None, decided_by: str
) -> tuple[Judgment | None, tuple[SampleProblem, ...]]:
    """Return the judgment that goes into the result, and its problems."""
    spec = view.spec
    if not spec.judgment_required:
        return None, ()
    if given is None:
        message = f"You called done without a judgment; the task asks: {spec.judgment_question}"
        return None, (SampleProblem("judgment_missing", message),)
    answers = answers_of(spec.judgment_output_schema)
    answer = next((one for one in answers if fold(one) == fold(given.answer)), None)
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
    one = {label: name for label, name in zip(labels, files, strict=True) if labels.count(label) == 1}
    return tuple(ref if ref in files else one.get(safe_label(ref), ref) for ref in refs)


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
