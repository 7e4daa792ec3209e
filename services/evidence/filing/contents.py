"""Pure: what the files of a sample say, made from the messages about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from services.evidence.csv_cells import csv_line, guarded
from shared.contracts.codes import REASONS
from shared.contracts.discovery import Sample, SampleFound
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import FiledArtifact, StepTaken
from shared.evidence_format import chain
from shared.evidence_format.manifest import as_written as as_json


@dataclass
class AttemptLog:
    """What is remembered of the steps of one attempt at one sample; the steps themselves lie in the store, for those
    of a long search are large. ``problems`` says what is wrong with its artifacts; ``last`` is its latest entry."""

    attempt: int
    steps: set[int] = field(default_factory=set[int])
    artifacts: list[FiledArtifact] = field(default_factory=list[FiledArtifact])
    problems: list[str] = field(default_factory=list[str])
    last: dict[str, Any] | None = None
    ended: bool = False
    """Its result is written."""

    def add(self, entry: dict[str, Any]) -> None:
        self.steps.add(int(entry["step"]))
        self.artifacts += msgspec.convert(entry["artifacts"], list[FiledArtifact])
        self.problems += entry["problems"]
        self.last = entry


def log_entry(step: StepTaken, problems: Sequence[str]) -> dict[str, Any]:
    """One step for action_log.json: the words of a reader first, then all that the step left behind."""
    built: dict[str, Any] = msgspec.to_builtins(step)
    action: dict[str, Any] = built.pop("action") or {"reason": "", "action": "none"}
    words = step.message or (step.result.message if step.result else "")
    return {
        "step": step.step,
        "thinking": action.pop("reason"),
        "action": action.pop("action"),
        "params": action,
        "result": words,
        "timestamp": built["started_at"],
        "problems": list(problems),
        "outcome": built.pop("result"),
        **{key: value for key, value in built.items() if key not in ("type", "run_id", "sample_id", "step", "message")},
        **({} if words == step.message else {"message": step.message}),
    }


def chained(step: StepTaken, log: AttemptLog, entry: dict[str, Any]) -> dict[str, Any]:
    """The entry, chained to the one before it; the first one to which attempt at which sample it is."""
    before = log.last.get(chain.OWN) if log.last is not None else None
    return chain.linked(entry, before or chain.log_start(step.run_id, step.sample_id, step.attempt))


def log_of(attempt: int, entries: Iterable[dict[str, Any]]) -> AttemptLog:
    log = AttemptLog(attempt)
    for entry in entries:
        log.add(entry)
    return log


def in_trouble(filed: FiledArtifact, problems: Iterable[str]) -> bool:
    """Whether one of the problems is about this file."""
    return any(problem.startswith(f"{filed.filename}: ") for problem in problems)


def result_of(message: SampleFinished, log: AttemptLog, missing: Sequence[str]) -> dict[str, Any]:
    """result.json. An artifact that is not what it was when it was captured, or is not there, fails the sample, loudly.

    ``missing`` is what the result names and could not be filed.
    """
    problems = [*log.problems, *missing]
    built: dict[str, Any] = msgspec.to_builtins(message)
    status, reason, fault, words = message.status, message.reason, message.fault, message.message
    if problems:
        reason = "artifact_mismatch" if log.problems else "artifact_missing"
        status, fault, words = REASONS[reason].status, REASONS[reason].fault, "; ".join(problems)
    return {
        "sample_id": message.sample_id,
        "key": message.sample.key,
        "row": message.sample.row,
        "status": status,
        "reason": reason,
        "message": words,
        "fault": fault,
        "steps": message.steps,
        "llm_calls": message.usage.llm_calls,
        "usage": built["usage"],
        "extracted": {value.field: value.value for value in message.values},
        "fields": {value["field"]: {k: v for k, v in value.items() if k != "field"} for value in built["values"]},
        "artifacts": [_artifact(filed) for filed in _all_artifacts(message, log)],
        "judgment": message.judgment,
        "hints": built["hints"],
        "lessons": message.lessons,
        "flagged": message.flagged or bool(problems),
        "notes": built["notes"],
        "attempt": message.attempt,
        "decided_by": message.decided_by,
        "started_at": built["started_at"],
        "finished_at": built["finished_at"],
    }


def _all_artifacts(message: SampleFinished, log: AttemptLog) -> list[FiledArtifact]:
    """Those of the log and those the result names: a sample that was given up names none."""
    by_name = {filed.filename: filed for filed in (*message.artifacts, *log.artifacts)}
    return [by_name[name] for name in sorted(by_name)]


def _artifact(filed: FiledArtifact) -> dict[str, Any]:
    artifact = filed.artifact
    return {
        "filename": filed.filename,
        "kind": artifact.kind,
        "label": artifact.label,
        "sha256": artifact.sha256,
        "size_bytes": artifact.size_bytes,
        "media_type": artifact.media_type,
        "source_url": artifact.source_url,
        "timestamp": msgspec.to_builtins(artifact.captured_at),
    }


def with_lessons(kept: bytes | None, message: SampleFinished, texts: Sequence[str]) -> bytes:
    """The lessons of a run so far with those of one more sample, in the order in which they were taught."""
    lessons: list[dict[str, Any]] = msgspec.json.decode(kept) if kept is not None else []
    fresh = ({"sample_id": message.sample_id, "attempt": message.attempt, "text": text} for text in texts)
    return as_json([*lessons, *(lesson for lesson in fresh if lesson not in lessons)])


def sample_file(message: SampleFound) -> dict[str, Any]:
    """sample.json: what was asked for, as the input had it."""
    built: dict[str, Any] = msgspec.to_builtins(message.sample)
    if not built["as_given"]:
        del built["as_given"]
    on = {"found_on": message.found_on, "item": message.item} if message.found_on else {}
    return {**built, "found_at": msgspec.to_builtins(message.found_at), **on}


def samples_csv(samples: Iterable[tuple[Sample, datetime]], *, discovered: bool = False) -> bytes:
    """samples.csv: the population in row order, every input column kept. Of samples that were ``discovered`` the row
    says nothing, for there is no input."""
    ordered = sorted(samples, key=lambda pair: pair[0].row)
    columns = list(dict.fromkeys(column for sample, _ in ordered for column in sample.fields))
    extra = [column for column in columns if column not in ("sample_id", "url")]
    own = ["sample_id", "url", "discovered_at", *([] if discovered else ["row"])]
    lines = [csv_line([*own, *map(guarded, extra)])]
    for sample, found_at in ordered:
        when = str(msgspec.to_builtins(found_at))
        row = [] if discovered else [str(sample.row)]
        cells = (sample.sample_id, sample.url or "", when, *row, *(sample.fields.get(column, "") for column in extra))
        lines.append(csv_line(map(guarded, cells)))
    return "".join(lines).encode()
