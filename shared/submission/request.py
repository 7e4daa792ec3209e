"""The checks of a request for a run that need no service: its options, its spec and its samples.

Discovery makes them for every request, and a command that would start services of its own makes them before it does.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from typing import Any, cast

from shared.bus.ports import PART_BYTES
from shared.contracts.discovery import RUN_MODES, FileReading, InputFile, Problem, Sample, SubmitRun
from shared.submission.samples import check_samples, key_template, reading_of, used_columns
from shared.tables.files import TableOrProblems
from shared.task.spec import TaskSpec, check_spec, invalid_keys
from shared.task.unused_keys import find_unused_keys

MAX_FILE_BYTES = 100_000_000
MAX_PARTS = MAX_FILE_BYTES // PART_BYTES
MAX_CONCURRENCY = 256
SOURCES = ("samples", "input_file", "discovery", "resume_run_id", "replay_run_id")
REPLAY = "replay"
REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def find_option_problems(request: SubmitRun, planners: Set[str]) -> tuple[Problem, ...]:
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


def parse_request_spec(request: SubmitRun) -> tuple[TaskSpec | None, tuple[Problem, ...]]:
    """Return the task spec, or None when it is invalid, and all problems."""
    if request.spec is None:
        return None, (Problem(where="spec", message="missing; send the whole task spec"),)
    spec, problems = check_spec(request.spec)
    problems = problems if spec is None else find_unused_keys(spec)
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


@dataclass(frozen=True)
class CheckedSamples:
    """The samples of a request. They are valid only when there are no problems."""

    spec: TaskSpec
    samples: tuple[Sample, ...]
    header: tuple[str, ...]
    reading: FileReading | None = None


def check_population(
    request: SubmitRun, read: TableOrProblems | None
) -> tuple[CheckedSamples | None, tuple[Problem, ...]]:
    """Return the samples of a request that names them, and all problems: samples are checked even when the spec is bad.

    ``read``: the table of the request; None where it has none.
    """
    spec, problems = parse_request_spec(request)
    if read is None:
        return None, problems
    table, more = read
    if spec is None:
        spec = partial_spec(request.spec or {})
    if spec is None or table is None:
        return None, (*problems, *more)
    samples, last = check_samples(spec, table)
    reading = reading_of(table, used_columns(spec, key_template(spec, table.columns)))
    return CheckedSamples(spec, samples, tuple(table.header), reading), (*problems, *more, *last)


def find_size_problems(file: InputFile) -> tuple[Problem, ...]:
    if file.size_bytes <= MAX_FILE_BYTES and file.parts <= MAX_PARTS:
        return ()
    return (Problem(where=file.name, message=f"{file.size_bytes} bytes; {MAX_FILE_BYTES} is the most"),)
