"""Which settlement of a sample is taken, and the result that follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from pydantic import TypeAdapter, ValidationError

from shared.contracts.actions import Judgment
from shared.contracts.discovery import Problem
from shared.contracts.sessions.settling import SettleCode, Settlement, SettleSample
from shared.contracts.steps import FieldValue, plain_note
from shared.evidence_format.files.sample import ResultFile, StoredField
from shared.field_types import nullable
from shared.task.judgments import answers_of, find_answer
from shared.task.output_field import OutputField, WrittenField
from shared.task.typed_values import Invalid, find_shown_problem, typed_value
from shared.text.normal import fold, quoted

_FIELD: TypeAdapter[OutputField] = TypeAdapter(WrittenField)
UNKNOWN_OUTCOME = ("needs_review", "unknown_outcome")


@dataclass(frozen=True)
class Refused:
    code: SettleCode
    problems: tuple[Problem, ...]

    @classmethod
    def because(cls, code: SettleCode, where: str, message: str) -> Refused:
        return cls(code, (Problem(where=where, message=message),))


def is_unknown(result: ResultFile) -> bool:
    """Return whether it is not known what came of the sample's irreversible press."""
    return (result.status, result.reason) == UNKNOWN_OUTCOME


def is_same(settlement: Settlement, request: SettleSample) -> bool:
    """Return whether the request says what the settlement says."""
    given = {value.field: value.shown or "" for value in settlement.values}
    judged = settlement.judgment
    answer, files = ("", ()) if judged is None else (judged.answer, judged.evidence_refs)
    here = (settlement.verdict, settlement.by, settlement.reason, given, fold(answer), files)
    asked = (request.verdict, request.by.strip(), request.reason.strip(), request.values)
    return here == (*asked, fold(request.answer), request.evidence_refs)


def decide_settlement(
    request: SettleSample,
    result: ResultFile,
    earlier: Sequence[Settlement],
    claimed: Sequence[int],
    spec: Mapping[str, Any],
    now: datetime,
) -> Settlement | Refused:
    """Return the settlement that the request asks for, with its number; or why it is refused.

    ``earlier``: all settlements of the sample, in order. The last of them is returned if the request repeats it.
    ``claimed``: the steps whose claims are not released.
    """
    last = earlier[-1] if earlier and earlier[-1].attempt == result.attempt else None
    if last is not None and is_same(last, request):
        return last
    if last is not None and (not is_unknown(result) or last.verdict == request.verdict):
        said = f"{last.by} has settled it as {last.verdict!r} on {last.at:%Y-%m-%d %H:%M} UTC: {last.reason}"
        return Refused.because("settled_already", request.sample_id, f"{said}. Nothing is overwritten")
    if not is_unknown(result):
        ended = f"{result.status} ({result.reason})" if result.reason else str(result.status)
        message = f"it ended as {ended}; only a sample that ended with unknown_outcome is settled"
        return Refused.because("not_unknown", request.sample_id, message)
    values, problems = _values(request, spec)
    judgment, wrong = _judgment(request, result, spec)
    problems += wrong
    problems += _problems(request, result, claimed, spec, values)
    if problems:
        return Refused("not_valid", tuple(problems))
    return Settlement(
        number=len(earlier) + 1,
        verdict=request.verdict,
        by=request.by.strip(),
        reason=request.reason.strip(),
        at=now,
        attempt=result.attempt,
        values=tuple(values),
        judgment=judgment,
        released=tuple(sorted(claimed)) if request.verdict == "again" else (),
    )


def _problems(
    request: SettleSample,
    result: ResultFile,
    claimed: Sequence[int],
    spec: Mapping[str, Any],
    values: Sequence[FieldValue],
) -> Iterator[Problem]:
    for name, text in (("by", request.by), ("reason", request.reason)):
        if not text.strip():
            yield Problem(where=name, message="it is empty: whoever reads the result must see who settled it, and why")
    if request.verdict == "again":
        if request.values:
            yield Problem(where="values", message="values are given for what is done: leave them out")
        if request.answer or request.evidence_refs:
            yield Problem(where="answer", message="a question is answered for what is done: leave the answer out")
        if len(claimed) > 1 and not request.every_press:
            steps = ", ".join(map(str, sorted(claimed)))
            message = (
                f"several irreversible steps may have been taken ({steps}), and the sample begins anew: all of them "
                "would be taken again. Allow that for every press, or settle the sample as done"
            )
            yield Problem(where="again", message=message)
        return
    known = {name for name, stored in result.fields.items() if stored.state != "not_found"}
    known |= {value.field for value in values} | set(request.values)
    for name in spec.get("required_fields") or ():
        if name not in known:
            yield Problem(where=f"values.{name}", message="the task requires this field, and it has no value: give it")


