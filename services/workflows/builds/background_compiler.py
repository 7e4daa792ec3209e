"""The compiler of a build session: one compile at a time, in a thread, beside the work."""

from __future__ import annotations

import asyncio
import difflib
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

from services.workflows.builds.workbench import now_text
from shared.contracts.questions import Question
from shared.contracts.workflows.build_events import CompilerTold
from shared.flows.building.build import BuiltFlow, compile_build
from shared.flows.building.folder import (
    CompilerLine,
    append_log,
    read_scratch_files,
    read_written,
    samples_of,
    version_of,
    write_flow_files,
)
from shared.flows.building.state import BuildState, CompileQueue, after_due, after_end
from shared.flows.checking.validation import variables_of
from shared.flows.compiling.compiler import NotCompiledError
from shared.flows.files import SOURCE_FILE
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec

Kind = Literal["started", "took", "problem", "question", "written", "unchanged", "failed"]
Ended = Callable[[int, BuiltFlow | None, str], None]
MAX_DIFF_CHARS = 20_000


class BackgroundCompiler:
    """``state``: that of the session now. ``told``: takes each line of the log. ``ended``: is told the number of events
    that a compile took in, what came of it, and how flow.py differs from before."""

    def __init__(
        self,
        folder: Path,
        spec: TaskSpec,
        state: Callable[[], BuildState],
        told: Callable[[CompilerTold], None],
        ended: Ended,
    ) -> None:
        self._folder, self._spec, self._state, self._told, self._ended = folder, spec, state, told, ended
        self._loop = asyncio.get_running_loop()
        self._queue = CompileQueue()
        self._task: asyncio.Task[None] | None = None
        self.last: BuiltFlow | None = None
        self.questions: tuple[Question, ...] = ()

    def compile_due(self, why: str) -> None:
        """Compile as soon as no other compile runs. Returns at once."""
        self._queue, starts = after_due(self._queue, why)
        if starts:
            self._task = asyncio.create_task(self._work(why))

    async def drain(self) -> None:
        """Wait until no compile runs and none is due."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    async def _work(self, why: str) -> None:
        while why:
            state = self._state()
            built: BuiltFlow | None = None
            before = _source(self._folder)
            try:
                built = await asyncio.to_thread(self._compile, state, why)
            except Exception as exc:  # noqa: BLE001  whatever it is, the work goes on
                self._log("failed", f"{type(exc).__name__}: {exc}")
            if built is not None:
                self.last, self.questions = built, built.questions
            diff = "" if built is None else diff_of(before, built.flow.source)
            self._ended(state.events, built, diff)
            self._queue, why = after_end(self._queue)

    def _compile(self, state: BuildState, why: str) -> BuiltFlow | None:
        started_s = time.perf_counter()
        self._log("started", why)
        files, unread = read_scratch_files(self._folder)
        samples = usable_samples(samples_of(self._folder), state)
        for text in unread:
            self._log("took", text)
        if not samples:
            self._log("failed", "nothing was recorded yet")
            return None
        try:
            built = compile_build(self._spec, state, samples, files, read_written(self._folder))
        except NotCompiledError as exc:
            self._log("failed", str(exc))
            return None
        for text in built.told:
            self._log("took", text)
        for text in built.flow.problems:
            self._log("problem", text)
        for text in built.flow.remarks:
            self._log("problem", text)
        for question in built.questions:
            self._log("question", question.text)
        changed = write_flow_files(
            self._folder, built.flow, variables_of(built.flow, samples[0].row), f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
        )
        told = f"workspace/flow.py, of {len(built.samples)} {'row' if len(built.samples) == 1 else 'rows'}"
        told += f"; a draft, {len(built.flow.problems)} reasons" if built.flow.problems else ""
        elapsed_s = round(time.perf_counter() - started_s, 3)
        self._log("written" if changed else "unchanged", told, version_of(built.flow), elapsed_s)
        return built

    def _log(self, kind: Kind, text: str, version: str = "", elapsed_s: float = 0.0) -> None:
        """Write a line, and tell it: a compile works in a thread, and is told in the loop."""
        line = CompilerLine(at=now_text(), kind=kind, text=text, version=version, elapsed_s=elapsed_s)
        append_log(self._folder, line)
        told = CompilerTold(at=line.at, kind=kind, text=text, version=version, elapsed_s=elapsed_s)
        self._loop.call_soon_threadsafe(partial(self._told, told))


def usable_samples(samples: Mapping[str, Recording], state: BuildState) -> list[Recording]:
    """Return the finished rows in order, without that which the published flow was proven on;
    until one is finished, the row that is worked on."""
    if state.finished:
        return [samples[one] for one in state.finished if one in samples and one != state.held_out]
    return [samples[state.sample_id]] if state.sample_id in samples and samples[state.sample_id].steps else []


def diff_of(before: str, after: str) -> str:
    """Return how flow.py differs; empty where it does not, or by more than is told."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "now", lineterm="")
    diff = "\n".join(lines)
    return diff if len(diff) <= MAX_DIFF_CHARS else ""


def _source(folder: Path) -> str:
    path = folder / SOURCE_FILE
    return path.read_text(encoding="utf-8") if path.exists() else ""
