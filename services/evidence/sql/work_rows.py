"""Pure: the rows of what was done and captured: steps, artifacts, usage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from services.evidence.facts.sample_facts import AttemptFacts, SampleFacts
from services.evidence.sql.row_parts import Row, box_of, same
from shared.contracts.base import Usage, add_usage
from shared.contracts.results import Artifact, CaptureFacts, Effect, TargetFound
from shared.contracts.steps import ObservationRef, note_text
from shared.evidence_format.files.base import ArtifactProblem, problems_of
from shared.evidence_format.files.sample import StoredArtifact
from shared.evidence_format.files.steps import LogEntry


def ids_of(run_id: str, facts: SampleFacts) -> Row:
    """What every row of a sample begins with."""
    return {"run_id": run_id, "task_id": facts.task.task_id, "sample_id": facts.sample_id}


def work_rows(run_id: str, facts: SampleFacts, attempts: Sequence[AttemptFacts]) -> Iterator[tuple[str, Row]]:
    """Rows of what was done and captured, without those of the sample itself: for the search for samples too."""
    ids = ids_of(run_id, facts)
    for attempt in attempts:
        own = {**ids, "attempt": attempt.number, "latest": attempt.latest}
        yield from (("steps", {**own, **_step(entry)}) for entry in attempt.log)
        yield from (("artifacts", {**own, **row}) for row in _artifacts(facts, attempt))
        yield from (("usage", {**own, **row}) for row in _usage(facts, attempt))


# --- steps


def _step(entry: LogEntry) -> Row:
    outcome, vision = entry.outcome, entry.vision
    return {
        **same(entry, "step", "started_at", "ended_at", "total_ms", "browser_ms", "decide_ms", "decided_by"),
        **same(entry, "action", "params", "result", "notices", "refused"),
        "problems": [problem.sentence for problem in entry.problems],
        "notes": [*map(note_text, entry.notes)],
        "reason": entry.thinking or None,
        **same(outcome, "ok", "code"),
        "effect": _tag(outcome.effect) if outcome is not None and outcome.effect is not None else None,
        **(_seen(entry.observation) if entry.observation is not None else {}),
        **same(
            outcome.change if outcome is not None else None,
            *("url_after", "http_status", "new_tabs", "dialogs", "dismissed", "denied"),
        ),
        **(_element(outcome.target) if outcome is not None and outcome.target is not None else {}),
        "artifacts": [filed.filename for filed in entry.artifacts],
        "fields": [value.field for value in entry.values],
        "vision_answer": vision.answer if vision is not None else None,
        "vision_confidence": vision.confidence if vision is not None else None,
        "vision_by": vision.answered_by if vision is not None else None,
        **_spent(entry.usage),
    }


def _tag(effect: Effect) -> str:
    """The name of an effect, as it is on the wire."""
    return str(effect.__struct_config__.tag)


def _seen(observation: ObservationRef) -> Row:
    return {
        **same(observation, "url", "proof", "triggers", "page_sha256"),
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
        **same(target, "fingerprint", "locators"),
        **box_of(target.box),
    }


# --- artifacts


def _artifacts(facts: SampleFacts, attempt: AttemptFacts) -> Iterator[Row]:
    """Those of the log; those that only the result names come after them."""
    logged: set[str] = set()
    for entry in attempt.log:
        for filed in entry.artifacts:
            logged.add(filed.filename)
            own = {"step": entry.step, "filename": filed.filename}
            yield {**own, "problem": _problem(filed.filename, entry.problems), **_captured(filed.artifact)}
    problems = facts.result.problems if facts.result is not None else ()
    for one in facts.artifacts if attempt.latest else ():
        if one.filename not in logged:
            yield {**_listed(one), "problem": _problem(one.filename, problems)}


def _captured(artifact: Artifact) -> Row:
    return {
        **same(artifact, "kind", "label", "media_type", "size_bytes", "sha256", "source_url", "captured_at"),
        **same(artifact, "part", "parts", "original_name", "text_preview"),
        **(_moment(artifact.capture) if artifact.capture is not None else {}),
        **box_of(artifact.area),
    }


def _moment(capture: CaptureFacts) -> Row:
    """What was known of the page when the file was captured."""
    return {
        **same(capture, "capture_id", "http_status", "observation_sha256", "browser"),
        "page_title": capture.title,
        "viewport_width_px": capture.viewport.width_px,
        "viewport_height_px": capture.viewport.height_px,
        "viewport_scale": capture.viewport.scale,
    }


def _listed(artifact: StoredArtifact) -> Row:
    own = same(artifact, "filename", "kind", "label", "media_type", "size_bytes", "sha256", "source_url")
    return {**own, "captured_at": artifact.timestamp}


def _problem(filename: str, problems: Iterable[ArtifactProblem]) -> str | None:
    return next((problem.text for problem in problems_of(filename, problems)), None)


# --- usage


@dataclass
class _Spent:
    steps: int = 0
    usage: Usage = field(default_factory=Usage)


def _usage(facts: SampleFacts, attempt: AttemptFacts) -> Iterator[Row]:
    """What was used, by whom and for what. The result counts what was learned beyond the steps."""
    spent: dict[tuple[str, str | None], _Spent] = {}
    for entry in attempt.log:
        seen = entry.vision.usage if entry.vision is not None else Usage()
        _add(spent, ("decide", entry.decided_by), _less(entry.usage, seen))
        if entry.vision is not None:
            _add(spent, ("vision", entry.vision.answered_by), seen)
    beyond = (facts.usage if attempt.latest else None) or Usage()
    for used in spent.values():
        beyond = _less(beyond, used.usage)
    if attempt.log and beyond.llm_calls > 0:
        _add(spent, ("lessons", None), beyond, steps=0)
    for (purpose, model), used in spent.items():
        yield {"purpose": purpose, "model": model, "steps": used.steps, **_spent(used.usage)}


def _add(
    spent: dict[tuple[str, str | None], _Spent], who: tuple[str, str | None], used: Usage, *, steps: int = 1
) -> None:
    so_far = spent.setdefault(who, _Spent())
    so_far.steps += steps
    so_far.usage = add_usage(so_far.usage, used)


def _spent(usage: Usage) -> Row:
    return msgspec.structs.asdict(usage)


def _less(whole: Usage, part: Usage) -> Usage:
    return Usage(**{name: getattr(whole, name) - getattr(part, name) for name in Usage.__struct_fields__})