def _judgment(
    request: SettleSample, result: ResultFile, spec: Mapping[str, Any]
) -> tuple[Judgment | None, list[Problem]]:
    """Return the person's answer to the task's question, and what is wrong with it.

    The files are optional: a person may have seen it on the site only, and the reason says so.
    """
    if request.verdict == "again":
        return None, []
    if not spec.get("judgment_required"):
        idle = Problem(where="answer", message="the task asks no question: leave the answer out")
        return None, [idle] if request.answer or request.evidence_refs else []
    question = str(spec.get("judgment_question") or "")
    answers = answers_of(spec.get("judgment_output_schema"))
    answer = find_answer(answers, request.answer)
    problems: list[Problem] = []
    if answer is None:
        said = f"{quoted(request.answer)} is none of them" if request.answer.strip() else "answer it"
        problems.append(
            Problem(where="answer", message=f"the task asks {quoted(question)} ({' | '.join(answers)}): {said}")
        )
    files = [artifact.filename for artifact in result.artifacts]
    there = ", ".join(files) or "none"
    problems += [
        Problem(where="evidence_refs", message=f"the sample has no file {quoted(ref)}; it has: {there}")
        for ref in request.evidence_refs
        if ref not in files
    ]
    judgment = Judgment(
        question=question,
        answer=answer or "",
        confidence=1.0,
        reasoning=request.reason.strip(),
        evidence_refs=request.evidence_refs,
        decided_by=f"person:{request.by.strip()}",
    )
    return judgment, problems


def _values(request: SettleSample, spec: Mapping[str, Any]) -> tuple[list[FieldValue], list[Problem]]:
    """Return the given texts as values of their fields, and what is wrong with them."""
    values: list[FieldValue] = []
    problems: list[Problem] = []
    for name, text in request.values.items():
        read = read_given_value(spec, name, text, request.by.strip())
        if isinstance(read, FieldValue):
            values.append(read)
        else:
            problems.append(Problem(where=f"values.{name}", message=read))
    return values, problems


def read_given_value(spec: Mapping[str, Any], name: str, text: str, by: str) -> FieldValue | str:
    """Return the text that a person gives as a value of a field; what is wrong with it, for people, as a text."""
    schema: Mapping[str, Any] = spec.get("output_schema") or {}
    written = schema.get(name)
    if written is None:
        return "the task has no such field"
    try:
        field = _FIELD.validate_python(written)
    except ValidationError:
        return "what the task says of this field cannot be read"
    if not text.strip():
        if not nullable(field.type):
            return f"it may not be empty: its type is {field.type}"
        return FieldValue(field=name, state="not_present", shown=text, origin="person", read_by=by)
    return _typed(field, name, text, by)


def _typed(field: OutputField, name: str, text: str, by: str) -> FieldValue | str:
    read = typed_value(field, text)
    problem = read.message if isinstance(read, Invalid) else find_shown_problem(field, text)
    if problem or isinstance(read, Invalid):
        return problem
    return FieldValue(field=name, state="value", value=read.value, shown=text, origin="person", read_by=by)


def settled_result(result: ResultFile, settlement: Settlement) -> ResultFile:
    """Return the result of a sample after a settlement: done with the values that were given, or as it was."""
    said = f"by {settlement.by} on {settlement.at:%Y-%m-%d %H:%M} UTC: {settlement.reason}"
    if settlement.verdict == "again":
        note = plain_note(f"its irreversible press was released, to be made again, {said}")
        return msgspec.structs.replace(result, settlement=settlement, notes=(*result.notes, note))
    note = plain_note(f"settled as done {said}; it had ended as {result.status} ({result.reason}): {result.message}")
    return msgspec.structs.replace(
        result,
        status="done",
        reason="",
        message="",
        fault="",
        extracted=result.extracted | {value.field: value.value for value in settlement.values},
        fields=result.fields | {value.field: StoredField.of(value) for value in settlement.values},
        judgment=settlement.judgment or result.judgment,
        notes=(*result.notes, note),
        decided_by=f"person:{settlement.by}",
        settlement=settlement,
    )
