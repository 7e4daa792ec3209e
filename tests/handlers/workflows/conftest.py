"""Each storage, and the sandbox, which is started once for a worker: each invocation has its own process all the same.

What runs in the sandbox is tested in the loop of the session, in which it lives:
``pytest.mark.asyncio(loop_scope="session")``.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from services.workflows.library.storage.bus import BusStorage
from services.workflows.library.storage.library_folder import FolderStorage
from shared.bus.nats_bus import connect_bus
from shared.testing.bus import MemoryBus
from tests.handlers.workflows.execution.worlds import Sandboxes
from tests.handlers.workflows.storages import OpenStorage
from tests.handlers.workflows.tool_bench import ToolBench
from tests.loop_clock import LoopClock


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def sandboxes() -> AsyncGenerator[Sandboxes]:
    async with AsyncExitStack() as stack:
        yield Sandboxes(stack)


@pytest_asyncio.fixture(loop_scope="session")
async def clock() -> LoopClock:
    """The clock by which time limits are kept in the loop of the session."""
    return LoopClock()


@pytest.fixture
def bus_url(request: pytest.FixtureRequest) -> str:
    """The address of the real bus, for a test that has the mark `system`; others have none."""
    return request.getfixturevalue("nats_url") if request.node.get_closest_marker("system") else ""


@pytest.fixture
def bench(tmp_path: Path) -> ToolBench:
    return ToolBench(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder of workflows."""
    path = tmp_path / "workflows"
    path.mkdir()
    return path


@pytest.fixture(params=["folder", "fake bus", pytest.param("bus", marks=[pytest.mark.system, pytest.mark.long])])
async def opened(request: pytest.FixtureRequest, tmp_path: Path, bus_url: str) -> AsyncIterator[OpenStorage]:
    if request.param == "folder":
        folder = tmp_path / "workflows"
        yield OpenStorage(FolderStorage(folder), lambda: FolderStorage(folder))
    elif request.param == "fake bus":
        fake = MemoryBus()
        yield OpenStorage(BusStorage(fake), lambda: BusStorage(fake))
    else:
        async with connect_bus(bus_url, name="one") as one, connect_bus(bus_url, name="other") as other:
            yield OpenStorage(BusStorage(one), lambda: BusStorage(other))
