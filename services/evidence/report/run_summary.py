"""The summary of a run in the report. Its sums are updated sample by sample, so no sample stays in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from services.evidence.facts import RunFacts
from shared.contracts.base import total_tokens
from shared.contracts.discovery import FileReading, RunRecord
from shared.contracts.error_codes import end_words
from shared.contracts.evidence import RunFinished, uses_flows
from shared.contracts.outages import pause_line
from shared.evidence_format import layout
from shared.evidence_format.facts import TaskFacts, TaskField
from shared.evidence_format.files.sample import MISSING
from shared.evidence_format.log_codec import LogEntry
from shared.evidence_format.population import population_advice, population_headline
from shared.evidence_format.reading_words import reading_lines
from shared.evidence_view.sample_details import lean, shortened
from shared.evidence_view.sample_facts import SampleFacts
from shared.hosts import host_of
from shared.statuses import group_of, population_order

MOST_HOSTS = 200
MOST_ANSWERS = 1_000
"""Maximum of distinct answers that are counted. Free-text answers differ in nearly every sample."""


@dataclass
class DriverSums:
    """What one driver (the rules, a model, a person) did in the run."""

    steps: int = 0
    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0


@dataclass
class RunSums:
    """Sums over all samples so far."""

    attempted: int = 0
    """Samples at which a step was taken, in this attempt or an earlier one."""
    steps: int = 0
    files: Counter[str] = field(default_factory=Counter[str])
    bytes: int = 0
    problems: int = 0
    workers: dict[str, DriverSums] = field(default_factory=dict[str, DriverSums])
    states: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    answers: Counter[str] = field(default_factory=Counter[str])
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    hosts: Counter[str] = field(default_factory=Counter[str])
    """Hosts on which files were captured, `MOST_HOSTS` at most."""
    differing: int = 0
    """Samples whose replay differed from its recording."""

    def add(self, facts: SampleFacts) -> None:
        self.statuses[facts.status or "no_result", facts.reason] += 1
        self.attempted += bool(facts.log) or (facts.attempt or 1) > 1
        self.differing += any(note.kind == "differs" for note in facts.notes)
        for name, stored in facts.fields.items():
            self.states.setdefault(name, Counter())[stored.state] += 1
        if facts.judgment is not None:
            answer = shortened(facts.judgment.answer)
            if answer in self.answers or len(self.answers) < MOST_ANSWERS:
                self.answers[answer] += 1
        self.add_work(facts)

    def add_work(self, facts: SampleFacts) -> None:
        """Add the steps and files of a sample, or of the search for samples."""
        self.steps += len(facts.log)
        for artifact in facts.artifacts:
            self.files[artifact.kind] += 1
            self.bytes += artifact.size_bytes
            host = host_of(artifact.source_url)
            if host and (host in self.hosts or len(self.hosts) < MOST_HOSTS):
                self.hosts[host] += 1
        self.problems += sum(len(entry.problems) for entry in facts.log)
        self._add_drivers(facts.log)

    def _add_drivers(self, log: Iterable[LogEntry]) -> None:
        for entry in log:
            usage = entry.step.usage
            worker = self.workers.setdefault(entry.step.decided_by or "not said", DriverSums())
            worker.steps += 1
            worker.calls += usage.llm_calls
            worker.tokens += total_tokens(usage)
            worker.cost_usd += usage.cost_usd


def _signed_off(closing: RunFacts) -> dict[str, Any] | None:
    """Return when the review was signed off, and who has signed; None if it is not."""
    review = closing.review
    if review is None:
        return None
    signed = [[row.by, row.role] for row in review.rows if row.act == "sign" and row.counts]
    return {"at": msgspec.to_builtins(review.signed_off_at), "by": signed}


def closing_facts(closing: RunFacts) -> dict[str, Any]:
    """Return what the closing of the run adds to its report, but for what was decided of its samples."""
    finished = msgspec.to_builtins(closing.finished.finished_at)
    return lean({"finished_at": finished, "signed_off": _signed_off(closing)})


def run_summary(closing: RunFacts, sums: RunSums, pictures: Mapping[str, int]) -> dict[str, Any]:
    """Return the data of the report's head. ``pictures``: numbers of samples with and without pictures in it."""
    record, finished = closing.record, closing.finished
    spec = record.spec
    return lean(
        {
            "run_id": record.run_id,
            "task_id": spec.get("task_id"),
            **{name: spec.get(name) for name in ("goal", "phase", "start_url", "allowed_hosts", "judgment_question")},
            "controls": [lean(vars(one)) for one in closing.task.controls],
            "requested_by": record.requested_by,
            "asked_at": msgspec.to_builtins(record.created_at),
            "started_at": msgspec.to_builtins(finished.started_at),
            "planner": record.planner,
            "samples": finished.samples,
            "flagged": finished.flagged,
            "complete": finished.population_complete,
            "population_note": finished.population_note,
            "pauses": [pause_line(pause) for pause in finished.pauses],
            "population": population_headline(finished),
            "population_advice": population_advice(finished),
            "attempted": sums.attempted,
            "outcomes": _outcomes(finished, sums),
            "llm_calls": finished.llm_calls,
            "cost_usd": finished.cost_usd,
            "worked": msgspec.to_builtins(finished.worked) if uses_flows(finished) else [],
            "workers": [{"by": name, **vars(worker)} for name, worker in sorted(sums.workers.items())],
            "steps": sums.steps,
            "files": dict(sorted(sums.files.items())),
            "bytes": sums.bytes,
            "problems": sums.problems + sum(n for (_, why), n in sums.statuses.items() if why == MISSING),
            "fields": [_field(field, sums.states.get(field.name, Counter())) for field in closing.task.fields],
            "columns": first_columns(closing.task),
            "answers": sums.answers.most_common(40),
            "hosts": [host for host, _ in sums.hosts.most_common(3)],
            "discovery": _discovery(closing),
            "read": [reading_lines(reading) for reading in _readings(record)],
            "replay_of": record.replay_run_id,
            "differing": sums.differing,
            "tables": _tables(closing),
            "pictures": dict(pictures),
        }
    )


