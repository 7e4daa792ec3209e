"""What many tests share: one real nats-server for the whole run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from shared.host.nats_server import nats_server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def nats_url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    store: Path = tmp_path_factory.mktemp("jetstream")
    async with nats_server(store) as url:
        yield url
