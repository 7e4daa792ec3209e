"""Pure: a request whose samples are to be found by navigating, to a plan, or every problem in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from services.discovery.planning.plan import Plan, checked_spec
from services.discovery.population.found_items import find_template
from services.discovery.population.samples import wanted_columns
from shared.contracts.discovery import Problem, RunRecord, Sample, SubmitRun
from shared.field_types import nullable
from shared.task.spec import TaskSpec, check_spec
from shared.text.names import DISCOVERY

OWN = "discovery"


def lists_only(spec: dict[str, Any] | None) -> bool:
    """Whether a run of this spec only lists: nothing is done on what it finds."""
    return (spec or {}).get("phase") == "discovery"


def discovers(request: SubmitRun) -> bool:
    """Whether the samples of this request are to be found by navigating."""
    given = (request.samples, request.input_file, request.resume_run_id)
    return request.discovery is not None or (lists_only(request.spec) and all(source is None for source in given))


def discovery_plan(request: SubmitRun) -> tuple[Plan | None, tuple[Problem, ...]]:
    """The plan of a run that begins with its discovery; none where anything is wrong."""
    spec, problems = checked_spec(request)
    found, more = (spec, ()) if request.discovery is None else _discovery_spec(request.discovery)
    problems = (*problems, *more, *_phase_problems(request, spec))
    if found is not None:
        problems = (*problems, *_row_problems(request, found))
    if spec is not None and found is not None and request.discovery is not None:
        problems = (*problems, *_offer_problems(request, spec, found))
    if spec is None or found is None or problems:
        return None, problems
    concurrency = request.concurrency or spec.concurrency
    written = request.discovery if request.discovery is not None else request.spec
    row = dict(request.discovery_row)
    plan = Plan(request.spec or {}, request.planner, concurrency, (), 0, discovery=written, discovery_row=row)
    return plan, ()


def discovery_sample(record: RunRecord) -> Sample:
    """The sample that finds the others."""
    row = record.discovery_row
    return Sample(sample_id=DISCOVERY, key=DISCOVERY, row=0, url=row.get("url") or None, fields=dict(row))


def _discovery_spec(data: dict[str, Any]) -> tuple[TaskSpec | None, tuple[Problem, ...]]:
    spec, problems = check_spec(data)
    renamed = [Problem(where=p.where.replace("spec", OWN, 1), message=p.message) for p in problems]
    if spec is not None and spec.phase != "discovery":
        told = 'this task finds no samples: its phase is "execution"; write "phase": "discovery" or give it as the task'
        renamed.append(Problem(where=f"{OWN}.phase", message=told))
    return spec, tuple(renamed)


def _phase_problems(request: SubmitRun, spec: TaskSpec | None) -> Iterator[Problem]:
    if request.discovery is not None and spec is not None and spec.phase == "discovery":
        told = "this task finds samples itself; give a task to carry out on what the discovery finds, or it alone"
        yield Problem(where="spec.phase", message=told)


def _row_problems(request: SubmitRun, found: TaskSpec) -> Iterator[Problem]:
    """What fills the discovery spec must be there, and a secret never is."""
    for name, askers in wanted_columns(found, None).items():
        if not request.discovery_row.get(name, "").strip():
            asked = f"asked for by {', '.join(askers)}"
            yield Problem(where=f"discovery_row.{name}", message=f"missing ({asked}); give it as {name}=VALUE")


def _offer_problems(request: SubmitRun, spec: TaskSpec, found: TaskSpec) -> Iterator[Problem]:
    """What the task needs of each sample must be what the list brings, or stand in the row."""
    row, fields = request.discovery_row, found.output_schema
    template = find_template(spec, row, frozenset(fields))
    for name, askers in wanted_columns(spec, template).items():
        asked = f"{', '.join(askers)} of the task asks for it"
        if name not in fields and name not in row:
            yield Problem(where=f"{OWN}.output_schema", message=f"there is no {name}, and {asked}")
        elif name in fields and nullable(fields[name].type):
            yield Problem(where=f"{OWN}.output_schema.{name}", message=f"it may be missing, and {asked}")
    if template is None and spec.sample_id != TaskSpec.model_fields["sample_id"].default:
        told = f"{spec.sample_id!r} names no field that the discovery brings, so all samples would have one name"
        yield Problem(where="spec.sample_id", message=told)
