"""Flows run by turns: with each executor on a bus in memory, and once over a real bus."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from services.workflows.execution.in_process_executor import InProcessExecutor
from shared.bus.nats_bus import connect_bus
from shared.client.workflow_calls import begin_flow, create_workflow, invoke_workflow, resume_flow
from shared.contracts.workflows.flows import (
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
from shared.contracts.workflows.invocations import WorkflowFailure, WorkflowRan
from shared.errors import ExhibitError, PermanentError
from shared.host.services import run_services
from tests.handlers.workflows.execution.worlds import Sandboxes, started_sandbox
from tests.handlers.workflows.service_bench import Service, open_service
from tests.handlers.workflows.service_settings import settings_of
from tests.loop_clock import LoopClock
from tests.raising import raises_code
from tests.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

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


@pytest_asyncio.fixture(loop_scope="session")
async def trusted(tmp_path: Path) -> AsyncIterator[Service]:
    executor = InProcessExecutor()
    async with open_service(tmp_path, executor) as service:
        yield service
    await executor.close()


@pytest_asyncio.fixture(loop_scope="session")
async def confined(tmp_path: Path, sandboxes: Sandboxes) -> AsyncIterator[Service]:
    async with open_service(tmp_path, await sandboxes.started()) as service:
        yield service


@pytest.fixture(params=["trusted", pytest.param("confined", marks=pytest.mark.system)])
def service(request: pytest.FixtureRequest) -> Service:
    return request.getfixturevalue(request.param)


def waits(reply: Any) -> FlowWaits:
    assert isinstance(reply, FlowWaits), reply
    return reply


def ran(reply: Any) -> WorkflowRan:
    assert isinstance(reply, WorkflowRan), reply
    return reply


def error_of(reply: Any) -> WorkflowFailure:
    error = ran(reply).error
    assert error is not None, reply
    return error


async def go_on(service, reply: Any, value: Any = None) -> Any:
    return await resume_flow(service.bus, waits(reply), FlowAnswer(value=value))


def refusal(code: Any) -> FlowAnswer:
    return FlowAnswer(error=FlowError(code=code, message="there is no such button"))


@pytest.mark.system
async def test_a_flow_is_told_call_by_call_and_returns(confined):
    await confined.create("licenses", LICENSES, FILES)
    seen = [waits(await begin_flow(confined.bus, "licenses", {"Medical License": "A 1"}))]
    for value in (None, None, None, None, None, None):
        seen.append(waits(await go_on(confined, seen[-1], value)))
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
    end = ran(await go_on(confined, seen[-1], {"holder": "Ann Lee"}))
    assert (end.value, end.error, end.hash) == ({"holder": "Ann Lee"}, None, seen[0].hash)


TYPES = """
    from exhibit.flow import load_variables, type

    async def run(medical_license: str, status: str = "active") -> None:
        await type(text=f"{medical_license} {load_variables()}")
