"""Reads the beginning of one file, within limits the kernel keeps: ``python -m ... pdf|xlsx < FILE > TEXT``."""

from __future__ import annotations

import ctypes
import io
import resource
import signal
import sys

from services.browser_pool import previews

CPU_S = 8
WALL_S = 20
MEMORY_BYTES = 1 << 30


def limit() -> None:
    """From here on a file can end this process, and do nothing else."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    signal.alarm(WALL_S)


def end_with_parent() -> None:
    """A pool that is killed leaves none of these behind, where the kernel is Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def main() -> None:
    end_with_parent()
    limit()
    file = io.BufferedReader(io.FileIO(0, closefd=False))
    read = previews.pdf_text if sys.argv[1] == "pdf" else previews.workbook_text
    text = previews.clipped(read(file))
    sys.stdout.buffer.write((text or "").encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
