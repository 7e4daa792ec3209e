"""The data of one sample in the report: a row of the list, and the details that are shown when it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shared.contracts.base import total_tokens
from shared.contracts.explained import SettlingKey, key_words, near_words, paste_text
from shared.contracts.results import Artifact
from shared.contracts.steps import ObservationRef, ValueCandidate, ValueSource, note_detail, note_text
from shared.evidence_format.files.sample import StoredCell, StoredField, StoredRow
from shared.evidence_format.log_codec import LogEntry
from shared.evidence_format.review.reviewed import ReviewedTarget
from shared.evidence_format.step_words import action_words, changes_of, heal_text, value_text
from shared.evidence_view.playback_facts import flow_of, playback_step
from shared.evidence_view.sample_facts import ArtifactFacts, SampleFacts

MOST_IN_ROW = 400
"""Characters of a value in the list and in its search. The details have more."""
MOST_IN_DETAIL = 20_000
MOST_ROWS = 500
"""Rows of a field in the report. All of them are in result.json, in SQL and in the workbook."""
STATES = {"value": "v", "not_present": "p", "not_found": "n"}


def row_of(facts: SampleFacts) -> list[Any]:
    """Return the row of the list: id, key, row, status, reason, flagged, values, states, answer, confidence, message,
    cost, seconds, input words, notes. The page reads it by position."""
    fields = [facts.fields.get(field.name) for field in facts.task.fields]
    judgment = facts.judgment
    return [
        facts.sample_id,
        shortened(facts.key or ""),
        facts.row or 0,
        facts.status or "no_result",
        facts.reason,
        int(bool(facts.flagged)),
        [shortened(_list_text(stored)) for stored in fields],
        "".join(STATES[stored.state] if stored is not None else "-" for stored in fields),
        shortened(judgment.answer if judgment is not None else ""),
        judgment.confidence if judgment is not None else None,
        shortened(facts.message),
        round(facts.usage.cost_usd if facts.usage is not None else 0.0, 6),
        round(facts.duration_s, 1) if facts.duration_s is not None else None,
        shortened(" ".join(facts.input.values())),
        shortened("; ".join(map(note_text, facts.notes))),
    ]


def _list_text(stored: StoredField | None) -> str:
    if stored is None or stored.state == "not_found":
        return ""
    return value_text(stored.value) or stored.shown or ""


def shortened(text: str) -> str:
    """Return the text as the list and its filters have it."""
    return text if len(text) <= MOST_IN_ROW else text[:MOST_IN_ROW] + "…"


def detail_of(facts: SampleFacts, *, reviewed: bool = True) -> dict[str, Any]:
    """Return the details of a sample in the order in which they are shown, without empty ones. ``reviewed``: with what
    people have decided (`review_of`)."""
    sample, review = facts.sample, review_of(facts) if reviewed else {}
    item = sample.item or {} if sample is not None else {}
    return lean(
        {
            "id": facts.sample_id,
            "key": facts.key,
            "row": facts.row,
            "url": facts.url,
            "input": facts.input,
            "found_at": sample.found_at if sample is not None else None,
            "found_on": sample.found_on or None if sample is not None else None,
            "item": {name: value_text(value) for name, value in item.items()},
            **{name: getattr(facts, name) for name in ("status", "reason", "message", "fault", "flagged")},
            **_result(facts),
            "review": review.get("sample"),
            "judgment_review": review.get("judgment"),
            "differs": [note_detail(note) for note in facts.notes if note.kind == "differs"],
            "notes": [note_text(note) for note in facts.notes if note.kind != "differs"],
            "fields": _fields(facts, review.get("values") or {}),
            "files": [_file(artifact) for artifact in facts.artifact_facts],
            "flow": flow_of(facts),
            "steps": [_step(entry, facts) for entry in facts.log],
        }
    )


def _result(facts: SampleFacts) -> dict[str, Any]:
    """Return what is shown as it is in result.json."""
    result = facts.result
    if result is None:
        return {}
    return {
        "hints": result.hints,
        "lessons": result.lessons,
        "attempt": result.attempt,
        "decided_by": result.decided_by,
        "started_at": result.started_at,
        "finished_at": result.finished_at,
        "usage": result.usage,
        "judgment": result.judgment,
    }


def _fields(facts: SampleFacts, reviews: Mapping[str, Any]) -> list[dict[str, Any]]:
    order = [field.name for field in facts.task.fields if field.name in facts.fields]
    names = [*order, *(name for name in facts.fields if name not in order)]
    return [_field(name, facts.fields[name], reviews.get(name)) for name in names]


def review_of(facts: SampleFacts) -> dict[str, Any]:
    """Return what people have decided of a ``sample``, its ``judgment`` and its ``values`` by field; empty: nothing."""
    review = facts.review
    if review is None:
        return {}
    values = {name: _reviewed(one) for name, one in review.values.items()}
    return lean({"sample": _reviewed(review.sample), "judgment": _reviewed(review.judgment), "values": values})


def _reviewed(found: ReviewedTarget | None) -> dict[str, Any] | None:
    """Return what people have decided, beside what the run has."""
    if found is None:
        return None
    shown = {"act": found.decision, "value": found.value[:MOST_IN_DETAIL], "why": found.reason, "file": found.where}
    return lean({**shown, "by": list(found.by), "at": found.at})


def _field(name: str, stored: StoredField, review: Mapping[str, Any] | None = None) -> dict[str, Any]:
    value = value_text(stored.value)
    return lean(
        {
            "n": name,
            "state": stored.state,
            "value": value[:MOST_IN_DETAIL],
            "cut": len(value) if len(value) > MOST_IN_DETAIL else None,
            "shown": (stored.shown or "")[:MOST_IN_DETAIL],
            "origin": stored.origin,
            "by": stored.read_by,
            "src": _source(stored.source) if stored.source is not None else _NO_SOURCE,
            "response": stored.response or None,
            "candidates": [_candidate(one) for one in stored.candidates or ()],
            "rows": [_row(one) for one in (stored.rows or ())[:MOST_ROWS]],
            "of_rows": len(stored.rows) if stored.rows and len(stored.rows) > MOST_ROWS else None,
            "lacking": stored.lacking or None,
            "near": [{"shown": one.shown, "label": one.label, "why": near_words(one.why)} for one in stored.near or ()],
            "settled_by": [_settling(name, one) for one in stored.settled_by or ()],
            "review": review,
        }
    )


def _row(row: StoredRow) -> dict[str, Any]:
    """Return a row of a field, with the address of the page that shows it."""
    pages = [cell.source.url for cell in row.cells.values() if cell.source is not None]
    return {"cells": {name: _cell(cell) for name, cell in row.cells.items()}, "page": pages[0] if pages else None}


def _cell(cell: StoredCell) -> dict[str, Any]:
    value = value_text(cell.value)
    shown = cell.shown or ""
    return lean(
        {
            "state": cell.state,
            "value": shortened(value),
            "shown": shortened(shown) if shown != value else None,
            "ink": cell.source.ink.said if cell.source is not None and cell.source.ink is not None else None,
            "candidates": [shortened(one.shown) for one in cell.candidates or ()],
        }
    )


def _settling(name: str, key: SettlingKey) -> dict[str, Any]:
    """Return a change of the spec as it is pasted, and what the field is with it; None: the page says that there is
    none."""
    gives = None if key.state == "not_present" else (value_text(key.value) or key.shown)[:MOST_IN_ROW]
    return {"paste": paste_text(name, key), "gives": gives, "why": key_words(key.why)}


def _candidate(one: ValueCandidate) -> dict[str, Any]:
    source = _source(one.source) if one.source is not None else _NO_SOURCE
    return {"shown": one.shown[:MOST_IN_ROW], "src": source}


def _source(source: ValueSource) -> dict[str, Any]:
    return {
        "shot": source.screenshot_sha256,
        "ink": None if source.ink is None else source.ink.said,
        "glyphless": source.ink.glyphless if source.ink is not None else 0,
        "page": source.page_sha256,
        "observation": source.observation_file_sha256,
        "locators": [f"{one.kind}: {one.value}" for one in source.locators],
        **{name: getattr(source, name) for name in _OF_SOURCE},
    }


_OF_SOURCE = ("url", "role", "label", "box", "frame", "fingerprint", "title")
_NO_SOURCE = {
    **dict.fromkeys(("shot", "ink", "glyphless", "page", "observation")),
    "locators": list[str](),
    **dict.fromkeys(_OF_SOURCE),
}


def _file(facts: ArtifactFacts) -> dict[str, Any]:
    stored, captured = facts.stored, facts.captured
    capture = captured.capture if captured is not None else None
    return lean(
        {
            "name": stored.filename,
            "kind": stored.kind,
            "label": stored.label,
            "sha": stored.sha256,
            "size": stored.size_bytes,
            "type": stored.media_type,
            "url": stored.source_url,
            "at": stored.timestamp,
            "area": facts.area,
            "original": captured.original_name if captured is not None else None,
            "part": [captured.part, captured.parts] if captured is not None and captured.parts > 1 else None,
            "of_values": True if captured is not None and captured.of_values else None,
            "http": capture.http_status if capture is not None else None,
            "title": capture.title if capture is not None else None,
            "browser": capture.browser if capture is not None else None,
            "viewport": capture.viewport if capture is not None else None,
            "problem": "; ".join((*(problem.sentence for problem in facts.problems), *_told_of_content(captured))),
        }
    )


def _told_of_content(captured: Artifact | None) -> tuple[str, ...]:
    """Return why a file is not what it is called, if it is not."""
    content = captured.content if captured is not None else None
    return (content.told,) if content is not None and content.problem else ()


def _shown_proof(seen: ObservationRef | None, facts: SampleFacts) -> str | None:
    """Return whose record the page proves to show: `proven` (the right one) or `mismatch`; None: that is not said."""
    proof = facts.proof_of(seen) if seen is not None else None
    return proof if proof in ("proven", "mismatch") else None


def _step(entry: LogEntry, facts: SampleFacts) -> dict[str, Any]:
    step = entry.step
    outcome, seen = step.result, step.observation
    return lean(
        {
            "n": step.step,
            "act": action_words(entry.action, entry.params, outcome.target if outcome is not None else None),
            "tag": entry.action,
            "why": entry.reason,
            "did": entry.outcome_text,
            "at": step.started_at,
            "ms": round(step.total_ms),
            "browser_ms": round(step.browser_ms),
            "by": step.decided_by,
            "bad": True if step.refused or (outcome is not None and not outcome.ok) else None,
            "proof": _shown_proof(seen, facts),
            "changes": list(changes_of(outcome.change)) if outcome is not None else None,
            "told": [*step.notices, *([step.remark] if step.remark else [])],
            "notes": [*map(note_text, step.notes)],
            "heals": [*map(heal_text, step.heals)],
            "files": [filed.filename for filed in step.artifacts],
            "saved": [value.field for value in step.values],
            "picture": step.vision.answer if step.vision is not None else None,
            "problems": [problem.sentence for problem in entry.problems],
            "llm_calls": step.usage.llm_calls,
            "cost_usd": step.usage.cost_usd,
            "tokens": total_tokens(step.usage),
            **playback_step(step, facts),
        }
    )


def lean(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the items that are not empty. 0 and False stay."""
    return {name: value for name, value in facts.items() if value not in (None, "", {}, [], ())}
