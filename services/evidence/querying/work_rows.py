"""Pure: the rows of what was done and captured: steps, artifacts, usage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from services.evidence.closing.products import Dossier
from services.evidence.querying.row_parts import NOTHING, Attempt, Json, Row, Task, box_of, same
from shared.evidence_format.notes import note_texts


def work_rows(task: Task, dossier: Dossier, attempts: Sequence[Attempt]) -> Iterator[tuple[str, Row]]:
    """Rows of what was done and captured, without those of the sample itself: for the search for samples too."""
    ids = {**task.ids, "sample_id": dossier.sample_id}
    for attempt in attempts:
        own = {**ids, "attempt": attempt.number, "latest": attempt.latest}
        yield from (("steps", {**own, **_step(entry)}) for entry in attempt.log)
        yield from (("artifacts", {**own, **row}) for row in _artifacts(dossier.result, attempt))
        yield from (("usage", {**own, **row}) for row in _usage(dossier.result, attempt))


# --- steps


def _step(entry: Json) -> Row:
    outcome: Json = entry.get("outcome") or NOTHING
    change: Json = outcome.get("change") or NOTHING
    vision: Json = entry.get("vision") or NOTHING
    return {
        **same(entry, "step", "started_at", "ended_at", "total_ms", "browser_ms", "decide_ms", "decided_by"),
        **same(entry, "action", "params", "result", "problems", "notices"),
        "notes": note_texts(entry["notes"]) if "notes" in entry else None,
        "reason": entry.get("thinking") or None,
        "refused": bool(entry.get("refused")),
        **same(outcome, "ok", "code"),
        "effect": (outcome.get("effect") or NOTHING).get("effect"),
        **_seen(entry.get("observation") or NOTHING),
        **same(change, "url_after", "http_status", "new_tabs", "dialogs", "dismissed", "denied"),
        **_element(outcome.get("target") or NOTHING),
        "artifacts": [filed["filename"] for filed in entry.get("artifacts") or ()],
        "fields": [value["field"] for value in entry.get("values") or ()],
        "vision_answer": vision.get("answer"),
        "vision_confidence": vision.get("confidence"),
        "vision_by": vision.get("answered_by"),
        **(entry.get("usage") or NOTHING),
    }


def _seen(observation: Json) -> Row:
    return {
        **same(observation, "url", "proof", "triggers", "page_sha256"),
        "page_title": observation.get("title"),
        "page_confidence": observation.get("dom_confidence"),
        "observation_sha256": observation.get("sha256"),
    }


def _element(target: Json) -> Row:
    return {
        **{f"element_{name}": target.get(name) for name in ("role", "name", "tag", "frame")},
        **same(target, "fingerprint", "locators"),
        **box_of(target.get("box")),
    }


# --- artifacts


def _artifacts(result: Json, attempt: Attempt) -> Iterator[Row]:
    """Those of the log; those that only the result names come after them."""
    logged: set[str] = set()
    for entry in attempt.log:
        for filed in entry.get("artifacts") or ():
            logged.add(filed["filename"])
            yield {
                "step": entry.get("step"),
                "filename": filed["filename"],
                "problem": _problem(filed["filename"], entry.get("problems") or ()),
                **_artifact(filed["artifact"]),
            }
    for one in (result.get("artifacts") or ()) if attempt.latest else ():
        if one["filename"] not in logged:
            missing = _problem(one["filename"], str(result.get("message") or "").split("; "))
            yield {**_artifact(one), "captured_at": one.get("timestamp"), "problem": missing, **same(one, "filename")}


def _artifact(artifact: Json) -> Row:
    capture: Json = artifact.get("capture") or NOTHING
    viewport: Json = capture.get("viewport") or NOTHING
    return {
        **same(artifact, "kind", "label", "media_type", "size_bytes", "sha256", "source_url", "captured_at"),
        **same(artifact, "part", "parts", "original_name", "text_preview"),
        **same(capture, "capture_id", "http_status", "observation_sha256", "browser"),
        "page_title": capture.get("title"),
        "viewport_width_px": viewport.get("width_px"),
        "viewport_height_px": viewport.get("height_px"),
        "viewport_scale": viewport.get("scale"),
        **box_of(artifact.get("area")),
    }


def _problem(filename: str, problems: Iterable[str]) -> str | None:
    mine = (problem for problem in problems if problem.startswith(f"{filename}: "))
    return next((problem.removeprefix(f"{filename}: ") for problem in mine), None)


# --- usage


KINDS = ("llm_calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def _usage(result: Json, attempt: Attempt) -> Iterator[Row]:
    """What was used, by whom and for what. The result counts what was learned beyond the steps."""
    spent: dict[tuple[str, str | None], Row] = {}
    for entry in attempt.log:
        vision: Json = entry.get("vision") or NOTHING
        seen: Json = vision.get("usage") or NOTHING
        _add(spent, ("decide", entry.get("decided_by")), _less(entry.get("usage") or NOTHING, seen))
        if vision:
            _add(spent, ("vision", vision.get("answered_by")), seen)
    beyond: Json = (result.get("usage") or NOTHING) if attempt.latest else NOTHING
    for used in spent.values():
        beyond = _less(beyond, used)
    if attempt.log and beyond.get("llm_calls", 0) > 0:
        _add(spent, ("lessons", None), beyond, steps=0)
    for (purpose, model), used in spent.items():
        yield {"purpose": purpose, "model": model, **used}


def _add(spent: dict[tuple[str, str | None], Row], who: tuple[str, str | None], used: Json, *, steps: int = 1) -> None:
    row = spent.setdefault(who, {"steps": 0, **dict.fromkeys(KINDS, 0), "cost_usd": 0.0})
    row["steps"] += steps
    for kind in (*KINDS, "cost_usd"):
        row[kind] += used.get(kind, 0)


def _less(whole: Json, part: Json) -> Row:
    return {kind: whole.get(kind, 0) - part.get(kind, 0) for kind in (*KINDS, "cost_usd")}
