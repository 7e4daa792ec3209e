"""Flows run by turns: over a real bus, with the real sandbox."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from textwrap import dedent
from typing import Any

import msgspec
import pytest

from services.workflows import __main__ as workflows
from services.workflows.handlers import begin_flow as handle_beginning
from shared.bus.nats_bus import connect_bus
from shared.client.workflow_calls import begin_flow, create_workflow, end_flow, invoke_workflow, resume_flow
from shared.contracts.workflows.flows import (
    BeginFlow,
    ChooseOption,
    ClickElement,
    EnterSection,
    FlowAnswer,
    FlowError,
    FlowWaits,
    OpenAddress,
    ReadFields,
    SetOutput,
    TypeInto,
)
from shared.contracts.workflows.invocations import WorkflowRan
from shared.contracts.workflows.library import WorkflowCreated
from shared.errors import ExhibitError, PermanentError
from shared.host.services import run_services
from tests.handlers.workflows.service_settings import settings_of
from tests.waiting import until

SCHEMA = {"Medical License!": {"type": "string"}, "status": {"type": "enum", "enumValues": ["active", "pending"]}}
MAPPINGS = {"status": {"type": "native_select", "container": "select#status", "options": {"active": "Active - Yes"}}}
FILES = {
    "data/variables_schema.json": json.dumps(SCHEMA),
    "workspace/dropdown_mappings.json": json.dumps(MAPPINGS),
}
LICENSES = '''
import asyncio
import json

from exhibit.flow import by_role, click, load_mappings, load_variables, open_page, read, run_flow, section, type
from servers.browser_tools import select_option, set_structured_output


@section
async def fill_in(medical_license: str, status: str) -> None:
    await click(selector="input#caLicense")
    await type(text=medical_license)
    with open("workspace/dropdown_mappings.json") as file:
        mapping = json.load(file)["status"]
    assert load_mappings()["status"] == mapping
    await select_option(selector=mapping["container"], label=mapping["options"][status])


async def run(medical_license: str, status: str = "active") -> dict[str, object]:
    """Look a license up."""
    with open("data/variables.json") as file:
        assert json.load(file) == load_variables() == {"Medical License": medical_license}
    await open_page("https://licenses.example/")
    await fill_in(medical_license, status)
    await set_structured_output(key="form_result", value="SUBMITTED")
    return await read("holder")


async def main() -> None:
    await run_flow(run)


if __name__ == "__main__":
    asyncio.run(main())
'''


@pytest.fixture
async def bus(nats_url: str, tmp_path) -> AsyncIterator[Any]:
    async with (
        run_services(settings_of(tmp_path), nats_url, ("workflows",)),
        connect_bus(nats_url, name="client") as client,
    ):
        yield client


async def create(bus, name: str, source: str, files: dict[str, str] | None = None) -> None:
    reply = await create_workflow(bus, name, dedent(source), files=files)
    assert isinstance(reply, WorkflowCreated), reply


def waits(reply: Any) -> FlowWaits:
    assert isinstance(reply, FlowWaits), reply
    return reply


def ran(reply: Any) -> WorkflowRan:
    assert isinstance(reply, WorkflowRan), reply
    return reply


def code_of(reply: Any) -> str:
    error = ran(reply).error
    assert error is not None
    return error.code


async def go_on(bus, reply: Any, value: Any = None) -> Any:
    return await resume_flow(bus, waits(reply), FlowAnswer(value=value))


def refusal(code: Any) -> FlowAnswer:
    return FlowAnswer(error=FlowError(code=code, message="there is no such button"))


async def test_a_flow_is_told_call_by_call_and_returns(bus):
    await create(bus, "licenses", LICENSES, FILES)
    seen = [waits(await begin_flow(bus, "licenses", {"Medical License": "A 1"}))]
    for value in (None, None, None, None, None, None):
        seen.append(waits(await go_on(bus, seen[-1], value)))
    assert [one.call for one in seen] == [
        OpenAddress(url="https://licenses.example/"),
        EnterSection(name="fill_in"),
        ClickElement(selector="input#caLicense"),
        TypeInto(text="A 1"),
        ChooseOption(selector="select#status", option="Active - Yes"),
        SetOutput(key="form_result", value="SUBMITTED"),
        ReadFields(fields=("holder",)),
    ]
    assert [one.section for one in seen] == ["", "", "fill_in", "fill_in", "fill_in", "", ""]
    lines = LICENSES.splitlines()
    assert [lines[one.line - 1].split("(")[0].strip() for one in seen] == [
        "await open_page",
        "await fill_in",
        "await click",
        "await type",
        "await select_option",
        "await set_structured_output",
        "return await read",
    ]
    assert [one.number for one in seen] == list(range(1, 8))
    assert {one.name for one in seen} == {"licenses"}
    end = ran(await go_on(bus, seen[-1], {"holder": "Ann Lee"}))
    assert (end.value, end.error, end.hash) == ({"holder": "Ann Lee"}, None, seen[0].hash)


@pytest.mark.parametrize("given", [{"medical_license": "A 1"}, {"Medical License": "A 1"}])
async def test_variables_have_either_name(bus, given):
    await create(bus, "licenses", LICENSES, FILES)
    reply = waits(await begin_flow(bus, "licenses", given))
    assert await end_flow(bus, reply)


async def test_all_that_is_wrong_with_variables_is_told_before_anything_runs(bus):
    await create(bus, "licenses", LICENSES, FILES)
    for reply in (
        ran(await begin_flow(bus, "licenses", {"status": "gone", "Medical Licence": "A 1"})),
        await invoke_workflow(bus, "licenses", {"status": "gone", "Medical Licence": "A 1"}),
    ):
        assert reply.error is not None
        assert (reply.error.type, reply.error.code) == ("ValueError", "bad_value")
        for part in ("'Medical License'", "it is required", "active, pending"):
            assert part in reply.error.message


STOPPED = """
    from exhibit.flow import FlowStopped, click, is_shown

    async def run(catch: bool) -> str:
        try:
            await click("#save")
        except FlowStopped as error:
            if not catch:
                raise
            return f"{error.code}: {error}: {await is_shown('#other')}"
        return "clicked"
