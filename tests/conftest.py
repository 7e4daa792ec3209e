"""Shared fixtures: one real nats-server for the whole run, and a block on live models."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import settings
from playwright.async_api import expect

from shared.host.nats_server import nats_server
from shared.settings import Settings
from tests.order import slow_first

SYSTEM_FOLDERS = ("browser", "container", "drift", "end_to_end", "forged", "orders", "practice_sites", "real")
"""Folders all of whose tests start processes."""
SYSTEM_FIXTURES = frozenset({"nats_url"})
"""Fixtures that start a process."""
NOBODY = "http://127.0.0.1:9"
"""Default model endpoint of tests without their own: no server listens there."""

# Before anything is imported that reads them, and for processes that tests start. A key in an .env file is none in
# this process; another process could only send it to NOBODY.
for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
    os.environ.pop(name, None)
os.environ["ANTHROPIC_BASE_URL"] = NOBODY
Settings.model_config["env_file"] = None
expect.set_options(timeout=30_000)  # ms; what a busy machine takes for what another one does at once
# The same examples each time, as long as they take, wherever the tests run; `make test-long` takes many.
settings.register_profile("few", settings.get_profile("ci"), max_examples=30)
settings.register_profile("many", settings.get_profile("ci"), max_examples=600)
settings.load_profile("few")


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
    """Keep what tests leave behind apart from what the user of this checkout has: keys of servers, the last run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state-home")))
        patch.setenv("EXHIBIT_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)  # around the selection by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, object, object]:
    """Mark the tests that start processes: those of some folders, and those of some fixtures. Put slow tests first."""
    folders = [Path(__file__).parent / name for name in SYSTEM_FOLDERS]
    in_folder = {path for path in {item.path for item in items} if any(map(path.is_relative_to, folders))}
    for item in items:
        if item.path in in_folder or SYSTEM_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("system")
    selected = yield
    if workers := os.environ.get("PYTEST_XDIST_WORKER_COUNT"):
        items[:] = slow_first(items, int(workers))
    return selected


_starts = {"allowed": True}


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("subprocess.Popen", "os.posix_spawn", "os.fork") and not _starts["allowed"]:
        raise RuntimeError(f"a test that is not marked `system` starts a process: {arguments[:1]}")


sys.addaudithook(_audit)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Fail on processes that a test starts without the mark `system`."""
    _starts["allowed"] = item.get_closest_marker("system") is not None
    try:
        return (yield)
    finally:
        _starts["allowed"] = True


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def nats_url(own_state_folder: None, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    store: Path = tmp_path_factory.mktemp("jetstream")
    async with nats_server(store) as url:
        yield url
