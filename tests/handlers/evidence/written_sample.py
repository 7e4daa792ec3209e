"""The files of a sample with the keys under test; all other keys are filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from shared.evidence_format.facts import TaskFacts
from shared.evidence_view.sample_facts import SampleFacts, SampleFiles

AT = "2026-03-01T10:15:00Z"
_SAMPLE = {"key": "", "row": 1, "found_at": AT}
_RESULT: dict[str, Any] = {
    **{"key": "", "row": 1, "status": "done", "reason": "", "message": "", "fault": "", "steps": 0, "llm_calls": 0},
    **{"usage": {}, "extracted": {}, "fields": {}, "artifacts": [], "judgment": None, "flagged": False, "notes": []},
    **{"attempt": 1, "decided_by": "rules", "started_at": AT, "finished_at": AT},
}
_ARTIFACT = {"label": "", "sha256": "0" * 64, "size_bytes": 1, "media_type": "", "source_url": "", "timestamp": AT}
_SOURCE: dict[str, Any] = {
    **{"snapshot_id": "s", "observation_sha256": "", "url": "", "ref": 1, "role": "", "label": None, "box": None},
    "frame": "main",
}
_ENTRY: dict[str, Any] = {
    **{"thinking": "", "action": "none", "params": {}, "result": "", "timestamp": AT, "problems": [], "outcome": None},
    **{"attempt": 1, "started_at": AT, "ended_at": AT, "observation": None, "decided_by": "rules"},
}


def files_of(
    sample: Mapping[str, Any], result: Mapping[str, Any] | None = None, log: Sequence[Mapping[str, Any]] = ()
) -> SampleFiles:
    """Return the files. ``result`` None means that there is none yet."""
    sample_id = str(sample["sample_id"])
    return SampleFiles(
        sample_id,
        msgspec.json.encode({**_SAMPLE, **sample}),
        msgspec.json.encode(_result(sample_id, result)) if result is not None else None,
        msgspec.json.encode([{**_ENTRY, **entry} for entry in log]) if log else None,
    )


def _result(sample_id: str, result: Mapping[str, Any]) -> dict[str, Any]:
    whole = {"sample_id": sample_id, **_RESULT, **result}
    fields: Mapping[str, Mapping[str, Any]] = whole["fields"]
    artifacts: Sequence[Mapping[str, Any]] = whole["artifacts"]
    return {
        **whole,
        "fields": {name: _field(said) for name, said in fields.items()},
        "artifacts": [{**_ARTIFACT, **one} for one in artifacts],
    }


def _field(said: Mapping[str, Any]) -> dict[str, Any]:
    source = said.get("source")
    return {**said, "source": {**_SOURCE, **source}} if source else dict(said)


def facts_of(
    sample: Mapping[str, Any],
    result: Mapping[str, Any] | None = None,
    log: Sequence[Mapping[str, Any]] = (),
    fields: Sequence[str] = (),
    identity: Mapping[str, str] | None = None,
) -> SampleFacts:
    """Return the facts. ``fields`` are the requested fields, all of them texts."""
    task = TaskFacts.of({"output_schema": dict.fromkeys(fields, "string"), "identity": identity or {}})
    return SampleFacts(task, files_of(sample, result, log))