"""


async def test_a_failed_call_is_raised_and_the_flow_may_go_on(bus):
    await create(bus, "stopped", STOPPED)
    first = waits(await begin_flow(bus, "stopped", {"catch": True}))
    second = waits(await resume_flow(bus, first, refusal("element_missing")))
    end = ran(await go_on(bus, second, False))
    assert end.value == "element_missing: there is no such button: False"


async def test_a_failed_call_that_nobody_catches_is_the_flows_error_with_its_code(bus):
    await create(bus, "stopped", STOPPED)
    first = waits(await begin_flow(bus, "stopped", {"catch": False}))
    error = ran(await resume_flow(bus, first, refusal("wrong_record"))).error
    assert error is not None
    assert (error.code, error.type, error.flow_code) == ("raised", "FlowStopped", "wrong_record")
    assert error.message == "there is no such button"
    assert 'await click("#save")' in error.traceback


async def test_a_failed_call_of_a_workflow_that_it_invokes_keeps_its_code(bus):
    await create(bus, "inner", "from exhibit.flow import click\n\nasync def run():\n    await click('#x')\n")
    await create(bus, "outer", "async def run():\n    return await workflows.invoke('inner')\n")
    first = waits(await begin_flow(bus, "outer", {}))
    assert (first.name, first.line) == ("inner", 4)
    error = ran(await resume_flow(bus, first, refusal("element_ambiguous"))).error
    assert error is not None
    assert (error.type, error.flow_code, error.chain) == ("FlowStopped", "element_ambiguous", ("outer", "inner"))


@pytest.mark.parametrize(
    ("call", "type_", "part"),
    [
        ("click(5)", "TypeError", "click(): Expected `str`, got `int`"),
        ("click('')", "ValueError", "click(): the selector is empty"),
        ("scroll('sideways')", "TypeError", "Invalid enum value 'sideways'"),
        ("wait_for('#x', timeout_s=-1)", "ValueError", "timeout_s"),
        ("prove_record(number=7)", "TypeError", "prove_record(): Expected `str`"),
        ("set_structured_output('key', {1})", "TypeError", "a set"),
        ("click('x' * 5000)", "ValueError", "5000 characters"),
    ],
)
async def test_a_bad_call_is_told_the_flow_and_goes_nowhere(bus, call, type_, part):
    source = f"""
    from exhibit.flow import click, prove_record, scroll, set_structured_output, wait_for

    async def run() -> list[str]:
        try:
            await {call}
        except (TypeError, ValueError) as error:
            return [type(error).__name__, str(error)]
        return []
    """
    await create(bus, "bad", source)
    end = ran(await begin_flow(bus, "bad", {}))
    assert end.error is None, end.error
    assert end.value[0] == type_
    assert part in end.value[1]


async def test_forged_calls_of_a_flow_are_refused(bus):
    source = """
    def run() -> list[str]:
        import sys
        flow = sys.modules["exhibit.flow"]
        call = sys.modules["__main__"] if False else flow.click.__globals__["bound"]()._call
        told = []
        for method, arguments in (
            ("nothing", {"arguments": {}}),
            ("click", {}),
            ("click", {"arguments": {"selector": ["a"]}}),
            ("click", {"arguments": {"selector": "a", "call": "open"}, "line": "x"}),
        ):
            try:
                call("flow", method, arguments)
            except (TypeError, ValueError) as error:
                told.append(type(error).__name__)
        return told
    """
    await create(bus, "forged", source)
    first = await begin_flow(bus, "forged", {})
    assert waits(first).call == ClickElement(selector="a")
    assert waits(first).line == 0
    assert ran(await go_on(bus, first)).value == ["TypeError"] * 3


async def test_a_step_that_was_not_awaited_is_an_error(bus):
    source = "from exhibit.flow import click\n\nasync def run():\n    click('#save')\n    return 'done'\n"
    await create(bus, "forgets", source)
    error = ran(await begin_flow(bus, "forgets", {})).error
    assert error is not None
    assert "never awaited, and so not performed: click() in line 4" in error.message


async def test_only_no_such_element_is_quiet(bus):
    source = "from exhibit.flow import try_click\n\nasync def run():\n    return await try_click('#cookies')\n"
    await create(bus, "quiet", source)
    first = waits(await begin_flow(bus, "quiet", {}))
    assert first.call == ClickElement(selector="#cookies", if_shown=True)
    assert ran(await go_on(bus, first, False)).value is False


async def test_a_flow_that_is_only_invoked_gets_no_browser_where_no_host_is_declared(bus):
    await create(bus, "stopped", STOPPED)
    error = (await invoke_workflow(bus, "stopped", {"catch": False})).error
    assert error is not None
    assert error.type == "PermissionError"


async def test_another_number_and_another_flow_are_refused(bus):
    await create(bus, "stopped", STOPPED)
    first = waits(await begin_flow(bus, "stopped", {"catch": True}))
    with pytest.raises(PermanentError) as caught:
        await resume_flow(bus, msgspec.structs.replace(first, number=2), FlowAnswer())
    assert caught.value.code == "other_call"
    with pytest.raises(PermanentError) as caught:
        await resume_flow(bus, msgspec.structs.replace(first, flow_id="other"), FlowAnswer())
    assert caught.value.code == "unknown_flow"
    assert ran(await go_on(bus, first)).value == "clicked"
    with pytest.raises(PermanentError) as caught:
        await go_on(bus, first)
    assert caught.value.code == "unknown_flow"


LOOPS = """
    from exhibit.flow import count

    async def run(first: bool) -> int:
        if first:
            await count("li")
        while True:
            pass
