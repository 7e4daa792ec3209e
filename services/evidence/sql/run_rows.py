"""Pure: the row of a run: what was asked, and how far it got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from services.evidence.sql.row_parts import Row
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.files.run import RunFile
from shared.evidence_format.result_facts import ResultFacts
from shared.statuses import STATUSES


@dataclass
class RunCounts:
    """What is counted of a run whose samples have not all ended."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    samples: int = 0
    flagged: int = 0
    llm_calls: int = 0
    cost_usd: float = 0.0

    def add(self, facts: ResultFacts) -> None:
        """One more sample."""
        self.samples += 1
        if facts.ended is not None:
            self.outcomes[facts.ended.status, facts.ended.reason] += 1
            self.flagged += facts.ended.flagged
            self.spend(facts)

    def spend(self, facts: ResultFacts) -> None:
        """What its model calls cost."""
        if facts.result is not None:
            self.llm_calls += facts.result.llm_calls
            self.cost_usd += facts.result.usage.cost_usd


def counted_of(finished: RunFinished) -> RunCounts:
    outcomes = Counter({(one.status, one.reason): one.samples for one in finished.outcomes})
    return RunCounts(outcomes, finished.samples, finished.flagged, finished.llm_calls, finished.cost_usd)


def run_row(file: RunFile, counted: RunCounts, location: str, finished: RunFinished | None, read_from: str) -> bytes:
    """As one line of JSON; ``finished`` None: its last round is not over."""
    by_status: Counter[str] = Counter()
    for (status, _), samples in counted.outcomes.items():
        by_status[status] += samples
    row: Row = {
        **_asked(file.record),
        "state": "finished" if finished is not None else "unfinished",
        "resumed": file.attempt_base > 0,
        "expected": file.expected,
        "population_complete": file.population_complete,
        "population_note": file.population_note or None,
        "samples": counted.samples,
        **{status: by_status[status] for status in STATUSES},
        "not_ended": counted.samples - sum(by_status.values()),
        "flagged": counted.flagged,
        "outcomes": [
            {"status": status, "reason": reason or None, "samples": samples}
            for (status, reason), samples in sorted(counted.outcomes.items())
        ],
        "llm_calls": counted.llm_calls,
        "cost_usd": counted.cost_usd,
        "location": location,
        "read_from": read_from,
        **(_ended(finished) if finished is not None else {"sealed": False}),
    }
    return msgspec.json.encode(row)


def _asked(record: RunRecord) -> Row:
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
        "spec": record.spec,
    }


def _ended(finished: RunFinished) -> Row:
    return {
        "started_at": finished.started_at,
        "finished_at": finished.finished_at,
        "sealed": bool(finished.manifest_sha256),
        "manifest_sha256": finished.manifest_sha256 or None,
        "signed_by": finished.signed_by or None,
    }
