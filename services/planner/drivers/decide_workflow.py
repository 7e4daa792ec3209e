"""What is done with a workflow and with its value: it runs first, its fields are reported, and the gates check them
like those of a model. What they refuse goes to the driver of the run. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from services.planner.drivers.rules.decide_rules import missing_artifact_action
from services.planner.judge.reported_values import is_shown_in
from services.planner.state.attempt_state import Act, SampleView
from services.planner.state.workflow_choice import WorkflowChoice, arguments_for
from shared.contracts.actions import Done, Download, Screenshot, UseWorkflow
from shared.contracts.browser_pool import PageObserved
from shared.contracts.planner import BY_WORKFLOW
from shared.pages.elements import text_of
from shared.pages.identity.identity import read_page
from shared.pages.read.fields import field_values
from shared.task.output_field import OutputField
from shared.task.row_values import template_values
from shared.text.normal import fold


def decide_by_workflow(view: SampleView, choice: WorkflowChoice) -> Act | None:
    """Return what the workflow asks for, or None when the run's own driver is to decide."""
    if view.spec.phase == "discovery" or not choice.name:
        return None
    used = [at for at, entry in enumerate(view.state.history) if isinstance(entry.action, UseWorkflow)]
    if not used:
        return _use(view, choice)
    after = view.state.history[used[-1] + 1 :]
    entry = view.state.history[used[-1]]
    values = reported_fields(entry.workflow_value, view.spec.output_schema)
    if entry.workflow_failed or not values or view.page is None or any(isinstance(one.action, Done) for one in after):
        return None
    if any(not isinstance(one.action, Screenshot | Download) for one in after):
        return None  # the run's own driver has taken over
    read = read_page(view.spec, view.sample, view.page)
    capture = missing_artifact_action(view, view.page, read)
    if capture is not None:
        return replace(capture, decided_by=BY_WORKFLOW)
    given = {name: value for name, value in values.items() if value is not None}
    reason = f"What the workflow {choice.name} has returned."
    refs = find_refs(given, view.spec.output_schema, view.page)
    # Fields that it does not return are read from the page, and those that it returns get their place there.
    seen = field_values(view.spec, read.readings, view.page) if read.proof.state == "proven" else ()
    return Act(Done(values=given, refs=refs, reason=reason), BY_WORKFLOW, seen=seen)


def _use(view: SampleView, choice: WorkflowChoice) -> Act | None:
    try:
        arguments = arguments_for(choice, template_values(view.sample))
    except KeyError:
        return None  # the check of missing columns ends the sample
    reason = choice.reason or f"The task is done by this workflow ({choice.chosen_by})."
    return Act(UseWorkflow(name=choice.name, hash=choice.hash, arguments=arguments, reason=reason), BY_WORKFLOW)


def reported_fields(value: Any, schema: Mapping[str, OutputField]) -> dict[str, Any]:
    """Return the output fields that a workflow's value has, if it is a dict. Others are left out."""
    if not isinstance(value, dict):
        return {}
    found = cast("dict[str, Any]", value)
    return {name: found[name] for name in schema if name in found}


def find_refs(values: Mapping[str, Any], schema: Mapping[str, OutputField], page: PageObserved) -> dict[str, int]:
    """Return the element that shows each value, where there is exactly one with this text, and no other text."""
    refs: dict[str, int] = {}
    for name, value in values.items():
        texts = [(one.ref, text_of(one), one.title) for one in page.elements]
        exact = [ref for ref, text, _ in texts if isinstance(value, str) and fold(text) == fold(value)]
        shows = exact or [ref for ref, text, title in texts if is_shown_in(value, schema[name], text, title=title)]
        if len(shows) == 1:
            refs[name] = shows[0]
    return refs
