"""The mode of a run: agent uses no flow, flow nothing else, and each result says who has worked."""

from __future__ import annotations

from typing import Any

import pytest

from services.planner.handlers import check_planner
from shared.contracts.actions import Done
from shared.contracts.planner import CheckPlanner
from shared.contracts.workflows.flows import ClickElement, OpenAddress
from shared.errors import PermanentError
from shared.flows.files import FieldsFile, FlowFiles, ValueSchema, write_files
from shared.task.task_fingerprint import task_marks
from tests.handlers.planner.flow_bench import READ, bench, flows_of, read_ticket, under
from tests.handlers.planner.planner_bench import Bench
from tests.handlers.planner.scripted_driver import told
from tests.handlers.planner.scripted_library import HASH, TICKET_URL, version
from tests.handlers.planner.scripted_pool import ScriptedPool
from tests.unit.planner.planner_pages import URL, el, heading, page, spec, ticket

WAY_BACK = (
    "compile it again with samples at which it stopped, or use it all the same: exhibit flows rollback tickets "
    f"{HASH[:12]}"
)


def stops(url: str):
    yield OpenAddress(url=url)
    yield ClickElement(selector='role=button[name="Open"]')


async def test_a_run_by_the_agent_uses_no_flow():
    one = bench()
    one.mode = "agent"
    finished = await one.run()
    assert (finished.status, finished.drivers, finished.no_flow) == ("done", ("rules",), "")
    assert flows_of(one).begun == []
    assert {step.decided_by for step in one.steps} == {"rules"}


async def test_with_flows_only_the_rules_or_a_person_go_on_and_no_model_is_asked():
    icon = el("img", "", header="Assignee", look=1)
    one = bench(stops, shown=page(*ticket()[:1], *ticket()[3:], el("term", "Assignee", tag="dt"), icon))
    one.mode = "flow"
    one.driver = told(Done(values={}))
    finished = await one.run()
    assert (finished.status, finished.reason) == ("needs_review", "flow_stopped")
    assert (finished.decided_by, finished.drivers, finished.usage.llm_calls) == ("rules", ("flow", "rules"), 0)
    assert "stopped in line 2 (work)" in finished.message
    assert [type(step.action).__name__ for step in one.steps] == ["Goto", "Screenshot", "Screenshot", "Fail"]
    assert all(step.vision is None for step in one.steps)


@pytest.mark.parametrize("mode", ["auto", "flow"])
@pytest.mark.parametrize(
    ("shown", "end", "told"),
    [
        (page(*ticket("TCK-1002")), ("failed", "identity_mismatch"), "wrong_record"),
        (page(heading("Ticket not found")), ("failed", "not_found"), "record_unproven"),
        (page(heading("Nothing"), http_status=404), ("failed", "not_found"), ""),
        (page(heading("Nothing"), http_status=401), ("auth_required", "login_required"), ""),
    ],
)
async def test_the_page_says_how_a_sample_ends_with_a_flow_too(shown, end, told, mode):
    """``told``: what the flow is told of its last call; where it is told nothing, it is ended."""
    one = bench(shown=shown)
    one.mode = mode
    finished = await one.run()
    assert (finished.status, finished.reason, finished.usage.llm_calls) == (*end, 0)
    if told:
        assert flows_of(one).answers[-1].error.code == told  # type: ignore[union-attr]
    else:
        assert flows_of(one).ended == ["flow1"]


def reads_the_title(url: str):
    """A flow whose only field is on any page."""
    yield OpenAddress(url=url)
    return {"page_title": "Sign in"}


def gives_up(url: str):
    """A flow whose own code fails, so that nothing was waited for."""
    yield OpenAddress(url=url)
    raise RuntimeError("no ticket")


