"""Programs of third-party apps, in processes of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

_START_BOUND_S = 240.0
"""On a busy machine an app with a hundred packages takes minutes to import them."""
_STOP_BOUND_S = 30.0


async def output_of(command: Sequence[str], folder: Path) -> bytes:
    """Return what the command, run in the folder, writes. Raises RuntimeError with its errors if it fails."""
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output, errors = await process.communicate()
    if process.returncode != 0:
        said = (errors or output).decode(errors="replace")
        raise RuntimeError(f"{' '.join(command[1:3])} ended with {process.returncode}:\n{said}")
    return output


@asynccontextmanager
async def served_by(command: Sequence[str], log: Path, folder: Path) -> AsyncGenerator[str]:
    """Run the command within the block; yield its first line, or its errors if there is none."""
    with log.open("wb") as sink:
        server = await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=sink)
    assert server.stdout is not None
    try:
        try:
            line = await asyncio.wait_for(server.stdout.readline(), _START_BOUND_S)
        except TimeoutError:
            line = b""
        yield line.decode().strip() or log.read_text(errors="replace")
    finally:
        await _stop(server)


async def _stop(server: asyncio.subprocess.Process) -> None:
    if server.returncode is None:
        server.terminate()
    try:
        await asyncio.wait_for(server.communicate(), _STOP_BOUND_S)
    except TimeoutError:
        server.kill()
        await server.communicate()
