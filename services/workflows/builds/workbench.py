"""What all parts of a build session work with: the workspace, its state, the row in the browser, what is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from services.workflows.builds.recorded_row import RecordedRow
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.steps import FieldValue, StepTaken
from shared.contracts.workflows.build_events import (
    ActionDropped,
    ActionRecorded,
    BuildEvent,
    CompileAsked,
    QuestionsAnswered,
    QuestionsAsked,
    RowDone,
    TodoChosen,
    TodoDone,
    TodoReopened,
    Told,
    ValueRecorded,
)
from shared.contracts.workflows.build_outcomes import BuildOutcome, OutcomeCode
from shared.contracts.workflows.builds import BuildStanding
from shared.errors import PermanentError
from shared.flows.building.folder import (
    append_event,
    read_scratch_files,
    read_written,
    samples_of,
    write_sample,
    write_scratch_file,
    write_todos,
)
from shared.flows.building.outcome_texts import is_refusal, text_for_person
from shared.flows.building.scratch import ScratchWritten, write_scratch, write_scratch_again
from shared.flows.building.state import BuildState, Todo, apply_event, outcome_of, replayed
from shared.flows.building.todos import scratch_name
from shared.flows.compiling.sample_choice import field_support
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec


def now_text() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def standing_of(state: BuildState, events: Sequence[BuildEvent]) -> BuildStanding:
    """Return how far a session is after these events, which have led to this state."""
    return BuildStanding(
        changed_at=events[-1].at if events else "",
        todos=len(state.todos),
        done=state.done,
        rows=len(state.finished),
        published=state.published,
    )


def values_told(
    values: Mapping[str, FieldValue], still_open: Sequence[str] = (), without_rule: Container[str] = ()
) -> str:
    """Return what was read, in sentences for the person who is asked whether it is right. ``still_open``: fields that
    have neither a value nor a note that they are absent; ``without_rule``: fields that no rule reads."""
    read = ", ".join(
        f"{name} is {one.shown!r}" if one.shown else f"of {name} the page shows none" for name, one in values.items()
    )
    left = ", ".join(f"{name} (no rule reads it)" if name in without_rule else name for name in still_open)
    return f"{read}. Still open: {left}." if left else f"{read}."


class NotDoneError(PermanentError):
    """A command was not done. ``outcome``: why, for each party."""

    default_code = "unsupported"

    def __init__(self, outcome: BuildOutcome) -> None:
        super().__init__(text_for_person(outcome))
        self.outcome = outcome


class Workbench:
    """``written``: the spec as it stands in its file. ``events`` and ``state``, their fold. ``live``: the row in the
    browser; None before the first one is open.
    ``compile_due``: is told why flow.py is to be compiled. ``changed``: is called after each event."""

    def __init__(
        self, folder: Path, spec: TaskSpec, written: Mapping[str, Any], by: str, events: Sequence[BuildEvent]
    ) -> None:
        self.folder, self.spec, self.written, self.by = folder, spec, written, by
        self.events = list(events)
        self.state: BuildState = replayed(events)
        self.live: RecordedRow | None = None
        self.is_model_acting = False
        self.compile_due: Callable[[str], None] = lambda why: None
        self.changed: Callable[[], None] = lambda: None
        self._answer: asyncio.Future[tuple[QuestionAnswer, ...]] | None = None

    def note(self, event: BuildEvent) -> None:
        before = self.state
        append_event(self.folder, event)
        self.events.append(event)
        self.state = apply_event(before, event)
        if self.state.todos != before.todos:
            write_todos(self.folder, self.state)
        if self.state.due_at > before.due_at:
            self.save()
            self.compile_due(self.state.due)
        self.changed()

    def note_value(self, todo: Todo, value: FieldValue, by: str) -> None:
        """Note that a value of the row was recorded for a TODO. ``by``: who has read it."""
        shown, absent = value.shown or "", value.state == "not_present"
        self.note(ValueRecorded(at=now_text(), todo=todo.number, field=value.field, shown=shown, by=by, absent=absent))

    def tell(self, code: OutcomeCode, *todos: Todo, **facts: Any) -> None:
        """Tell what came of something. ``facts``: of the `BuildOutcome`, beside the TODOs that it is about."""
        self.tell_outcome(outcome_of(code, *todos, **facts))

    def tell_outcome(self, outcome: BuildOutcome) -> None:
        refused = is_refusal(outcome)
        self.note(
            Told(
                at=now_text(),
                text=text_for_person(outcome),
                refused=refused,
                outcome=outcome,
                to_model=refused and self.is_model_acting,
            )
        )

    def save(self) -> None:
        if self.live is not None:
            write_sample(self.folder, self.live.sample)

    def set_person(self, by: str) -> None:
        """Have what is done from now on be done by this person."""
        self.by = by
        if self.live is not None:
            self.live.by = by

    def need_live(self) -> RecordedRow:
        if self.live is None:
            raise NotDoneError(outcome_of("no_row_open", row=self.state.sample_id))
        return self.live

    # --- questions

    async def ask(self, question: Question) -> list[str]:
        """Ask one question. Return what was chosen, or the free text; empty: nobody answers."""
        answers = await self.ask_all((question,))
        return [] if not answers else list(answers[0].chosen) or [answers[0].text]

    async def ask_all(self, questions: tuple[Question, ...]) -> tuple[QuestionAnswer, ...]:
        """Ask 1 to 4 questions, and wait for the answers; none: nobody answers."""
        self._answer = asyncio.get_running_loop().create_future()
        self.note(QuestionsAsked(at=now_text(), questions=questions))
        try:
            answers = await self._answer
        finally:
            self._answer = None
        self.note(QuestionsAnswered(at=now_text(), answers=answers))
        return answers

    def answered(self, answers: tuple[QuestionAnswer, ...]) -> None:
        """Give the answers to what is asked now."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(answers)

    # --- what was done

    def note_action(self, todo: Todo, step: StepTaken, *, by: str, added: bool = False) -> None:
        result = step.result
        page = None if self.live is None else self.live.page
        picture = next((one.filename for one in step.artifacts if one.artifact.kind == "step"), "")
        self.note(
            ActionRecorded(
                at=now_text(),
                todo=todo.number,
                step=step.step,
                action="" if step.action is None else str(step.action.__struct_config__.tag),
                by=by,
                ok=result is not None and result.ok,
                added=added,
                message=step.message,
                url="" if page is None else page.url,
                title="" if page is None else page.title,
                box=result.target.box if result is not None and result.target is not None else None,
                picture="" if self.live is None or not picture else self.live.capture_path(picture),
            )
        )

    def open_again_after(self, changed: Todo) -> None:
        """Open the TODOs again of which something was done or read before a TODO that comes first was changed, as a
        picture of a page that is reached in another way now. What they had is left out."""
        live = self.need_live()
        outdated = self.state.outdated(changed.number)
        for number in outdated:
            todo = self.state.todo(number)
            assert todo is not None  # its steps are kept by its number
            for step in self.state.steps.get(number, ()):
                live.drop(step)
                self.note(ActionDropped(at=now_text(), todo=number, step=step))
            live.forget_values(self.state.values.get(number, ()))
            self.note(TodoReopened(at=now_text(), number=number, values_dropped=True))
            self.note(TodoChosen(at=now_text(), number=changed.number))
            self.tell("todo_open_again", todo)
        if outdated:
            self.save()

    def write_scratch(self, todo: Todo, live: RecordedRow) -> None:
        """Write the file of a TODO, on the row that it was first worked out on, or as two rows have it."""
        first = next((one for one in read_written(self.folder).values() if one.todo == todo.number), None)
        steps, fields = self.state.steps.get(todo.number, ()), self.state.values.get(todo.number, ())
        if first is not None and first.sample_id != live.sample.sample_id:
            self._write_scratch_again(todo, live, first)
            return
        if not (steps or fields):
            return
        file = write_scratch(self.spec, todo, live.sample, steps, fields)
        name = scratch_name(todo)
        write_scratch_file(self.folder, name, file.written)
        self.tell("todo_file", details=(name,))
        if file.untold:
            self.tell("known_after_more_rows", todo, fields=file.untold)
        for one in file.gaps:
            self.tell("todo_lacks", todo, details=(one,))

    def _write_scratch_again(self, todo: Todo, live: RecordedRow, first: ScratchWritten) -> None:
        """Write the file as it holds on its first row and on this one, where it had to be done by hand.

        A file that a person has edited stays, and so does one for which nothing holds on both."""
        name = next(name for name, one in read_written(self.folder).items() if one.todo == todo.number)
        earlier = samples_of(self.folder).get(first.sample_id)
        if earlier is None or read_scratch_files(self.folder)[0].get(name) != first.source:
            return
        added = self.state.added.get(live.sample.sample_id, frozenset[int]())
        steps = [step for step in self.state.steps.get(todo.number, ()) if step not in added]
        rows = ((earlier, first.steps), (live.sample, steps))
        again = write_scratch_again(self.spec, todo, rows, self.state.values.get(todo.number, ()))
        if again is not None and again.source != first.source:
            write_scratch_file(self.folder, name, again)
            self.tell("todo_file", details=(name,))

    def finish_row_if_done(self) -> None:
        """Finish the row where no TODO is left, such as after the last open one was deleted."""
        state = self.state
        if state.current is None and not state.row_done and self.live is not None:
            self.note(RowDone(at=now_text(), sample_id=state.sample_id))
            self.note(CompileAsked(at=now_text(), why="all TODOs are finished"))
            self._tell_all_done(self.live)

    def finish_todo(self, todo: Todo) -> None:
        self.save()
        live = self.need_live()
        if self.state.done + 1 == len(self.state.todos):
            # Before the TODO's own event: the compile that it makes due counts this row as finished.
            self.note(RowDone(at=now_text(), sample_id=live.sample.sample_id))
        self.note(TodoDone(at=now_text(), number=todo.number))
        if self.state.current is None:
            self._tell_all_done(live)
            self.tell_alike()

    def _tell_all_done(self, live: RecordedRow) -> None:
        self.tell("all_done", row=live.sample.sample_id, fields=self.open_fields(live.sample.values))

    def open_fields(self, values: Iterable[FieldValue]) -> tuple[str, ...]:
        """Return the fields of the task that have no value among these, nor a note that they are absent."""
        have = {one.field for one in values}
        schema = self.spec.output_schema
        return tuple(name for name, field in schema.items() if name not in have and not field.derived)

    def tell_alike(self) -> None:
        """Tell which fields show the same on all finished rows: a row with others proves more."""
        samples = self.finished_samples()
        alike = tuple(one.field for one in field_support(self.spec, samples) if one.is_unvaried)
        if alike:
            shown = {one.field: one.shown for one in samples[-1].values}
            self.tell("rows_alike", fields=alike, details=tuple(f"{name} is {shown.get(name)!r}" for name in alike))

    def finished_samples(self) -> list[Recording]:
        """Return what was recorded of the finished rows, in their order."""
        found = samples_of(self.folder)
        return [found[one] for one in self.state.finished if one in found]
