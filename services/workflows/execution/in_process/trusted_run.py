"""One run of trusted code: its calls of the host, its output, and its time."""

from __future__ import annotations

import asyncio
import builtins
import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from services.workflows.execution.child.failures import exception_of, failure_of
from services.workflows.execution.child.output import OutputWriter
from services.workflows.execution.child.values import BadValueError, to_json, to_plain
from services.workflows.execution.in_process.threads import CodeThread, ThreadWork
from services.workflows.execution.parent.answers import artifact_bytes, ask_host, checked_answer, note_of
from services.workflows.execution.run_outcome import OutputText, RunFailures
from services.workflows.ports import BoundedTime, Host, HostCall, HostCallError, Limits, Outcome
from shared.aio import BackgroundTasks
from shared.contracts.workflows.invocations import WorkflowFailure

log = logging.getLogger(__name__)

INTERRUPT_EVERY_S = 0.05
MAX_INTERRUPTS = 200


class TrustedRun:
    """``name``: of the workflow; empty for code. Make it in the loop that answers its calls."""

    def __init__(self, name: str, host: Host, limits: Limits, bounded: BoundedTime = asyncio.timeout) -> None:
        self._name, self._host, self._limits, self._bounded = name, host, limits, bounded
        self._loop = asyncio.get_running_loop()
        self._output = OutputText(limits.output_chars)
        self._writer = OutputWriter(self._keep_output)
        self._writer.begin(limits.output_chars)
        self._failures = RunFailures(name)
        self._calling = threading.Lock()
        self._answering: asyncio.Task[Any] | None = None
        """The host's work on the call that is made; of the loop, so that none is missed when the time is up."""
        self.timed_out = False

    def builtins(self) -> dict[str, Any]:
        """Return the built-in names with a ``print`` of this run; ``sys.stdout`` is shared with the service."""

        def print_(*values: object, sep: str | None = " ", end: str | None = "\n", file: Any = None, **_: Any) -> None:
            builtins.print(*values, sep=sep, end=end, file=self._writer if file is None else file)

        print_.__name__ = "print"
        return {**vars(builtins), "print": print_}

    async def run(
        self, thread: CodeThread, work: Callable[[CodeThread], Any], sources: Mapping[str, str], tasks: BackgroundTasks
    ) -> Outcome:
        """Return what ``work`` came to. Interruptions of code that does not end go on in ``tasks``."""
        started = time.perf_counter()
        running = ThreadWork(thread, lambda thread: self._in_thread(work, thread, sources))
        value: Any = None
        try:
            async with self._bounded(self._limits.time_s):
                value, error = await running.done
        except TimeoutError:
            self.timed_out = True
            error = self._failures.timeout(self._limits.time_s)
        finally:
            if not running.done.done() or running.done.cancelled():
                self._give_up(running, tasks)
        return Outcome(value, self._output.text(), error, (time.perf_counter() - started) * 1000)

    def call(self, namespace: str, method: str, arguments: dict[str, Any]) -> Any:
        """Have the host answer. Called by workflow code, in its thread."""
        with self._calling:
            most = artifact_bytes(self._limits) if namespace == "artifacts" else self._limits.value_bytes
            try:
                plain = to_plain(arguments)
            except BadValueError as exc:
                raise TypeError(f"{namespace}.{method}() got {exc}; pass JSON values") from None
            if (size := len(to_json(plain))) > most:
                raise ValueError(f"{namespace}.{method}() got {size:,} bytes of JSON, and the limit is {most:,}")
            call = HostCall(namespace, method, plain)
            try:
                asked = asyncio.run_coroutine_threadsafe(self._ask_host(call), self._loop)
                answer = checked_answer(call, asked.result(), most)
            except HostCallError as exc:
                number = self._failures.add_call(exc.failure, exc.flow_code)
                raise exception_of(exc.type, str(exc), note_of(exc.failure), number, exc.flow_code) from None
            self._failures.add_call(None)
            return answer

    async def _ask_host(self, call: HostCall) -> Any:
        """Raises CancelledError once the time is up."""
        if self.timed_out:
            raise asyncio.CancelledError
        self._answering = asyncio.current_task()
        try:
            return await ask_host(self._host, call)
        finally:
            self._answering = None

    def _keep_output(self, text: str) -> None:
        self._output.add(text)

    def _in_thread(
        self, work: Callable[[CodeThread], Any], thread: CodeThread, sources: Mapping[str, str]
    ) -> tuple[Any, WorkflowFailure | None]:
        try:
            value = work(thread)
            self._writer.flush()
            return self._checked_value(value)
        except BaseException as exc:  # noqa: BLE001  whatever workflow code raises is its result
            self._writer.flush()
            return None, self._failures.told(failure_of(exc, sources))

    def _checked_value(self, value: Any) -> tuple[Any, WorkflowFailure | None]:
        what = "run() returned" if self._name else "the last expression is"
        try:
            plain: Any = to_plain(value)
        except BadValueError as exc:
            return None, self._failures.failure("bad_value", "TypeError", f"{what} {exc}; return JSON values")
        if plain is not None and (size := len(to_json(plain))) > self._limits.value_bytes:
            text = f"{what} {size:,} bytes of JSON, and the limit is {self._limits.value_bytes:,}; return JSON values"
            return None, self._failures.failure("bad_value", "TypeError", text)
        return plain, None

    def _give_up(self, running: ThreadWork, tasks: BackgroundTasks) -> None:
        self.timed_out = True
        if self._answering is not None:
            self._answering.cancel()
        running.interrupt()
        tasks.start(self._interrupt_until_done(running))

    async def _interrupt_until_done(self, running: ThreadWork) -> None:
        for _ in range(MAX_INTERRUPTS):
            await asyncio.sleep(INTERRUPT_EVERY_S)
            if not running.interrupt():
                return
        log.error("trusted code runs on in its thread although its time is over: %s", self._name or "a piece of code")
