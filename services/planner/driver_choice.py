"""Chooses the way of a sample: by the flow of its task, or by the run's own driver; by the mode of the run."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.deps import CheckedRun, Driver, PlannerDeps
from services.planner.drivers.flow.flow_driver import FlowDriver, FlowUse
from services.planner.drivers.registry import WorkflowDriver
from services.planner.state.attempt_state import NO_USAGE
from services.planner.state.workflow_choice import WorkflowChoice
from services.planner.workflow_use.choosing import load_choice, load_flow, no_flow_text
from services.planner.workflow_use.element_choices import ElementChoices
from services.planner.workflow_use.healed_flow import healed_choice
from services.planner.workflow_use.run_flow import find_run_flow
from shared.contracts.base import Usage
from shared.contracts.discovery import RunMode
from shared.contracts.planner import BY_OPERATOR, BY_REPLAY, BY_RULE, Way, WorkSample
from shared.errors import PermanentError
from shared.task.spec import TaskSpec


@dataclass(frozen=True)
class DriverChoice:
    """Who decides on a sample. ``flow``: the driver, where a flow begins. ``usage``: what the choice has cost.

    ``no_flow``: why no flow is used, where one could have been."""

    driver: Driver
    flow: FlowDriver | None = None
    usage: Usage = NO_USAGE
    no_flow: str = ""

    def way(self, usage: Usage) -> Way:
        """Return the way of the sample. ``usage``: of its work. What a flow did to its end has asked no model."""
        if self.flow is None:
            return "agent"
        return "flow_then_agent" if self.flow.way == "flow" and usage.llm_calls else self.flow.way

    @property
    def why_no_flow(self) -> str:
        """Why it was not done by a flow to its end."""
        return self.flow.stopped if self.flow is not None else self.no_flow


def planner_name(run: CheckedRun, deps: PlannerDeps) -> str:
    """Return the driver of a run. With flows only no other one decides; the rules look for samples then."""
    return BY_RULE if run.record.mode == "flow" else run.record.planner or deps.default_planner


async def choose_driver(run: CheckedRun, message: WorkSample, driver: Driver, deps: PlannerDeps) -> DriverChoice:
    """Return who works on a sample.

    Raises PermanentError (``no_flow``) where the run uses flows only and its task has none.
    """
    spec, mode = run.spec_of(message), run.record.mode
    if driver.name in (BY_REPLAY, BY_OPERATOR) or mode == "agent" or message.discover:
        return DriverChoice(driver)
    choice, usage = await load_choice(message.run_id, spec, deps, asks_model=driver.asks_model)
    if mode == "flow" and not choice.is_flow:
        raise PermanentError(no_flow_text(spec, choice), code="no_flow")
    why = choice.reason if not choice.name else ""
    if run.record.compiles and not choice.name and not why:
        found = await find_run_flow(message.run_id, message.sample_id, spec, deps)
        choice, why = found.choice, found.why
    choice = await healed_choice(choice, spec, deps)
    loaded = await load_flow(choice, deps)
    if loaded is None:
        return DriverChoice(WorkflowDriver(driver, choice), usage=usage, no_flow=why)
    use = FlowUse(choice, loaded.files, _elements(spec, mode, choice, driver, deps), loaded.data)
    flow = FlowDriver(driver, use, deps.asks, alone=mode == "flow")
    return DriverChoice(flow, flow, usage)


def _elements(
    spec: TaskSpec, mode: RunMode, choice: WorkflowChoice, driver: Driver, deps: PlannerDeps
) -> ElementChoices | None:
    """Return what planners say about elements that the flow has lost; None where no model may be asked."""
    if spec.heal != "planner" or mode == "flow" or not driver.asks_model or deps.finder is None:
        return None
    return ElementChoices(choice.hash, deps.finder, deps)
