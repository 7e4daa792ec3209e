"""Runs the files of scratch_work on a further row, TODO by TODO, and asks where it does not know how to go on."""

from __future__ import annotations

from collections.abc import Container, Mapping

from services.workflows.builds.scratch_run import ScratchRun
from services.workflows.builds.workbench import Workbench, values_told
from shared.contracts.steps import FieldValue, StepTaken
from shared.contracts.workflows.build_events import SCRATCH, Question
from shared.contracts.workflows.flows import FlowCall
from shared.flows.building.edits import added_calls_in
from shared.flows.building.folder import read_scratch_files, read_written, samples_of, write_recorded_again
from shared.flows.building.scratch import ScratchWritten, write_scratch
from shared.flows.building.state import Todo
from shared.flows.compiling.compiler import NotCompiledError, compile_samples
from shared.flows.files import FlowFiles, fields_without_rules, parse_files
from shared.flows.workspace import read_workspace

RIGHT, WRONG = "they are right", "one is wrong: I read them by hand"


class ScratchRows:
    """The files of scratch_work, and the row in the browser."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    async def run_files(self, upto: int) -> None:
        """Run the files of the open TODOs on this row, in order, until one does not know how to go on."""
        files, _ = read_scratch_files(self._bench.folder)
        names = {one.todo: name for name, one in read_written(self._bench.folder).items()}
        data = self._files_so_far()
        for todo in self._bench.state.todos[:upto]:
            name = names.get(todo.number, "")
            if todo.state == "done":
                continue
            if todo.number not in self._bench.state.ever_done:
                self._bench.tell("todo_not_worked_out", todo)
                return
            if name not in files:  # it took no step, or its file was removed
                self._bench.finish_todo(todo)
                continue
            if not await self._run_file(todo, name, files[name], data):
                return

    async def _run_file(self, todo: Todo, name: str, source: str, data: FlowFiles) -> bool:
        """Return whether the TODO is done by its file; where it is not, that is told."""
        live = self._bench.need_live()
        written = read_written(self._bench.folder).get(name)
        added = [] if written is None else added_calls_in(name, source, written, data.mappings, live.row)

        def noted(step: StepTaken, call: FlowCall) -> None:
            self._bench.note_action(todo, step, by=SCRATCH, added=call in added)

        run = ScratchRun(live, data, noted, todo.route_step)
        problem = await run.run(name, source)
        if problem:
            self._bench.tell("todo_stopped", todo, details=(problem,))
        if not await self._confirmed(todo, run.read, fields_without_rules(data)) or problem:
            return False
        self._record_again(todo, name, written)
        self._bench.finish_todo(todo)
        return True

    async def _confirmed(self, todo: Todo, read: Mapping[str, FieldValue], without_rule: Container[str] = ()) -> bool:
        """Return whether a person says that what was read is right; then it is recorded, else dropped."""
        if not read:
            return True
        left = self._bench.open_fields((*self._bench.need_live().sample.values, *read.values()))
        found = values_told(read, [name for name in left if name in todo.fields], without_rule)
        asked = Question(text=f"{todo.title}: {found} Is that right?", options=(RIGHT, WRONG))
        if await self._bench.ask(asked) != [RIGHT]:
            self._bench.need_live().forget_values(read)
            self._bench.tell("values_not_confirmed", todo, fields=tuple(read))
            return False
        for value in read.values():
            self._bench.note_value(todo, value, SCRATCH)
        return True

    def _record_again(self, todo: Todo, name: str, written: ScratchWritten | None) -> None:
        """Note the new numbers of the steps, where the row is the one that the file was written from."""
        live, state = self._bench.need_live(), self._bench.state
        if written is None or written.sample_id != live.sample.sample_id:
            return
        added = state.added.get(live.sample.sample_id, frozenset[int]())
        steps = [step for step in state.steps.get(todo.number, ()) if step not in added]
        fields = state.values.get(todo.number, ())
        if steps or fields:
            again = write_scratch(self._bench.spec, todo, live.sample, steps, fields)
            write_recorded_again(self._bench.folder, name, again.written)

    def _files_so_far(self) -> FlowFiles:
        """Return the data files that the finished rows give: what is known of elements and fields. Without a finished
        row they are those of the flow as it was last compiled."""
        samples = samples_of(self._bench.folder)
        rows = [samples[one] for one in self._bench.state.finished if one in samples]
        try:
            if rows:
                return compile_samples(self._bench.spec, rows, draft=len(rows) == 1).files
            return parse_files(read_workspace(self._bench.folder)[1])
        except (NotCompiledError, OSError, ValueError):
            return FlowFiles()
