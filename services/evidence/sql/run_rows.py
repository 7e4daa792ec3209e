"""The row of a run in the view ``runs``: its task, and how far it got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from services.evidence.sql.row_values import Row
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.facts import ResultFacts, TaskControl, controls_of
from shared.evidence_format.files.run import RunFile
from shared.statuses import STATUSES


@dataclass
class RunCounts:
    """Sums over the samples of a run."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    samples: int = 0
    flagged: int = 0
    llm_calls: int = 0
    cost_usd: float = 0.0

    def add(self, facts: ResultFacts) -> None:
        """Count one more sample."""
        self.samples += 1
        if facts.ended is not None:
            self.outcomes[facts.ended.status, facts.ended.reason] += 1
            self.flagged += facts.ended.flagged
            self.add_cost(facts)

    def add_cost(self, facts: ResultFacts) -> None:
        """Add the model calls of a result and their price."""
        if facts.result is not None:
            self.llm_calls += facts.result.llm_calls
            self.cost_usd += facts.result.usage.cost_usd

    @classmethod
    def of(cls, finished: RunFinished) -> RunCounts:
        outcomes = Counter({(one.status, one.reason): one.samples for one in finished.outcomes})
        return cls(outcomes, finished.samples, finished.flagged, finished.llm_calls, finished.cost_usd)


def run_row(
    file: RunFile,
    counts: RunCounts,
    location: str,
    finished: RunFinished | None,
    read_from: str,
    tags: Sequence[str] = (),
) -> bytes:
    """Return the row as one line of JSON. ``finished``: None if the last round is not finished."""
    by_status: Counter[str] = Counter()
    for (status, _), samples in counts.outcomes.items():
        by_status[status] += samples
    row: Row = {
        **_task(file.record),
        "state": "finished" if finished is not None else "unfinished",
        "resumed": file.attempt_base > 0,
        "expected": file.expected,
        "population_complete": file.population_complete,
        "population_reason": file.population_reason or None,
        "population_counted": file.population_counted,
        "population_note": file.population_note or None,
        "samples": counts.samples,
        **{status: by_status[status] for status in STATUSES},
        "not_ended": counts.samples - sum(by_status.values()),
        "flagged": counts.flagged,
        "outcomes": [
            {"status": status, "reason": reason or None, "samples": samples}
            for (status, reason), samples in sorted(counts.outcomes.items())
        ],
        "llm_calls": counts.llm_calls,
        "cost_usd": counts.cost_usd,
        "location": location,
        "read_from": read_from,
        "tags": tags,
        **(_end(finished) if finished is not None else {"sealed": False}),
    }
    return msgspec.json.encode(row)


def _task(record: RunRecord) -> Row:
    spec: Mapping[str, Any] = record.spec
    return {
        "run_id": record.run_id,
        "task_id": spec.get("task_id"),
        "phase": spec.get("phase", "execution"),
        "goal": spec.get("goal"),
        "planner": record.planner,
        "requested_by": record.requested_by or None,
        "concurrency": record.concurrency,
        "created_at": record.created_at,
        "replay_run_id": record.replay_run_id,
        "controls": [_control(one) for one in controls_of(spec)],
        "spec": record.spec,
    }


def _control(one: TaskControl) -> Row:
    return {"framework": one.framework or None, "id": one.id, "title": one.title or None}


def _end(finished: RunFinished) -> Row:
    return {
        "started_at": finished.started_at,
        "finished_at": finished.finished_at,
        "sealed": bool(finished.manifest_sha256),
        "manifest_sha256": finished.manifest_sha256 or None,
        "signed_by": finished.signed_by or None,
    }
