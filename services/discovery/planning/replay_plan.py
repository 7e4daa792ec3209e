"""Pure: which samples of an earlier run can be replayed, and what is wrong with asking for it."""

from __future__ import annotations

from collections.abc import Mapping

from shared.contracts.discovery import Problem, Sample, SubmitRun
from shared.contracts.evidence import RunLoaded

REPLAY = "replay"


def replay_option_problems(request: SubmitRun) -> list[Problem]:
    """A replay decides by the log alone; nothing else can."""
    if request.replay_run_id is None:
        lost = [name for name in ("replay_samples", "allow_effects") if getattr(request, name)]
        problems = [Problem(where=name, message="only a replay has it; name the run in replay_run_id") for name in lost]
        if request.planner == REPLAY:
            problems.append(Problem(where="planner", message="name the run to be replayed in replay_run_id"))
        return problems
    if request.planner not in (None, REPLAY):
        told = f"a replay takes recorded steps again, so {request.planner!r} cannot decide; leave it out"
        return [Problem(where="planner", message=told)]
    return []


def wanted_ids(request: SubmitRun, loaded: RunLoaded) -> tuple[str, ...]:
    """Of the samples that are to be replayed: those that are named and known, else all."""
    known = [state.sample.sample_id for state in loaded.samples]
    if request.replay_samples is None:
        return tuple(known)
    return tuple(dict.fromkeys(one for one in request.replay_samples if one in known))


def replayable(
    request: SubmitRun, loaded: RunLoaded, problem_of: Mapping[str, str]
) -> tuple[tuple[Sample, ...], tuple[Problem, ...]]:
    """The samples to be worked on, and what is wrong. Where none is named, those whose log does not tell how they ended
    are left out; a named one must be whole. ``problem_of``: what is wrong with each log, empty where nothing is."""
    samples = {state.sample.sample_id: state.sample for state in loaded.samples}
    whole = tuple(samples[one] for one in wanted_ids(request, loaded) if not problem_of[one])
    problems: list[Problem] = []
    if request.spec is not None and request.spec != loaded.record.spec:
        told = f"it differs from the spec of {loaded.record.run_id}; a replay keeps its spec, so leave it out"
        problems.append(Problem(where="spec", message=told))
    if loaded.record.spec.get("phase") == "discovery":
        told = f"{loaded.record.run_id} only listed what it found; there is no sample of it to be replayed"
        problems.append(Problem(where="replay_run_id", message=told))
    elif request.replay_samples is not None:
        problems += [_named(one, loaded, problem_of) for one in request.replay_samples if problem_of.get(one, "x")]
    elif not whole:
        reasons = "; ".join(dict.fromkeys(problem_of.values())) or "it has no samples"
        told = f"no sample of {loaded.record.run_id} can be replayed: {reasons}"
        problems.append(Problem(where="replay_run_id", message=told))
    return whole, tuple(problems)


def _named(sample_id: str, loaded: RunLoaded, problem_of: Mapping[str, str]) -> Problem:
    if sample_id not in problem_of:
        return Problem(where="replay_samples", message=f"{loaded.record.run_id} has no sample {sample_id!r}")
    return Problem(where="replay_samples", message=f"{sample_id} cannot be replayed: {problem_of[sample_id]}")
