"""The state of a build session: a fold over its events. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from msgspec import structs

from shared.contracts.base import Part
from shared.contracts.questions import Question
from shared.contracts.workflows.build_events import (
    ActionBegun,
    ActionDropped,
    ActionMoved,
    ActionRecorded,
    BuildEvent,
    CompileAsked,
    FlowPublished,
    FlowWritten,
    QuestionsAnswered,
    QuestionsAsked,
    RowBegun,
    RowDone,
    SessionClosed,
    SessionOpened,
    TodoAdded,
    TodoChosen,
    TodoDeleted,
    TodoDone,
    TodoMoved,
    TodoRenamed,
    TodoReopened,
    ValueRecorded,
)
from shared.contracts.workflows.build_outcomes import BuildOutcome, OutcomeCode, TodoNamed
from shared.recordings.recording import Recording

TODOS_BETWEEN_COMPILES = 2


class Todo(Part, frozen=True, kw_only=True):
    """One thing to be worked out. ``state``: on the current row. ``fields`` and ``route_step``: see `TodoAdded`."""

    number: int
    title: str
    state: Literal["open", "doing", "done"] = "open"
    fields: tuple[str, ...] = ()
    route_step: int = 0


@dataclass(frozen=True)
class BuildState:
    """``sample_id``: the current row; empty: none was begun. ``row_done``: it is finished. ``finished``: rows that are.

    ``steps``: numbers of the recorded steps of the current row, by TODO. ``added``: those of every row that come from
    calls that a person has written, by row. ``asked``: questions that were answered. ``ever_done``: TODOs that were
    done on any row. ``due``: why flow.py is to be compiled; empty: it is not.

    ``chosen``: the TODO that a person has turned to; 0: the next one. ``last_number``: the largest that a TODO ever
    had. ``acting``: the action whose end is not known yet. ``asking``: questions that wait for an answer; ``asks``: how
    often something was asked, which is their number. ``open``: the session has not been closed since it was opened.
    ``given_up``: fields that the published flow may lose. ``published``: the flow is in the library as it is now;
    ``held_out``: a finished row that it was built without, and proven on. ``spec``: marks of the spec that it was
    opened with last. ``reopened``: TODOs that were done on this row, and opened again.
    """

    todos: tuple[Todo, ...] = ()
    sample_id: str = ""
    row: Mapping[str, str] = field(default_factory=dict[str, str])
    row_done: bool = False
    finished: tuple[str, ...] = ()
    steps: Mapping[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    values: Mapping[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    added: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    dropped: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    asked: frozenset[str] = frozenset()
    ever_done: frozenset[int] = frozenset()
    due: str = ""
    events: int = 0
    due_at: int = 0
    chosen: int = 0
    last_number: int = 0
    acting: str = ""
    asking: tuple[Question, ...] = ()
    asks: int = 0
    open: bool = False
    given_up: frozenset[str] = frozenset()
    published: bool = False
    held_out: str = ""
    spec: Mapping[str, str] = field(default_factory=dict[str, str])
    reopened: frozenset[int] = frozenset()

    @property
    def current(self) -> Todo | None:
        """The TODO that is worked on: the chosen one, else the first that is not done."""
        left = [one for one in self.todos if one.state != "done"]
        return next((one for one in left if one.number == self.chosen), left[0] if left else None)

    def todo(self, number: int) -> Todo | None:
        return next((one for one in self.todos if one.number == number), None)

    def outdated(self, number: int) -> tuple[int, ...]:
        """Return the TODOs that come after a reopened TODO, and of which something was done or read before its last
        step: on a page that is reached in another way now."""
        own = self.steps.get(number, ())
        if number not in self.reopened or not own:
            return ()
        at = next((at for at, one in enumerate(self.todos) if one.number == number), len(self.todos))
        later = [one.number for one in self.todos[at + 1 :]]
        return tuple(one for one in later if self.values.get(one) or min(self.steps.get(one) or own) < max(own))

    @property
    def done(self) -> int:
        return sum(one.state == "done" for one in self.todos)


def replayed(events: Iterable[BuildEvent]) -> BuildState:
    """Return the state after these events."""
    state = BuildState()
    for event in events:
        state = apply_event(state, event)
    return state


def apply_event(state: BuildState, event: BuildEvent) -> BuildState:
    """Return the state after one more event. Events that a state cannot have are ignored: a log may be cut off."""
    after = _applied(replace(state, events=state.events + 1), event)
    if isinstance(event, RowDone | TodoDone | TodoDeleted | TodoMoved | ActionMoved | ActionDropped):
        after = replace(after, published=False, held_out="")
    why = why_compile(after, event)
    if why:
        return replace(after, due=why, due_at=after.events)
    if isinstance(event, FlowWritten) and event.seen >= after.due_at:
        return replace(after, due="")
    return after


def why_compile(state: BuildState, event: BuildEvent) -> str:
    """Return why flow.py is to be compiled after this event, which led to this state; empty: it is not.

    After every second finished TODO, and once when all are finished; on a further row, when it is finished: its calls
    are there already.
    """
    if isinstance(event, CompileAsked):
        return event.why
    if not isinstance(event, TodoDone):
        return ""
    if state.current is None:
        return "all TODOs are finished"
    if not state.finished and state.done % TODOS_BETWEEN_COMPILES == 0:
        return f"{state.done} TODOs are finished"
    return ""


def _applied(state: BuildState, event: BuildEvent) -> BuildState:
    if isinstance(event, TodoAdded | TodoRenamed | TodoMoved | TodoDeleted | TodoReopened | TodoChosen):
        return _with_todo_event(state, event)
    match event:
        case SessionOpened():
            is_same = not event.spec or not state.spec or event.spec == state.spec
            now = event.spec or state.spec
            return replace(state, open=True, asking=(), spec=now, published=state.published and is_same)
        case SessionClosed():
            return replace(state, open=False, asking=())
        case RowBegun():
            todos = tuple(_with_state(one, "open") for one in state.todos)
            return replace(
                state,
                todos=todos,
                sample_id=event.sample_id,
                row=event.row,
                row_done=False,
                finished=tuple(one for one in state.finished if one != event.sample_id),
                steps={},
                values={},
                added={**state.added, event.sample_id: frozenset()},
                dropped={**state.dropped, event.sample_id: frozenset()},
                chosen=0,
                acting="",
                reopened=frozenset(),
            )
        case ActionBegun():
            return replace(state, acting=event.action)
        case ActionRecorded():
            return _with_action(replace(state, acting=""), event)
        case ActionMoved():
            return _with_moved_action(state, event)
        case ActionDropped():
            kept = tuple(step for step in state.steps.get(event.todo, ()) if step != event.step)
            gone = state.dropped.get(state.sample_id, frozenset[int]()) | {event.step}
            return replace(
                state,
                steps={**state.steps, event.todo: kept},
                dropped={**state.dropped, state.sample_id: gone},
            )
        case ValueRecorded():
            read = dict.fromkeys((*state.values.get(event.todo, ()), event.field))
            began = _with_todo(state, event.todo, "doing")
            return replace(began, values={**state.values, event.todo: tuple(read)})
        case TodoDone():
            return replace(_with_todo(state, event.number, "done"), ever_done=state.ever_done | {event.number})
        case RowDone():
            finished = tuple(dict.fromkeys((*state.finished, event.sample_id)))
            return replace(state, row_done=True, finished=finished)
        case FlowPublished():
            held_out = event.row if event.row in state.finished else ""
            return replace(state, given_up=frozenset(event.given_up), published=True, held_out=held_out)
        case QuestionsAsked():
            return replace(state, asking=event.questions, asks=state.asks + 1)
        case QuestionsAnswered():
            return replace(state, asking=(), asked=state.asked | {one.question for one in event.answers})
        case _:
            return state


def _with_todo_event(
    state: BuildState, event: TodoAdded | TodoRenamed | TodoMoved | TodoDeleted | TodoReopened | TodoChosen
) -> BuildState:
    number = event.number
    if isinstance(event, TodoAdded):
        todo = Todo(number=number, title=event.title, fields=event.fields, route_step=event.route_step)
        last = max(state.last_number, number)
        return replace(state, todos=(*state.todos, todo), row_done=False, last_number=last)
    found = state.todo(number)
    if found is None:
        return state
    others = tuple(one for one in state.todos if one.number != number)
    match event:
        case TodoRenamed():
            renamed = structs.replace(found, title=event.title)
            return replace(state, todos=tuple(renamed if one.number == number else one for one in state.todos))
        case TodoMoved():
            at = next((n for n, one in enumerate(others) if one.number == event.before), len(others))
            return replace(state, todos=(*others[:at], found, *others[at:]))
        case TodoDeleted():
            gone = state.dropped.get(state.sample_id, frozenset[int]()) | set(state.steps.get(number, ()))
            return replace(
                state,
                todos=others,
                steps={one: steps for one, steps in state.steps.items() if one != number},
                values={one: fields for one, fields in state.values.items() if one != number},
                dropped={**state.dropped, state.sample_id: gone},
            )
        case TodoReopened():
            again = tuple(_with_state(one, "doing") if one is found else one for one in state.todos)
            finished = tuple(one for one in state.finished if one != state.sample_id)
            opened = state.reopened | {number}
            kept = {one: fields for one, fields in state.values.items() if one != number or not event.values_dropped}
            return replace(
                state, values=kept, todos=again, chosen=number, row_done=False, finished=finished, reopened=opened
            )
        case TodoChosen():
            return replace(state, chosen=number)


def _with_moved_action(state: BuildState, event: ActionMoved) -> BuildState:
    """Put a recorded step where it belongs; within a TODO, steps are in the order in which they were done."""
    if all(event.step not in steps for steps in state.steps.values()):
        return state
    left = {number: tuple(one for one in steps if one != event.step) for number, steps in state.steps.items()}
    there = (*left.get(event.todo, ()), event.step)
    return _with_todo(replace(state, steps={**left, event.todo: tuple(sorted(there))}), event.todo, "doing")


def outcome_of(code: OutcomeCode, *todos: Todo, **facts: Any) -> BuildOutcome:
    """Return an outcome that is about these TODOs. ``facts``: of the `BuildOutcome`."""
    named = tuple(TodoNamed(number=one.number, title=one.title) for one in todos)
    return BuildOutcome(code=code, todos=named, **facts)


def why_not_todo(
    state: BuildState, event: TodoRenamed | TodoMoved | TodoDeleted | TodoReopened | TodoChosen
) -> BuildOutcome | None:
    """Return why this cannot be done to a TODO; None: it can.

    What was worked on keeps its order, for it is that of the recorded steps.
    """
    found = state.todo(event.number)
    if found is None:
        return outcome_of("todo_unknown", number=event.number)
    if isinstance(event, TodoRenamed):
        return None if event.title.strip() else outcome_of("todo_without_title")
    if isinstance(event, TodoDeleted):
        return outcome_of("todo_only_one", found) if len(state.todos) == 1 else None
    if isinstance(event, TodoReopened):
        return None if found.state == "done" else outcome_of("todo_not_done", found, number=event.number)
    if isinstance(event, TodoChosen):
        return outcome_of("todo_is_done", found, number=event.number) if found.state == "done" else None
    if event.before and (event.before == event.number or state.todo(event.before) is None):
        return outcome_of("todo_unknown", number=event.before)
    after = _with_todo_event(state, event).todos
    worked = [one.number for one in state.todos if one.state != "open" or one.number in state.ever_done]
    if [one.number for one in after if one.number in worked] != worked:
        return outcome_of("todo_keeps_order", found)
    return None


def _with_action(state: BuildState, event: ActionRecorded) -> BuildState:
    if not event.ok:
        return _with_todo(state, event.todo, "doing")
    added = state.added.get(state.sample_id, frozenset[int]()) | ({event.step} if event.added else frozenset[int]())
    began = _with_todo(state, event.todo, "doing")
    return replace(
        began,
        steps={**state.steps, event.todo: (*state.steps.get(event.todo, ()), event.step)},
        added={**state.added, state.sample_id: added},
    )


def _with_todo(state: BuildState, number: int, now: Literal["doing", "done"]) -> BuildState:
    todos = tuple(_with_state(one, now) if one.number == number and one.state != "done" else one for one in state.todos)
    return replace(state, todos=todos)


def _with_state(todo: Todo, state: Literal["open", "doing", "done"]) -> Todo:
    return structs.replace(todo, state=state)


def known_of(state: BuildState, sample: Recording) -> Recording:
    """Return the recorded row of a session without what the session does not know: it was stored when the process was
    killed, and what came of it was not."""
    known = {step for steps in state.steps.values() for step in steps}
    fields = {name for names in state.values.values() for name in names}
    steps = tuple(one for one in sample.steps if one.step in known or one.result is None or not one.result.ok)
    return replace(sample, steps=steps, values=tuple(one for one in sample.values if one.field in fields))


# --- one compile at a time


@dataclass(frozen=True)
class CompileQueue:
    """``running``: a compile is under way. ``waiting``: why another one is due after it; empty: none is."""

    running: bool = False
    waiting: str = ""


def after_due(queue: CompileQueue, why: str) -> tuple[CompileQueue, bool]:
    """Return the queue after a compile became due, and whether it starts now. Several that wait are one."""
    return (replace(queue, waiting=why), False) if queue.running else (CompileQueue(running=True), True)


def after_end(queue: CompileQueue) -> tuple[CompileQueue, str]:
    """Return the queue after a compile has ended, and why the next one starts now; empty: none does."""
    return CompileQueue(running=bool(queue.waiting)), queue.waiting
