from __future__ import annotations

import sys
from collections.abc import AsyncGenerator

import pytest

from tests.handlers.workflows.execution.worlds import World, in_process_world, sandbox_world

NAMESPACES = ("processes", "network", "mounts", "threads")
"""Layers that containers often cannot have."""


@pytest.fixture(params=["sandbox", "in process"])
async def world(request: pytest.FixtureRequest) -> AsyncGenerator[World]:
    """Both executors: workflow code finds no difference."""
    async with sandbox_world() if request.param == "sandbox" else in_process_world() as made:
        yield made


@pytest.fixture
async def sandbox() -> AsyncGenerator[World]:
    """With all layers of isolation."""
    async with sandbox_world() as made:
        _skip_unless_protected(made)
        yield made


@pytest.fixture(params=["all layers", "without namespaces"])
async def confined(request: pytest.FixtureRequest) -> AsyncGenerator[World]:
    """With all layers of isolation, and with those alone that need no right and no namespace."""
    async with sandbox_world(without=() if request.param == "all layers" else NAMESPACES) as made:
        _skip_unless_protected(made)
        yield made


@pytest.fixture
async def trusted() -> AsyncGenerator[World]:
    async with in_process_world() as made:
        yield made


def _skip_unless_protected(world: World) -> None:
    told = world.executor.protections
    if not (told.files and told.network and told.system_calls):
        pytest.skip(f"{sys.platform} of this machine protects too little: {'; '.join(told.missing)}")
