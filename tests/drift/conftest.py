"""One system for each module, with a library of its own, whose samples are worked out by rules."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from shared.client import Client
from shared.host.services import run_embedded
from shared.testing.settings import library_settings


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Client]:
    async with run_embedded(library_settings(tmp_path_factory.mktemp("system"), planner="rules")) as client:
        yield client
