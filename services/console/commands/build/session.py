"""A build session: lines are read and done one after the other; what has happened is an event in the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from services.console.commands.build.background import BackgroundCompiler, now_text
from services.console.commands.build.build_rows import BuildRow, open_row
from services.console.commands.build.recorded_row import RecordedRow
from services.console.commands.build.scratch_rows import ScratchRows
from services.console.commands.build.terminal import BuildTerminal
from services.console.commands.build.workbench import Workbench
from services.console.text.action_lines import InvalidLine
from services.console.text.build_lines import BuildLine, parse_build_line
from shared.bus.nats_bus import Bus
from shared.contracts.actions import BrowserAction
from shared.errors import ExhibitError
from shared.flows.building.build import BuiltFlow
from shared.flows.building.events import (
    ActionDropped,
    CompileAsked,
    FlowWritten,
    MessageWritten,
    Question,
    RowBegun,
    SessionClosed,
    SessionOpened,
    TodoAdded,
    ValueRecorded,
)
from shared.flows.building.folder import (
    captures_folder,
    read_log,
    samples_of,
    version_of,
)
from shared.flows.building.todos import todos_of
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec

HOW_TO_READ = "while a TODO is open: read FIELD NUMBER | read FIELD beside LABEL | read FIELD TEXT"
RUN_AGAIN, BY_HAND = "run the finished TODOs again", "I go there by hand"


class BuildSession:
    """The session of one workspace. ``rows``: of the task's input, in order."""

    def __init__(
        self, folder: Path, spec: TaskSpec, rows: Sequence[BuildRow], bus: Bus, terminal: BuildTerminal, by: str
    ) -> None:
        self._bench = Workbench(folder, spec, terminal)
        self._rows, self._bus, self._by = rows, bus, by
        self._open = AsyncExitStack()
        self._compiler = BackgroundCompiler(folder, spec, lambda: self._bench.state, self._compile_ended)
        self._bench.compile_due = self._compiler.compile_due
        self._scratch = ScratchRows(self._bench)
        self._closing = False

    async def run(self) -> None:
        """Work until the end of the input, `close`, or a cancellation; then everything is saved and compiled."""
        try:
            await self._begin()
            while (line := await self._bench.terminal.next_line(self._prompt())) is not None:
                if not await self._do_safely(line):
                    break
        finally:
            await self._close()

    def _compile_ended(self, seen: int, built: BuiltFlow | None) -> None:
        version = "" if built is None else version_of(built.flow)
        problems = () if built is None else built.flow.problems
        self._bench.note(FlowWritten(at=now_text(), seen=seen, version=version, problems=problems))
        self._bench.terminal.show_compiled(built, version, closing=self._closing)

    # --- begin and end

    async def _begin(self) -> None:
        is_new = not self._bench.state.todos
        self._bench.note(SessionOpened(at=now_text(), task_id=self._bench.spec.task_id, by=self._by))
        if is_new:
            for one in todos_of(self._bench.spec):
                self._bench.note(
                    TodoAdded(
                        at=now_text(), number=one.number, title=one.title, fields=one.fields, route_step=one.route_step
                    )
                )
            await self._begin_row(self._rows[0])
        else:
            await self._resume()
        self._bench.terminal.show_todos(self._bench.state)

    async def _resume(self) -> None:
        """Go on with a session of before: the browser is a new one."""
        state = self._bench.state
        self._bench.terminal.say(f"This goes on with {self._bench.folder}: {len(state.finished)} rows are finished.")
        if state.due:
            self._compiler.compile_due(state.due)
        row = next((one for one in self._rows if one.sample_id == state.sample_id), None)
        if state.row_done:
            return
        if row is None:
            self._bench.terminal.refuse(f"row {state.sample_id} is not among those of --input and --row")
            return
        again = BY_HAND
        if state.done:
            text = f"{row.sample_id} was left at TODO {state.current.number if state.current else 0}. How to get there?"
            [again] = await self._bench.ask(Question(text=text, options=(RUN_AGAIN, BY_HAND))) or [BY_HAND]
        if again == RUN_AGAIN:
            await self._begin_row(row)
            await self._scratch.run_files(upto=state.done)
        else:
            await self._open_browser(row, samples_of(self._bench.folder).get(row.sample_id) or row.recorded())

    async def _close(self) -> None:
        """Save and compile, and only then end. The browser is closed whatever happens."""
        self._closing = True
        try:
            self._bench.save()
            if self._bench.state.sample_id:
                self._bench.note(CompileAsked(at=now_text(), why="the session is closed"))
            await self._compiler.drain()
            self._bench.note(SessionClosed(at=now_text()))
        finally:
            await self._open.aclose()

    # --- rows

    async def _begin_row(self, row: BuildRow) -> None:
        self._bench.save()
        self._bench.note(RowBegun(at=now_text(), sample_id=row.sample_id, row=dict(row.fields)))
        await self._open_browser(row, row.recorded())
        self._bench.terminal.say(f"Row {row.sample_id}. `open` opens {row.start_url(self._bench.spec)}")

    async def _open_browser(self, row: BuildRow, sample: Recording) -> None:
        await self._open.aclose()
        self._open = AsyncExitStack()
        session = await self._open.enter_async_context(open_row(self._bus, self._bench.spec, row))
        captures = captures_folder(self._bench.folder, row.sample_id)
        self._bench.live = RecordedRow(session, self._bench.spec, sample, captures)

    async def _next_row(self) -> None:
        if not self._bench.state.row_done:
            self._bench.terminal.refuse("this row is not finished: finish its TODOs first (`todo list`)")
            return
        seen = {*self._bench.state.finished, self._bench.state.sample_id}
        row = next((one for one in self._rows if one.sample_id not in seen), None)
        if row is None:
            self._bench.terminal.refuse("there is no further row: begin again with another --input or --row")
            return
        await self._begin_row(row)
        await self._scratch.run_files(upto=len(self._bench.state.todos))

    async def _again(self) -> None:
        row = next((one for one in self._rows if one.sample_id == self._bench.state.sample_id), None)
        if row is None:
            self._bench.terminal.refuse("its row is not among those of --input and --row")
            return
        done = self._bench.state.done
        await self._begin_row(row)
        await self._scratch.run_files(upto=done)

    # --- lines

    async def _do_safely(self, text: str) -> bool:
        """Do what a line asks for. Return False to end."""
        live = self._bench.live
        snapshot = "" if live is None else live.session.snapshot_id
        row = next((one for one in self._rows if one.sample_id == self._bench.state.sample_id), self._rows[0])
        line = parse_build_line(text, snapshot, row.fields, row.start_url(self._bench.spec))
        if line is None:
            return True
        if isinstance(line, InvalidLine):
            self._bench.terminal.refuse(line.message)
            return True
        try:
            return await self._do(line)
        except ExhibitError as exc:
            self._bench.terminal.refuse(str(exc))
            return True

    async def _do(self, line: BuildLine) -> bool:
        match line.command:
            case "close":
                return False
            case "act":
                assert line.action is not None
                await self._act(line.action)
            case "page":
                self._bench.terminal.show_page(await self._bench.need_live().observe(), line.words)
            case "read":
                self._read(line.words)
            case "undo":
                self._undo()
            case "done":
                await self._done()
            case "todo":
                await self._todo(line.words)
            case "next":
                await self._next_row()
            case "again":
                await self._again()
            case "compile":
                self._bench.note(CompileAsked(at=now_text(), why="asked for by hand"))
            case "questions":
                await self._compiler.drain()
                await self._answer_questions()
            case "say":
                self._bench.note(MessageWritten(at=now_text(), by=self._by, text=line.rest))
            case "log":
                self._bench.terminal.show_log(read_log(self._bench.folder)[0])
            case _:
                self._bench.terminal.show_help()
        return True

    async def _act(self, action: BrowserAction) -> None:
        todo = self._bench.state.current
        if todo is None:
            self._bench.terminal.refuse("all TODOs are done: `next` for the next row, or `todo add TITLE`")
            return
        step = await self._bench.need_live().act(action, todo.route_step)
        self._bench.note_action(todo, step, by="person")
        self._bench.terminal.show_step(step, self._bench.need_live().page)

    def _read(self, words: tuple[str, ...]) -> None:
        todo, live = self._bench.state.current, self._bench.need_live()
        if len(words) < 2 or todo is None:
            self._bench.terminal.refuse(
                "read FIELD NUMBER | read FIELD beside LABEL | read FIELD TEXT, while a TODO is open"
            )
            return
        element = live.find_value(words[1:])
        value = element if isinstance(element, str) else live.record_value(words[0], element)
        if isinstance(value, str):
            self._bench.terminal.refuse(value)
            return
        self._bench.note(ValueRecorded(at=now_text(), todo=todo.number, field=value.field, shown=value.shown or ""))
        self._bench.terminal.show_values({value.field: value})

    def _undo(self) -> None:
        todo, live = self._bench.state.current, self._bench.need_live()
        steps = () if todo is None else self._bench.state.steps.get(todo.number, ())
        if todo is None or not steps:
            self._bench.terminal.refuse("this TODO has no step to leave out")
            return
        live.drop(steps[-1])
        self._bench.note(ActionDropped(at=now_text(), todo=todo.number, step=steps[-1]))
        self._bench.terminal.say(f"step {steps[-1]} is no part of the flow; the page stays as it is")

    # --- TODOs

    async def _todo(self, words: tuple[str, ...]) -> None:
        if words[:1] == ("add",) and len(words) > 1:
            number = max((one.number for one in self._bench.state.todos), default=0) + 1
            self._bench.note(TodoAdded(at=now_text(), number=number, title=" ".join(words[1:])))
        elif words[:1] == ("done",):
            await self._done()
            return
        self._bench.terminal.show_todos(self._bench.state)

    async def _done(self) -> None:
        todo = self._bench.state.current
        if todo is None:
            self._bench.terminal.refuse("all TODOs are done")
            return
        live = self._bench.need_live()
        have = {one.field for one in live.sample.values}
        missing = [name for name in todo.fields if name not in have]
        if missing:
            self._bench.terminal.refuse(f"not read yet: {', '.join(missing)}")
            return
        self._bench.write_scratch(todo, live)
        self._bench.finish_todo(todo)
        if self._bench.state.finished and self._bench.state.current is not None:
            await self._scratch.run_files(upto=len(self._bench.state.todos))

    async def _answer_questions(self) -> None:
        waiting = [one for one in self._compiler.questions if one.text not in self._bench.state.asked]
        if not waiting:
            self._bench.terminal.say("The compiler asks nothing.")
        for one in waiting:
            if not await self._bench.ask(one):
                return

    def _prompt(self) -> str:
        todo = self._bench.state.current
        where = f"{todo.number} {todo.title}" if todo is not None else "all done"
        return f"[{self._bench.state.sample_id}: {where}] "
