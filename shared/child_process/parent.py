"""Child processes as their parent sees them: started, spoken to and ended.

A Python child runs in isolated mode (``-I``: no user packages, no ``PYTHON*`` variables) and in a session of its own,
so that Ctrl-C in a terminal reaches the parent alone. Parent and child exchange frames over the child's standard input
and output: four bytes of length, big-endian, and so many bytes. A child that reads frames ends with its parent, however
that ends, because its standard input does.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from shared.child_process.child import LENGTH, read_frame, write_frame


async def start_python(
    *arguments: str,
    stdin: int | IO[bytes] | None = subprocess.PIPE,
    stdout: int | None = subprocess.PIPE,
    stderr: int | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Process:
    """Start ``python -I arguments...``; ``env`` None hands on the whole environment, ``stderr`` None our own."""
    return await asyncio.create_subprocess_exec(
        *_python(*arguments), stdin=stdin, stdout=stdout, stderr=stderr, env=env, cwd=cwd, start_new_session=True
    )


async def kill_and_wait(process: Process) -> None:
    """Kill the child if it still runs, and wait until it has ended."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    await process.wait()
    if process.stdin is not None:
        process.stdin.close()


async def exchange(process: Process, request: bytes, timeout_s: float) -> bytes | None:
    """Send one frame and return the frame that answers it; None when the child ends first or takes too long."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        async with asyncio.timeout(timeout_s):
            process.stdin.write(LENGTH.pack(len(request)) + request)
            await process.stdin.drain()
            (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
            return await process.stdout.readexactly(length)
    except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
        return None


class ChildProcess:
    """``python -I -m module`` for a caller that may block. Its standard error is ours."""

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603  this project's own module
            _python("-m", module), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )

    def send(self, *parts: bytes, flush: bool = True) -> None:
        """Send one frame. Raises BrokenPipeError when the child reads no more."""
        write_frame(self._stdin, *parts)
        if flush:
            self._stdin.flush()

    def close_input(self) -> None:
        """Send what is buffered; no frame follows. Raises BrokenPipeError when the child reads no more."""
        self._stdin.close()

    def receive(self) -> bytes | None:
        """Return the next frame of the child, or None when it has ended."""
        assert self._process.stdout is not None
        return read_frame(self._process.stdout)

    def wait(self) -> int:
        """Wait until the child has ended, and return its exit code (-9: killed)."""
        return self._process.wait()

    def close(self) -> None:
        """Kill the child if it still runs, and close both pipes. Idempotent."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin


def _python(*arguments: str) -> list[str]:
    return [sys.executable, "-I", *arguments]
