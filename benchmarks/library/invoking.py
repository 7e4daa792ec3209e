"""Invocations of workflows: how fast in the sandbox and in process, and a thousand at once.

The peer starts a Python interpreter for each invocation, without any confinement.

.venv/bin/python -m benchmarks.library.invoking
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.memory import PeakMemory
from benchmarks.report import Row, at_most, under
from services.workflows.execution.in_process_executor import InProcessExecutor
from services.workflows.execution.sandbox_executor import SandboxExecutor
from services.workflows.library.storage.library_folder import FolderStorage
from services.workflows.ports import Executor, HostCall, Job, Limits
from services.workflows.session import Session

WARM_MS, COLD_MS, IN_PROCESS_MS = 5.0, 150.0, 0.2
AT_ONCE, MEMORY_MB = 1000, 1000.0
TURNS = 200
COLD_TURNS = 5
PAUSE_S = 0.03
"""Between two warm invocations: the stock is full again."""
SOURCE = "def run(number: int = 1) -> int:\n    return number + 1\n"
PEER = "import json, sys\nexec(sys.argv[1])\nprint(json.dumps(run(**json.loads(sys.argv[2]))))"


class NoHost:
    """Answers nothing: the workflow calls nothing."""

    async def call(self, call: HostCall) -> object:
        raise AssertionError(call)


async def _run(executor: Executor, number: int = 1) -> None:
    outcome = await executor.execute(Job("add", SOURCE, {"number": number}, Limits(time_s=120.0)), NoHost())
    assert outcome.value == number + 1, outcome


async def _median_ms(work: Callable[[], Awaitable[object]], turns: int, pause_s: float = 0.0) -> float:
    times: list[float] = []
    for _ in range(turns):
        await asyncio.sleep(pause_s)
        began_s = time.perf_counter()
        await work()
        times.append(time.perf_counter() - began_s)
    return statistics.median(times) * 1000


async def _cold_ms() -> float:
    """Return the time of the first invocation of a new executor, with its start."""

    async def once() -> None:
        executor = SandboxExecutor()
        began_s = time.perf_counter()
        await _run(executor)
        times.append(time.perf_counter() - began_s)
        await executor.close()

    times: list[float] = []
    for _ in range(COLD_TURNS):
        await once()
    return statistics.median(times) * 1000


def _peer_ms(turns: int = 20) -> float:
    times: list[float] = []
    for _ in range(turns):
        began_s = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-I", "-c", PEER, SOURCE, '{"number": 1}'], capture_output=True, check=True
        )
        times.append(time.perf_counter() - began_s)
        assert done.stdout == b"2\n"
    return statistics.median(times) * 1000


async def _session_ms(folder: Path) -> float:
    """Return the time of an invocation with everything: the file is read and checked, the version is recorded."""
    async with Session(FolderStorage(folder)) as session:
        await session.add_workflow("add_one", SOURCE)
        return await _median_ms(lambda: session.invoke("add_one"), TURNS // 2, PAUSE_S)


async def _at_once() -> tuple[float, float, int]:
    """Return seconds, the peak of the memory in MB, and how many of a thousand had the right answer."""
    executor = SandboxExecutor()
    await executor.start()
    with PeakMemory(os.getpid()) as peak:
        began_s = time.perf_counter()
        ended = await asyncio.gather(*(_run(executor, number) for number in range(AT_ONCE)), return_exceptions=True)
        took_s = time.perf_counter() - began_s
    await executor.close()
    return took_s, peak.tree_mb, sum(one is None for one in ended)


async def measure() -> list[Row]:
    sandbox, in_process = SandboxExecutor(), InProcessExecutor()
    await sandbox.start()
    await _median_ms(lambda: _run(sandbox), 20, PAUSE_S)
    warm_ms = await _median_ms(lambda: _run(sandbox), TURNS, PAUSE_S)
    row_ms = await _median_ms(lambda: _run(sandbox), TURNS)
    protections = sandbox.protections
    await sandbox.close()
    await _median_ms(lambda: _run(in_process), 20)
    own_ms = await _median_ms(lambda: _run(in_process), TURNS * 5)
    await in_process.close()
    cold_ms = await _cold_ms()
    peer_ms = _peer_ms()
    with tempfile.TemporaryDirectory(prefix="exhibit-library-") as folder:
        session_ms = await _session_ms(Path(folder))
    took_s, peak_mb, right = await _at_once()
    assert not protections.missing, protections
    return [
        under(WARM_MS, "invoke, sandbox, warm: median", "ms", warm_ms, peer_ms),
        Row("the same, one right after the other", "ms", row_ms, peer_ms),
        under(COLD_MS, "invoke, sandbox, cold: with its start", "ms", cold_ms, peer_ms),
        under(IN_PROCESS_MS, "invoke, in process", "ms", own_ms),
        Row("invoke by a session: read from the folder, checked, sandboxed", "ms", session_ms, peer_ms),
        at_most(0, f"{AT_ONCE:,} at once: not answered, or wrongly", "", AT_ONCE - right),
        at_most(MEMORY_MB, f"{AT_ONCE:,} at once: peak memory of all processes", "MB", peak_mb),
        Row(f"{AT_ONCE:,} at once: time", "s", took_s),
    ]


def rows() -> list[Row]:
    return asyncio.run(measure())


if __name__ == "__main__":
    for row in rows():
        print(f"{row.what:64} {row.figure:10.2f} {'' if row.peer is None else f'{row.peer:.2f}':>8} {row.unit}")
