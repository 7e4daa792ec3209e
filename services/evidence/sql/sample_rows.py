"""The rows of a sample in the SQL views: the sample, its fields and judgment, and the steps, artifacts and usage of its
attempts. They select from its facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from services.evidence.sql.review_views import settlement_rows
from services.evidence.sql.row_values import (
    Row,
    attributes_of,
    box_columns,
    date_of,
    exact_of,
    id_columns,
    moment_of,
    text_of,
)
from shared.contracts.base import Usage, add_usage
from shared.contracts.results import Artifact, CaptureFacts, Effect, FileContent, Locator, TargetFound
from shared.contracts.sessions.settling import Settlement
from shared.contracts.steps import ObservationRef, ResponseSource, StepTaken, ValueSource, note_text
from shared.evidence_format.facts import TaskField
from shared.evidence_format.files.json_files import ArtifactProblem, problems_of
from shared.evidence_format.files.sample import StoredArtifact, StoredCell
from shared.evidence_format.log_codec import LogEntry
from shared.evidence_view.sample_facts import AttemptFacts, SampleFacts


def sample_rows(run_id: str, facts: SampleFacts, attempts: Sequence[AttemptFacts]) -> Iterator[tuple[str, Row]]:
    """Yield every row of one sample with the name of its table."""
    ids = id_columns(run_id, facts)
    yield "samples", {**ids, **_sample(facts)}
    yield from (("fields", {**ids, **row}) for row in _fields(facts))
    yield from (("items", {**ids, **row}) for row in _items(facts))
    yield from (("judgments", {**ids, **row}) for row in _judgments(facts))
    yield from settlement_rows(run_id, facts)
    yield from work_rows(run_id, facts, attempts)


# --- samples

TEXTS_OF_A_SAMPLE = ("reason", "fault", "message", "decided_by", "no_flow")


def reviewed_rows(facts: SampleFacts) -> Iterator[tuple[str, Row]]:
    """Yield what the review says in the rows of one sample, with the name of the table: the columns `REVIEWED`, behind
    those that name the row. Of fields only those that were decided."""
    ids = {"sample_id": facts.sample_id}
    yield "samples", {**ids, **_reviewed(facts)}
    for name in facts.review.values if facts.review is not None else ():
        yield "fields", {**ids, "field": name, **_reviewed_value(facts, name)}


REVIEWED: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "samples": (("sample_id",), ("decision", "reviewed_by", "signed_off_at")),
    "fields": (("sample_id", "field"), ("decision", "reviewed_value", "reviewed_by")),
}
"""Of each table the columns that name a row, and those that a review changes."""


def _sample(facts: SampleFacts) -> Row:
    sample, result = facts.sample, facts.result
    return {
        **attributes_of(
            facts, "key", "row", "url", "input", "status", "flagged", "llm_calls", "started_at", "finished_at"
        ),
        **attributes_of(facts, "proven", "duration_s"),
        "found_at": sample.found_at if sample is not None else None,
        "found_on": (sample.found_on or None) if sample is not None else None,
        "steps": result.steps if result is not None else None,
        "notes": [*map(note_text, facts.notes)] if result is not None else None,
        **{name: getattr(facts, name) or None for name in TEXTS_OF_A_SAMPLE},
        "drivers": [*facts.drivers] or None,
        **_settled(facts.settlement),
        **_reviewed(facts),
        "attempt": facts.latest_attempt if facts.ended is not None or facts.log else None,
        "values": len(facts.named("value")),
        "fields_not_present": len(facts.named("not_present")),
        "fields_not_found": len(facts.named("not_found")),
        "artifacts": len(facts.artifacts),
        "cost_usd": facts.usage.cost_usd if facts.usage is not None else None,
    }


def _settled(settlement: Settlement | None) -> Row:
    own = attributes_of(settlement, "by", "at", "reason")
    verdict = settlement.verdict if settlement is not None else None
    return {"settled": verdict, **{f"settled_{name}": value for name, value in own.items()}}


def _reviewed(facts: SampleFacts) -> Row:
    review = facts.review
    return {
        "decision": (review.decision or None) if review is not None else None,
        "reviewed_by": (review.people or None) if review is not None else None,
        "signed_off_at": facts.signed_off_at,
    }


# --- fields


def _fields(facts: SampleFacts) -> Iterator[Row]:
    task = {field.name: field for field in facts.task.fields}
    pages = _page_confidence(facts.log)
    for name, stored in facts.fields.items():
        source, entry, field = stored.source, facts.reported_by.get(name), task.get(name)
        yield {
            "status": facts.status,
            "field": name,
            "type": field.type if field is not None else None,
            "required": field is not None and field.required,
            **_value(field, stored),
            "confidence": _vision_confidence(facts.log, name) if stored.origin == "vision" else None,
            "page_confidence": pages.get(source.observation_sha256) if source is not None else None,
            "items": len(stored.rows or ()) if field is not None and field.columns else None,
            "lacking": stored.lacking or None,
            **_reviewed_value(facts, name),
            "step": entry.step.step if entry is not None else None,
            "reason": (entry.reason or None) if entry is not None else None,
            **(_source(source) if source is not None else {}),
            **_response(stored.response or None),
        }


def _reviewed_value(facts: SampleFacts, name: str) -> Row:
    found = facts.review.values.get(name) if facts.review is not None else None
    return {
        "decision": found.decision if found is not None else None,
        "reviewed_value": (found.value or None) if found is not None else None,
        "reviewed_by": list(found.by) if found is not None else None,
    }


def _items(facts: SampleFacts) -> Iterator[Row]:
    """Yield the cells of all rows."""
    task = {field.name: field for field in facts.task.fields}
    for name, stored in facts.fields.items():
        field = task.get(name)
        columns = {column.name: column for column in field.columns} if field is not None else {}
        for number, row in enumerate(stored.rows or (), 1):
            for column, cell in row.cells.items():
                of = columns.get(column)
                yield {
                    "status": facts.status,
                    "field": name,
                    "item": number,
                    "column_name": column,
                    "type": of.type if of is not None else None,
                    "is_id": field is not None and column in field.id_keys,
                    "candidates": [one.shown for one in cell.candidates or ()] or None,
                    **{key: value for key, value in _value(of, cell).items() if key != "origin"},
                    **(_source(cell.source) if cell.source is not None else {}),
                }


def _value(field: TaskField | None, stored: StoredCell) -> Row:
    value, kind = stored.value, field.base_type if field is not None else ""
    text = text_of(value)
    return {
        **attributes_of(stored, "state", "shown", "origin"),
        "value": text,
        "value_json": value,
        "value_number": exact_of(value) if kind in ("number", "decimal") else None,
        "value_date": date_of(text) if kind in ("date", "date-time") else None,
        "value_at": moment_of(text) if kind == "date-time" else None,
        "value_boolean": value if isinstance(value, bool) else None,
        "read_by": stored.read_by or None,
    }


def _source(source: ValueSource) -> Row:
    hashes = ("observation_sha256", "page_sha256", "observation_file_sha256", "screenshot_sha256")
    return {
        **attributes_of(source, "url", "label", "role", "title", "date_order", "frame", "locators"),
        **box_columns(source.box),
        "ink": None if source.ink is None else source.ink.said,
        "fingerprint": source.fingerprint or None,
        "locator": _unique_locator(source.locators),
        **{name: getattr(source, name) or None for name in hashes},
    }


def _response(response: ResponseSource | None) -> Row:
    return {
        "response_sha256": None if response is None else response.sha256,
        "response_pointer": None if response is None else response.pointer,
        "response_url": None if response is None else response.url,
    }


def _unique_locator(locators: Sequence[Locator]) -> str | None:
    return next((f"{locator.kind}={locator.value}" for locator in locators if locator.matches == 1), None)


def _page_confidence(log: Sequence[LogEntry]) -> Mapping[str, float]:
    """Return the confidence in each page, by the hash of its observation."""
    observations = (one.step.observation for one in log if one.step.observation is not None)
    return {one.sha256: one.dom_confidence for one in observations}


def _vision_confidence(log: Sequence[LogEntry], field: str) -> float | None:
    """Return the confidence of the last answer to a question about a picture that was asked for this field."""
    asked = [one.step.vision for one in log if one.step.vision is not None and one.params.get("field") == field]
    return asked[-1].confidence if asked else None


# --- judgments


def _judgments(facts: SampleFacts) -> Iterator[Row]:
    judgment = facts.judgment
    if judgment is not None:
        yield {
            "status": facts.status,
            **attributes_of(judgment, "question", "answer", "confidence", "reasoning"),
            "evidence": judgment.evidence_refs,
            "decided_by": judgment.decided_by or None,
        }


def work_rows(run_id: str, facts: SampleFacts, attempts: Sequence[AttemptFacts]) -> Iterator[tuple[str, Row]]:
    """Yield the rows of all attempts with the names of their tables. The search for samples has such rows too."""
    ids = id_columns(run_id, facts)
    for attempt in attempts:
        own = {**ids, "attempt": attempt.number, "latest": attempt.latest}
        yield from (("steps", {**own, **_step(one, facts)}) for one in attempt.log)
        yield from (("heals", {**own, **row}) for one in attempt.log for row in _heals(one.step))
        yield from (("artifacts", {**own, **row}) for row in _artifacts(facts, attempt))
        yield from (("usage", {**own, **row}) for row in _usage(facts, attempt))


# --- steps


def _heals(step: StepTaken) -> Iterator[Row]:
    for heal in step.heals:
        yield {
            "step": step.step,
            "healed_at": step.started_at,
            "recorded_run_id": None,
            "recorded_step": None,
            "role": heal.role or None,
            "name": heal.subject if heal.kind in ("field", "proof") else None,
            "name_now": heal.name_now or None,
            "fingerprint": heal.fingerprint or None,
            "fingerprint_now": heal.fingerprint_now or None,
            "locator": heal.subject if heal.kind == "element" else "; ".join(way.text for way in heal.lost) or None,
            "locator_now": "; ".join(way.text for way in heal.matched) or None,
            "method": heal.rung,
            "decided_by": step.decided_by,
            "cost_usd": 0,
        }


def _step(entry: LogEntry, facts: SampleFacts) -> Row:
    step = entry.step
    outcome, vision = step.result, step.vision
    return {
        **attributes_of(step, "step", "started_at", "ended_at", "total_ms", "browser_ms", "decide_ms", "decided_by"),
        **attributes_of(entry, "action", "params"),
        "result": entry.outcome_text,
        **attributes_of(step, "notices", "refused"),
        "problems": [problem.sentence for problem in entry.problems],
        "notes": [*map(note_text, step.notes)],
        "reason": entry.reason or None,
        **attributes_of(outcome, "ok", "code"),
        "effect": _effect_tag(outcome.effect) if outcome is not None and outcome.effect is not None else None,
        **(_observation(step.observation, facts) if step.observation is not None else {}),
        **attributes_of(
            outcome.change if outcome is not None else None,
            *("url_after", "http_status", "new_tabs", "dialogs", "dismissed", "denied"),
        ),
        **(_element(outcome.target) if outcome is not None and outcome.target is not None else {}),
        "artifacts": [filed.filename for filed in step.artifacts],
        "fields": [value.field for value in step.values],
        "vision_answer": vision.answer if vision is not None else None,
        "vision_confidence": vision.confidence if vision is not None else None,
        "vision_by": vision.answered_by if vision is not None else None,
        **_usage_columns(step.usage),
    }


def _effect_tag(effect: Effect) -> str:
    """Return the name of an effect in its JSON."""
    return str(effect.__struct_config__.tag)


def _observation(observation: ObservationRef, facts: SampleFacts) -> Row:
    return {
        **attributes_of(observation, "url", "triggers", "page_sha256"),
        "proof": facts.proof_of(observation),
        "page_title": observation.title,
        "page_confidence": observation.dom_confidence,
        "plain_confidence": observation.plain_confidence,
        "observation_sha256": observation.sha256,
    }


def _element(target: TargetFound) -> Row:
    return {
        "element_role": target.role,
        "element_name": target.name,
        "element_tag": target.tag,
        "element_frame": target.frame,
        **attributes_of(target, "fingerprint", "locators"),
        **box_columns(target.box),
    }


# --- artifacts


def _artifacts(facts: SampleFacts, attempt: AttemptFacts) -> Iterator[Row]:
    """Yield the artifacts of the log, then those that only the result names."""
    logged: set[str] = set()
    for entry in attempt.log:
        for filed in entry.step.artifacts:
            logged.add(filed.filename)
            own = {"step": entry.step.step, "filename": filed.filename}
            yield {**own, "problem": _problem(filed.filename, entry.problems), **_captured(filed.artifact)}
    problems = facts.result.problems if facts.result is not None else ()
    for one in facts.artifacts if attempt.latest else ():
        if one.filename not in logged:
            yield {**_stored(one), "problem": _problem(one.filename, problems)}


def _captured(artifact: Artifact) -> Row:
    return {
        **attributes_of(artifact, "kind", "label", "media_type", "size_bytes", "sha256", "source_url", "captured_at"),
        **attributes_of(artifact, "part", "parts", "original_name", "text_preview"),
        **_content(artifact.content),
        **(_capture(artifact.capture) if artifact.capture is not None else {}),
        **box_columns(artifact.area),
    }


def _content(content: FileContent | None) -> Row:
    known = content is not None
    return {
        "content_kind": content.kind if known else None,
        "content_problem": content.problem or None if known else None,
    }


def _capture(capture: CaptureFacts) -> Row:
    """Return the facts of the page at the time of the capture."""
    return {
        **attributes_of(capture, "capture_id", "http_status", "observation_sha256", "browser"),
        "page_title": capture.title,
        "viewport_width_px": capture.viewport.width_px,
        "viewport_height_px": capture.viewport.height_px,
        "viewport_scale": capture.viewport.scale,
    }


def _stored(artifact: StoredArtifact) -> Row:
    own = attributes_of(artifact, "filename", "kind", "label", "media_type", "size_bytes", "sha256", "source_url")
    return {**own, "captured_at": artifact.timestamp}


def _problem(filename: str, problems: Iterable[ArtifactProblem]) -> str | None:
    return next((problem.text for problem in problems_of(filename, problems)), None)


# --- usage


@dataclass
class _UsageRow:
    steps: int = 0
    usage: Usage = field(default_factory=Usage)


def _usage(facts: SampleFacts, attempt: AttemptFacts) -> Iterator[Row]:
    """Yield the usage by purpose and model. What the result counts beyond its steps was used for lessons."""
    rows: dict[tuple[str, str | None], _UsageRow] = {}
    for step in (entry.step for entry in attempt.log):
        seen = step.vision.usage if step.vision is not None else Usage()
        _add(rows, ("decide", step.decided_by), _difference(step.usage, seen))
        if step.vision is not None:
            _add(rows, ("vision", step.vision.answered_by), seen)
    remaining = (facts.usage if attempt.latest else None) or Usage()
    for used in rows.values():
        remaining = _difference(remaining, used.usage)
    if attempt.log and remaining.llm_calls > 0:
        _add(rows, ("lessons", None), remaining, steps=0)
    for (purpose, model), used in rows.items():
        yield {"purpose": purpose, "model": model, "steps": used.steps, **_usage_columns(used.usage)}


def _add(
    rows: dict[tuple[str, str | None], _UsageRow], who: tuple[str, str | None], used: Usage, *, steps: int = 1
) -> None:
    so_far = rows.setdefault(who, _UsageRow())
    so_far.steps += steps
    so_far.usage = add_usage(so_far.usage, used)


def _usage_columns(usage: Usage) -> Row:
    return msgspec.structs.asdict(usage)


def _difference(whole: Usage, part: Usage) -> Usage:
    return Usage(**{name: getattr(whole, name) - getattr(part, name) for name in Usage.__struct_fields__})
