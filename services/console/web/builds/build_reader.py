"""Asks the library for build sessions: what is kept of each, what happens in it now, and to do something in it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from shared.bus.ports import Asks
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import BuildEvent
from shared.errors import PermanentError, TransientError
from shared.flows.building.state import BuildState, apply_event
from shared.recordings.packing import unpack_recording
from shared.recordings.recording import Recording
from shared.subjects import DO_IN_BUILD, FOLLOW_BUILD, LIST_BUILDS, OPEN_BUILD, READ_BUILD, READ_BUILD_FILE

OPEN_TIMEOUT_S, FOLLOW_TIMEOUT_S = 130.0, 10.0
NOT_OPENED = "kept"
GONE = ("no_responders", "instance_gone")
MOST_KNOWN, MOST_RECORDINGS = 16, 8
"""Sessions and recorded rows that are kept in memory."""


@dataclass(frozen=True)
class SeenBuild:
    """A session as it is now. ``state``: the fold of ``events``. ``live``: what the process tells that has it; None:
    none has. ``at_work``: something that was asked for here is being done."""

    record: builds.BuildRecord
    events: tuple[BuildEvent, ...]
    state: BuildState
    live: builds.BuildFollowed | None
    at_work: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it is at work or waits for what is asked of it."""
        return self.live is not None and not self.live.closed and self.state.open

    @property
    def files(self) -> dict[str, str]:
        return self.record.files if self.live is None else self.live.files

    @property
    def mark(self) -> str:
        """Another one as soon as something has happened."""
        return mark_of(self.record, len(self.events), self.live)


def mark_of(record: builds.BuildRecord, events: int, live: builds.BuildFollowed | None) -> str:
    return f"{record.owner}.{events}.{NOT_OPENED if live is None else live.change}"


@dataclass(frozen=True)
class KnownEvents:
    events: tuple[BuildEvent, ...] = ()
    state: BuildState = field(default_factory=BuildState)

    def with_more(self, more: Sequence[BuildEvent]) -> KnownEvents:
        state = self.state
        for event in more:
            state = apply_event(state, event)
        return KnownEvents((*self.events, *more), state)


