"""Pure: the rows of the tables, made of what a sample's files say: the sample itself, its fields, its judgment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from services.evidence.closing.products import Dossier
from services.evidence.querying.row_parts import NOTHING, Attempt, Json, Row, Task, box_of, same
from services.evidence.querying.typed import date_of, exact_of, moment_of, text_of
from services.evidence.querying.work_rows import work_rows
from shared.evidence_format.notes import note_texts
from shared.task_spec import base_type


def rows_of(task: Task, dossier: Dossier, attempts: Sequence[Attempt]) -> Iterator[tuple[str, Row]]:
    """Every row of one sample with the name of its table."""
    ids = {**task.ids, "sample_id": dossier.sample_id}
    latest = attempts[-1]
    yield "samples", {**ids, **_sample(dossier, latest)}
    yield from (("fields", {**ids, **row}) for row in _fields(task, dossier, latest))
    yield from (("judgments", {**ids, **row}) for row in _judgments(dossier))
    yield from work_rows(task, dossier, attempts)


# --- samples


def _sample(dossier: Dossier, latest: Attempt) -> Row:
    sample, result = dossier.sample, dossier.result
    states = [said.get("state") for said in (result.get("fields") or NOTHING).values()]
    return {
        **same(sample, "key", "row", "url", "found_at"),
        "found_on": sample.get("found_on") or None,
        "input": sample.get("fields") or {},
        **same(result, "status", "flagged", "steps", "llm_calls", "started_at", "finished_at"),
        "notes": note_texts(result["notes"]) if "notes" in result else None,
        **{name: result.get(name) or None for name in ("reason", "fault", "message", "decided_by")},
        "attempt": latest.number if result or latest.log else None,
        "proven": _proven(latest.log),
        "values": states.count("value"),
        "fields_not_present": states.count("not_present"),
        "fields_not_found": states.count("not_found"),
        "artifacts": len(result.get("artifacts") or ()),
        "cost_usd": (result.get("usage") or NOTHING).get("cost_usd"),
        "duration_s": _seconds(result.get("started_at"), result.get("finished_at")),
    }


def _proven(log: Sequence[Json]) -> bool | None:
    proofs = [entry["observation"].get("proof") for entry in log if entry.get("observation")]
    return any(proof == "proven" for proof in proofs) if any(proofs) else None


def _seconds(start: str | None, end: str | None) -> float | None:
    if start is None or end is None:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


# --- fields


def _fields(task: Task, dossier: Dossier, latest: Attempt) -> Iterator[Row]:
    result, types = dossier.result, task.types()
    required = set(task.spec.get("required_fields") or ())
    reported, pages = _reported(latest.log), _pages(latest.log)
    for name, said in (result.get("fields") or NOTHING).items():
        source: Json = said.get("source") or NOTHING
        step: Json = reported.get(name, NOTHING)
        yield {
            "status": result.get("status"),
            "field": name,
            "type": types.get(name),
            "required": name in required,
            **_value(types.get(name, ""), said),
            "confidence": _confidence(latest.log, name) if said.get("origin") == "vision" else None,
            "page_confidence": pages.get(str(source.get("observation_sha256"))),
            "step": step.get("step"),
            "reason": step.get("thinking") or None,
            **_source(source),
        }


def _value(type_: str, said: Json) -> Row:
    value, kind = said.get("value"), base_type(type_)
    text = text_of(value)
    return {
        "state": said.get("state"),
        "value": text,
        "value_json": value,
        "value_number": exact_of(value) if kind in ("number", "decimal") else None,
        "value_date": date_of(text) if kind in ("date", "date-time") else None,
        "value_at": moment_of(text) if kind == "date-time" else None,
        "value_boolean": value if isinstance(value, bool) else None,
        "shown": said.get("shown"),
        "origin": said.get("origin") or "page",
        "read_by": said.get("read_by") or None,
    }


def _source(source: Json) -> Row:
    hashes = ("observation_sha256", "page_sha256", "observation_file_sha256", "screenshot_sha256")
    return {
        **same(source, "url", "label", "role", "title", "date_order", "date_language", "frame", "locators"),
        **box_of(source.get("box")),
        "fingerprint": source.get("fingerprint") or None,
        "locator": _first_alone(source.get("locators") or ()),
        **{name: source.get(name) or None for name in hashes},
    }


def _first_alone(locators: Sequence[Json]) -> str | None:
    return next((f"{one['kind']}={one['value']}" for one in locators if one["matches"] == 1), None)


def _reported(log: Sequence[Json]) -> dict[str, Json]:
    """The last step that reported each field."""
    return {value["field"]: entry for entry in log if not entry.get("refused") for value in entry.get("values") or ()}


def _pages(log: Sequence[Json]) -> dict[str, float]:
    seen = (entry["observation"] for entry in log if entry.get("observation"))
    return {one["sha256"]: one["dom_confidence"] for one in seen}


def _confidence(log: Sequence[Json], field: str) -> float | None:
    """Of the last answer about a picture that was asked for this field."""
    asked = [e["vision"] for e in log if e.get("vision") and (e.get("params") or NOTHING).get("field") == field]
    return asked[-1]["confidence"] if asked else None


# --- judgments


def _judgments(dossier: Dossier) -> Iterator[Row]:
    judgment: Json | None = dossier.result.get("judgment")
    if judgment:
        yield {
            "status": dossier.result.get("status"),
            **same(judgment, "question", "answer", "confidence", "reasoning"),
            "evidence": judgment.get("evidence_refs") or [],
            "decided_by": judgment.get("decided_by") or None,
        }
