"""What a child process does for itself: frames, limits, and ending with its parent.

It imports neither asyncio nor subprocess, which would take as long to load as all else that a small child needs.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from typing import IO, BinaryIO

LENGTH = struct.Struct(">I")
_PR_SET_PDEATHSIG = 1


def write_frame(to: IO[bytes], *parts: bytes) -> None:
    """Write one frame that consists of ``parts``. The caller flushes."""
    to.write(LENGTH.pack(sum(map(len, parts))))
    for part in parts:
        to.write(part)


def read_frame(source: IO[bytes]) -> bytes | None:
    """Return the next frame, or None when the other side has ended, be it in the middle of a frame."""
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    data = source.read(length)
    return data if len(data) == length else None


def take_stdout() -> BinaryIO:
    """Return standard output as a stream for frames; what libraries print goes to standard error from now on."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return replies


def limit_resources(*, memory_bytes: int, file_bytes: int, cpu_s: int | None = None, wall_s: int | None = None) -> None:
    """Have the kernel limit this process; no core is dumped.

    Args:
        memory_bytes: address space, which is more than the memory in use.
        file_bytes: size of any file it writes; a write beyond that raises OSError.
        cpu_s: processor time, wall_s: time by the clock; beyond either the process is killed.
    """
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if cpu_s is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    if wall_s is not None:
        signal.alarm(wall_s)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends. Only Linux can; elsewhere this does nothing.

    The parent is the thread that started this process: call it only in children of a thread that lives as long as its
    process. For a program that is not ours it serves as ``preexec_fn``.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
