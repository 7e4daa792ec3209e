"""Each storage: a folder, a fake bus, and a real one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.workflows.library.storage.bus import BusStorage
from services.workflows.library.storage.folder import FolderStorage
from shared.bus.nats_bus import connect_bus
from shared.testing.bus import MemoryBus
from tests.handlers.workflows.storages import OpenStorage


@pytest.fixture(params=["folder", "fake bus", "bus"])
async def opened(request: pytest.FixtureRequest, tmp_path: Path, nats_url: str) -> AsyncIterator[OpenStorage]:
    if request.param == "folder":
        folder = tmp_path / "workflows"
        yield OpenStorage(FolderStorage(folder), lambda: FolderStorage(folder))
    elif request.param == "fake bus":
        fake = MemoryBus()
        yield OpenStorage(BusStorage(fake), lambda: BusStorage(fake))
    else:
        async with connect_bus(nats_url, name="one") as one, connect_bus(nats_url, name="other") as other:
            yield OpenStorage(BusStorage(one), lambda: BusStorage(other))
