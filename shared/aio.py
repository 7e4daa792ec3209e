"""Helpers for asyncio tasks: races, cancellation, background tasks, limits and bounded parallel maps."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

log = logging.getLogger(__name__)

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

CANCEL_AGAIN_S = 0.5


# --- cancellation


async def cancel_and_wait(*tasks: asyncio.Future[Any]) -> None:
    """Cancel each task once and wait until all have ended; their results and exceptions are dropped.

    The tasks may take their time to clean up: a second cancellation would cut the cleanup off.
    """
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def cancel_until_done(*tasks: asyncio.Future[Any]) -> None:
    """Cancel the tasks again every `CANCEL_AGAIN_S` seconds until all have ended; their outcomes are dropped.

    For loops around `asyncio.wait_for`: in Python 3.11 it returns its result and swallows the cancellation where both
    come at the same moment, and the loop would then never end.
    """
    while pending := [task for task in tasks if not task.done()]:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending, timeout=CANCEL_AGAIN_S)
    await asyncio.gather(*tasks, return_exceptions=True)


async def run_to_its_end(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Return the result of ``work``. However often the caller is cancelled, the work is not, and has ended when the
    cancellation is raised; its error is then the cause of that.

    For calls of a thread, which go on whoever waits for them, with what has to follow them.
    """
    task, cancelled = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as exc:
            cancelled = exc
    if cancelled is None or task.cancelled():
        return task.result()
    raise cancelled from task.exception()


def raise_if_cancelled() -> None:
    """Raise the cancellation of the current task that `asyncio.wait_for` has swallowed (see `cancel_until_done`).

    For loops that are cancelled only once, such as by Ctrl-C.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


# --- the first of several


async def wait_for_first(*waits: Awaitable[Any], timeout_s: float | None = None) -> None:
    """Return when the first of ``waits`` has completed, or after ``timeout_s`` seconds.

    Coroutines that still run are then cancelled, if need be more than once, and have ended on return. Tasks and futures
    belong to the caller and go on.
    """
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await cancel_until_done(*(task for task, wait in zip(tasks, waits, strict=True) if task is not wait))


async def run_unless(
    work: Coroutine[Any, Any, ResultT], stop: Coroutine[Any, Any, object], error: Exception
) -> ResultT:
    """Return the result of ``work``; raise ``error`` when ``stop`` completes first.

    Where both complete at the same moment, the result counts. Both have ended on return.
    """
    task = asyncio.create_task(work)
    try:
        await wait_for_first(task, stop)
        if not task.done():
            raise error
        return task.result()
    finally:
        await cancel_and_wait(task)


# --- background tasks


class BackgroundTasks:
    """Tasks whose results are not awaited. Holds references to them, so that they are not garbage-collected."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run ``work`` in a task of its own. An exception that ends it is logged with its traceback."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._end)
        return task

    async def drain(self, timeout_s: float | None = None) -> None:
        """Wait until all tasks have ended, including those that start meanwhile, or for ``timeout_s`` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self._running:
                    await asyncio.wait(self._running)

    async def cancel(self) -> None:
        """Cancel each task once and wait until all have ended."""
        await cancel_and_wait(*self._running)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a background task failed", exc_info=error)


@asynccontextmanager
async def run_alongside(work: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Run ``work``, such as a loop that never ends, while the block runs; it has ended when the block has.

    An exception that ends it is logged, and does not end the block.
    """
    task = BackgroundTasks().start(work)
    try:
        yield
    finally:
        await cancel_until_done(task)


# --- limits


class SemaphorePerLoop:
    """A limit of a whole process that a module may hold: at most ``limit`` holders in each event loop.

    A plain `asyncio.Semaphore` that had a waiter once raises RuntimeError in every other event loop, and tests and
    short commands run several loops, one after the other.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @asynccontextmanager
    async def hold(self) -> AsyncGenerator[None]:
        """Hold one of the places while the block runs; wait for it before."""
        async with self._semaphores.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._limit)):
            yield


# --- bounded parallel maps


async def iterate_concurrently(
    function: Callable[[ItemT], Awaitable[ResultT]], items: Iterable[ItemT], limit: int
) -> AsyncGenerator[ResultT]:
    """Yield the result for every item, in the order of the items; at most ``limit`` results are computed or held.

    The first exception, in that order, is raised. Close the generator (`contextlib.aclosing`) when it is not read to
    its end: that cancels the calls that still run.
    """
    ahead: deque[asyncio.Future[ResultT]] = deque()
    try:
        for item in items:
            if len(ahead) == limit:
                yield await ahead.popleft()
            ahead.append(asyncio.ensure_future(function(item)))
        while ahead:
            yield await ahead.popleft()
    finally:
        await cancel_and_wait(*ahead)


async def map_concurrently(
    function: Callable[[ItemT], Awaitable[ResultT]], items: Iterable[ItemT], limit: int
) -> list[ResultT]:
    """Return the result for every item, in the order of the items, with at most ``limit`` calls at a time.

    The first exception, in that order, is raised; no call is left running then.
    """
    async with aclosing(iterate_concurrently(function, items, limit)) as results:
        return [result async for result in results]
