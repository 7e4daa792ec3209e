"""The plan of a run, a round or a replay: what is needed to start it, and the problems of the request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

import msgspec

from shared.contracts.codes import is_final
from shared.contracts.discovery import (
    FileReading,
    Problem,
    Register,
    RunMode,
    RunRecord,
    Sample,
    SubmitRun,
    find_run_mode,
)
from shared.contracts.evidence import RunLoaded
from shared.submission.request import CheckedSamples
from shared.task.spec import check_spec


@dataclass(frozen=True)
class RunPlan:
    """What to start. ``samples`` are to be worked on; ``population`` counts those that are done already too."""

    spec: dict[str, Any]
    planner: str | None
    concurrency: int
    samples: tuple[Sample, ...]
    population: int
    attempt_base: int = 0
    replaces: int | None = None
    """The attempt base of the round before, whose queue may still exist."""
    discovery: dict[str, Any] | None = None
    """The spec that finds more samples; ``samples`` and ``population`` then count the known ones."""
    discovery_row: dict[str, str] = field(default_factory=dict[str, str])
    known: tuple[Sample, ...] = ()
    """The samples that earlier rounds have found, when this round searches for more."""
    input_columns: tuple[str, ...] = ()
    """The header of the input, unchanged."""
    replay_run_id: str | None = None
    allow_effects: bool = False
    mode: RunMode = "auto"
    compiles: bool = False
    register: Register | None = None
    """What the population is compared with; None: of a resumed round what the round before was compared with."""
    input_reading: FileReading | None = None
    register_reading: FileReading | None = None


def mode_of(request: SubmitRun) -> RunMode:
    """Return the mode of a new run; that of a request with another word is not used."""
    return find_run_mode(request.mode) or "auto"


MIN_BATCH = 3
"""With fewer samples than this nothing is left for a flow that was compiled of the first two."""


def is_compiled(request: SubmitRun, plan: RunPlan, *, asks_model: bool) -> bool:
    """Return whether a flow is compiled from the first samples of the run for the others, where its task has none.

    Not by default where no model is asked: it would save nothing.
    """
    if mode_of(request) != "auto" or plan.spec.get("workflow", "auto") != "auto":
        return False
    if plan.spec.get("phase") == "discovery":
        return False
    spec, _ = check_spec(plan.spec)
    if spec is None:
        return False
    enough = plan.discovery is not None or len(plan.samples) >= MIN_BATCH
    return enough and (asks_model or request.mode is not None)


def new_plan(request: SubmitRun, checked: CheckedSamples) -> RunPlan:
    """Return the plan of a new run. It is valid only when there are no problems."""
    samples, concurrency = checked.samples, request.concurrency or checked.spec.concurrency
    return RunPlan(
        request.spec or {},
        request.planner,
        concurrency,
        samples,
        len(samples),
        input_columns=checked.header,
        input_reading=checked.reading,
    )


def resumed_plan(
    request: SubmitRun, loaded: RunLoaded, on_bus: RunRecord | None
) -> tuple[RunPlan, tuple[Problem, ...]]:
    """Return the plan of another round: the unfinished samples, with attempts above every earlier one.

    ``on_bus`` is the record that planners read, if the bus still has it; it is immutable. The plan is valid only when
    there are no problems.
    """
    record = on_bus or loaded.record
    problems: list[Problem] = []
    if request.spec is not None and request.spec != record.spec:
        message = (
            f"{record.run_id} was begun with another spec, and a resumed run keeps it: for this spec to count, start a "
            "new run, without resuming; to go on under the old one, leave the spec out"
        )
        problems.append(Problem(where="spec", message=message))
    planner = request.planner or record.planner
    if on_bus is not None and planner != on_bus.planner:
        message = (
            f"{record.run_id} was started with {on_bus.planner or 'the default planner'} and keeps it; leave it out"
        )
        problems.append(Problem(where="planner", message=message))
    if request.mode is not None and request.mode != record.mode:
        message = f"{record.run_id} was started with the mode {record.mode} and keeps it; leave it out"
        problems.append(Problem(where="mode", message=message))
    if record.discovery_spec is None and (loaded.expected is None or len(loaded.samples) < loaded.expected):
        message = f"{record.run_id} was cut off while its samples were being written down; submit it again"
        problems.append(Problem(where="resume_run_id", message=message))
    unfinished = (state for state in loaded.samples if not is_final(state.status, state.reason))
    samples = tuple(state.sample for state in unfinished)
    # Above every attempt and above the round before, so that events of the two rounds cannot be confused.
    attempts = (state.attempt for state in loaded.samples)
    base = max(loaded.attempt_base + 1, loaded.discovery_attempt, loaded.latest_attempt, *attempts)
    concurrency = request.concurrency or record.concurrency
    plan = RunPlan(record.spec, planner, concurrency, samples, len(loaded.samples), base, loaded.attempt_base)
    plan = replace(plan, register=request.register)
    if record.discovery_spec is not None and (loaded.expected is None or not loaded.population_complete):
        plan = replace(
            plan,
            discovery=record.discovery_spec,
            discovery_row=record.discovery_row,
            known=tuple(state.sample for state in loaded.samples),
        )
    return plan, tuple(problems)


def round_record(first: RunRecord, plan: RunPlan) -> RunRecord:
    """Return the record of a resumed round: the first one with the planner and concurrency of this round, and with the
    register, if this round names one."""
    record = msgspec.structs.replace(first, planner=plan.planner, concurrency=plan.concurrency)
    if plan.register is None:
        return record
    return msgspec.structs.replace(record, register=plan.register, register_reading=plan.register_reading)


def run_ids(now: datetime) -> Iterator[str]:
    """Yield names for a run that begins at ``now``: ``run_2026-11-21_080102`` (UTC), then with ``_2``, ``_3`` ...

    Take the first that is free.
    """
    name = f"run_{now.astimezone(UTC):%Y-%m-%d_%H%M%S}"
    yield name
    yield from (f"{name}_{number}" for number in count(2))


def rejected_run_id(now: datetime, digest: str) -> str:
    """Return the id of a rejected request, used in its event instead of a run id."""
    return f"rejected_{now.astimezone(UTC):%Y%m%d_%H%M%S_%f}_{digest[:8]}"


def replay_sample_ids(request: SubmitRun, loaded: RunLoaded) -> tuple[str, ...]:
    """Return the ids to replay: the named ones that exist, or all when none is named."""
    all_ids = [state.sample.sample_id for state in loaded.samples]
    if request.replay_samples is None:
        return tuple(all_ids)
    return tuple(dict.fromkeys(sample_id for sample_id in request.replay_samples if sample_id in all_ids))


def select_replayable(
    request: SubmitRun, loaded: RunLoaded, problem_of: Mapping[str, str]
) -> tuple[tuple[Sample, ...], tuple[Problem, ...]]:
    """Return the samples to replay, and all problems.

    When no sample is named, those with an incomplete log are left out; an incomplete log of a named one is a problem.
    ``problem_of`` maps a sample id to what is wrong with its log, or to an empty string.
    """
    samples = {state.sample.sample_id: state.sample for state in loaded.samples}
    complete = tuple(samples[each] for each in replay_sample_ids(request, loaded) if not problem_of[each])
    problems: list[Problem] = []
    if request.spec is not None and request.spec != loaded.record.spec:
        message = f"it differs from the spec of {loaded.record.run_id}; a replay keeps its spec, so leave it out"
        problems.append(Problem(where="spec", message=message))
    if loaded.record.spec.get("phase") == "discovery":
        message = f"{loaded.record.run_id} only listed what it found; there is no sample of it to be replayed"
        problems.append(Problem(where="replay_run_id", message=message))
    elif request.replay_samples is not None:
        problems += [
            _replay_problem(each, loaded, problem_of) for each in request.replay_samples if problem_of.get(each, "x")
        ]
    elif not complete:
        reasons = "; ".join(dict.fromkeys(problem_of.values())) or "it has no samples"
        message = f"no sample of {loaded.record.run_id} can be replayed: {reasons}"
        problems.append(Problem(where="replay_run_id", message=message))
    return complete, tuple(problems)


def _replay_problem(sample_id: str, loaded: RunLoaded, problem_of: Mapping[str, str]) -> Problem:
    if sample_id not in problem_of:
        return Problem(where="replay_samples", message=f"{loaded.record.run_id} has no sample {sample_id!r}")
    return Problem(where="replay_samples", message=f"{sample_id} cannot be replayed: {problem_of[sample_id]}")
