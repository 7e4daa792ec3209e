"""A client of one build session: commands go to the library, what happens comes back as events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from services.console.commands.build.build_folder import BuildFolder
from shared.bus.ports import Asks
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.workflows.build_events import BuildEvent
from shared.contracts.workflows.builds import (
    AnyBuildCommand,
    BuildFollowed,
    BuildOpened,
    BuildRefused,
    BuildRow,
    DoInBuild,
    FollowBuild,
    GiveAnswers,
    OpenBuild,
    ShownPage,
)
from shared.errors import ExhibitError, PermanentError, TransientError
from shared.subjects import DO_IN_BUILD, FOLLOW_BUILD, OPEN_BUILD

FOLLOW_WAIT_S = 15.0
ASK_AGAIN_S = 1.0
OPEN_TIMEOUT_S = 130.0
HAS_ENDED = "the process that had the session has ended; what it told is kept: the same command goes on with it"


class BuildClient:
    """``told``: takes each event, in order. ``page``: that was shown last. ``snapshot_id``: numbers of elements refer
    to it."""

    def __init__(self, asks: Asks, folder: BuildFolder, told: Callable[[BuildEvent], None]) -> None:
        self._asks, self._folder, self._told = asks, folder, told
        self._opened: BuildOpened | None = None
        self._followed: BuildFollowed | None = None
        self._news = asyncio.Condition()
        self._failed: ExhibitError | None = None
        self._last = ""
        self.page: ShownPage | None = None
        self.snapshot_id = ""

    async def open(self, spec: dict[str, Any], rows: Sequence[BuildRow], by: str, *, agent: bool = False) -> None:
        """Open the session; with ``agent`` a model works in it. What the folder has is brought along where the library
        knows nothing of it."""
        request = OpenBuild(build_id=self._folder.known.build_id, spec=spec, rows=tuple(rows), by=by, agent=agent)
        opened = await self._asks.ask(OPEN_BUILD, request, timeout_s=OPEN_TIMEOUT_S)
        if isinstance(opened, BuildRefused):
            raise PermanentError(opened.message)
        self._opened = opened
        if not opened.events and not opened.files:
            await self._folder.bring(self._asks, opened)

    async def follow(self) -> None:
        """Take what happens in the session, until it is closed."""
        opened, change = self._need(), -1
        while True:
            request = FollowBuild(
                build_id=opened.build_id,
                instance_id=opened.instance_id,
                since=self._folder.events,
                change=change,
                wait_s=FOLLOW_WAIT_S,
            )
            try:
                reply = await self._asks.ask(FOLLOW_BUILD, request, timeout_s=2 * FOLLOW_WAIT_S)
                if isinstance(reply, BuildRefused):
                    raise PermanentError(reply.message)
                change = reply.change
                await self._take(opened, reply)
            except TransientError as exc:
                if exc.code in ("no_responders", "instance_gone"):
                    await self._fail(PermanentError(HAS_ENDED))
                    return
                await asyncio.sleep(ASK_AGAIN_S)
            except ExhibitError as exc:
                await self._fail(exc)
                return
            else:
                if reply.closed and self._folder.events >= reply.stored:
                    return

    async def _take(self, opened: BuildOpened, reply: BuildFollowed) -> None:
        for event in reply.events:
            self._folder.take(event)
            self._told(event)
        await self._folder.fetch(self._asks, opened, reply.files)
        async with self._news:
            self._followed, self.page, self.snapshot_id = reply, reply.page, reply.snapshot_id
            self._news.notify_all()

    async def _fail(self, error: ExhibitError) -> None:
        async with self._news:
            self._failed = error
            self._news.notify_all()

    # --- commands

    async def do(self, command: AnyBuildCommand) -> tuple[Question, ...]:
        """Have a command done. Return what is asked on the way; without, it has ended."""
        await self.start(command)
        return await self.until_ended()

    async def start(self, command: AnyBuildCommand) -> None:
        """Have a command begun; it waits for those that were begun before."""
        opened = self._need()
        await self._folder.send_changes(self._asks, opened)
        await self._send(opened, uuid4().hex, command)

    async def until_ended(self) -> tuple[Question, ...]:
        """Wait until the last command has ended. Return what is asked on the way; without, it has ended."""
        return await self._until(self._last)

    @property
    def asked(self) -> int:
        """The number under which something was asked last."""
        return self._folder.state.asks

    async def answer(self, answers: tuple[QuestionAnswer, ...], asked: int) -> tuple[Question, ...]:
        """Answer what was asked under this number, and go on with the command that asks; none: the questions are left
        open. Raises PermanentError where they do not wait any more, or are not answered so."""
        before = self._folder.answered
        await self._send(self._need(), uuid4().hex, GiveAnswers(answers=answers, asked=asked))
        await self._wait(lambda: self._folder.answered > before)
        return await self._until(self._last)

    async def _send(self, opened: BuildOpened, command_id: str, command: AnyBuildCommand) -> None:
        self._raise_failure()
        if not isinstance(command, GiveAnswers):
            self._last = command_id
        request = DoInBuild(
            build_id=opened.build_id, instance_id=opened.instance_id, command_id=command_id, command=command
        )
        reply = await self._asks.ask(DO_IN_BUILD, request)
        if isinstance(reply, BuildRefused):
            raise PermanentError(reply.message)

    async def _until(self, command_id: str) -> tuple[Question, ...]:
        """Wait until the command has ended, or something is asked. Return what is asked."""

        def ended(known: BuildFollowed | None) -> bool:
            return known is not None and self._folder.events >= known.stored and command_id in known.done

        await self._wait(lambda: ended(self._followed) or bool(self._folder.state.asking))
        return () if ended(self._followed) else self._folder.state.asking

    async def _wait(self, ready: Callable[[], bool]) -> None:
        async with self._news:
            await self._news.wait_for(lambda: self._failed is not None or ready())
        self._raise_failure()

    def _raise_failure(self) -> None:
        if self._failed is not None:
            raise self._failed

    def _need(self) -> BuildOpened:
        if self._opened is None:
            raise PermanentError("the session is not open")
        return self._opened
