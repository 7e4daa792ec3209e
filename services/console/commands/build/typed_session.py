"""A build session in a terminal: each line is a command of the session, or shows something of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from services.console.commands.build.build_client import BuildClient
from services.console.commands.build.build_folder import BuildFolder
from services.console.commands.build.terminal import BuildTerminal
from services.console.text.action_lines import InvalidLine
from services.console.text.build_commands import command_of
from services.console.text.build_lines import BuildLine, parse_build_line
from shared.bus.ports import Asks
from shared.contracts.discovery import Sample
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import BuildEvent, Told
from shared.errors import ExhibitError, PermanentError
from shared.flows.building.folder import read_log
from shared.task.row_values import start_url
from shared.task.spec import TaskSpec


class TypedSession:
    """``written``: the spec as it stands in its file. ``rows``: of the task's input, in order. ``by``: who types.
    ``to_publish``: the command that publishes what was built, where a session ends without it."""

    def __init__(
        self,
        folder: Path,
        spec: TaskSpec,
        written: Mapping[str, Any],
        rows: Sequence[builds.BuildRow],
        asks: Asks,
        terminal: BuildTerminal,
        by: str,
        to_publish: str = "",
    ) -> None:
        self._to_publish = to_publish
        self._spec, self._written, self._rows, self._by = spec, dict(written), rows, by
        self._terminal = terminal
        self._folder = BuildFolder(folder)
        self._client = BuildClient(asks, self._folder, self._show)
        self._closing, self._offer = False, False

    def _show(self, event: BuildEvent) -> None:
        self._terminal.show_event(event, closing=self._closing)
        outcome = event.outcome if isinstance(event, Told) else None
        if outcome is not None and outcome.code == "not_published" and self._to_publish:
            self._terminal.say(f"  {self._to_publish}")

    async def run(self, publish: builds.PublishFlow | None = None, *, agent: bool = False) -> bool:
        """Work until the end of the input, `close`, or a cancellation; then everything is saved and compiled.

        ``publish``: do this, and end. ``agent``: a model does what is said. Return whether the flow was published.
        """
        await self._client.open(self._written, self._rows, self._by, agent=agent)
        follower = asyncio.create_task(self._client.follow())
        try:
            try:
                await self._do(builds.BeginWork())
                self._terminal.show_todos(self._folder.state)
                if publish is not None:
                    await self._do(publish)
                    return self._folder.published
                while (line := await self._terminal.next_line(self._prompt())) is not None:
                    if not await self._do_line(line):
                        break
                return self._folder.published
            finally:
                self._closing = True
                await self._do(builds.CloseBuild(offer=self._offer))
        finally:
            follower.cancel()
            with suppress(asyncio.CancelledError):
                await follower

    async def _do_line(self, text: str) -> bool:
        """Do what a line asks for. Return False to end."""
        row = next((one for one in self._rows if one.sample_id == self._folder.state.sample_id), self._rows[0])
        line = parse_build_line(text, self._client.snapshot_id, row.fields, _start_url(self._spec, row))
        if isinstance(line, InvalidLine):
            self._terminal.refuse(line.message)
        elif line is not None and line.command == "close":
            self._offer = True
            return False
        elif line is not None:
            await self._do_command(line)
        return True

    async def _do_command(self, line: BuildLine) -> None:
        if line.command == "log":
            self._terminal.show_log(read_log(self._folder.folder)[0])
            return
        if line.command == "help":
            self._terminal.show_help()
            return
        command = line.action if line.action is None else builds.ActOnRow(action=line.action)
        command = command_of(line) if command is None else command
        if isinstance(command, InvalidLine):
            self._terminal.refuse(command.message)
            return
        if command is not None:
            try:
                await self._do(command)
            except ExhibitError as exc:
                self._terminal.refuse(str(exc))
                return
        if line.command in ("todo", "say"):
            self._terminal.show_todos(self._folder.state)
        if isinstance(command, builds.ShowPage) and self._client.page is not None:
            self._terminal.show_page(self._client.page)

    async def _do(self, command: builds.AnyBuildCommand) -> None:
        await self._client.start(command)
        if isinstance(command, builds.SayText) and self._terminal.is_terminal:
            await self._listen()
        asked = await self._client.until_ended()
        while asked:
            number = self._client.asked
            try:
                asked = await self._client.answer(await self._answers(asked, number), number)
            except PermanentError as exc:  # answered elsewhere meanwhile, or not in a way that can be taken
                self._terminal.refuse(str(exc))
                asked = await self._client.until_ended()

    async def _listen(self) -> None:
        """Take a line of the person over while a model works: it does nothing more then, and the line is done."""
        ended = asyncio.ensure_future(self._client.until_ended())
        line = asyncio.ensure_future(self._terminal.next_line(""))
        await asyncio.wait([ended, line], return_when=asyncio.FIRST_COMPLETED)
        for one in (ended, line):
            if not one.done():
                one.cancel()
                with suppress(asyncio.CancelledError):
                    await one
        if not line.cancelled() and (text := line.result()) is not None:
            await self._do_line(text)

    async def _answers(self, asked: tuple[Question, ...], number: int) -> tuple[QuestionAnswer, ...]:
        """Return the answers to what was asked under this number; none at the end of the input."""
        answers: list[QuestionAnswer] = []
        for at, one in enumerate(asked, 1):
            answer = await self._terminal.ask(
                one, f"question {number}" if len(asked) == 1 else f"question {number}.{at}"
            )
            if answer is None:
                return ()
            answers.append(answer)
        return tuple(answers)

    def _prompt(self) -> str:
        state = self._folder.state
        todo = state.current
        where = f"{todo.number} {todo.title}" if todo is not None else "all done"
        return f"[{state.sample_id}: {where}] "


def _start_url(spec: TaskSpec, row: builds.BuildRow) -> str:
    fields = dict(row.fields)
    given = Sample(sample_id=row.sample_id, key=row.sample_id, row=row.number, url=fields.get("url"), fields=fields)
    return start_url(spec, given)
