"""Runs trusted workflow code in threads of this process: fast, and without any protection."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from hashlib import sha256
from types import CodeType
from typing import Any

from services.workflows.execution.child.flow_modules import TrustedFlow
from services.workflows.execution.child.namespaces import host_namespaces
from services.workflows.execution.child.programs import CodeSession, compile_workflow, file_of, run_workflow
from services.workflows.execution.in_process.threads import CodeThread, CodeThreads
from services.workflows.execution.in_process.trusted_run import TrustedRun
from services.workflows.execution.nesting import is_nested, nested_calls
from services.workflows.execution.parent.answers import checked_arguments
from services.workflows.ports import Host, Job, Limits, Outcome, Protections
from shared.aio import BackgroundTasks
from shared.contracts.workflows.invocations import WorkflowFailure
from shared.flows.code.functions import bind_here

MAX_THREADS = 64
_MAX_COMPILED = 1000
_NOTHING = Protections(
    missing=("workflow code runs in the process of the service, with all its rights: use it for trusted code only",)
)


class InProcessExecutor:
    """Each invocation has a fresh namespace and a thread, and, if it needs one, an event loop of its own.

    Modules that it imports, and their state, are shared with the service. Memory and files are not limited. When time
    is over an exception is raised in its code; code that waits in a call of C goes on until that returns, and code that
    catches it is told again. Output is what calls ``print``. There is no folder: of its files, code finds what
    `load_variables` and `load_mappings` return.
    """

    def __init__(self, *, max_threads: int = MAX_THREADS) -> None:
        self._places = asyncio.Semaphore(max_threads)
        self._threads = CodeThreads()
        self._compiled: OrderedDict[tuple[str, bytes], CodeType] = OrderedDict()
        self._tasks = BackgroundTasks()

    @property
    def protections(self) -> Protections:
        return _NOTHING

    async def start(self) -> None:
        """There is nothing to prepare."""

    async def execute(self, job: Job, host: Host) -> Outcome:
        """See `Executor`, and for ``chain`` `SandboxExecutor.execute`."""
        arguments = checked_arguments(job)
        if isinstance(arguments, WorkflowFailure):
            return Outcome(error=arguments)
        async with self._place():
            run = TrustedRun(job.name, host, job.limits, asyncio.timeout if job.bounded is None else job.bounded)

            def work(thread: CodeThread) -> Any:
                names = {**host_namespaces(run.call), "__builtins__": run.builtins()}
                flow = TrustedFlow(run.call, job.files)
                bind_here(flow)
                value = run_workflow(job.name, self._code(job), arguments, names, thread.wait_for)
                flow.check_all_awaited()
                return value

            with nested_calls():
                return await run.run(self._threads.take(), work, {file_of(job.name): job.source}, self._tasks)

    async def open_interpreter(self) -> InProcessInterpreter:
        return InProcessInterpreter(self._tasks)

    async def close(self) -> None:
        self._threads.close()
        await self._tasks.cancel()

    @asynccontextmanager
    async def _place(self) -> AsyncGenerator[None]:
        if is_nested():
            yield
            return
        async with self._places:
            yield

    def _code(self, job: Job) -> CodeType:
        key = job.name, sha256(job.source.encode(errors="surrogatepass")).digest()
        code = self._compiled.get(key)
        if code is None:
            code = self._compiled[key] = compile_workflow(job.name, job.source)
            if len(self._compiled) > _MAX_COMPILED:
                self._compiled.popitem(last=False)
        return code


class InProcessInterpreter:
    """Pieces of trusted code in one namespace, in one thread. After a timeout the names are gone."""

    def __init__(self, tasks: BackgroundTasks) -> None:
        self._tasks = tasks
        self._running = asyncio.Lock()
        self._session: CodeSession | None = None
        self._thread: CodeThread | None = None
        self._run: TrustedRun | None = None

    async def run(self, code: str, host: Host, limits: Limits) -> Outcome:
        async with self._running:
            run = self._run = TrustedRun("", host, limits)
            thread = self._thread = self._thread or CodeThread(lambda _: True)
            session = self._session = self._session or CodeSession(host_namespaces(self._call), self._wait)
            session.define("__builtins__", run.builtins())
            outcome = await run.run(thread, lambda _: session.run(code), session.sources, self._tasks)
            if not run.timed_out:
                return outcome
            self._session = self._thread = None
            assert outcome.error is not None
            message = f"{outcome.error.message}; the names that were defined before are gone"
            told = WorkflowFailure(code="timeout", type=outcome.error.type, message=message)
            return replace(outcome, error=told)

    async def reset(self) -> None:
        async with self._running:
            self._session = None

    async def close(self) -> None:
        if self._thread is not None:
            self._thread.end()
        self._thread = self._session = None

    def _call(self, namespace: str, method: str, arguments: dict[str, Any]) -> Any:
        assert self._run is not None
        return self._run.call(namespace, method, arguments)

    def _wait(self, awaitable: Any) -> Any:
        assert self._thread is not None
        return self._thread.wait_for(awaitable, keeps_tasks=True)
