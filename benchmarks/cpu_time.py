"""The processor time of a process and of all that it starts, by kind of process, by sampling.

Unlike seconds on a clock it says something on a machine that others use too.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from types import TracebackType

import psutil

EVERY_S = 0.05


class CpuTime:
    """Context manager that samples processor time. After it, ``seconds`` has that of each kind of process.

    What a process takes after its last sampling is missed: at most ``EVERY_S`` of each.
    """

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._taken: dict[tuple[int, float], float] = {}
        self._kinds: dict[tuple[int, float], str] = {}
        self.seconds: dict[str, float] = defaultdict(float)

    def __enter__(self) -> CpuTime:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        for process, seconds in self._taken.items():
            self.seconds[self._kinds[process]] += seconds

    def _watch(self) -> None:
        while not self._stop.wait(EVERY_S):
            try:
                tree = [self._root, *self._root.children(recursive=True)]
            except psutil.NoSuchProcess:
                return
            for process in tree:
                self._sample(process)

    def _sample(self, process: psutil.Process) -> None:
        try:
            key = (process.pid, process.create_time())
            times, command = process.cpu_times(), process.cmdline()
        except (psutil.NoSuchProcess, psutil.ZombieProcess, psutil.AccessDenied):
            return
        self._taken[key] = times.user + times.system
        if command or key not in self._kinds:  # one that ends has no command any more
            self._kinds[key] = kind_of(command)


def kind_of(command: list[str]) -> str:
    """Return the kind of a process of the system or of a Playwright script, by its command line."""
    # A process of the browser may have all of its arguments in the first.
    words = " ".join(command).split()
    program = words[0].rpartition("/")[2] if words else ""
    if "chrom" in program or "headless_shell" in program:
        type_ = next((word.removeprefix("--type=") for word in words if word.startswith("--type=")), "browser")
        return f"Chromium, {type_}"
    if program == "node":
        return "Playwright's driver"
    if program == "nats-server":
        return "nats-server"
    if "services.workflows.execution.child.zygote" in words:
        return "Python, flows"
    return "Python" if program.startswith("python") else "others"
