"""The commands that are about TODOs: done, added, renamed, moved, deleted, chosen; and steps that are put elsewhere."""

from __future__ import annotations

from services.workflows.builds.scratch_rows import ScratchRows
from services.workflows.builds.workbench import Workbench, now_text
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import (
    ActionMoved,
    TodoAdded,
    TodoChosen,
    TodoDeleted,
    TodoMoved,
    TodoRenamed,
    TodoReopened,
)
from shared.flows.building.folder import remove_scratch_file, rename_scratch_file
from shared.flows.building.state import why_not_todo

TodoCommand = (
    builds.FinishTodo
    | builds.AddTodo
    | builds.RenameTodo
    | builds.MoveTodo
    | builds.DeleteTodo
    | builds.ReopenTodo
    | builds.ChooseTodo
    | builds.MoveStep
)


class TodoCommands:
    """The TODOs of one session."""

    def __init__(self, bench: Workbench, scratch: ScratchRows) -> None:
        self._bench, self._scratch = bench, scratch

    async def do(self, command: TodoCommand) -> None:
        match command:
            case builds.FinishTodo():
                await self._finish()
            case builds.AddTodo():
                self._add(command.title, command.fields)
            case builds.MoveStep():
                self._move_step(command.step, command.todo)
            case builds.RenameTodo():
                self._change(TodoRenamed(at=now_text(), number=command.number, title=command.title.strip()))
            case builds.MoveTodo():
                self._change(TodoMoved(at=now_text(), number=command.number, before=command.before))
            case builds.DeleteTodo():
                self._change(TodoDeleted(at=now_text(), number=command.number))
            case builds.ReopenTodo():
                self._change(TodoReopened(at=now_text(), number=command.number))
            case builds.ChooseTodo():
                self._change(TodoChosen(at=now_text(), number=command.number))

    def _add(self, title: str, fields: tuple[str, ...]) -> None:
        unknown = [one for one in fields if one not in self._bench.spec.output_schema]
        if unknown:
            self._bench.tell(
                "unknown_field", fields=tuple(unknown), details=(", ".join(self._bench.spec.output_schema),)
            )
            return
        if not title.strip():
            self._bench.tell("todo_without_title")
            return
        number = self._bench.state.last_number + 1
        self._bench.note(TodoAdded(at=now_text(), number=number, title=title.strip(), fields=fields))

    def _change(self, event: TodoRenamed | TodoMoved | TodoDeleted | TodoReopened | TodoChosen) -> None:
        bench = self._bench
        if why := why_not_todo(bench.state, event):
            bench.tell_outcome(why)
            return
        if isinstance(event, TodoDeleted) and bench.live is not None:
            for step in bench.state.steps.get(event.number, ()):
                bench.live.drop(step)
            bench.live.forget_values(bench.state.values.get(event.number, ()))
        bench.note(event)
        if isinstance(event, TodoRenamed):
            todo = bench.state.todo(event.number)
            assert todo is not None  # it was there before the event
            rename_scratch_file(bench.folder, todo)
        if isinstance(event, TodoDeleted):
            remove_scratch_file(bench.folder, event.number)
            bench.save()
            bench.finish_row_if_done()

    def _move_step(self, step: int, number: int) -> None:
        bench = self._bench
        todo = bench.state.todo(number)
        own = next((one for one, steps in bench.state.steps.items() if step in steps), 0)
        if todo is None:
            bench.tell("todo_unknown", number=number)
            return
        if not own:
            bench.tell("step_unknown", number=step)
            return
        done = [one for one in (own, number) if (of := bench.state.todo(one)) is not None and of.state == "done"]
        bench.note(ActionMoved(at=now_text(), step=step, todo=number))
        for one in done:  # their files are written already
            again = bench.state.todo(one)
            if again is not None:
                bench.write_scratch(again, bench.need_live())

    async def _finish(self) -> None:
        bench = self._bench
        todo = bench.state.current
        if todo is None:
            bench.tell("all_are_done_already", row=bench.state.sample_id)
            return
        live = bench.need_live()
        have = {one.field for one in live.sample.values}
        missing = tuple(name for name in todo.fields if name in bench.spec.output_schema and name not in have)
        if missing:
            bench.tell("todo_without_its_fields", todo, fields=missing)
            return
        bench.write_scratch(todo, live)
        bench.finish_todo(todo)
        if bench.state.finished and bench.state.current is not None:
            await self._scratch.run_files(upto=len(bench.state.todos))
