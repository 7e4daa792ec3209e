"""Limits that the kernel holds for one child, and the names of the signals that end it."""

from __future__ import annotations

import math
import resource
import signal
from contextlib import suppress
from typing import Any

REPORT_BYTES = 32 * 1024**2
"""Address space beyond the limit of a child, for the report that it has met it."""
MAX_FILES_OPEN = 128
MAX_THREADS = 64

ENDED_BY = {
    int(signal.SIGXCPU): "it used all the processor time that it had",
    int(signal.SIGKILL): "it, or the machine, was short of memory, or it used all the processor time that it had",
    int(signal.SIGSEGV): "it crashed: it met its limit of memory, or a fault of an extension module",
    int(signal.SIGBUS): "it crashed: it met its limit of memory or of files",
    int(signal.SIGABRT): "it crashed: it met its limit of memory, or a fault of an extension module",
    int(signal.SIGSYS): "it made a system call of another architecture",
}


def limit_child(limits: dict[str, Any], *, cpu_s: float | None) -> None:
    """Set the limits of this process; none of them can be raised again, but for the address space of a report."""
    memory = limits["memory_bytes"]
    _limit(resource.RLIMIT_AS, memory, memory + REPORT_BYTES)
    _limit(resource.RLIMIT_FSIZE, limits["file_bytes"])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write raises OSError instead
    if cpu_s is not None:
        _limit(resource.RLIMIT_CPU, math.ceil(cpu_s), math.ceil(cpu_s) + 1)


def limit_every_child(*, count_threads: bool) -> None:
    """Set the limits that are the same for all. ``count_threads``: the user id of this process is its own."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, MAX_FILES_OPEN)
    if count_threads:
        _limit(resource.RLIMIT_NPROC, MAX_THREADS)


def allow_a_report(kind: int) -> None:
    """Lift the soft limit of this kind to the hard one."""
    with suppress(OSError, ValueError):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (hard, hard))


def _limit(kind: int, soft: int, hard: int | None = None) -> None:
    hard = soft if hard is None else hard
    with suppress(ValueError, OSError):  # macOS refuses some
        most = resource.getrlimit(kind)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(kind, (soft, hard))
