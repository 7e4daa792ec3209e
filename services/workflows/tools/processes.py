"""Runs one program: without a shell, in a folder and with an environment of its own, within time and output."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from shared.child_process.child import die_with_parent
from shared.network.checked_transport import TooMuchOutput

TAIL_BYTES = 4000
"""Of standard error, what is kept: its end."""
_PIECE_BYTES = 65536


@dataclass(frozen=True)
class Finished:
    code: int
    stdout: bytes
    stderr_tail: bytes


async def run_program(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    folder: Path,
    stdin: bytes,
    output_bytes: int,
    timeout_s: float,
) -> Finished:
    """Return how the program ended. It, and every process of its group, has ended then, whatever happens.

    Raises OSError (it cannot be started), TimeoutError, TooMuchOutput.
    """
    stdout, for_stdout = open_pipe()
    stderr, for_stderr = open_pipe()
    with stdout, stderr:
        with tempfile.TemporaryFile() as given, for_stdout, for_stderr:
            given.write(stdin)
            given.seek(0)
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=given,
                stdout=for_stdout,
                stderr=for_stderr,
                env=dict(env),
                cwd=folder,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        try:
            async with asyncio.timeout(timeout_s), pipe_reader(stdout) as output, pipe_reader(stderr) as errors:
                return await _watch(process, output, errors, output_bytes)
        finally:
            kill_group(process.pid)
            await process.wait()


def open_pipe() -> tuple[IO[bytes], IO[bytes]]:
    """Return the reading and the writing end. With pipes of asyncio `wait` would last until every process has closed
    them."""
    reading, writing = os.pipe()
    return os.fdopen(reading, "rb", buffering=0), os.fdopen(writing, "wb", buffering=0)


@asynccontextmanager
async def pipe_reader(pipe: IO[bytes], limit: int = _PIECE_BYTES) -> AsyncGenerator[asyncio.StreamReader]:
    """Yield a reader of this end; ``limit``: the longest line."""
    reader = asyncio.StreamReader(limit=limit)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    try:
        yield reader
    finally:
        transport.close()


def kill_group(leader: int) -> None:
    """Kill every process of a group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


async def _watch(
    process: Process, stdout: asyncio.StreamReader, stderr: asyncio.StreamReader, output_bytes: int
) -> Finished:
    try:
        async with asyncio.TaskGroup() as group:
            output = group.create_task(_read_whole(stdout, output_bytes))
            tail = group.create_task(_read_tail(stderr))
            code = await process.wait()
            kill_group(process.pid)  # what it left running would hold the pipes open
    except ExceptionGroup as exc:
        raise TooMuchOutput(f"it wrote more than {output_bytes} bytes") from exc
    return Finished(code, output.result(), tail.result())


async def _read_whole(reader: asyncio.StreamReader, limit: int) -> bytes:
    data = bytearray()
    while piece := await reader.read(_PIECE_BYTES):
        data += piece
        if len(data) > limit:
            raise TooMuchOutput
    return bytes(data)


async def _read_tail(reader: asyncio.StreamReader) -> bytes:
    tail = b""
    while piece := await reader.read(_PIECE_BYTES):
        tail = (tail + piece)[-TAIL_BYTES:]
    return tail