"""


async def test_all_that_is_wrong_with_variables_is_told_before_anything_runs(service):
    await service.create("types", TYPES, FILES)
    for reply in (
        await begin_flow(service.bus, "types", {"status": "gone", "Medical Licence": "A 1"}),
        await invoke_workflow(service.bus, "types", {"status": "gone", "Medical Licence": "A 1"}),
    ):
        error = error_of(reply)
        assert (error.type, error.code) == ("ValueError", "bad_value")
        for part in ("'Medical License'", "it is required", "active, pending"):
            assert part in error.message


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


async def test_a_failed_call_is_raised_and_the_flow_may_go_on(service):
    await service.create("stopped", STOPPED)
    first = waits(await begin_flow(service.bus, "stopped", {"catch": True}))
    second = waits(await resume_flow(service.bus, first, refusal("element_missing")))
    end = ran(await go_on(service, second, False))
    assert end.value == "element_missing: there is no such button: False"


async def test_a_failed_call_that_nobody_catches_is_the_flows_error_with_its_code(service):
    await service.create("stopped", STOPPED)
    first = waits(await begin_flow(service.bus, "stopped", {"catch": False}))
    error = error_of(await resume_flow(service.bus, first, refusal("wrong_record")))
    assert (error.code, error.type, error.flow_code) == ("raised", "FlowStopped", "wrong_record")
    assert error.message == "there is no such button"
    assert 'await click("#save")' in error.traceback


async def test_a_failed_call_of_a_workflow_that_it_invokes_keeps_its_code(service):
    await service.create("inner", "from exhibit.flow import click\n\nasync def run():\n    await click('#x')\n")
    await service.create("outer", "async def run():\n    return await workflows.invoke('inner')\n")
    first = waits(await begin_flow(service.bus, "outer", {}))
    assert (first.name, first.line) == ("inner", 4)
    error = error_of(await resume_flow(service.bus, first, refusal("element_ambiguous")))
    assert (error.type, error.flow_code, error.chain) == ("FlowStopped", "element_ambiguous", ("outer", "inner"))


BAD_CALLS = {
    "click(5)": ("TypeError", "click(): Expected `str`, got `int`"),
    "click('')": ("ValueError", "click(): the selector is empty"),
    "scroll('sideways')": ("TypeError", "Invalid enum value 'sideways'"),
    "wait_for('#x', timeout_s=-1)": ("ValueError", "timeout_s"),
    "prove_record(number=7)": ("TypeError", "prove_record(): Expected `str`"),
    "set_structured_output('key', {1})": ("TypeError", "a set"),
    "click('x' * 5000)": ("ValueError", "5000 characters"),
}


async def test_bad_calls_are_told_the_flow_and_go_nowhere(service):
    source = f"""
    from exhibit.flow import click, prove_record, scroll, set_structured_output, wait_for

    async def run() -> list[list[str]]:
        told = []
        for call in ({", ".join(f"lambda: {call}" for call in BAD_CALLS)}):
            try:
                await call()
            except (TypeError, ValueError) as error:
                told.append([type(error).__name__, str(error)])
        return told
    """
    await service.create("bad", source)
    end = ran(await begin_flow(service.bus, "bad", {}))
    assert end.error is None, end.error
    for (kind, message), (call, (expected, part)) in zip(end.value, BAD_CALLS.items(), strict=True):
        assert kind == expected, call
        assert part in message, call


@pytest.mark.system
async def test_forged_calls_of_a_flow_are_refused(confined):
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
    await confined.create("forged", source)
    first = await begin_flow(confined.bus, "forged", {})
    assert waits(first).call == ClickElement(selector="a")
    assert waits(first).line == 0
    assert ran(await go_on(confined, first)).value == ["TypeError"] * 3


async def test_a_step_that_was_not_awaited_is_an_error(service):
    source = "from exhibit.flow import click\n\nasync def run():\n    click('#save')\n    return 'done'\n"
    await service.create("forgets", source)
    error = error_of(await begin_flow(service.bus, "forgets", {}))
    assert "never awaited, and so not performed: click() in line 4" in error.message


async def test_only_no_such_element_is_quiet(service):
    source = "from exhibit.flow import try_click\n\nasync def run():\n    return await try_click('#cookies')\n"
    await service.create("quiet", source)
    first = waits(await begin_flow(service.bus, "quiet", {}))
    assert first.call == ClickElement(selector="#cookies", if_shown=True)
    assert ran(await go_on(service, first, False)).value is False


async def test_a_flow_that_is_only_invoked_gets_no_browser_where_no_host_is_declared(service):
    await service.create("stopped", STOPPED)
    assert error_of(await invoke_workflow(service.bus, "stopped", {"catch": False})).type == "PermissionError"


async def test_another_number_and_another_flow_are_refused(service):
    await service.create("stopped", STOPPED)
    first = waits(await begin_flow(service.bus, "stopped", {"catch": True}))
    with raises_code(PermanentError, "other_call"):
        await resume_flow(service.bus, msgspec.structs.replace(first, number=2), FlowAnswer())
    with raises_code(PermanentError, "unknown_flow"):
        await resume_flow(service.bus, msgspec.structs.replace(first, flow_id="other"), FlowAnswer())
    assert ran(await go_on(service, first)).value == "clicked"
    with raises_code(PermanentError, "unknown_flow"):
        await go_on(service, first)


LOOKS = """
    import os
    import socket

    async def run(port: int) -> list:
        told = [dict(os.environ)]
        for look in (
            lambda: open(f"/proc/{os.getppid()}/environ").read(),
            lambda: socket.create_connection(("127.0.0.1", port), 2),
        ):
            try:
                told.append(repr(look()))
            except OSError:
                told.append("refused")
        return told
