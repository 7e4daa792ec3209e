"""One build session at work: its commands one after the other, what is stored of it, and who follows it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from services.workflows.builds.build_session import BuildSession
from services.workflows.builds.build_store import BuildBus, BuildStore, BuildTakenOverError
from services.workflows.builds.workbench import NotDoneError, Workbench, standing_of
from shared.aio import BackgroundTasks
from shared.contracts.questions import answers_problem
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import BuildEvent
from shared.contracts.workflows.build_outcomes import BuildOutcome
from shared.errors import ExhibitError, TransientError
from shared.flows.building.folder import read_events
from shared.flows.building.state import outcome_of
from shared.task.spec import TaskSpec

log = logging.getLogger(__name__)

PAGE = 100
"""Events in one message."""
LAST_COMMANDS = 200
IDLE_S = 900.0
"""Without a command and without anybody who follows: the browser is given back."""
STORE_AGAIN_S = 1.0


class RunningBuild:
    """``followed_at``: when somebody asked last, by the clock of the loop. ``closed``: nothing more is done in it.
    ``agent``: a model works in it."""

    def __init__(self, bus: BuildBus, store: BuildStore, record: builds.BuildRecord, spec: TaskSpec) -> None:
        self._bus, self._store, self._record, self._spec = bus, store, record, spec
        self._own = TemporaryDirectory(prefix="exhibit-build-")
        self.folder = Path(self._own.name)
        self._bench: Workbench | None = None
        self._session: BuildSession | None = None
        self._rows = record.rows
        self._queue: asyncio.Queue[tuple[str, builds.AnyBuildCommand, str]] = asyncio.Queue()
        self._known: deque[str] = deque(maxlen=LAST_COMMANDS)
        self._done: deque[str] = deque(maxlen=LAST_COMMANDS)
        self._tasks = BackgroundTasks()
        self._events: list[BuildEvent] = []
        self._stored, self._change = 0, 0
        self._news = asyncio.Condition()
        self._to_store = asyncio.Event()
        self.followed_at = asyncio.get_running_loop().time()
        self.closed = self._ends = False
        self.agent = record.agent

    async def load(self) -> None:
        """Fetch what is stored, and begin to take commands."""
        await self._store.fetch_files(self.folder)
        self._events = await self._store.events()
        self._stored = len(self._events)
        self._tasks.start(self._work())
        self._tasks.start(self._keep_stored())

    def is_of(self, spec: Mapping[str, Any]) -> bool:
        """Return whether this is the spec that the session works with."""
        return self._record.spec == spec

    @property
    def files(self) -> dict[str, str]:
        return self._store.files

    @property
    def events(self) -> int:
        return self._stored

    @property
    def has_begun(self) -> bool:
        return self._bench is not None

    def set_rows(self, rows: tuple[builds.BuildRow, ...]) -> None:
        if rows:
            self._rows = rows
            if self._session is not None:
                self._session.rows = rows

    # --- commands

    def take(self, command_id: str, command: builds.AnyBuildCommand, by: str = "") -> str:
        """Take a command, and return why not; empty: it will be done. One that is known is taken once. ``by``: who
        asks; empty: who has opened the session."""
        if command_id in self._known:
            return ""
        bench = self._bench
        if isinstance(command, builds.GiveAnswers):
            if bench is None or not bench.state.asking:
                return "nothing is asked"
            if command.asked not in (0, bench.state.asks):
                return (
                    f"question {command.asked} does not wait for an answer any more, question {bench.state.asks} does"
                )
            if command.answers and (problem := answers_problem(bench.state.asking, command.answers)):
                return problem
            self._known.append(command_id)
            bench.answered(command.answers)
            self._done.append(command_id)
            return ""
        self._known.append(command_id)
        if isinstance(command, builds.CloseBuild) and bench is not None:
            bench.answered(())  # who closes leaves the question open
        self._queue.put_nowait((command_id, command, by))
        return ""

    async def _work(self) -> None:
        while not self.closed and not self._ends:
            command_id, command, by = await self._queue.get()
            try:
                await self._do(command, by)
            except BuildTakenOverError:
                log.warning("the build session %s is worked on by another process", self._record.build_id)
                self.closed = True
            except NotDoneError as exc:
                self._tell(exc.outcome)
            except TransientError as exc:
                self._tell(outcome_of("failed_for_now", details=(str(exc),)))
            except ExhibitError as exc:
                self._tell(outcome_of("failed", details=(str(exc),)))
            except Exception as exc:
                log.exception("a command of a build session failed")
                self._tell(outcome_of("failed", details=(f"{type(exc).__name__}: {exc}",)))
            await self._end_command(command_id, closes=isinstance(command, builds.CloseBuild))
        await self._leave()

    async def _do(self, command: builds.AnyBuildCommand, by: str) -> None:
        if self._session is None:
            self._session = self._begin()
        if self._bench is not None:
            self._bench.set_person(by or self._record.by)
        await self._session.do(command)

    def _begin(self) -> BuildSession:
        """Return the session of what is stored, or of a workspace that a client has brought."""
        brought = [] if self._events else read_events(self.folder)
        bench = Workbench(self.folder, self._spec, self._record.spec, self._record.by, self._events or brought)
        bench.changed = self._to_store.set
        self._bench = bench
        session = BuildSession(bench, self._rows, self._bus, self.stored)
        session.goes_on = lambda: self.agent and self._queue.empty() and not self.closed
        return session

    def _tell(self, outcome: BuildOutcome) -> None:
        if self._bench is not None:
            self._bench.tell_outcome(outcome)

    async def _end_command(self, command_id: str, *, closes: bool) -> None:
        if self._bench is not None and not self.closed:
            self._bench.save()
            with suppress(BuildTakenOverError):
                await self.stored()
        if closes and not self.closed:
            with suppress(ExhibitError):  # it is kept longer then
                await self._store.close(datetime.now(UTC))
        self._done.append(command_id)
        if closes:
            self.closed = True
            await self._leave()
        await self._tell_news()

    # --- stored

    async def stored(self) -> None:
        """Return once all events so far are on the bus. Raises BuildTakenOverError."""
        wanted = 0 if self._bench is None else len(self._bench.events)
        self._to_store.set()
        async with self._news:
            await self._news.wait_for(lambda: self._stored >= wanted or self.closed)
        if self._stored < wanted:
            raise BuildTakenOverError("the build session is worked on by another process")

    async def _keep_stored(self) -> None:
        while True:
            await self._to_store.wait()
            self._to_store.clear()
            bench = self._bench
            if bench is None:
                continue
            count = len(bench.events)
            try:
                new = bench.events[self._stored : count]
                await self._store.save(self.folder, new, standing_of(bench.state, bench.events))
            except BuildTakenOverError:
                log.warning("the build session %s is worked on by another process", self._record.build_id)
                self.closed = True
                bench.answered(())
            except TransientError as exc:
                log.warning("the build session %s is not stored yet: %s", self._record.build_id, exc.code)
                await asyncio.sleep(STORE_AGAIN_S)
                self._to_store.set()
                continue
            except Exception:  # whoever waits until it is stored is not to wait for ever
                log.exception("a build session cannot be stored, and is closed")
                self.closed = True
                bench.answered(())
            else:
                self._stored = count
            await self._tell_news()
            if self.closed:
                return

    async def _tell_news(self) -> None:
        self._change += 1
        async with self._news:
            self._news.notify_all()

    # --- followed

    async def follow(self, request: builds.FollowBuild) -> builds.BuildFollowed:
        """Return what has happened, as soon as there is something that the client does not know."""
        loop = asyncio.get_running_loop()
        self.followed_at = loop.time() + max(request.wait_s, 0.0)
        with suppress(TimeoutError):
            async with asyncio.timeout(max(request.wait_s, 0.0)), self._news:
                await self._news.wait_for(lambda: self._stored > request.since or self._change != request.change)
        bench, session = self._bench, self._session
        known = self._events if bench is None else bench.events
        events = tuple(known[request.since : min(self._stored, request.since + PAGE)])
        return builds.BuildFollowed(
            events=events,
            next=request.since + len(events),
            stored=self._stored,
            change=self._change,
            done=tuple(self._done),
            questions=() if bench is None or request.since + len(events) < len(bench.events) else bench.state.asking,
            files=self.files,
            snapshot_id="" if session is None else session.snapshot_id,
            page=None if session is None else session.shown,
            watched=None if session is None else session.watched,
            closed=self.closed,
            asked=0 if bench is None else bench.state.asks,
        )

    def is_idle(self) -> bool:
        return asyncio.get_running_loop().time() - self.followed_at > IDLE_S

    # --- end

    async def _leave(self) -> None:
        """Give the browser back, once."""
        session, self._session = self._session, None
        if session is not None:
            with suppress(ExhibitError):
                await session.leave()

    async def aclose(self) -> None:
        """End without a trace in the conversation, as when the process ends. What was done is stored; commands that
        wait are not begun any more."""
        self._ends, session = True, self._session
        if self._bench is not None:
            self._bench.answered(())
        await self._leave()
        if not self.closed:
            with suppress(ExhibitError, TimeoutError):
                async with asyncio.timeout(STORE_AGAIN_S * 10):
                    await self.stored()
        self.closed = True
        await self._tasks.cancel()
        if session is not None:
            await session.compiled()  # the command that was at work may have asked for it
        await asyncio.to_thread(self._own.cleanup)
