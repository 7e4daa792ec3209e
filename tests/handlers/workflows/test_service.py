"""The library as a service: on a bus in memory, and once over a real one with the real sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.workflows import __main__ as workflows
from services.workflows.execution.in_process_executor import InProcessExecutor
from services.workflows.handlers import PAGE
from shared.bus.nats_bus import connect_bus
from shared.client.workflow_calls import (
    create_workflow,
    delete_workflow,
    get_workflow,
    invoke_workflow,
    list_workflows,
    load_history,
    search_workflows,
)
from shared.contracts.workflows.invocations import RunCode, WorkflowUse
from shared.contracts.workflows.library import WorkflowCreated, WorkflowRefused, WorkflowShown, WorkflowUnknown
from shared.errors import TransientError
from shared.host.services import run_services
from shared.streams import ARTIFACTS
from shared.subjects import RUN_CODE
from tests.handlers.workflows.service_bench import Service, open_service
from tests.handlers.workflows.service_settings import settings_of
from tests.handlers.workflows.storages import GREET, unique

OUTER = "def run(name: str) -> str:\n    return workflows.invoke('greet', name=name)\n"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    executor = InProcessExecutor()
    async with open_service(tmp_path, executor) as opened:
        yield opened
    await executor.close()


async def test_a_workflow_is_kept_found_run_and_deleted_over_the_bus(nats_url: str, tmp_path: Path):
    async with (
        run_services(settings_of(tmp_path), nats_url, ("evidence", "workflows")),
        connect_bus(nats_url, name="client") as bus,
    ):
        created = await create_workflow(bus, "greet", GREET, description="Say hello to a colleague", author="anna")
        assert isinstance(created, WorkflowCreated)
        refused = await create_workflow(bus, "greet", GREET)
        assert isinstance(refused, WorkflowRefused)
        assert [one.name for one in (await list_workflows(bus))[0]] == ["greet"]
        assert isinstance(await get_workflow(bus, f"greet@{created.workflow.hash[:10]}"), WorkflowShown)
        assert isinstance(await get_workflow(bus, "other"), WorkflowUnknown)
        assert [hit.workflow.name for hit in await search_workflows(bus, "say hello to a colleague")] == ["greet"]
        ran = await invoke_workflow(bus, "greet", {"name": "Ada"})
        assert (ran.value, ran.error, ran.hash) == ("Hello, Ada!", None, created.workflow.hash)
        assert ran.used == (WorkflowUse(name="greet", hash=created.workflow.hash),)
        source = "def run(text: str) -> dict:\n    return artifacts.save('note.txt', text, description='a note')\n"
        await create_workflow(bus, "keep", source)
        ran = await invoke_workflow(bus, "keep", {"text": "hello"})
        assert (ran.value["size_bytes"], ran.value["saved_by"]) == (5, "keep")
        assert (await bus.ask(RUN_CODE, RunCode(code="artifacts.load('note.txt')"))).value == "hello"
        assert await delete_workflow(bus, "greet", author="bert")
        assert not await delete_workflow(bus, "greet")
        assert [(one.kind, one.author) for one in await load_history(bus, "greet")] == [
            ("created", "anna"),
            ("deleted", "bert"),
        ]
        again = await invoke_workflow(bus, f"greet@{created.workflow.hash[:10]}", {})
        assert again.value == "Hello, World!"


async def test_code_runs_alone(service):
    ran = await service.bus.ask(RUN_CODE, RunCode(code="x = 6\nx * 7"))
    assert ran.value == 42
    assert (await service.bus.ask(RUN_CODE, RunCode(code="x"))).error.type == "NameError"


async def test_all_pages_are_listed(service, tmp_path):
    names = [f"w{number:04}" for number in range(PAGE + 5)]
    for name in names:
        (tmp_path / "workflows" / f"{name}.py").parent.mkdir(exist_ok=True)
        (tmp_path / "workflows" / f"{name}.py").write_text("def run() -> int:\n    return 1\n")
    assert [one.name for one in (await list_workflows(service.bus))[0]] == names


async def test_within_a_run_artifacts_are_handed_to_the_sample(service):
    await service.create("keep", "def run() -> None:\n    artifacts.save('sum.json', {'a': 1})\n")
    ran = await invoke_workflow(service.bus, "keep", {}, run_id="r1", sample_id="s1")
    assert ran.error is None
    (saved,) = ran.saved
    assert (saved.artifact.name, saved.artifact.media_type) == ("sum.json", "application/json")
    assert await service.bus.get(ARTIFACTS, saved.blob) == b'{\n "a": 1\n}'
    outside = await service.bus.ask(RUN_CODE, RunCode(code="artifacts.list()"))
    assert outside.value == []


async def test_more_requests_than_places_are_all_answered(service):
    service.deps.slots = asyncio.Semaphore(2)
    await service.create("greet", GREET)
    await service.create("outer", OUTER)
    ran = await asyncio.gather(*(invoke_workflow(service.bus, "outer", {"name": str(number)}) for number in range(9)))
    assert [one.value for one in ran] == [f"Hello, {number}!" for number in range(9)]


async def test_an_invocation_that_gets_no_slot_in_time_never_begins(service):
    service.deps.slots, service.deps.max_wait_s = asyncio.Semaphore(1), 0.01
    await service.create("keep", "def run() -> None:\n    artifacts.save('sum.json', 1)\n")
    async with service.deps.slots:
        with pytest.raises(TransientError, match="EXHIBIT_WORKFLOW_CAPACITY"):
            await invoke_workflow(service.bus, "keep", {})
        with pytest.raises(TransientError, match="EXHIBIT_WORKFLOW_CAPACITY"):
            await service.bus.ask(RUN_CODE, RunCode(code="1"))
    assert not service.deps.slots.locked()
    assert (await service.bus.ask(RUN_CODE, RunCode(code="artifacts.list()"))).value == []


async def test_two_services_share_a_library_on_the_bus_and_take_its_files(nats_url, tmp_path):
    name, other = unique("filed"), unique("created")
    (tmp_path / "workflows").mkdir()
    (tmp_path / "workflows" / f"{name}.py").write_text(GREET)
    (tmp_path / "workflows" / "broken.py").write_text("def run(:")
    settings = settings_of(tmp_path, workflow_storage="bus")
    async with connect_bus(nats_url, name="one") as one, connect_bus(nats_url, name="two") as two:
        async with workflows.open_deps(settings, one) as first, workflows.open_deps(settings, two) as second:
            await first.library.create(other, GREET)
            assert {name, other} <= {version.name for version in (await second.library.list())[0]}
            assert (await second.invoker.invoke(other, {"name": "Ada"})).outcome.value == "Hello, Ada!"
        (tmp_path / "workflows" / f"{name}.py").write_text(GREET.replace("Hello", "Hi"))
        async with workflows.open_deps(settings, one) as first:
            shown_now = await first.library.get(name)
            assert isinstance(shown_now, WorkflowShown)
            assert shown_now.source == GREET.replace("Hello", "Hi")
            assert [entry.author for entry in await first.library.history(name)] == ["file"] * 3
    assert not (tmp_path / "workflows" / ".library").exists()
