"""Processes that tests inspect; they may start and end meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import psutil

from tests.waiting import LONGEST_S, until


def command(process: psutil.Process) -> list[str]:
    """Return the command line; empty if the process has ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def family_with(pid: int, wanted: Callable[[list[str]], bool]) -> list[psutil.Process]:
    """Return all descendants of ``pid``, once the command of one of them is ``wanted``."""

    def look() -> list[psutil.Process]:
        family = psutil.Process(pid).children(recursive=True)
        return family if any(wanted(command(process)) for process in family) else []

    return until(look, f"such a process below {pid}")


def living(processes: Sequence[psutil.Process]) -> list[psutil.Process]:
    """Return those that still run after the wait; zombies do not count."""
    left = psutil.wait_procs(list(processes), timeout=LONGEST_S / 2)[1]
    return [process for process in left if _runs(process)]


def _runs(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
