"""Pure: what a request comes to. A plan is all that is needed to start a run, or a round of one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, cast

import msgspec

from services.discovery.planning.replay_plan import replay_option_problems
from services.discovery.population.samples import samples_of_table
from services.discovery.tables.table import Table
from shared.contracts.codes import is_final
from shared.contracts.discovery import Problem, RunRecord, Sample, SubmitRun
from shared.contracts.evidence import RunLoaded
from shared.task.spec import TaskSpec, check_spec

MAX_CONCURRENCY = 256
SOURCES = ("samples", "input_file", "discovery", "resume_run_id", "replay_run_id")


@dataclass(frozen=True)
class Plan:
    """``samples`` are to be worked on; ``population`` counts them and those that are done already."""

    spec: dict[str, Any]
    planner: str | None
    concurrency: int
    samples: tuple[Sample, ...]
    population: int
    attempt_base: int = 0
    replaces: int | None = None
    """The attempt base of the round before, whose queue may be left over."""
    discovery: dict[str, Any] | None = None
    """The spec by which more samples are found; ``samples`` and ``population`` count those that are known."""
    discovery_row: dict[str, str] = field(default_factory=dict[str, str])
    known: tuple[Sample, ...] = ()
    """Where more are looked for: all that earlier rounds have found."""
    input_columns: tuple[str, ...] = ()
    """The header of the input as it was written."""
    replay_run_id: str | None = None
    allow_effects: bool = False


def option_problems(request: SubmitRun, planners: frozenset[str]) -> tuple[Problem, ...]:
    """What is wrong with the request itself, whatever is in its spec and samples."""
    problems: list[Problem] = []
    given = [name for name in SOURCES if getattr(request, name) is not None]
    itself = not given and (request.spec or {}).get("phase") == "discovery"
    if len(given) != 1 and not itself:
        told = f"give exactly one of {', '.join(SOURCES[:-1])} and {SOURCES[-1]}, not {' and '.join(given) or 'none'}"
        problems.append(Problem(where="request", message=told))
    if request.discovery_row and request.discovery is None and not itself:
        problems.append(Problem(where="discovery_row", message="nothing is to be discovered; leave it out"))
    if request.planner is not None and request.planner not in planners:
        told = f"{request.planner!r} is no planner; the planners are {', '.join(sorted(planners))}"
        problems.append(Problem(where="planner", message=told))
    problems += replay_option_problems(request)
    if request.concurrency is not None and not 1 <= request.concurrency <= MAX_CONCURRENCY:
        told = f"{request.concurrency} is not between 1 and {MAX_CONCURRENCY}"
        problems.append(Problem(where="concurrency", message=told))
    return tuple(problems)


def checked_spec(request: SubmitRun) -> tuple[TaskSpec | None, tuple[Problem, ...]]:
    if request.spec is None:
        return None, (Problem(where="spec", message="missing; send the whole task spec"),)
    spec, problems = check_spec(request.spec)
    if spec is not None and spec.phase == "discovery" and (request.samples is not None or request.input_file):
        told = "this task finds samples and is carried out on none: give no samples, but what fills it as discovery_row"
        return spec, (Problem(where="spec.phase", message=told),)
    return spec, problems


def readable_spec(data: dict[str, Any], problems: tuple[Problem, ...]) -> TaskSpec | None:
    """What can be made of a spec with mistakes, for checking the samples against it in the same answer."""
    wrong = {problem.where.removeprefix("spec.").split(".")[0].split("[")[0] for problem in problems}
    needed = {"task_id": "unnamed", "goal": "unknown", "output_schema": dict.fromkeys(_fields(data), "string")}
    kept = {key: value for key, value in data.items() if key not in wrong}
    spec, _ = check_spec({**needed, **kept})
    return spec


def _fields(data: dict[str, Any]) -> list[str]:
    written = data.get("output_schema")
    return [str(name) for name in cast("dict[object, object]", written)] if isinstance(written, dict) else ["unknown"]


def new_plan(request: SubmitRun, spec: TaskSpec, table: Table) -> tuple[Plan, tuple[Problem, ...]]:
    """The plan of a new run; it is worth nothing where there is any problem."""
    samples, problems = samples_of_table(spec, table)
    concurrency = request.concurrency or spec.concurrency
    plan = Plan(
        request.spec or {}, request.planner, concurrency, samples, len(samples), input_columns=tuple(table.header)
    )
    return plan, problems


def resumed_plan(request: SubmitRun, loaded: RunLoaded, on_bus: RunRecord | None) -> tuple[Plan, tuple[Problem, ...]]:
    """The plan of another round: what is not done, with attempts that count on from the highest one seen.

    ``on_bus`` is the record that planners will read, where there is one; it cannot be changed any more.
    """
    record = on_bus or loaded.record
    problems: list[Problem] = []
    if request.spec is not None and request.spec != record.spec:
        told = f"it differs from the spec of {record.run_id}; a resumed run keeps its spec, so leave it out"
        problems.append(Problem(where="spec", message=told))
    planner = request.planner or record.planner
    if on_bus is not None and planner != on_bus.planner:
        told = f"{record.run_id} was started with {on_bus.planner or 'the default planner'} and keeps it; leave it out"
        problems.append(Problem(where="planner", message=told))
    if record.discovery_spec is None and (loaded.expected is None or len(loaded.samples) < loaded.expected):
        told = f"{record.run_id} was cut off while its samples were being written down; submit it again"
        problems.append(Problem(where="resume_run_id", message=told))
    open_ = (state for state in loaded.samples if not is_final(state.status, state.reason))
    left = tuple(state.sample for state in open_)
    # Above every attempt made, and above the round before: what is said of this round is never taken for that one's.
    tried = (state.attempt for state in loaded.samples)
    base = max(loaded.attempt_base + 1, loaded.discovery_attempt, *tried)
    concurrency = request.concurrency or record.concurrency
    plan = Plan(record.spec, planner, concurrency, left, len(loaded.samples), base, loaded.attempt_base)
    if record.discovery_spec is not None and (loaded.expected is None or not loaded.population_complete):
        plan = replace(
            plan,
            discovery=record.discovery_spec,
            discovery_row=record.discovery_row,
            known=tuple(state.sample for state in loaded.samples),
        )
    return plan, tuple(problems)


def round_record(first: RunRecord, plan: Plan) -> RunRecord:
    """The record of a resumed round: as the first one, with what this round changes."""
    return msgspec.structs.replace(first, planner=plan.planner, concurrency=plan.concurrency)
