"""The samples of an earlier run that a replay takes, and the problems of the request."""

from __future__ import annotations

from collections.abc import Mapping

from shared.contracts.discovery import Problem, Sample, SubmitRun
from shared.contracts.evidence import RunLoaded

REPLAY = "replay"


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
