"""The status record of a run, made of its state and of the results of its samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.evidence.state.run_state import RunState, all_ends, count_drivers, outcome_counts
from shared.contracts.evidence import LoadedSample, RunFinished
from shared.contracts.sessions.control import RunControl
from shared.contracts.sessions.status import (
    FileMetadata,
    RunMetadata,
    RunStatus,
    SampleStatus,
    WorkflowMetadata,
)
from shared.evidence_format.files.sample import ResultFile


@dataclass(frozen=True)
class EndedSample:
    """A sample with its end, and what it brought. ``result``: None if its file is damaged. ``item``: as it was listed;
    empty unless it was found by navigating. ``location``: of its folder."""

    loaded: LoadedSample
    result: ResultFile | None
    item: dict[str, Any]
    location: str


def status_record(
    state: RunState,
    page: Sequence[EndedSample],
    control: RunControl | None = None,
    *,
    location: str,
    skip: int = 0,
    next_skip: int | None = None,
) -> RunStatus:
    """Return the record. ``page``: samples in row order. ``location``: of the run."""
    finished = state.current_summary
    in_force = control if finished is None and control and control.attempt_base == state.attempt_base else None
    results = [sample.result for sample in page if sample.result is not None]
    return RunStatus(
        run_id=state.record.run_id,
        in_progress=finished is None,
        success=None if finished is None else is_success(finished),
        structured_output={result.sample_id: result.extracted for result in results},
        scraper_outputs={sample.loaded.sample.sample_id: sample.item for sample in page if sample.item},
        file_metadata=tuple(file for sample in page for file in _files(sample)),
        final_message="" if finished is None else final_message(finished),
        metadata=RunMetadata(
            task_id=str(state.record.spec.get("task_id", "")),
            requested_by=state.record.requested_by,
            planner=state.record.planner or "",
            created_at=state.record.created_at,
            attempt_base=state.attempt_base,
            samples=len(state.samples),
            ended=len(state.ends),
            location=location,
        ),
        workflow_metadata=WorkflowMetadata(
            workflow=_workflow_name(state.record.spec),
            decided_by=dict(sorted(Counter(result.decided_by for result in results).items())),
        ),
        paused=in_force is not None and bool(in_force.paused_key),
        paused_key=None if in_force is None else waits_for(in_force),
        open_questions=() if in_force is None else in_force.open_questions,
        outage=None if in_force is None or not in_force.paused_key else in_force.outage,
        samples=tuple(_sample_status(sample) for sample in page),
        outcomes=outcome_counts(state),
        worked=count_drivers(state.ends.values()),
        cost_usd=sum(end.cost_usd for end in all_ends(state)),
        skip=skip,
        next_skip=next_skip,
    )


def waits_for(control: RunControl) -> str | None:
    """Return the key of the pause, else of the oldest open question; None if the run waits for nothing."""
    asked = control.open_questions[0].key if control.open_questions else None
    return control.paused_key or asked


def is_success(finished: RunFinished) -> bool:
    """Whether all samples were proven to be found, and every one is done. An empty list is a success."""
    return finished.population_complete and all(count.status == "done" for count in finished.outcomes)


def final_message(finished: RunFinished) -> str:
    """Return one sentence about how a round ended."""
    counts = ", ".join(
        f"{count.samples} {count.status}{f' ({count.reason})' if count.reason else ''}" for count in finished.outcomes
    )
    ended = f"{finished.samples} sample{'' if finished.samples == 1 else 's'}: {counts or 'none'}."
    if finished.population_complete:
        return ended
    return f"{ended} It was not proven that all samples were found ({finished.population_reason or 'unknown'})."


def _sample_status(sample: EndedSample) -> SampleStatus:
    return SampleStatus(
        sample_id=sample.loaded.sample.sample_id,
        status=sample.loaded.status,
        reason=sample.loaded.reason,
        message="" if sample.result is None else sample.result.message,
    )


def _files(sample: EndedSample) -> list[FileMetadata]:
    return [
        FileMetadata(
            filename=file.filename,
            download_url=f"{sample.location}/{file.filename}",
            file_size=file.size_bytes,
            download_timestamp=file.timestamp,
            sample_id=sample.loaded.sample.sample_id,
            kind=file.kind,
            sha256=file.sha256,
        )
        for file in (() if sample.result is None else sample.result.artifacts)
    ]


def _workflow_name(spec: Mapping[str, Any]) -> str:
    named = spec.get("workflow", "")
    return named if isinstance(named, str) else ""