@pytest.mark.parametrize(
    ("flow", "is_idle"),
    [(read_ticket, True), (read_ticket, False), (stops, True), (gives_up, False), (reads_the_title, False)],
)
async def test_with_flows_only_a_login_page_is_one_also_without_an_identity(flow, is_idle):
    form = (heading("Sign in"), el("textbox", "User"), el("textbox", "Password", secret=True), el("button", "Sign in"))
    login = page(*form, title="Sign in", url=f"{URL}/login/?next=/", idle=is_idle)
    title = {"page_title": {"type": "string", "shown_in": "title", "pattern": ".+"}}
    fields = {"output_schema": title, "required_fields": ["page_title"]} if flow is reads_the_title else {}
    one = bench(flow, shown=login, identity={}, **fields)
    one.mode = "flow"
    finished = await one.run()
    assert (finished.status, finished.reason) == ("auth_required", "login_required"), finished.message
    assert finished.usage.llm_calls == 0


async def test_with_flows_only_what_the_gates_refuse_goes_to_a_person():
    def lies(url: str):
        found = yield from read_ticket(url)
        return {**found, "assignee": "Somebody Else"}

    one = bench(lies)
    one.mode = "flow"
    finished = await one.run()
    assert finished.status == "needs_review"
    assert {step.decided_by for step in one.steps} <= {"flow", "rules"}
    assert finished.drivers == ("flow",)


# --- whether the task has a flow


def check(one: Bench):
    return check_planner(CheckPlanner(mode="flow", spec=one.task), one.deps)


async def test_a_task_with_a_flow_may_run_on_flows_only():
    assert (await check(bench())).problem == ""


async def test_a_task_without_a_flow_is_refused_with_what_to_do():
    one = bench()
    one.library.versions.clear()  # type: ignore[attr-defined]
    assert "the library has no flow 'tickets': make one of a run (exhibit compile RUN)" in (await check(one)).problem
    one.mode = "flow"
    with pytest.raises(PermanentError) as refused:
        await one.run()
    assert refused.value.code == "no_flow"


async def test_a_library_that_does_not_answer_is_told():
    one = Bench(ScriptedPool({URL: [page(*ticket())]}))
    assert "could not be asked" in (await check(one)).problem


async def test_no_flow_is_asked_for_where_the_spec_forbids_it():
    one = bench(workflow="off")
    assert "leave its key workflow out" in (await check(one)).problem


def typed(**outputs: Any) -> dict[str, Any]:
    return {"outputs": {name: ValueSchema(type=kind) for name, kind in outputs.items()}}


@pytest.mark.parametrize(
    ("made_for", "why"),
    [
        (typed(ticket_number="string", assignee="string"), "it was made without due_date"),
        (
            typed(ticket_number="string", assignee="string", due_date="string", owner="string"),
            "it was made for owner too",
        ),
        (
            typed(ticket_number="number", assignee="string", due_date="string"),
            "it was made for another type of ticket_number",
        ),
        (
            {"task": {**task_marks(spec()), "goal": "of another goal"}},
            "it was made for another goal of the spec; compile it again",
        ),
    ],
)
async def test_a_flow_for_other_fields_or_of_an_earlier_task_is_no_flow_of_this_task(made_for, why):
    fields = FieldsFile(fields={name: under(name) for name in READ})
    one = bench(files=write_files(FlowFiles(fields=fields, **made_for)))
    assert why in (await check(one)).problem
    finished = await one.run()
    assert (finished.status, finished.drivers) == ("done", ("rules",))
    assert why in finished.no_flow
    assert flows_of(one).begun == []


async def test_a_flow_that_was_set_aside_is_not_chosen_and_the_way_back_is_told():
    one = bench()
    one.library.set_aside = "the rules did better"  # type: ignore[attr-defined]
    told = f"the library's tickets is set aside: the rules did better; {WAY_BACK}"
    assert told in (await check(one)).problem
    finished = await one.run()
    assert (finished.status, finished.drivers, finished.no_flow) == ("done", ("rules",), told)
    assert flows_of(one).begun == []


async def test_a_workflow_that_is_no_flow_is_not_enough():
    one = bench(files={})
    one.library.versions = {"tickets": version("tickets", TICKET_URL)}  # type: ignore[attr-defined]
    assert "is a workflow, and no flow" in (await check(one)).problem
