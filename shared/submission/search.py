"""The problems of a request whose samples are found by navigating, and of a request of either kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shared.contracts.discovery import FileReading, Problem, SubmitRun
from shared.contracts.planner import PLANNERS
from shared.field_types import nullable
from shared.submission.request import check_population, find_option_problems, parse_request_spec
from shared.submission.samples import item_key_template, required_columns
from shared.tables.files import TableOrProblems
from shared.task.spec import TaskSpec, check_spec
from shared.task.unused_keys import find_unused_keys

SPEC_NAME = "discovery"


def is_list_only(spec: dict[str, Any] | None) -> bool:
    """Return whether a run of this spec only lists samples and works on none of them."""
    return (spec or {}).get("phase") == "discovery"


def is_discovery_request(request: SubmitRun) -> bool:
    """Return whether the samples of this request are found by navigating."""
    given = (request.samples, request.input_file, request.resume_run_id)
    return request.discovery is not None or (is_list_only(request.spec) and all(source is None for source in given))


def check_new_run(
    request: SubmitRun, samples: TableOrProblems | None
) -> tuple[FileReading | None, tuple[Problem, ...]]:
    """Return what became of the rows, None where there are none to read, and all problems of a request for a new run.

    ``samples``: the table of the request as it was read; not looked at where its samples are found by navigating.
    """
    problems = find_option_problems(request, frozenset(PLANNERS))
    if is_discovery_request(request):
        return None, (*problems, *check_search(request)[1])
    checked, more = check_population(request, samples)
    return (checked.reading if checked is not None else None), (*problems, *more)


def check_search(request: SubmitRun) -> tuple[TaskSpec | None, tuple[Problem, ...]]:
    """Return the spec of the task, or None when it is invalid, and all problems."""
    spec, problems = parse_request_spec(request)
    found, more = (spec, ()) if request.discovery is None else _parse_discovery_spec(request.discovery)
    problems = (*problems, *more, *_find_phase_problems(request, spec))
    if found is not None:
        problems = (*problems, *_find_row_problems(request, found))
    if spec is not None and found is not None and request.discovery is not None:
        problems = (*problems, *_find_field_problems(request, spec, found))
    return spec, problems


def _parse_discovery_spec(data: dict[str, Any]) -> tuple[TaskSpec | None, tuple[Problem, ...]]:
    spec, problems = check_spec(data, SPEC_NAME)
    if spec is not None and spec.phase != "discovery":
        message = (
            'this task finds no samples: its phase is "execution"; write "phase": "discovery" or give it as the task'
        )
        return spec, (Problem(where=f"{SPEC_NAME}.phase", message=message),)
    return spec, problems if spec is None else find_unused_keys(spec, SPEC_NAME)


def _find_phase_problems(request: SubmitRun, spec: TaskSpec | None) -> Iterator[Problem]:
    if request.discovery is not None and spec is not None and spec.phase == "discovery":
        message = "this task finds samples itself; give a task to carry out on what the discovery finds, or it alone"
        yield Problem(where="spec.phase", message=message)


def _find_row_problems(request: SubmitRun, found: TaskSpec) -> Iterator[Problem]:
    """Find placeholders of the discovery spec that the row does not fill."""
    for name, askers in required_columns(found, None).items():
        if not request.discovery_row.get(name, "").strip():
            asked = f"asked for by {', '.join(askers)}"
            yield Problem(where=f"discovery_row.{name}", message=f"missing ({asked}); give it as {name}=VALUE")


def _find_field_problems(request: SubmitRun, spec: TaskSpec, found: TaskSpec) -> Iterator[Problem]:
    """Find columns that the task needs and neither the discovery's fields nor the row provide."""
    row, fields = request.discovery_row, found.output_schema
    template = item_key_template(spec, row, frozenset(fields))
    for name, askers in required_columns(spec, template).items():
        asked = f"{', '.join(askers)} of the task asks for it"
        if name not in fields and name not in row:
            yield Problem(where=f"{SPEC_NAME}.output_schema", message=f"there is no {name}, and {asked}")
        elif name in fields and nullable(fields[name].type):
            yield Problem(where=f"{SPEC_NAME}.output_schema.{name}", message=f"it may be missing, and {asked}")
    if template is None and spec.sample_id != TaskSpec.model_fields["sample_id"].default:
        message = f"{spec.sample_id!r} names no field that the discovery brings, so all samples would have one name"
        yield Problem(where="spec.sample_id", message=message)