"""


@pytest.mark.system
async def test_a_flow_finds_no_key_of_a_model_and_no_way_to_one(confined, monkeypatch):
    """As any workflow code does: what else it may try is in execution/test_escapes.py."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-model")
    await confined.create("looks", LOOKS)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        end = ran(await begin_flow(confined.bus, "looks", {"port": listener.getsockname()[1]}))
    assert end.value == [{}, "refused", "refused"]


LOOPS = """
    from exhibit.flow import count

    async def run(first: bool) -> int:
        if first:
            await count("li")
        while True:
            pass
"""


async def test_a_flow_that_never_returns_is_ended_and_says_so(service, clock: LoopClock):
    await service.create("loops", LOOPS)
    assert error_of(await begin_flow(service.bus, "loops", {"first": False}, timeout_s=0.2)).code == "timeout"
    first = await begin_flow(service.bus, "loops", {"first": True}, timeout_s=60)
    assert error_of(await clock.run_out(go_on(service, first, 3))).code == "timeout"


async def test_the_time_in_which_a_call_is_performed_is_not_the_flows(service, clock: LoopClock):
    await service.create("stopped", STOPPED)
    first = await begin_flow(service.bus, "stopped", {"catch": True}, timeout_s=60)
    clock.skip(600)
    assert ran(await go_on(service, first)).value == "clicked"


async def test_a_flow_that_nobody_answers_is_ended(service, clock: LoopClock):
    await service.create("stopped", STOPPED)
    first = await begin_flow(service.bus, "stopped", {"catch": True}, patience_s=60)
    clock.skip(61)
    await asyncio.to_thread(until, lambda: not service.deps.flows.count, "the flow has ended")
    with raises_code(ExhibitError, "unknown_flow"):
        await go_on(service, first)


async def until_no_process_works(service: Service) -> None:
    deps: Any = service.deps
    await asyncio.to_thread(until, lambda: not deps.executor.running and not deps.flows.count, "no process works")


@pytest.mark.system
async def test_a_flow_that_is_ended_has_no_process(confined):
    await confined.create("stopped", STOPPED)
    first = waits(await begin_flow(confined.bus, "stopped", {"catch": True}))
    assert confined.deps.executor.running >= 1
    assert confined.deps.flows.end(first.flow_id)
    assert not confined.deps.flows.end(first.flow_id)
    await until_no_process_works(confined)


@pytest.mark.system
async def test_a_turn_whose_reply_nobody_waits_for_ends_the_flow(confined):
    await confined.create("loops", LOOPS)
    first = waits(await begin_flow(confined.bus, "loops", {"first": True}))
    turn = asyncio.create_task(confined.deps.flows.resume(first.flow_id, first.number, FlowAnswer(value=1)))
    await asyncio.sleep(0)
    turn.cancel()
    await asyncio.wait([turn])
    await until_no_process_works(confined)


@pytest.mark.system
async def test_flows_that_wait_leave_the_places_of_invocations_free(tmp_path: Path):
    async with started_sandbox(max_processes=1, max_flows=3) as executor, open_service(tmp_path, executor) as service:
        await service.create("stopped", STOPPED)
        await service.create("greet", "def run() -> str:\n    return 'hello'\n")
        first = await asyncio.gather(*(begin_flow(service.bus, "stopped", {"catch": True}) for _ in range(3)))
        assert (await invoke_workflow(service.bus, "greet", {})).value == "hello"
        ends = await asyncio.gather(*(go_on(service, one) for one in first))
    assert [ran(one).value for one in ends] == ["clicked"] * 3


async def test_over_a_real_bus_a_flow_is_resumed_where_it_waits_and_ends_with_the_service(
    nats_url: str, tmp_path: Path
):
    async with connect_bus(nats_url, name="client") as client:
        async with run_services(settings_of(tmp_path), nats_url, ("workflows",)):
            await create_workflow(client, "stopped", dedent(STOPPED))
            first, left = [waits(await begin_flow(client, "stopped", {"catch": True})) for _ in range(2)]
            assert ran(await resume_flow(client, first, FlowAnswer())).value == "clicked"
        with pytest.raises(ExhibitError) as caught:
            await resume_flow(client, left, FlowAnswer())
        assert caught.value.code in {"no_responders", "instance_gone"}
