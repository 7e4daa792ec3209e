"""The state of a build session: a fold over its events. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from shared.contracts.base import Part
from shared.flows.building.events import (
    ActionDropped,
    ActionRecorded,
    BuildEvent,
    CompileAsked,
    FlowWritten,
    QuestionsAnswered,
    QuestionsAsked,
    RowBegun,
    RowDone,
    TodoAdded,
    TodoDone,
    ValueRecorded,
)

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

    @property
    def current(self) -> Todo | None:
        """The TODO that is worked on: the first that is not done."""
        return next((one for one in self.todos if one.state != "done"), None)

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
    match event:
        case TodoAdded():
            todo = Todo(number=event.number, title=event.title, fields=event.fields, route_step=event.route_step)
            return replace(state, todos=(*state.todos, todo), row_done=False)
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
            )
        case ActionRecorded():
            return _with_action(state, event)
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
        case QuestionsAsked():
            return state
        case QuestionsAnswered():
            return replace(state, asked=state.asked | {one.question for one in event.answers})
        case _:
            return state


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
    return Todo(number=todo.number, title=todo.title, state=state, fields=todo.fields, route_step=todo.route_step)


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
