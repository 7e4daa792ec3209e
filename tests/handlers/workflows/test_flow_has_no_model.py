"""The process of a flow has no key of a model and no way to one: its code looks for both, in the real sandbox."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from shared.bus.nats_bus import connect_bus
from shared.client.workflow_calls import begin_flow, create_workflow
from shared.contracts.workflows.invocations import WorkflowRan
from shared.contracts.workflows.library import WorkflowCreated
from shared.host.services import run_services
from tests.handlers.workflows.service_settings import settings_of

KEY = "key-of-a-model-0a1b2c"
LOOKS = f'''
import asyncio
import os
import socket

from exhibit.flow import open_page, run_flow


def outcome(what) -> str:
    try:
        return f"done: {{what()!r}}"
    except BaseException as exc:
        return type(exc).__name__


def files_with_key(top: str) -> list[str]:
    found, unread = [], []
    for folder, _, names in os.walk(top):
        for name in names:
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    if b"{KEY[:12]}" + b"{KEY[12:]}" in file.read(1_000_000):
                        found.append(name)
            except OSError as exc:
                unread.append(str(exc))
    return found


async def run(secret: str, port: int) -> dict[str, object]:
    """Look for a key and for a way out."""
    return {{
        "environment": dict(os.environ),
        "of the service": outcome(lambda: open(f"/proc/{{os.getppid()}}/environ", "rb").read()),
        "secret": outcome(lambda: open(secret).read()),
        "with the key": files_with_key(".") + files_with_key(os.path.dirname(secret)),
        "address": outcome(lambda: socket.create_connection(("127.0.0.1", port), 2)),
        "name": outcome(lambda: socket.create_connection(("api.anthropic.com", 443), 2)),
        "datagram": outcome(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port))),
        "local": outcome(lambda: socket.socket(socket.AF_UNIX).connect("/var/run/any.sock")),
    }}


async def main() -> None:
    await run_flow(run)
'''


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Accepts connections: outside of the sandbox there is a way."""
    with socket.create_server(("127.0.0.1", 0)) as made:
        made.settimeout(0)
        yield made


@pytest.fixture
async def bus(nats_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    async with (
        run_services(settings_of(tmp_path), nats_url, ("workflows",)),
        connect_bus(nats_url, name="client") as client,
    ):
        yield client


async def test_a_flow_finds_no_key_and_reaches_nothing(bus, tmp_path, listener):
    secret = tmp_path / "keys" / ".env"
    secret.parent.mkdir()
    secret.write_text(f"ANTHROPIC_API_KEY={KEY}\n")
    for folder in (secret.parent, tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    created = await create_workflow(bus, "looks", LOOKS)
    assert isinstance(created, WorkflowCreated), created
    port = listener.getsockname()[1]
    ran = await begin_flow(bus, "looks", {"secret": str(secret), "port": port})
    assert isinstance(ran, WorkflowRan)
    assert ran.error is None, ran.error
    told = ran.value
    assert told["environment"] == {}
    assert told["with the key"] == []
    for attempt in ("of the service", "secret", "address", "name", "datagram", "local"):
        assert not told[attempt].startswith("done"), (attempt, told[attempt])
    with pytest.raises(BlockingIOError):
        listener.accept()
    with socket.create_connection(("127.0.0.1", port), 2):  # what the flow tried can be done outside of the sandbox
        accepted, _ = listener.accept()
        accepted.close()
    assert KEY in secret.read_text()
