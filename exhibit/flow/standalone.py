"""A flow that is a program of its own: its calls are performed in a browser, its outputs are written to its folder."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import sys
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, cast

from exhibit.flow.live_thread import AnswersCalls, LiveThread
from exhibit.flow.run_record import CLICKED_FILE, RunRecord
from exhibit.flow.workspace import FlowFolder
from shared.contracts.workflows.flows import (
    ClickElement,
    FlowAnswer,
    FlowCall,
    OpenAddress,
    ReadFields,
    ReadList,
    SetOutput,
)
from shared.flows.code.calls import read_call
from shared.flows.code.functions import FlowBinding, FlowStopped

OpenLive = Callable[[FlowFolder], AbstractAsyncContextManager[AnswersCalls]]


class StandaloneFlow(FlowBinding):
    """The browser is opened by the first call that needs one. It is closed when `run` ends, when the event loop of that
    call does, and at the latest when the program does."""

    def __init__(self, folder: FlowFolder | None = None, open_live: OpenLive | None = None) -> None:
        super().__init__()
        self._given, self._open_live = folder, open_live
        self._live: LiveThread | None = None
        self._closer: asyncio.Task[None] | None = None
        self._outputs: dict[str, Any] = {}
        self._lists: dict[str, None] = {}
        self._record: RunRecord | None = None
        self._is_recorded = folder is not None
        """Whether somebody writes how the run has ended: `run`, or what is told of the end of the program."""

    @property
    def folder(self) -> FlowFolder:
        if self._given is None:
            self._given = FlowFolder.of_program()
        return self._given

    def perform(self, call: str, arguments: dict[str, Any], line: int, section: str) -> Coroutine[Any, Any, Any]:
        return self._perform(call, arguments)

    def read_text(self, path: str) -> str:
        return self.folder.read_text(path)

    async def run(self, run: Callable[..., Any]) -> Any:
        """Run it in the folder of the flow, with its variables; write its outputs, with those that it returns, and how
        the run has ended (``data/last_run.json``). What an earlier run has found is removed first.

        Raises ValueError where variables or outputs are not what their schemas say; bad variables before it begins.
        """
        arguments = self.folder.arguments()
        self.folder.remove_outputs()
        self._outputs, self._lists = {}, {}
        record = self._recorded()
        record.write_state("running")
        self._is_recorded = True
        try:
            with contextlib.chdir(self.folder.root):
                value: Any = run(**arguments)
                value = await value if hasattr(value, "__await__") else value
            self.check_all_awaited()
            self._outputs |= _as_outputs(value)
            self.folder.write_outputs(self._outputs, complete=True)
        except BaseException as exc:
            record.write_state("stopped", exc, self._remarks())
            raise
        else:
            record.write_state("finished", remarks=self._remarks())
        finally:
            await asyncio.to_thread(self.close)
        return value

    def close(self) -> None:
        """Close the browser. The next call opens another one."""
        live, self._live = self._live, None
        if live is not None:
            live.close()
            atexit.unregister(self.close)

    async def _perform(self, name: str, arguments: dict[str, Any]) -> Any:
        if not self._is_recorded:
            self._is_recorded = True
            self._record_program()
        call = read_call(name, arguments)
        if isinstance(call, SetOutput):
            json.dumps(call.value, allow_nan=False)  # raises for what is no value of JSON
            self.folder.write_outputs({**self._outputs, call.key: call.value}, complete=False)
            self._outputs[call.key] = call.value
            return None
        if isinstance(call, ClickElement) and call.irreversible and (at := self._recorded().claim_click(call.selector)):
            message = f"{call.selector} was clicked for good at {at}, with these variables; {CLICKED_FILE} says so"
            raise FlowStopped(message, "clicked_before")
        answer = await self._answer(call)
        if answer.error is not None:
            raise FlowStopped(answer.error.message, answer.error.code)
        value: Any = answer.value
        if isinstance(call, ReadList):
            self._lists[call.name] = None
        if isinstance(call, ReadFields) and isinstance(value, dict):
            self._keep_read(cast("dict[str, Any]", value))
        return cast("Any", value)

    async def _answer(self, call: FlowCall) -> FlowAnswer:
        """Have the call answered in the browser; where that is opened for it, the start page is opened first."""
        begins = self._live is None
        live = self._opened()
        start = self.folder.start_page() if begins and not isinstance(call, OpenAddress) else ""
        if start:
            opened = await live.answer(OpenAddress(url=start))
            if opened.error is not None:
                return opened
        return await live.answer(call)

    def _remarks(self) -> list[str]:
        return [f"{name}: the rows of the page that was shown; only a run finds out whether there are more"
                for name in self._lists]  # fmt: skip

    def _keep_read(self, values: dict[str, Any]) -> None:
        """Write what was read at once, so that a stop later on, such as after something was sent, loses none of it."""
        kept = {**self._outputs, **values}
        with contextlib.suppress(ValueError):  # the code may make something else of it, and is refused at its end
            self.folder.write_outputs(kept, complete=False)
            self._outputs = kept

    def _record_program(self) -> None:
        """Write how a program ends that calls its own ``main`` and not `run`: by what it does not catch, or well."""
        record, told = self._recorded(), sys.excepthook
        self.folder.remove_outputs()
        record.write_state("running")

        def finished() -> None:
            record.write_state("finished", remarks=self._remarks())

        def stopped(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
            atexit.unregister(finished)
            record.write_state("stopped", error, self._remarks())
            told(kind, error, traceback)

        atexit.register(finished)
        sys.excepthook = stopped

    def _recorded(self) -> RunRecord:
        if self._record is None:
            self._record = RunRecord(self.folder.root, self.folder.read_variables())
        return self._record

    def _opened(self) -> LiveThread:
        if self._live is None:
            self._live = LiveThread(lambda: self._open())
            atexit.register(self.close)
        if self._closer is None or self._closer.done():
            self._closer = asyncio.create_task(self._close_with_loop())
        return self._live

    def _open(self) -> AbstractAsyncContextManager[AnswersCalls]:
        if self._open_live is not None:
            return self._open_live(self.folder)
        from exhibit.flow.browser import open_live_browser  # it takes a second to load, and checks need none

        return open_live_browser(self.folder)

    async def _close_with_loop(self) -> None:
        """Wait until this loop ends, which cancels its tasks; then close what was opened in it."""
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await asyncio.to_thread(self.close)


def _as_outputs(value: Any) -> dict[str, Any]:
    """Return what `run` returned as outputs; none where it is no dict."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
