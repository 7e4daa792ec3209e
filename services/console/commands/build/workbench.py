"""What all parts of a build session work with: the workspace, its state, the terminal, the row in the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from services.console.commands.build.background import now_text
from services.console.commands.build.recorded_row import RecordedRow
from services.console.commands.build.terminal import BuildTerminal
from shared.contracts.steps import StepTaken
from shared.errors import ExhibitError
from shared.flows.building.events import (
    ActionRecorded,
    BuildEvent,
    Question,
    QuestionsAnswered,
    QuestionsAsked,
    RowDone,
    TodoDone,
)
from shared.flows.building.folder import (
    append_event,
    read_events,
    read_written,
    write_sample,
    write_scratch_file,
    write_todos,
)
from shared.flows.building.scratch import write_scratch
from shared.flows.building.state import Todo, apply_event, replayed
from shared.flows.building.todos import scratch_name
from shared.task.spec import TaskSpec


class Workbench:
    """``state``: the fold over all events. ``live``: the row in the browser; None before the first one is open.
    ``compile_due``: is told why flow.py is to be compiled."""

    def __init__(self, folder: Path, spec: TaskSpec, terminal: BuildTerminal) -> None:
        self.folder, self.spec, self.terminal = folder, spec, terminal
        self.state = replayed(read_events(folder))
        self.live: RecordedRow | None = None
        self.compile_due: Callable[[str], None] = lambda why: None

    def note(self, event: BuildEvent) -> None:
        before = self.state
        append_event(self.folder, event)
        self.state = apply_event(before, event)
        if self.state.todos != before.todos:
            write_todos(self.folder, self.state)
        if self.state.due_at > before.due_at:
            self.save()
            self.compile_due(self.state.due)

    def save(self) -> None:
        if self.live is not None:
            write_sample(self.folder, self.live.sample)

    def need_live(self) -> RecordedRow:
        if self.live is None:
            raise ExhibitError("no row is open: `next`, or `again`")
        return self.live

    async def ask(self, question: Question) -> list[str]:
        """Ask one question. Return what was chosen, or the free text; empty: there is no more input."""
        self.note(QuestionsAsked(at=now_text(), questions=(question,)))
        answer = await self.terminal.ask(question)
        if answer is None:
            return []
        self.note(QuestionsAnswered(at=now_text(), answers=(answer,)))
        return list(answer.chosen) or [answer.text]

    def note_action(self, todo: Todo, step: StepTaken, *, by: str, added: bool = False) -> None:
        ok = step.result is not None and step.result.ok
        tag = "" if step.action is None else str(step.action.__struct_config__.tag)
        self.note(
            ActionRecorded(at=now_text(), todo=todo.number, step=step.step, action=tag, by=by, ok=ok, added=added)
        )

    def write_scratch(self, todo: Todo, live: RecordedRow) -> None:
        """Write the file of a TODO, on the row that it was first worked out on."""
        first = {one.todo: one.sample_id for one in read_written(self.folder).values()}
        steps, fields = self.state.steps.get(todo.number, ()), self.state.values.get(todo.number, ())
        if first.get(todo.number, live.sample.sample_id) != live.sample.sample_id or not (steps or fields):
            return
        written, _, gaps = write_scratch(self.spec, todo, live.sample, steps, fields)
        name = scratch_name(todo)
        write_scratch_file(self.folder, name, written)
        self.terminal.say(f"scratch_work/{name}")
        for gap in gaps:
            self.terminal.refuse(gap)

    def finish_todo(self, todo: Todo) -> None:
        self.save()
        live = self.need_live()
        if todo is self.state.todos[-1] or self.state.done + 1 == len(self.state.todos):
            # Before the TODO's own event: the compile that it makes due counts this row as finished.
            self.note(RowDone(at=now_text(), sample_id=live.sample.sample_id))
        self.note(TodoDone(at=now_text(), number=todo.number))
        if self.state.current is None:
            self.terminal.say("All TODOs are done on this row. `next` works out the next row, `close` ends.")
