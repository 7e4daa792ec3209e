"""Pure: one sample in the report: a row for the list, and all that is shown once it is opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from services.evidence.closing.products import Dossier
from services.evidence.reporting.words import action_words, value_text
from shared.contracts.steps import note_detail, note_text
from shared.evidence_format.notes import note_texts, to_notes

MOST_IN_ROW = 400
"""Characters of a value in the list, and as far as the search sees; opened, the sample has all of it."""
MOST_IN_DETAIL = 20_000
STATES = {"value": "v", "not_present": "p", "not_found": "n"}


def row_of(dossier: Dossier, fields: Sequence[str]) -> list[Any]:
    """id, key, row, status, reason, flagged, values, states, answer, confidence, message, cost, seconds, input words,
    notes. The page reads it by position."""
    sample, result = dossier.sample, dossier.result
    by_name: Mapping[str, Any] = result.get("fields", {})
    judgment = part(result, "judgment")
    return [
        dossier.sample_id,
        shortened(sample.get("key", "")),
        sample.get("row", 0),
        result.get("status", "no_result"),
        result.get("reason", ""),
        int(bool(result.get("flagged"))),
        [shortened(_list_text(by_name.get(name))) for name in fields],
        "".join(STATES.get(by_name.get(name, {}).get("state", ""), "-") for name in fields),
        shortened(str(judgment.get("answer", ""))),
        judgment.get("confidence"),
        shortened(result.get("message", "")),
        round(float(result.get("usage", {}).get("cost_usd", 0.0)), 6),
        _seconds(result),
        shortened(" ".join(str(cell) for cell in sample.get("fields", {}).values())),
        shortened("; ".join(note_texts(result.get("notes")))),
    ]


def _list_text(field: Mapping[str, Any] | None) -> str:
    if field is None or field.get("state") == "not_found":
        return ""
    return value_text(field.get("value")) or str(field.get("shown") or "")


def shortened(text: str) -> str:
    """As the list has it, and its filters."""
    return text if len(text) <= MOST_IN_ROW else text[:MOST_IN_ROW] + "…"


def _seconds(result: Mapping[str, Any]) -> float | None:
    if not result.get("started_at"):
        return None
    return round(_moment(result["finished_at"]) - _moment(result["started_at"]), 1)


def _moment(written: str) -> float:
    return datetime.fromisoformat(written).timestamp()


def detail_of(dossier: Dossier, fields: Sequence[str]) -> dict[str, Any]:
    """All of a sample, in the order and the words in which it is shown. What is empty is not in it."""
    sample, result = dossier.sample, dossier.result
    notes = to_notes(result.get("notes"))
    return lean(
        {
            "id": dossier.sample_id,
            "key": sample.get("key"),
            "row": sample.get("row"),
            "url": sample.get("url"),
            "input": sample.get("fields"),
            "found_at": sample.get("found_at"),
            "found_on": sample.get("found_on"),
            "item": {name: value_text(value) for name, value in part(sample, "item").items()},
            **{name: result.get(name) for name in _AS_THEY_ARE},
            "differs": [note_detail(note) for note in notes if note.kind == "differs"],
            "notes": [note_text(note) for note in notes if note.kind != "differs"],
            "fields": _fields(result.get("fields", {}), fields),
            "files": files_of(dossier),
            "steps": [_step(entry) for entry in dossier.log],
        }
    )


_AS_THEY_ARE = (
    *("status", "reason", "message", "fault", "flagged", "hints", "lessons", "attempt", "decided_by"),
    *("started_at", "finished_at", "usage", "judgment"),
)


def _fields(by_name: Mapping[str, Any], order: Sequence[str]) -> list[dict[str, Any]]:
    names = [*(name for name in order if name in by_name), *(name for name in by_name if name not in order)]
    return [_field(name, by_name[name]) for name in names]


def _field(name: str, read: Mapping[str, Any]) -> dict[str, Any]:
    source = part(read, "source")
    value = value_text(read.get("value"))
    return lean(
        {
            "n": name,
            "state": read.get("state", ""),
            "value": value[:MOST_IN_DETAIL],
            "cut": len(value) if len(value) > MOST_IN_DETAIL else None,
            "shown": (read.get("shown") or "")[:MOST_IN_DETAIL],
            "origin": read.get("origin"),
            "by": read.get("read_by"),
            "src": {
                "shot": source.get("screenshot_sha256"),
                "page": source.get("page_sha256"),
                "observation": source.get("observation_file_sha256"),
                "locators": [f"{one['kind']}: {one['value']}" for one in source.get("locators", ())],
                **{name: source.get(name) for name in ("url", "role", "label", "box", "frame", "fingerprint", "title")},
            },
        }
    )


def files_of(dossier: Dossier) -> list[dict[str, Any]]:
    """As the result names them, with what the step that took them knows beyond."""
    taken = {filed["filename"]: filed["artifact"] for entry in dossier.log for filed in entry.get("artifacts", ())}
    problems = [problem for entry in dossier.log for problem in entry.get("problems", ())]
    return [_file(one, taken.get(one["filename"], {}), problems) for one in dossier.result.get("artifacts", ())]


def _file(filed: Mapping[str, Any], taken: Mapping[str, Any], problems: Iterable[str]) -> dict[str, Any]:
    known = {**taken, **filed}
    capture = part(known, "capture")
    return lean(
        {
            "name": filed["filename"],
            "kind": filed["kind"],
            "label": filed["label"],
            "sha": filed["sha256"],
            "size": filed["size_bytes"],
            "type": filed["media_type"],
            "url": filed["source_url"],
            "at": filed.get("timestamp"),
            "area": known.get("area"),
            "original": known.get("original_name"),
            "part": [known["part"], known["parts"]] if known.get("parts", 1) > 1 else None,
            "http": capture.get("http_status"),
            "title": capture.get("title"),
            "browser": capture.get("browser"),
            "viewport": capture.get("viewport"),
            "problem": "; ".join(problem for problem in problems if problem.startswith(f"{filed['filename']}: ")),
        }
    )


def _step(entry: Mapping[str, Any]) -> dict[str, Any]:
    outcome = part(entry, "outcome")
    seen = part(entry, "observation")
    return lean(
        {
            "n": entry["step"],
            "act": action_words(str(entry["action"]), entry.get("params", {}), outcome.get("target")),
            "why": entry.get("thinking"),
            "did": entry.get("result"),
            "at": entry.get("started_at"),
            "ms": round(entry.get("total_ms", 0.0)),
            "browser_ms": round(entry.get("browser_ms", 0.0)),
            "by": entry.get("decided_by"),
            "bad": True if entry.get("refused") or outcome.get("ok") is False else None,
            "proof": seen.get("proof") if seen.get("proof") != "unproven" else None,
            "changes": _changes(part(outcome, "change")),
            "told": [*entry.get("notices", ()), *([entry["remark"]] if entry.get("remark") else [])],
            "notes": note_texts(entry.get("notes")),
            "files": [filed["filename"] for filed in entry.get("artifacts", ())],
            "saved": [value["field"] for value in entry.get("values", ())],
            "picture": part(entry, "vision").get("answer"),
            "problems": entry.get("problems"),
            **{name: entry.get("usage", {}).get(name) for name in ("llm_calls", "cost_usd")},
            "tokens": sum(entry.get("usage", {}).get(name, 0) for name in TOKENS),
        }
    )


TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def _changes(change: Mapping[str, Any]) -> list[str]:
    """What was different afterwards, a short line each."""
    said: list[str] = []
    if change.get("url_after") and change.get("url_after") != change.get("url_before"):
        status = f" ({change['http_status']})" if change.get("http_status") else ""
        said.append(f"address: {change['url_after']}{status}")
    if change.get("new_tabs"):
        said.append(f"new tabs: {change['new_tabs']}")
    for name in ("dialogs", "appeared", "dismissed", "denied"):
        said += [f"{name}: {text}" for text in change.get(name, ())]
    return said


def part(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object within; empty where there is none."""
    return of.get(name) or {}


def lean(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is empty; a number, be it 0, and False stay."""
    return {name: value for name, value in facts.items() if value not in (None, "", {}, [], ())}
