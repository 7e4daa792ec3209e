"""Runs workflow code that is not trusted: a confined process for each invocation, forked ahead of its use."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from services.workflows.execution.isolation.plan import LAYERS, Layer, protected
from services.workflows.execution.nesting import is_nested, nested_calls
from services.workflows.execution.parent.answers import checked_arguments
from services.workflows.execution.parent.child_link import ChildLink
from services.workflows.execution.parent.conversation import Conversation, NeverBeganError, wire_limits
from services.workflows.execution.parent.zygote_link import ZygoteFailedError, ZygoteLink, packages_state, start_zygote
from services.workflows.ports import Host, Job, Limits, Outcome, Protections
from shared.aio import BackgroundTasks
from shared.contracts.workflows.invocations import FailureCode, JsonValue, WorkflowFailure

log = logging.getLogger(__name__)

MAX_PROCESSES = 32
MAX_FLOWS = 256
"""Each waits for somebody else most of the time."""
STOCK = 4
FOLDER_BYTES = 64 * 1024**2
_ATTEMPTS = 3


class SandboxExecutor:
    """At most ``max_processes`` invocations run at a time, and besides them those that they invoke, one below the
    other: a workflow waits for the answer of one call before it makes the next, from whichever thread. Flows that are
    run by turns have ``max_flows`` places of their own.

    Args:
        stock: processes that wait for work.
        folder_bytes: of all files in the folder of an invocation.
        packages: a folder that workflow code may import from. It may be missing, and change.
        without: layers of isolation that are left out, for systems that cannot have them.
    """

    def __init__(
        self,
        *,
        max_processes: int = MAX_PROCESSES,
        max_flows: int = MAX_FLOWS,
        stock: int = STOCK,
        folder_bytes: int = FOLDER_BYTES,
        packages: Path | None = None,
        without: Collection[Layer] = (),
    ) -> None:
        self._places, self._flow_places = asyncio.Semaphore(max_processes), asyncio.Semaphore(max_flows)
        self._stock, self._folder_bytes, self._packages = stock, folder_bytes, packages
        self._switched_off: dict[str, str] = dict.fromkeys(without, "switched off")
        if sys.platform != "linux":
            self._switched_off = dict.fromkeys(LAYERS, f"{sys.platform} has no such thing")
        self._zygote: ZygoteLink | None = None
        self._retired: list[ZygoteLink] = []
        self._starting = asyncio.Lock()
        self._waiting: deque[ChildLink] = deque()
        self._live: set[ChildLink] = set()
        self._ending = BackgroundTasks()
        self._is_closed = False
        self._refills = False

    @property
    def protections(self) -> Protections:
        """What is known before the start is what was switched off."""
        return Protections(**protected(self._zygote.missing if self._zygote else self._switched_off))

    @property
    def running(self) -> int:
        """How many processes work, or have worked and have not ended yet. Those that wait for work do not count."""
        return len(self._live)

    async def start(self) -> None:
        """Raises ZygoteFailedError."""
        await self._ready_zygote()
        self._refill()

    async def execute(self, job: Job, host: Host) -> Outcome:
        """See `Executor`. The ``chain`` of a failure begins with this workflow; that of a failed call of another
        workflow, as the host raised it, follows. Calls of the host run in a context that tells nested invocations."""
        arguments = checked_arguments(job)
        if isinstance(arguments, WorkflowFailure):
            return Outcome(error=arguments)
        if is_nested():
            return await self._execute(job, _request(job, arguments), host, None)
        places = self._flow_places if job.by_turns else self._places
        place = _Place(places)
        await places.acquire()
        try:
            return await self._execute(job, _request(job, arguments), host, place)
        finally:
            place.leave()

    async def open_interpreter(self) -> SandboxInterpreter:
        """Its process takes none of the places."""
        return SandboxInterpreter(self._take, self._end, self._folder_bytes)

    async def close(self) -> None:
        self._is_closed = True
        async with self._starting:
            zygote, self._zygote = self._zygote, None
        for one in [*self._retired, *([zygote] if zygote else [])]:
            await one.close()
        for link in [*self._waiting, *self._live]:
            link.end()
        self._waiting.clear()
        await self._ending.drain(1.0)

    # --- processes

    async def _execute(self, job: Job, request: dict[str, Any], host: Host, place: _Place | None) -> Outcome:
        for _ in range(_ATTEMPTS):
            try:
                link = await self._take()
            except ZygoteFailedError as exc:
                return _failed(job, "not_started", "ChildProcessError", str(exc))
            if place is not None:
                place.hold_until_end_of(link)
            bounded = asyncio.timeout if job.bounded is None else job.bounded
            conversation = Conversation(job.name, link, host, job.limits, self._folder_bytes, bounded)
            try:
                with nested_calls():
                    return await conversation.run(request)
            except NeverBeganError:
                continue
            finally:
                self._end(link)
        return _failed(job, "not_started", "ChildProcessError", "no process for it could be started")

    async def _take(self) -> ChildLink:
        zygote = await self._ready_zygote()
        while self._waiting:
            link = self._waiting.popleft()
            if not link.has_ended:
                break
            link.end()
        else:
            link = zygote.fork()
        self._live.add(link)
        if not self._refills:
            self._refills = True
            asyncio.get_running_loop().call_soon(self._refill)
        return link

    def _refill(self) -> None:
        self._refills = False
        zygote = self._zygote
        if zygote is None or not zygote.is_alive or self._is_closed:
            return
        while len(self._waiting) < self._stock:
            self._waiting.append(zygote.fork())

    def _end(self, link: ChildLink) -> None:
        link.end()
        if link in self._live:
            self._ending.start(self._forget(link))

    async def _forget(self, link: ChildLink) -> None:
        await link.exited
        self._live.discard(link)

    async def _ready_zygote(self) -> ZygoteLink:
        if self._zygote is not None and self._is_current(self._zygote):
            return self._zygote
        async with self._starting:
            if self._is_closed:
                raise ZygoteFailedError("the executor is closed")
            if self._zygote is None or not self._is_current(self._zygote):
                for link in self._waiting:
                    link.end()
                self._waiting.clear()
                if self._zygote is not None:
                    self._ending.start(self._retire(self._zygote))
                    self._zygote = None
                self._zygote = await start_zygote(self._switched_off, self._folder_bytes, self._packages)
                for lost in self.protections.missing:
                    log.warning("workflow code is not kept from everything on this machine: %s", lost)
            return self._zygote

    def _is_current(self, zygote: ZygoteLink) -> bool:
        return zygote.is_alive and zygote.packages == packages_state(self._packages)

    async def _retire(self, zygote: ZygoteLink) -> None:
        self._retired.append(zygote)
        await zygote.retire()
        self._retired.remove(zygote)


class _Place:
    """One of the places, taken. It is free when its user has left and every process that worked there has ended."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places
        self._holders = 1

    def hold_until_end_of(self, link: ChildLink) -> None:
        self._holders += 1
        link.exited.add_done_callback(lambda _: self.leave())

    def leave(self) -> None:
        self._holders -= 1
        if self._holders == 0:
            self._places.release()


