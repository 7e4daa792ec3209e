"""Whoever performs the calls of a flow, in a thread with an event loop of its own.

The program's event loop may end, and be another one for the next call, while the browser stays open.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from shared.contracts.workflows.flows import FlowAnswer, FlowCall

CLOSE_TIMEOUT_S = 60.0


class AnswersCalls(Protocol):
    async def answer(self, call: FlowCall) -> FlowAnswer: ...


class LiveThread:
    """``open_live``: opens what answers, and closes it after the block."""

    def __init__(self, open_live: Callable[[], AbstractAsyncContextManager[AnswersCalls]]) -> None:
        self._open_live = open_live
        self._opened: Future[tuple[AnswersCalls, asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._opened.set_running_or_notify_cancel()  # a caller who gives up must not cancel it for the others
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="flow", daemon=True)
        self._thread.start()

    async def answer(self, call: FlowCall) -> FlowAnswer:
        """Have a call answered. Raises what opening has raised."""
        live, loop, _ = await asyncio.wrap_future(self._opened)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(live.answer(call), loop))

    def close(self) -> None:
        """Close, and wait until that is done. Idempotent."""
        if self._opened.exception() is None:
            _, loop, stop = self._opened.result()
            if self._thread.is_alive():
                loop.call_soon_threadsafe(stop.set)
        self._thread.join(CLOSE_TIMEOUT_S)

    async def _serve(self) -> None:
        stop = asyncio.Event()
        try:
            async with self._open_live() as live:
                self._opened.set_result((live, asyncio.get_running_loop(), stop))
                await stop.wait()
        except Exception as exc:
            if self._opened.done():
                raise
            self._opened.set_exception(exc)