class BuildReader:
    """The build sessions of one bus. Events that were read once are not asked for again."""

    def __init__(self) -> None:
        self._known: dict[str, KnownEvents] = {}
        self._sent: dict[str, str] = {}
        self._recordings: dict[str, Recording] = {}

    async def list(self, bus: Asks) -> builds.BuildsListed:
        return await bus.ask(LIST_BUILDS, builds.ListBuilds())

    async def record(self, bus: Asks, build_id: str) -> builds.BuildRecord | None:
        """Return what is kept of a session; None: there is none."""
        reply = await bus.ask(READ_BUILD, builds.ReadBuild(build_id=build_id))
        return None if isinstance(reply, builds.BuildRefused) else reply.record

    async def see(self, bus: Asks, build_id: str) -> SeenBuild | None:
        """Return a session as it is now; None: there is none."""
        record = await self.record(bus, build_id)
        if record is None:
            return None
        kept_as = f"{build_id}.{record.first_batch}"  # another session may have had this id
        known = self._known.get(kept_as, KnownEvents())
        live = await self._follow(bus, record, len(known.events))
        while live is not None:
            known = known.with_more(live.events)
            if live.next >= live.stored or not live.events:
                break
            live = await self._follow(bus, record, len(known.events))
        if live is None:
            known = await self._read_rest(bus, build_id, known)
        self._keep(kept_as, known)
        at_work = live is not None and not live.closed and self._sent.get(build_id, "") not in ("", *live.done)
        return SeenBuild(record, known.events, known.state, live, at_work)

    async def _follow(
        self, bus: Asks, record: builds.BuildRecord, since: int, change: int = -1, wait_s: float = 0.0
    ) -> builds.BuildFollowed | None:
        """Return what the process tells that has the session; None: it has ended, or does not have it any more."""
        request = builds.FollowBuild(
            build_id=record.build_id, instance_id=record.owner, since=since, change=change, wait_s=wait_s
        )
        try:
            reply = await bus.ask(FOLLOW_BUILD, request, timeout_s=FOLLOW_TIMEOUT_S + wait_s)
        except TransientError as exc:
            if exc.code in GONE:
                return None
            raise
        return None if isinstance(reply, builds.BuildRefused) else reply

    async def news(self, bus: Asks, build_id: str, mark: str, wait_s: float) -> str:
        """Return the mark of a session as soon as it is another one, or after ``wait_s``; empty: there is none."""
        record = await self.record(bus, build_id)
        if record is None:
            return ""
        since, change = _of_mark(mark)
        live = await self._follow(bus, record, since, change, wait_s)
        if live is None:
            return mark_of(record, since, None)
        return mark_of(record, live.stored, live)

    async def _read_rest(self, bus: Asks, build_id: str, known: KnownEvents) -> KnownEvents:
        while True:
            reply = await bus.ask(READ_BUILD, builds.ReadBuild(build_id=build_id, since=len(known.events)))
            if isinstance(reply, builds.BuildRefused) or not reply.events:
                return known
            known = known.with_more(reply.events)

    def _keep(self, kept_as: str, known: KnownEvents) -> None:
        if len(known.events) >= len(self._known.get(kept_as, KnownEvents()).events):
            self._known.pop(kept_as, None)
            self._known[kept_as] = known
        while len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]

    # --- files

    async def file(self, bus: Asks, build_id: str, sha256: str) -> bytes | None:
        """Return a file of the session as it is kept; None: it is not there any more."""
        data = b""
        while True:
            request = builds.ReadBuildFile(build_id=build_id, sha256=sha256, offset=len(data))
            part = await bus.ask(READ_BUILD_FILE, request)
            if isinstance(part, builds.BuildRefused):
                return None
            data += part.data
            if len(data) >= part.size or not part.data:
                return data

    async def recording(self, bus: Asks, build_id: str, sha256: str) -> Recording | None:
        """Return a recorded row; None: it is not there any more, or is none."""
        if sha256 in self._recordings:
            return self._recordings[sha256]
        data = await self.file(bus, build_id, sha256)
        if data is None:
            return None
        try:
            found = await asyncio.to_thread(unpack_recording, data)
        except ValueError:
            return None
        self._recordings[sha256] = found
        while len(self._recordings) > MOST_RECORDINGS:
            del self._recordings[next(iter(self._recordings))]
        return found

    # --- what is done

    async def open(
        self,
        bus: Asks,
        build_id: str,
        spec: dict[str, Any],
        rows: Sequence[builds.BuildRow],
        by: str,
        *,
        agent: bool,
        begin_id: str = "",
    ) -> None:
        """Open a session, and have its work begun. ``begin_id``: of the command for that: two of one id are one. Raises
        PermanentError where it is refused."""
        request = builds.OpenBuild(build_id=build_id, spec=spec, rows=tuple(rows), by=by, agent=agent)
        opened = await bus.ask(OPEN_BUILD, request, timeout_s=OPEN_TIMEOUT_S)
        if isinstance(opened, builds.BuildRefused):
            raise PermanentError(opened.message)
        await self._send(bus, build_id, opened.instance_id, builds.BeginWork(), by, begin_id)

    async def do(self, bus: Asks, seen: SeenBuild, command: builds.AnyBuildCommand, by: str, wait_s: float) -> None:
        """Have a command begun, and wait so long at most until it has ended or asks something. Raises PermanentError
        where it is refused."""
        record = seen.record
        command_id = await self._send(bus, record.build_id, record.owner, command, by)

        def is_over(live: builds.BuildFollowed) -> bool:
            if isinstance(command, builds.GiveAnswers):
                return live.stored > len(seen.events)
            return bool(live.questions) or command_id in live.done

        loop = asyncio.get_running_loop()
        until, since, change = loop.time() + wait_s, len(seen.events), -1
        while (left := until - loop.time()) > 0:
            live = await self._follow(bus, record, since, change, left)
            if live is None or live.closed or is_over(live):
                return
            since, change = live.stored, live.change

    async def _send(
        self, bus: Asks, build_id: str, instance_id: str, command: builds.AnyBuildCommand, by: str, command_id: str = ""
    ) -> str:
        command_id = command_id or uuid4().hex
        request = builds.DoInBuild(
            build_id=build_id, instance_id=instance_id, command_id=command_id, command=command, by=by
        )
        reply = await bus.ask(DO_IN_BUILD, request)
        if isinstance(reply, builds.BuildRefused):
            raise PermanentError(reply.message)
        if not isinstance(command, builds.GiveAnswers):
            self._sent[build_id] = command_id
        return command_id


def _of_mark(mark: str) -> tuple[int, int]:
    """Return how many events a mark knows, and the change; -1: none was told."""
    _, events, change = ["", "", "", *mark.rsplit(".", 2)][-3:]
    return (int(events) if events.isdecimal() else 0), (int(change) if change.isdecimal() else -1)
