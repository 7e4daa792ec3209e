"""The code of a flow in each executor: its functions, its files, its time."""

from __future__ import annotations

import asyncio

import pytest

from services.workflows.invocations.run_clock import RunClock
from services.workflows.ports import HostCallError, Job, Limits
from tests.handlers.workflows.execution.worlds import WorldHost, raises

pytestmark = pytest.mark.asyncio(loop_scope="session")

MAPPINGS = "workspace/dropdown_mappings.json"


async def test_each_function_is_one_call_with_its_line_and_section(world):
    world.answers["flow.click"] = lambda _: None
    world.answers["flow.section"] = lambda _: None
    source = """
    from exhibit.flow import by_role, click, section

    @section
    async def save(name: str) -> None:
        await click(by_role("button", name))

    async def run() -> None:
        await save('Say "hi"')
    """
    await world.value(source)
    entered, clicked = world.calls
    assert (entered.namespace, entered.method, dict(entered.arguments)) == (
        "flow",
        "section",
        {"arguments": {"name": "save"}, "line": 9, "section": ""},
    )
    assert (clicked.method, dict(clicked.arguments)) == (
        "click",
        {
            "arguments": {"selector": 'role=button[name="Say \\"hi\\""]', "irreversible": False},
            "line": 6,
            "section": "save",
        },
    )


async def test_what_is_raised_because_of_a_refused_call_has_its_code(world):
    world.answers["flow.click"] = raises(HostCallError("FlowStopped", "gone", flow_code="element_missing"))
    source = """
    from servers.browser_tools import click
    from exhibit.flow import FlowStopped
    async def run():
        try:
            await click(selector="#a")
        except FlowStopped as error:
            raise RuntimeError(str(error)) from error
    """
    because = await world.failure(source)
    assert (because.type, because.message, because.flow_code) == ("RuntimeError", "gone", "element_missing")


async def test_a_code_that_the_flow_makes_up_is_not_taken(world):
    source = """
    from exhibit.flow import FlowStopped
    def run():
        raise FlowStopped("mine", "wrong_record")
    """
    failure = await world.failure(source)
    assert (failure.type, failure.flow_code) == ("FlowStopped", "")


async def test_flows_do_not_share_what_they_wait_for(world):
    world.answers["flow.count"] = lambda call: call["line"]
    source = """
    import asyncio
    from exhibit.flow import count

    async def run() -> list:
        return await asyncio.gather(count("a"),
                                    count("b"))
    """
    outcomes = await asyncio.gather(*(world.value(source) for _ in range(5)))
    assert len(outcomes) == 5
    assert all(len(one) == 2 and all(line > 0 for line in one) for one in outcomes)


async def test_the_mappings_of_the_flow_are_there(world):
    source = "from exhibit.flow import load_mappings\nasync def run():\n    return load_mappings()\n"
    job = Job("sample", source, {}, Limits(), {MAPPINGS: '{"status": {"options": {}}}'})
    outcome = await world.executor.execute(job, WorldHost(world))
    assert outcome.value == {"status": {"options": {}}}
    assert (await world.value(source)) == {}


@pytest.mark.system
async def test_no_file_of_the_project_can_be_read_to_import_it(sandbox):
    source = """
    def run() -> list:
        import exhibit, exhibit.flow, servers.browser_tools
        found = []
        for name in ("exhibit.flow.standalone", "servers.other", "shared.flows.files", "services.workflows.session"):
            try:
                __import__(name)
                found.append(name)
            except ImportError:
                pass
        return found
    """
    assert await sandbox.value(source) == []


async def test_the_clock_stands_still_in_the_block_and_goes_on_after_it():
    clock = RunClock(60.0)
    with clock.stopped():
        left = clock.left_s
        await asyncio.to_thread(lambda: None)
        assert clock.left_s == left
        with clock.stopped():
            pass
        assert clock.left_s == left
    async with clock.limit(60.0):
        with clock.stopped():
            pass
    with pytest.raises(TimeoutError):
        async with clock.limit(0.01):
            await asyncio.Event().wait()
