"""Worker threads that are used again, and that do not keep the process from ending."""

from __future__ import annotations

import asyncio
import ctypes
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any

MAX_IDLE = 16

Work = Callable[["CodeThread"], Any]


class InterruptedCode(BaseException):
    """Raised in code that has used up its time."""


class CodeThread:
    """One thread and its event loop, which is kept while code leaves no task behind in it.

    ``on_idle``: told when it has nothing to do; returns whether it shall wait for more.
    """

    def __init__(self, on_idle: Callable[[CodeThread], bool]) -> None:
        self._on_idle = on_idle
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._runner: asyncio.Runner | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._state = threading.Lock()
        self._running: object = None
        self._is_spent = False
        self._thread = threading.Thread(target=self._serve, name="workflow code", daemon=True)
        self._thread.start()

    def begin(self, job: Callable[[], None]) -> None:
        """Run a job. The one before must have ended."""
        with self._state:
            self._running = job
        self._jobs.put(job)

    def end(self) -> None:
        """End, after the job that runs."""
        self._jobs.put(None)

    def wait_for(self, awaitable: Awaitable[Any], *, keeps_tasks: bool = False) -> Any:
        """Run the thread's event loop until there is a result. Called in the thread.

        Tasks that are left behind are cancelled, unless the next use of the loop is to find them.
        """
        runner = self._runner or asyncio.Runner()
        self._runner, self._loop = None, runner.get_loop()
        try:
            result = runner.run(_await(awaitable), context=copy_context())  # it would keep that of its first use
            if keeps_tasks or not asyncio.all_tasks(runner.get_loop()):
                self._runner = runner
            return result
        finally:
            if self._runner is None:
                runner.close()

    def interrupt(self, job: object) -> bool:
        """Raise `InterruptedCode` in the thread if it still runs this job; return whether it does.

        The exception arrives when the thread executes Python code the next time. The thread is not used again.
        """
        with self._state:
            if self._running is not job or self._thread.ident is None:
                return False
            self._is_spent = True
            thread = ctypes.c_ulong(self._thread.ident)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(InterruptedCode))
            return True

    def _serve(self) -> None:
        with suppress(InterruptedCode):
            while (job := self._jobs.get()) is not None:
                job()
                with self._state:
                    self._running = None
                    if self._is_spent:
                        break
                if not self._on_idle(self):
                    break
        for _ in range(2):  # one interruption may still be on its way
            with suppress(InterruptedCode):
                self._close()

    def _close(self) -> None:
        """Close the event loop, also one whose runner was interrupted while it closed it."""
        with self._state:
            self._running = None
        if self._runner is not None:
            self._runner.close()
        if self._loop is not None:
            self._loop.close()


class CodeThreads:
    """As many threads as there is code that runs; up to `MAX_IDLE` wait for more."""

    def __init__(self) -> None:
        self._idle: deque[CodeThread] = deque()
        self._is_closed = False

    def take(self) -> CodeThread:
        try:
            return self._idle.pop()
        except IndexError:
            return CodeThread(self._keep)

    def close(self) -> None:
        self._is_closed = True
        while self._idle:
            self._idle.pop().end()

    def _keep(self, thread: CodeThread) -> bool:
        if self._is_closed or len(self._idle) >= MAX_IDLE:
            return False
        self._idle.append(thread)
        return True


class ThreadWork:
    """``work(thread)``, running in a thread in a copy of this context. ``done``: its result, in the running loop."""

    def __init__(self, thread: CodeThread, work: Work) -> None:
        self._thread, self._work = thread, work
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self.done: asyncio.Future[Any] = self._loop.create_future()
        self._job = self._run  # one object, by which the thread knows what it runs
        thread.begin(self._job)

    def interrupt(self) -> bool:
        """See `CodeThread.interrupt`."""
        return self._thread.interrupt(self._job)

    def _run(self) -> None:
        try:
            result = self._context.run(self._work, self._thread)
        except BaseException as exc:  # noqa: BLE001  an interruption may come at any moment
            result = exc
        with suppress(RuntimeError):  # the loop of the service is closed: nobody waits
            self._loop.call_soon_threadsafe(self._settle, result)

    def _settle(self, result: Any) -> None:
        if not self.done.done():
            self.done.set_result(result)


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
