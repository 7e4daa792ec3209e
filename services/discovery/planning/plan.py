"""The plan of a run, a round or a replay: what is needed to start it, and the problems of the request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any, cast

import msgspec

from services.discovery.population.row_problems import find_refused_addresses, told_once
from services.discovery.population.samples import samples_of_table
from shared.contracts.codes import is_final
from shared.contracts.discovery import (
    RUN_MODES,
    Problem,
    Register,
    RunMode,
    RunRecord,
    Sample,
    SubmitRun,
    find_run_mode,
)
from shared.contracts.evidence import RunLoaded
from shared.tables.table import Table
from shared.task.idle_keys import find_idle_keys
from shared.task.spec import TaskSpec, check_spec, invalid_keys

MAX_CONCURRENCY = 256
SOURCES = ("samples", "input_file", "discovery", "resume_run_id", "replay_run_id")
REPLAY = "replay"
REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


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


def find_option_problems(request: SubmitRun, planners: frozenset[str]) -> tuple[Problem, ...]:
    """Return the problems of the request's options, without its spec and samples."""
    problems: list[Problem] = []
    given = [name for name in SOURCES if getattr(request, name) is not None]
    searches_itself = not given and (request.spec or {}).get("phase") == "discovery"
    if len(given) != 1 and not searches_itself:
        message = (
            f"give exactly one of {', '.join(SOURCES[:-1])} and {SOURCES[-1]}, not {' and '.join(given) or 'none'}"
        )
        problems.append(Problem(where="request", message=message))
    if request.discovery_row and request.discovery is None and not searches_itself:
        problems.append(Problem(where="discovery_row", message="nothing is to be discovered; leave it out"))
    if request.planner is not None and request.planner not in planners:
        message = f"{request.planner!r} is no planner; the planners are {', '.join(sorted(planners))}"
        problems.append(Problem(where="planner", message=message))
    if request.mode is not None and request.mode not in RUN_MODES:
        message = f"{request.mode!r} is no mode; the modes are {', '.join(RUN_MODES)}"
        problems.append(Problem(where="mode", message=message))
    problems += find_replay_option_problems(request)
    if request.request_id and REQUEST_ID.fullmatch(request.request_id) is None:
        problems.append(
            Problem(where="request_id", message="up to 64 letters, digits, _ and - make one, or leave it out")
        )
    if request.concurrency is not None and not 1 <= request.concurrency <= MAX_CONCURRENCY:
        message = f"{request.concurrency} is not between 1 and {MAX_CONCURRENCY}"
        problems.append(Problem(where="concurrency", message=message))
    return tuple(problems)


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
    enough = plan.discovery is not None or len(plan.samples) >= MIN_BATCH
    return enough and (asks_model or request.mode is not None)


def parse_request_spec(request: SubmitRun) -> tuple[TaskSpec | None, tuple[Problem, ...]]:
    """Return the task spec, or None when it is invalid, and all problems."""
    if request.spec is None:
        return None, (Problem(where="spec", message="missing; send the whole task spec"),)
    spec, problems = check_spec(request.spec)
    problems = problems if spec is None else find_idle_keys(spec)
    if spec is not None and spec.phase == "discovery" and (request.samples is not None or request.input_file):
        message = (
            "this task finds samples and is carried out on none: give no samples, but what fills it as discovery_row"
        )
        return spec, (*problems, Problem(where="spec.phase", message=message))
    return spec, problems


def partial_spec(data: dict[str, Any]) -> TaskSpec | None:
    """Return the spec without its invalid parts, so that the same reply can name the problems of the samples."""
    invalid = invalid_keys(data)
    needed = {"task_id": "unnamed", "goal": "unknown", "output_schema": dict.fromkeys(_fields(data), "string")}
    valid = {key: value for key, value in data.items() if key not in invalid}
    spec, _ = check_spec({**needed, **valid})
    return spec


def _fields(data: dict[str, Any]) -> list[str]:
    written = data.get("output_schema")
    return [str(name) for name in cast("dict[object, object]", written)] if isinstance(written, dict) else ["unknown"]


def new_plan(request: SubmitRun, spec: TaskSpec, table: Table) -> tuple[RunPlan, tuple[Problem, ...]]:
    """Return the plan of a new run. It is valid only when there are no problems."""
    samples, problems = samples_of_table(spec, table)
    problems = (*problems, *told_once(find_refused_addresses(spec, samples)))
    concurrency = request.concurrency or spec.concurrency
    plan = RunPlan(
        request.spec or {}, request.planner, concurrency, samples, len(samples), input_columns=tuple(table.header)
    )
    return plan, problems


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
    register = plan.register or first.register
    return msgspec.structs.replace(first, planner=plan.planner, concurrency=plan.concurrency, register=register)


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


def find_replay_option_problems(request: SubmitRun) -> list[Problem]:
    """Return the problems of the replay options. A replay is decided by the recorded steps alone."""
    if request.replay_run_id is None:
        replay_only = [name for name in ("replay_samples", "allow_effects") if getattr(request, name)]
        problems = [
            Problem(where=name, message="only a replay has it; name the run in replay_run_id") for name in replay_only
        ]
        if request.planner == REPLAY:
            problems.append(Problem(where="planner", message="name the run to be replayed in replay_run_id"))
        return problems
    if request.mode is not None:
        return [Problem(where="mode", message="a replay takes recorded steps again, whoever decided; leave it out")]
    if request.planner not in (None, REPLAY):
        message = f"a replay takes recorded steps again, so {request.planner!r} cannot decide; leave it out"
        return [Problem(where="planner", message=message)]
    return []


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
