from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from tests.handlers.workflows.execution.worlds import World, in_process_world, sandbox_world


@pytest.fixture(params=["sandbox", "in process"])
async def world(request: pytest.FixtureRequest) -> AsyncGenerator[World]:
    """Both executors: workflow code finds no difference."""
    async with sandbox_world() if request.param == "sandbox" else in_process_world() as made:
        yield made


@pytest.fixture
async def sandbox() -> AsyncGenerator[World]:
    async with sandbox_world() as made:
        yield made


@pytest.fixture
async def trusted() -> AsyncGenerator[World]:
    async with in_process_world() as made:
        yield made
