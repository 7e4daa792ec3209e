"""The rows of the work on a sample: steps, artifacts and usage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from services.evidence.facts.sample_facts import AttemptFacts, SampleFacts
from services.evidence.sql.row_values import Row, attributes_of, box_columns, id_columns
from shared.contracts.base import Usage, add_usage
from shared.contracts.results import Artifact, CaptureFacts, Effect, TargetFound
from shared.contracts.steps import ObservationRef, note_text
from shared.evidence_format.files.base import ArtifactProblem, problems_of
from shared.evidence_format.files.sample import StoredArtifact
from shared.evidence_format.log_codec import LogEntry


def work_rows(run_id: str, facts: SampleFacts, attempts: Sequence[AttemptFacts]) -> Iterator[tuple[str, Row]]:
    """Yield the rows of all attempts with the names of their tables. The search for samples has such rows too."""
    ids = id_columns(run_id, facts)
    for attempt in attempts:
        own = {**ids, "attempt": attempt.number, "latest": attempt.latest}
        yield from (("steps", {**own, **_step(entry)}) for entry in attempt.log)
        yield from (("artifacts", {**own, **row}) for row in _artifacts(facts, attempt))
        yield from (("usage", {**own, **row}) for row in _usage(facts, attempt))


# --- steps


def _step(entry: LogEntry) -> Row:
    outcome, vision = entry.outcome, entry.vision
    return {
        **attributes_of(entry, "step", "started_at", "ended_at", "total_ms", "browser_ms", "decide_ms", "decided_by"),
        **attributes_of(entry, "action", "params", "result", "notices", "refused"),
        "problems": [problem.sentence for problem in entry.problems],
        "notes": [*map(note_text, entry.notes)],
        "reason": entry.thinking or None,
        **attributes_of(outcome, "ok", "code"),
        "effect": _effect_tag(outcome.effect) if outcome is not None and outcome.effect is not None else None,
        **(_observation(entry.observation) if entry.observation is not None else {}),
        **attributes_of(
            outcome.change if outcome is not None else None,
            *("url_after", "http_status", "new_tabs", "dialogs", "dismissed", "denied"),
        ),
        **(_element(outcome.target) if outcome is not None and outcome.target is not None else {}),
        "artifacts": [filed.filename for filed in entry.artifacts],
        "fields": [value.field for value in entry.values],
        "vision_answer": vision.answer if vision is not None else None,
        "vision_confidence": vision.confidence if vision is not None else None,
        "vision_by": vision.answered_by if vision is not None else None,
        **_usage_columns(entry.usage),
    }


def _effect_tag(effect: Effect) -> str:
    """Return the name of an effect in its JSON."""
    return str(effect.__struct_config__.tag)


def _observation(observation: ObservationRef) -> Row:
    return {
        **attributes_of(observation, "url", "proof", "triggers", "page_sha256"),
        "page_title": observation.title,
        "page_confidence": observation.dom_confidence,
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
        for filed in entry.artifacts:
            logged.add(filed.filename)
            own = {"step": entry.step, "filename": filed.filename}
            yield {**own, "problem": _problem(filed.filename, entry.problems), **_captured(filed.artifact)}
    problems = facts.result.problems if facts.result is not None else ()
    for one in facts.artifacts if attempt.latest else ():
        if one.filename not in logged:
            yield {**_stored(one), "problem": _problem(one.filename, problems)}


def _captured(artifact: Artifact) -> Row:
    return {
        **attributes_of(artifact, "kind", "label", "media_type", "size_bytes", "sha256", "source_url", "captured_at"),
        **attributes_of(artifact, "part", "parts", "original_name", "text_preview"),
        **(_capture(artifact.capture) if artifact.capture is not None else {}),
        **box_columns(artifact.area),
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
    for entry in attempt.log:
        seen = entry.vision.usage if entry.vision is not None else Usage()
        _add(rows, ("decide", entry.decided_by), _difference(entry.usage, seen))
        if entry.vision is not None:
            _add(rows, ("vision", entry.vision.answered_by), seen)
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
