"""Executors, and a host that answers the calls of workflow code from a library in memory."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from textwrap import dedent
from typing import Any

import pytest

from services.workflows.execution.in_process_executor import InProcessExecutor
from services.workflows.execution.sandbox_executor import SandboxExecutor
from services.workflows.ports import Executor, HostCall, HostCallError, Job, Limits, Outcome
from shared.contracts.workflows.invocations import WorkflowFailure

LIMITS = Limits(time_s=100)  # nothing but what is to end by it ends by it, on a slow machine too
PAST_LIMIT_S = LIMITS.time_s + 10


class World:
    """A library of workflows, and an executor. ``calls``: what workflow code called, in order."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.library: dict[str, str] = {}
        self.answers: dict[str, Callable[[Mapping[str, Any]], Any]] = {}
        self.calls: list[HostCall] = []
        self.asked = asyncio.Event()

    @property
    def running(self) -> int:
        assert isinstance(self.executor, SandboxExecutor)
        return self.executor.running

    def add(self, name: str, source: str) -> None:
        self.library[name] = dedent(source)

    async def run(self, source: str, /, *, limits: Limits = LIMITS, **arguments: Any) -> Outcome:
        """Execute a source as the workflow ``sample``."""
        job = Job("sample", dedent(source), arguments, limits)
        return await self.executor.execute(job, WorldHost(self, ("sample",)))

    async def value(self, source: str, /, **arguments: Any) -> Any:
        outcome = await self.run(source, **arguments)
        assert outcome.error is None, outcome.error
        return outcome.value

    async def failure(self, source: str, /, *, limits: Limits = LIMITS, **arguments: Any) -> WorkflowFailure:
        outcome = await self.run(source, limits=limits, **arguments)
        assert outcome.error is not None, outcome
        return outcome.error


class WorldHost:
    def __init__(self, world: World, chain: tuple[str, ...] = ()) -> None:
        self._world, self._chain = world, chain

    async def call(self, call: HostCall) -> Any:
        self._world.calls.append(call)
        self._world.asked.set()
        name = f"{call.namespace}.{call.method}"
        if name == "workflows.invoke":
            return await self._invoke(call.arguments["name"], call.arguments["arguments"])
        if name == "tools.forever":
            await asyncio.Event().wait()
        if name not in self._world.answers:
            raise HostCallError("LookupError", f"there is no {name}")
        return self._world.answers[name](call.arguments)

    async def _invoke(self, name: str, arguments: Mapping[str, Any]) -> Any:
        chain = (*self._chain, name)
        job = Job(name, self._world.library[name], arguments)
        outcome = await self._world.executor.execute(job, WorldHost(self._world, chain))
        if outcome.error is not None:
            raise HostCallError(outcome.error.type, outcome.error.message, outcome.error)
        return outcome.value


@asynccontextmanager
async def started_sandbox(**options: Any) -> AsyncGenerator[SandboxExecutor]:
    executor = SandboxExecutor(**options)
    await executor.start()
    try:
        yield executor
    finally:
        await executor.close()


class Sandboxes:
    """Sandboxes by the layers that they lack, started when they are first used."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._started: dict[tuple[str, ...], SandboxExecutor] = {}

    async def started(self, *without: str) -> SandboxExecutor:
        if without not in self._started:
            self._started[without] = await self._stack.enter_async_context(started_sandbox(without=without))
        told = self._started[without].protections
        if not (told.files and told.network and told.system_calls):
            pytest.skip(f"{sys.platform} of this machine protects too little: {'; '.join(told.missing)}")
        return self._started[without]


@asynccontextmanager
async def sandbox_world(**options: Any) -> AsyncGenerator[World]:
    """Return a world with a sandbox of its own."""
    async with started_sandbox(**options) as executor:
        yield World(executor)


@asynccontextmanager
async def in_process_world() -> AsyncGenerator[World]:
    executor = InProcessExecutor()
    try:
        yield World(executor)
    finally:
        await executor.close()


def raises(error: Exception) -> Callable[[Mapping[str, Any]], Any]:
    def answer(arguments: Mapping[str, Any]) -> Any:
        raise error

    return answer
