"""The peak memory of a process and its children, by sampling."""

from __future__ import annotations

import threading
from types import TracebackType

import psutil

EVERY_S = 0.05


class PeakMemory:
    """Context manager that samples memory.

    After ``with PeakMemory(pid) as peak``, ``python_mb`` and ``tree_mb`` are the peaks (USS, so pages shared between
    browser processes count once).
    """

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.python_mb = 0.0
        self.tree_mb = 0.0

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(EVERY_S):
            try:
                sizes = tree_sizes_mb(self._root)
            except psutil.NoSuchProcess:
                return
            self.python_mb = max(self.python_mb, sizes[0])
            self.tree_mb = max(self.tree_mb, sum(sizes))


def tree_mb(root: psutil.Process) -> float:
    return sum(tree_sizes_mb(root))


def tree_sizes_mb(root: psutil.Process) -> list[float]:
    """Return the memory of a process (first) and of its descendants."""
    return [_uss_mb(process) for process in (root, *root.children(recursive=True))]


def _uss_mb(process: psutil.Process) -> float:
    try:
        return float(process.memory_full_info().uss) / 1e6
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return 0.0
