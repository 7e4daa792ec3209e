"""Worlds with both executors."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.handlers.workflows.execution.worlds import Sandboxes, World, in_process_world

WITHOUT_NAMESPACES = ("processes", "network", "mounts", "threads")
"""Layers that containers often cannot have."""
BOTH = [pytest.param("sandbox", marks=pytest.mark.system), "in process"]


@pytest_asyncio.fixture(loop_scope="session", params=BOTH)
async def world(request: pytest.FixtureRequest, sandboxes: Sandboxes) -> AsyncGenerator[World]:
    """Both executors: workflow code finds no difference."""
    if request.param == "sandbox":
        yield World(await sandboxes.started())
    else:
        async with in_process_world() as made:
            yield made


@pytest_asyncio.fixture(loop_scope="session")
async def sandbox(sandboxes: Sandboxes) -> World:
    """With all layers of isolation."""
    return World(await sandboxes.started())


@pytest_asyncio.fixture(loop_scope="session", params=[(), WITHOUT_NAMESPACES], ids=["all layers", "no namespaces"])
async def confined(request: pytest.FixtureRequest, sandboxes: Sandboxes) -> World:
    """With all layers of isolation, and with those alone that need no right and no namespace."""
    return World(await sandboxes.started(*request.param))


@pytest_asyncio.fixture(loop_scope="session")
async def trusted() -> AsyncGenerator[World]:
    async with in_process_world() as made:
        yield made
