"""Pure: the row of a run: what was asked, and how far it got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from services.evidence.querying.row_parts import Json, Row
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.statuses import STATUSES


@dataclass
class Counted:
    """What is counted of a run whose samples have not all ended."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    samples: int = 0
    flagged: int = 0
    llm_calls: int = 0
    cost_usd: float = 0.0

    def add(self, result: Json) -> None:
        """One more sample, with its result, empty where it has none."""
        self.samples += 1
        if result:
            self.outcomes[str(result["status"]), str(result["reason"])] += 1
            self.flagged += bool(result["flagged"])
            self.spend(result)

    def spend(self, result: Json) -> None:
        self.llm_calls += int(result.get("llm_calls", 0))
        usage: Json = result.get("usage") or {}
        self.cost_usd += float(usage.get("cost_usd", 0.0))


def counted_of(finished: RunFinished) -> Counted:
    outcomes = Counter({(one.status, one.reason): one.samples for one in finished.outcomes})
    return Counted(outcomes, finished.samples, finished.flagged, finished.llm_calls, finished.cost_usd)


class RunKept(Protocol):
    """What run.json says (`services.evidence.recalling.unreadable.RunFile`)."""

    @property
    def record(self) -> RunRecord: ...
    @property
    def attempt_base(self) -> int: ...
    @property
    def expected(self) -> int | None: ...
    @property
    def population_complete(self) -> bool: ...
    @property
    def population_note(self) -> str: ...


def run_row(file: RunKept, counted: Counted, location: str, finished: RunFinished | None, read_from: str) -> bytes:
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