def _outcomes(finished: RunFinished, sums: RunSums) -> list[dict[str, Any]]:
    """Return the outcomes in the order of the population."""
    counts = sums.statuses or {(o.status, o.reason): o.samples for o in finished.outcomes}
    ordered = sorted(counts.items(), key=lambda one: (population_order(one[0][0]), -one[1], one[0][1]))
    return [_outcome(status, reason, samples) for (status, reason), samples in ordered]


def _outcome(status: str, reason: str, samples: int) -> dict[str, Any]:
    about = end_words(reason)
    return {"group": group_of(status), "status": status, "reason": reason, "about": about, "samples": samples}


def _field(field: TaskField, states: Counter[str]) -> dict[str, Any]:
    return {
        "name": field.name,
        "type": field.type,
        "about": field.description,
        "required": field.required,
        "proves": field.proves,
        "states": [states["value"], states["not_present"], states["not_found"]],
    }


def first_columns(task: TaskFacts) -> list[int]:
    """Return the order of fields in the list. Those that prove the record repeat its key, and come last."""
    return sorted(range(len(task.fields)), key=lambda at: task.fields[at].proves)


def _readings(record: RunRecord) -> list[FileReading]:
    """Return how the input and the register were read."""
    return [reading for reading in (record.input_reading, record.register_reading) if reading is not None]


def _discovery(closing: RunFacts) -> dict[str, Any] | None:
    spec = closing.record.discovery_spec
    if spec is None:
        return None
    steps = len(closing.discovery_facts.log) if closing.discovery_facts is not None else 0
    return {"goal": spec.get("goal", ""), "start_url": spec.get("start_url", ""), "steps": steps}


def _tables(closing: RunFacts) -> list[list[str]]:
    found = layout.DISCOVERED if closing.record.discovery_spec is not None else layout.SAMPLES
    enriched = [layout.ENRICHED, "the rows and columns of the input, with what was found behind them"]
    return [
        [layout.COMBINED, "all values, a row for each sample"],
        ["combined.xlsx", "the same as a workbook"],
        ["combined.parquet", "the same for programs"],
        *([enriched] if closing.record.input_columns else []),
        [found, "the population as it was found"],
    ]