"""


@pytest.mark.parametrize("first", [False, True])
async def test_a_flow_that_never_returns_is_ended_and_says_so(bus, first):
    await create(bus, "loops", LOOPS)
    reply = await begin_flow(bus, "loops", {"first": first}, timeout_s=0.5)
    if first:
        reply = await go_on(bus, reply, 3)
    assert code_of(reply) == "timeout"


@pytest.fixture
async def deps(nats_url, tmp_path) -> AsyncIterator[Any]:
    async with connect_bus(nats_url, name="service") as bus, workflows.open_deps(settings_of(tmp_path), bus) as opened:
        await opened.library.create("stopped", dedent(STOPPED))
        yield opened


async def until_no_process_works(deps) -> None:
    await asyncio.to_thread(until, lambda: not deps.executor.running and not deps.flows.count, "no process works")


async def test_the_time_in_which_a_call_is_performed_is_not_the_flows(deps):
    await deps.library.create("loops", dedent(LOOPS))
    request = BeginFlow(name="stopped", variables={"catch": True}, timeout_s=1.0)
    first = waits(await handle_beginning(request, deps))
    meanwhile = await handle_beginning(BeginFlow(name="loops", variables={"first": False}, timeout_s=1.2), deps)
    assert code_of(meanwhile) == "timeout"
    end = ran(await deps.flows.resume(first.flow_id, first.number, FlowAnswer()))
    assert end.value == "clicked"


async def test_a_flow_that_nobody_answers_is_ended(deps):
    request = BeginFlow(name="stopped", variables={"catch": True}, patience_s=0.05)
    first = waits(await handle_beginning(request, deps))
    await until_no_process_works(deps)
    with pytest.raises(ExhibitError) as caught:
        await deps.flows.resume(first.flow_id, first.number, FlowAnswer())
    assert caught.value.code == "unknown_flow"


async def test_a_flow_that_is_ended_has_no_process(deps):
    first = waits(await handle_beginning(BeginFlow(name="stopped", variables={"catch": True}), deps))
    assert deps.executor.running == 1
    assert deps.flows.end(first.flow_id)
    assert not deps.flows.end(first.flow_id)
    await until_no_process_works(deps)


async def test_a_turn_whose_reply_nobody_waits_for_ends_the_flow(deps):
    await deps.library.create("loops", dedent(LOOPS))
    first = waits(await handle_beginning(BeginFlow(name="loops", variables={"first": True}), deps))
    turn = asyncio.create_task(deps.flows.resume(first.flow_id, first.number, FlowAnswer(value=1)))
    await asyncio.sleep(0)
    turn.cancel()
    await asyncio.wait([turn])
    await until_no_process_works(deps)


async def test_sixty_four_flows_wait_at_once_and_invocations_still_run(bus):
    await create(bus, "stopped", STOPPED)
    await create(bus, "greet", "def run() -> str:\n    return 'hello'\n")
    first = await asyncio.gather(*(begin_flow(bus, "stopped", {"catch": True}) for _ in range(64)))
    assert (await invoke_workflow(bus, "greet", {})).value == "hello"
    ends = await asyncio.gather(*(go_on(bus, one) for one in first))
    assert [ran(one).value for one in ends] == ["clicked"] * 64


async def test_the_service_ends_with_flows_that_wait(nats_url, tmp_path):
    async with connect_bus(nats_url, name="client") as client:
        async with run_services(settings_of(tmp_path), nats_url, ("workflows",)):
            await create(client, "stopped", STOPPED)
            first = waits(await begin_flow(client, "stopped", {"catch": True}))
        with pytest.raises(ExhibitError) as caught:
            await go_on(client, first)
        assert caught.value.code in {"no_responders", "instance_gone"}
