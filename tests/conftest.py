"""Shared fixtures: one real nats-server for the whole run, and a block on live models."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import settings
from playwright.async_api import expect

from shared.host.nats_server import nats_server
from shared.settings import Settings

NOBODY = "http://127.0.0.1:9"
"""Default model endpoint of tests without their own: no server listens there."""

# Before anything is imported that reads them, and for processes that tests start. A key in an .env file is none in
# this process; another process could only send it to NOBODY.
for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
    os.environ.pop(name, None)
os.environ["ANTHROPIC_BASE_URL"] = NOBODY
Settings.model_config["env_file"] = None
expect.set_options(timeout=30_000)  # ms; what a busy machine takes for what another one does at once
settings.load_profile("ci")  # the same examples each time, as long as they take, wherever the tests run


@pytest.fixture(scope="session", autouse=True)
def only_this_machine() -> Iterator[None]:
    """Fail on connections of the test process to other machines."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not is_here(str(address[0])):
            raise RuntimeError(f"a test connects to {address[0]}: only this machine is open to tests")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


def is_here(host: str) -> bool:
    return host == "localhost" or ipaddress.ip_address(host.partition("%")[0]).is_loopback


@pytest.fixture(scope="session", autouse=True)
def own_state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the keys of servers that tests start apart from those of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state-home")))
        yield


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def nats_url(own_state_folder: None, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    store: Path = tmp_path_factory.mktemp("jetstream")
    async with nats_server(store) as url:
        yield url
