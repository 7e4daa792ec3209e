"""A pipe that standard output and error of a process share, with a reader that begins late."""

from __future__ import annotations

import fcntl
import os
import select
import subprocess
from collections.abc import Mapping, Sequence
from types import TracebackType

from tests.waiting import until


class SharedPipe:
    """`command 2>&1 | reader`. With ``blocks`` False it is non-blocking, as some children leave what they inherit."""

    def __init__(self, *, blocks: bool, size_bytes: int = 65536) -> None:
        self._read, self._write = os.pipe()
        fcntl.fcntl(self._write, fcntl.F_SETPIPE_SZ, size_bytes)
        os.set_blocking(self._write, blocks)

    def __enter__(self) -> SharedPipe:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for end in (self._write, self._read):
            if end >= 0:
                os.close(end)

    def start(self, command: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._write, stderr=self._write, env=env, start_new_session=True
        )

    def wait_until_full(self) -> None:
        until(lambda: not select.select([], [self._write], [], 0)[1], "a full pipe")

    def read(self) -> bytes:
        """Return all that is written until the process has ended."""
        os.close(self._write)
        self._write = -1
        with os.fdopen(self._read, "rb", closefd=False) as reader:
            return reader.read()
