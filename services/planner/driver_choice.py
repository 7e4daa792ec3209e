"""Makes the list of drivers of a sample, with what they need: the flow of its task, or a workflow of the library."""

from __future__ import annotations

from services.planner.deps import CheckedRun, Driver, PlannerDeps
from services.planner.drivers.flow.flow_driver import FlowDriver, FlowUse
from services.planner.drivers.in_turn import Drivers, TurnDriver
from services.planner.drivers.order import driver_of, drivers_in_order, uses_library
from services.planner.drivers.registry import WorkflowDriver
from services.planner.drivers.rules.stand_in import StandInRules
from services.planner.state.workflow_choice import WorkflowChoice
from services.planner.workflow_use.choosing import load_choice, load_flow, no_flow_text
from services.planner.workflow_use.element_choices import ElementChoices
from services.planner.workflow_use.healed_flow import healed_choice
from services.planner.workflow_use.run_flow import find_run_flow
from shared.contracts.discovery import RunMode
from shared.contracts.planner import BY_RULE, DriverName, WorkSample
from shared.errors import PermanentError
from shared.task.spec import TaskSpec


def planner_name(run: CheckedRun, deps: PlannerDeps) -> str:
    """Return the planner of a run. With flows only no model is asked; the rules look for samples then."""
    return BY_RULE if run.record.mode == "flow" else run.record.planner or deps.default_planner


async def choose_drivers(run: CheckedRun, message: WorkSample, planner: Driver, deps: PlannerDeps) -> Drivers:
    """Return who works on a sample, in order. ``planner``: the driver that the run names.

    Raises PermanentError (``no_flow``) where the run uses flows only and its task has none.
    """
    spec, mode = run.spec_of(message), run.record.mode
    own = driver_of(planner.name, asks_model=planner.asks_model)
    if not uses_library(mode, own, discovers=message.discover):
        return Drivers(((own, planner),))
    choice, usage = await load_choice(message.run_id, spec, deps, asks_model=planner.asks_model)
    why = choice.reason if not choice.name else ""
    if run.record.compiles and not choice.name and not why:
        found = await find_run_flow(message.run_id, message.sample_id, spec, deps)
        choice, why = found.choice, found.why
    order = drivers_in_order(mode, own, "flow" if choice.is_flow else "workflow" if choice.name else "nothing")
    if not order:
        raise PermanentError(no_flow_text(spec, choice), code="no_flow")
    made: dict[DriverName, TurnDriver] = {"workflow": WorkflowDriver(choice), "rules": StandInRules()}
    if mode != "flow":
        made[own] = planner
    if "flow" in order:
        made["flow"] = await _flow_driver(choice, spec, mode, order, deps)
    return Drivers([(one, made[one]) for one in order], usage=usage, no_flow=why, asks_pictures=mode != "flow")


async def _flow_driver(
    choice: WorkflowChoice, spec: TaskSpec, mode: RunMode, order: tuple[DriverName, ...], deps: PlannerDeps
) -> FlowDriver:
    choice = await healed_choice(choice, spec, deps)
    loaded = await load_flow(choice, deps)
    followed_by = order[order.index("flow") + 1 :]
    may_ask = spec.heal == "planner" and "model" in followed_by and deps.finder is not None
    elements = ElementChoices(choice.hash, deps.finder, deps) if may_ask and deps.finder is not None else None
    use = FlowUse(choice, loaded.files, elements, loaded.data)
    return FlowDriver(use, deps.asks, followed_by, has_last_word=mode == "flow")
