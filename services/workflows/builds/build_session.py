"""The commands of a build session: each is done in the browser or in the workspace; what has happened is an event."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack

from services.workflows.builds.agent import BuildAgent
from services.workflows.builds.background_compiler import BackgroundCompiler
from services.workflows.builds.build_store import BuildBus
from services.workflows.builds.publishing import FlowPublisher
from services.workflows.builds.recorded_row import RecordedRow, shown_page
from services.workflows.builds.row_browser import open_row, recorded_row, start_url_of, watched_row
from services.workflows.builds.scratch_rows import ScratchRows
from services.workflows.builds.todo_commands import TodoCommands
from services.workflows.builds.workbench import Workbench, now_text
from shared.actions.table import facts_of_action
from shared.contracts.actions import BrowserAction
from shared.contracts.browser_pool import Element
from shared.contracts.questions import Question
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import (
    ActionBegun,
    ActionDropped,
    CompileAsked,
    FlowWritten,
    MessageWritten,
    RowBegun,
    SessionClosed,
    SessionOpened,
    TodoAdded,
)
from shared.flows.building.build import ONE_MORE_ROW, BuiltFlow
from shared.flows.building.folder import (
    captures_folder,
    read_scratch_files,
    read_written,
    samples_of,
    version_of,
    write_sample,
    write_scratch_file,
)
from shared.flows.building.meant_value import MeantValue, element_meant, find_meant
from shared.flows.building.model_history import said_chars
from shared.flows.building.site_acts import sent_by_itself
from shared.flows.building.spec_changes import SpecChanges, changes_told, spec_changes, spec_marks, take_up
from shared.flows.building.state import known_of
from shared.flows.building.todos import todos_of
from shared.pages.effects.site_changes import action_only_looks
from shared.recordings.recording import Recording

DELETE_IT, KEEP_IT = "delete it", "keep its steps"
RUN_AGAIN, BY_HAND = "run the finished TODOs again", "I go there by hand"
HARMLESS = ("reads_only", "repeated_freely")
MAX_SAID_CHARS = 20_000
"""Of one message: a model is shown all that people have said."""
MAX_ALL_SAID_CHARS = 200_000
"""Of all messages of a session."""


class BuildSession:
    """``rows``: of the task's input, in order. ``stored``: waits until all events so far are on the bus. ``shown``: the
    page that was asked for last. ``goes_on``: whether a model is to decide now."""

    def __init__(
        self, bench: Workbench, rows: Sequence[builds.BuildRow], bus: BuildBus, stored: Callable[[], Awaitable[None]]
    ) -> None:
        self._bench, self._bus, self._stored = bench, bus, stored
        self.rows = tuple(rows)
        self._open = AsyncExitStack()
        self._compiler = BackgroundCompiler(
            bench.folder, bench.spec, lambda: bench.state, bench.note, self._compile_ended
        )
        bench.compile_due = self._compiler.compile_due
        self._scratch = ScratchRows(bench)
        self._publisher = FlowPublisher(bench, bus)
        self._todos = TodoCommands(bench, self._scratch)
        self._agent = BuildAgent(bench, bus, self)
        self.goes_on: Callable[[], bool] = lambda: False
        self.shown: builds.ShownPage | None = None
        self._watched: builds.WatchedRow | None = None

    @property
    def snapshot_id(self) -> str:
        live = self._bench.live
        return "" if live is None else live.session.snapshot_id

    @property
    def watched(self) -> builds.WatchedRow | None:
        """By what the browser of the row is seen; None: there is none."""
        return None if self._bench.live is None else self._watched

    async def do(self, command: builds.AnyBuildCommand) -> None:
        """Do what is asked. Raises ExhibitError where the browser or the bus cannot."""
        match command:
            case builds.BeginWork():
                await self._begin()
            case builds.ActOnRow():
                await self.act(command.action)
            case builds.ShowPage():
                await self._show_page(command.words)
            case builds.ReadValue(ref=0):
                self._read_typed(command.field, command.where)
            case builds.ReadValue():
                self.read_element(command.field, command.ref, command.part)
            case builds.NoteAbsent():
                self.absent(command.field)
            case builds.UndoStep():
                self._undo()
            case builds.NextRow():
                await self._next_row()
            case builds.RowAgain():
                await self._again()
            case builds.CompileNow():
                self._bench.note(CompileAsked(at=now_text(), why="asked for by hand"))
            case builds.AskCompiler():
                await self._compiler.drain()
                await self._ask_compiler()
            case builds.SayText():
                await self._say(command.text)
            case builds.PublishFlow():
                await self._publish(command)
            case builds.CloseBuild():
                await self._close(offer=command.offer)
            case builds.GiveAnswers():
                pass
            case _:
                await self._todos.do(command)

    def start_url(self) -> str:
        """Return the address that the current row begins with; empty: there is no row."""
        return "" if (row := self._row(self._bench.state.sample_id)) is None else start_url_of(self._bench.spec, row)

    async def leave(self) -> None:
        """Give the browser back. The session goes on when it is opened again."""
        self._bench.save()
        await self._compiler.drain()
        self._bench.live = None
        await self._open.aclose()

    async def compiled(self) -> None:
        """Return once no compile runs."""
        await self._compiler.drain()

    def _compile_ended(self, seen: int, built: BuiltFlow | None, diff: str) -> None:
        self._bench.note(
            FlowWritten(
                at=now_text(),
                seen=seen,
                version="" if built is None else version_of(built.flow),
                problems=() if built is None else built.flow.problems,
                asks=0 if built is None else len(built.questions),
                diff=diff,
            )
        )

    # --- begin and end

    async def _begin(self) -> None:
        bench = self._bench
        is_new = not bench.state.todos
        cut_off, now = bench.state.acting, spec_marks(bench.spec)
        changes = spec_changes(bench.state.spec, now)
        bench.note(SessionOpened(at=now_text(), task_id=bench.spec.task_id, by=bench.by, spec=now))
        if is_new:
            for one in todos_of(bench.spec):
                bench.note(
                    TodoAdded(
                        at=now_text(), number=one.number, title=one.title, fields=one.fields, route_step=one.route_step
                    )
                )
            await self._begin_row(self.rows[0])
            return
        if cut_off:
            bench.tell("act_unknown", details=(cut_off,))
        if changes:
            await self._take_up(changes)
        await self._resume()

    async def _take_up(self, changes: SpecChanges) -> None:
        """Go on with a spec that has changed: tell what has, and keep what goes on with it."""
        bench, state = self._bench, self._bench.state
        files, _ = read_scratch_files(bench.folder)
        taken = take_up(bench.spec, changes, state, samples_of(bench.folder), files, read_written(bench.folder))
        bench.tell("spec_changed", details=changes_told(changes, taken.todo, state))
        for sample in taken.samples:
            write_sample(bench.folder, sample)
        for name, written in taken.scratch.items():
            write_scratch_file(bench.folder, name, written)
        for name in taken.by_hand:
            bench.tell("file_reads_gone", fields=changes.gone, details=(name,))
        for one in taken.dropped:
            bench.tell("value_not_taken_up", row=one.sample_id, fields=(one.field,), details=(one.why,))
        if taken.todo is not None:
            todo = taken.todo
            bench.note(TodoAdded(at=now_text(), number=todo.number, title=todo.title, fields=todo.fields))
        for todo in taken.emptied:
            text = f"The task asks no more for what TODO {todo.number} ({todo.title}) reads. Delete this TODO?"
            if await bench.ask(Question(text=text, options=(DELETE_IT, KEEP_IT))) == [DELETE_IT]:
                await self._todos.do(builds.DeleteTodo(number=todo.number))
        bench.note(CompileAsked(at=now_text(), why="the spec has changed"))

    async def _resume(self) -> None:
        """Go on with a session of before: the browser is a new one."""
        state = self._bench.state
        self._bench.tell("session_goes_on", rows=state.finished)
        if state.due:
            self._compiler.compile_due(state.due)
        if state.row_done:
            return
        row = self._row(state.sample_id)
        if row is None:
            self._bench.tell("row_not_given", row=state.sample_id)
            return
        again = BY_HAND
        if state.done:
            left = state.current
            where = "after its last TODO" if left is None else f"at TODO {left.number} ({left.title})"
            text = f"Row {row.sample_id} was left {where}, and its browser is a new one. How to get there?"
            [again] = await self._bench.ask(Question(text=text, options=(RUN_AGAIN, BY_HAND))) or [BY_HAND]
        if again == RUN_AGAIN:
            await self._begin_row(row)
            await self._scratch.run_files(upto=state.done)
        else:
            found = samples_of(self._bench.folder).get(row.sample_id)
            await self._open_browser(row, recorded_row(row) if found is None else known_of(state, found))
            self._bench.tell("row_begun", row=row.sample_id, url=start_url_of(self._bench.spec, row))

    async def _publish(self, command: builds.PublishFlow) -> None:
        await self._compiler.drain()
        await self._publisher.publish(command, self.rows)

    async def _close(self, *, offer: bool) -> None:
        """Save and compile, and only then end."""
        self._bench.save()
        if offer and await self._publisher.wants(self.rows):
            await self._publish(builds.PublishFlow())
        if self._bench.state.finished and not self._bench.state.published:
            can_be = self._publisher.why_not(self.rows) is None
            self._bench.tell("not_published" if can_be else "not_published_yet", rows=self._bench.state.finished)
        if self._bench.state.sample_id:
            self._bench.note(CompileAsked(at=now_text(), why="the session is closed"))
        await self._compiler.drain()
        self._bench.note(SessionClosed(at=now_text()))

    async def _say(self, text: str) -> None:
        left = min(MAX_SAID_CHARS, MAX_ALL_SAID_CHARS - said_chars(self._bench.events))
        if len(text) > left:
            self._bench.tell("said_too_much", number=max(left, 0))
            return
        self._bench.note(MessageWritten(at=now_text(), by=self._bench.by, text=text))
        await self._agent.work(lambda: self.goes_on())

    # --- rows

    def _row(self, sample_id: str) -> builds.BuildRow | None:
        return next((one for one in self.rows if one.sample_id == sample_id), None)

    async def _begin_row(self, row: builds.BuildRow) -> None:
        self._bench.save()
        self._bench.note(RowBegun(at=now_text(), sample_id=row.sample_id, row=dict(row.fields)))
        await self._open_browser(row, recorded_row(row))
        self._bench.tell("row_begun", row=row.sample_id, url=start_url_of(self._bench.spec, row))

    async def _open_browser(self, row: builds.BuildRow, sample: Recording) -> None:
        self._bench.live = None
        await self._open.aclose()
        self._open = AsyncExitStack()
        self._watched = watched_row(row)
        leased = open_row(self._bus, self._bench.spec, row, self._watched)
        session = await self._open.enter_async_context(leased)
        captures = captures_folder(self._bench.folder, row.sample_id)
        live = RecordedRow(session, self._bench.spec, sample, captures, self._bench.by)
        live.last_step = max(live.last_step, *self._bench.state.dropped.get(row.sample_id, ()), 0)
        self._bench.live = live

    async def _next_row(self) -> None:
        state = self._bench.state
        if not state.row_done:
            left = (one for one in state.todos if one.state != "done")
            self._bench.tell("row_not_finished", *left, row=state.sample_id)
            return
        seen = {*state.finished, state.sample_id}
        row = next((one for one in self.rows if one.sample_id not in seen), None)
        if row is None:
            self._bench.tell("no_further_row")
            return
        await self._begin_row(row)
        await self._scratch.run_files(upto=len(self._bench.state.todos))

    async def _again(self) -> None:
        row = self._row(self._bench.state.sample_id)
        if row is None:
            self._bench.tell("row_not_given", row=self._bench.state.sample_id)
            return
        done = self._bench.state.done
        await self._begin_row(row)
        await self._scratch.run_files(upto=done)

    # --- acts and values

    async def act(self, action: BrowserAction, *, by: str = "person") -> None:
        """Perform an action for the current TODO."""
        todo = self._bench.state.current
        if todo is None:
            self._bench.tell("all_are_done_already", row=self._bench.state.sample_id)
            return
        live = self._bench.need_live()
        if facts_of_action(action).effect not in HARMLESS:
            tag = str(action.__struct_config__.tag)
            self._bench.note(ActionBegun(at=now_text(), todo=todo.number, action=tag))
            await self._stored()
        before = () if live.page is None else live.page.elements
        step = await live.act(action, todo.route_step)
        self._bench.save()
        self._bench.note_action(todo, step, by=by)
        if (sent := sent_by_itself(step)) and action_only_looks(action, before):
            self._bench.tell("saved_by_itself", todo, number=step.step, details=sent[:1])
        self._bench.open_again_after(todo)

    async def _show_page(self, words: Sequence[str]) -> None:
        page = await self._bench.need_live().observe()
        number = 1 if self.shown is None else self.shown.number + 1
        self.shown = shown_page(page, words, number, now_text())

    def _read_typed(self, field: str, where: Sequence[str]) -> None:
        if where:
            self._record(field, find_meant(where, self._elements()), "person")
        else:
            self._bench.tell("nothing_to_read")

    def read_element(self, field: str, ref: int, part: str = "", *, by: str = "person") -> None:
        """Record for the current TODO what an element shows of a field. ``part``: of its text; empty: all of it."""
        self._record(field, element_meant(ref, part, self._elements()), by)

    def _elements(self) -> Sequence[Element]:
        page = self._bench.need_live().page
        return () if page is None else page.elements

    def _record(self, field: str, meant: MeantValue | str, by: str) -> None:
        todo, live = self._bench.state.current, self._bench.need_live()
        if todo is None:
            self._bench.tell("nothing_to_read")
            return
        value = meant if isinstance(meant, str) else live.record_value(field, meant.element, meant.text)
        if isinstance(value, str):
            self._bench.tell("not_read", todo, fields=(field,), details=(value,))
            return
        self._bench.save()
        self._bench.note_value(todo, value, by)

    def absent(self, field: str, *, by: str = "person") -> None:
        """Record for the current TODO that the page shows no value of a field."""
        todo, live = self._bench.state.current, self._bench.need_live()
        if todo is None:
            self._bench.tell("nothing_to_read")
            return
        value = live.record_absent(field)
        if isinstance(value, str):
            self._bench.tell("not_absent", todo, fields=(field,), details=(value,))
            return
        self._bench.save()
        self._bench.note_value(todo, value, by)

    def _undo(self) -> None:
        todo = self._bench.state.current
        steps = () if todo is None else self._bench.state.steps.get(todo.number, ())
        if todo is None:
            self._bench.tell("all_are_done_already", row=self._bench.state.sample_id)
            return
        if not steps:
            self._bench.tell("no_step", todo)
            return
        self.leave_out(steps[-1])

    def leave_out(self, step: int) -> None:
        """Leave a step of the current TODO out of the flow."""
        todo, live = self._bench.state.current, self._bench.need_live()
        if todo is None:
            self._bench.tell("all_are_done_already", row=self._bench.state.sample_id)
            return
        if step not in self._bench.state.steps.get(todo.number, ()):
            self._bench.tell("not_its_step", todo, number=step)
            return
        live.drop(step)
        self._bench.save()
        self._bench.note(ActionDropped(at=now_text(), todo=todo.number, step=step))
        self._bench.tell("step_left_out", todo, number=step)

    async def _ask_compiler(self) -> None:
        waiting = [one for one in self._compiler.questions if one.text not in self._bench.state.asked]
        if not waiting:
            self._bench.tell("compiler_asks_nothing")
        more = False
        for one in waiting:
            answer = await self._bench.ask(one)
            if not answer:
                return
            more = more or answer == [ONE_MORE_ROW]
        if more:
            row = self._publisher.further_row(self.rows)
            self._bench.tell("no_further_row" if row is None else "next_row", row="" if row is None else row.sample_id)