def _request(job: Job, arguments: dict[str, JsonValue]) -> dict[str, Any]:
    return {
        "kind": "workflow",
        "name": job.name,
        "source": job.source,
        "arguments": arguments,
        "files": dict(job.files),
        "limits": wire_limits(job.limits),
    }


def _failed(job: Job, code: FailureCode, type_: str, message: str) -> Outcome:
    return Outcome(error=WorkflowFailure(code=code, type=type_, message=message, chain=(job.name,)))


# --- pieces of code in one namespace

NAMES_ARE_GONE = "the names that were defined before are gone"


class SandboxInterpreter:
    """Runs pieces of code in one confined process, which lives as long as their namespace.

    The limits of memory and of files of the first piece hold until the next `reset`; later ones may be lower."""

    def __init__(
        self,
        take: Callable[[], Awaitable[ChildLink]],
        end: Callable[[ChildLink], None],
        folder_bytes: int,
    ) -> None:
        self._take, self._end, self._folder_bytes = take, end, folder_bytes
        self._link: ChildLink | None = None
        self._running = asyncio.Lock()

    async def run(self, code: str, host: Host, limits: Limits) -> Outcome:
        async with self._running:
            had_names = self._link is not None
            try:
                link = await self._ready(limits)
            except (ZygoteFailedError, OSError) as exc:
                error = WorkflowFailure(code="not_started", type="ChildProcessError", message=str(exc))
                return Outcome(error=error)
            conversation = Conversation("", link, host, limits, self._folder_bytes)
            try:
                outcome = await conversation.run({"kind": "run", "code": code, "limits": wire_limits(limits)})
            except NeverBeganError:
                text = "its process had ended"
                error = WorkflowFailure(code="killed", type="ProcessEnded", message=text)
                outcome = Outcome(error=error)
            finally:
                if not conversation.is_over:
                    self._forget()
            if outcome.error is not None and not conversation.is_over and had_names:
                error = outcome.error
                message = f"{error.message}; {NAMES_ARE_GONE}"
                told = WorkflowFailure(code=error.code, type=error.type, message=message, traceback=error.traceback)
                return replace(outcome, error=told)
            return outcome

    async def reset(self) -> None:
        async with self._running:
            self._forget()

    async def close(self) -> None:
        self._forget()

    async def _ready(self, limits: Limits) -> ChildLink:
        if self._link is None:
            self._link = await self._take()
            await self._link.send({"kind": "interpreter", "limits": wire_limits(limits)})
        return self._link

    def _forget(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            self._end(link)
