"""The rows of a sample: of the sample itself, its fields and its judgment. They select from its facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from services.evidence.facts.sample_facts import AttemptFacts, SampleFacts
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
from services.evidence.sql.work_rows import work_rows
from shared.contracts.results import Locator
from shared.contracts.steps import ValueSource, note_text
from shared.evidence_format.facts import TaskField
from shared.evidence_format.files.sample import StoredField
from shared.evidence_format.log_codec import LogEntry


def sample_rows(run_id: str, facts: SampleFacts, attempts: Sequence[AttemptFacts]) -> Iterator[tuple[str, Row]]:
    """Yield every row of one sample with the name of its table."""
    ids = id_columns(run_id, facts)
    yield "samples", {**ids, **_sample(facts)}
    yield from (("fields", {**ids, **row}) for row in _fields(facts))
    yield from (("judgments", {**ids, **row}) for row in _judgments(facts))
    yield from work_rows(run_id, facts, attempts)


# --- samples


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
        **{name: getattr(facts, name) or None for name in ("reason", "fault", "message", "decided_by")},
        "attempt": facts.latest_attempt if facts.ended is not None or facts.log else None,
        "values": len(facts.named("value")),
        "fields_not_present": len(facts.named("not_present")),
        "fields_not_found": len(facts.named("not_found")),
        "artifacts": len(facts.artifacts),
        "cost_usd": facts.usage.cost_usd if facts.usage is not None else None,
    }


# --- fields


def _fields(facts: SampleFacts) -> Iterator[Row]:
    task = {field.name: field for field in facts.task.fields}
    pages = _page_confidence(facts.log)
    for name, stored in facts.fields.items():
        source, step, field = stored.source, facts.reported_by.get(name), task.get(name)
        yield {
            "status": facts.status,
            "field": name,
            "type": field.type if field is not None else None,
            "required": field is not None and field.required,
            **_value(field, stored),
            "confidence": _vision_confidence(facts.log, name) if stored.origin == "vision" else None,
            "page_confidence": pages.get(source.observation_sha256) if source is not None else None,
            "step": step.step if step is not None else None,
            "reason": (step.thinking or None) if step is not None else None,
            **(_source(source) if source is not None else {}),
        }


def _value(field: TaskField | None, stored: StoredField) -> Row:
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
        "fingerprint": source.fingerprint or None,
        "locator": _unique_locator(source.locators),
        **{name: getattr(source, name) or None for name in hashes},
    }


def _unique_locator(locators: Sequence[Locator]) -> str | None:
    return next((f"{locator.kind}={locator.value}" for locator in locators if locator.matches == 1), None)


def _page_confidence(log: Sequence[LogEntry]) -> Mapping[str, float]:
    """Return the confidence in each page, by the hash of its observation."""
    observations = (entry.observation for entry in log if entry.observation is not None)
    return {one.sha256: one.dom_confidence for one in observations}


def _vision_confidence(log: Sequence[LogEntry], field: str) -> float | None:
    """Return the confidence of the last answer to a question about a picture that was asked for this field."""
    asked = [entry.vision for entry in log if entry.vision is not None and entry.params.get("field") == field]
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
