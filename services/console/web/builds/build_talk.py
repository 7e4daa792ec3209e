"""What was said and done in a build session, as lines of a conversation. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from services.console.terminal.flows_view import unvaried_lines
from services.console.text.build_lines import note_to_model
from services.console.web.builds.build_facts import BY
from shared.contracts.workflows.build_events import (
    AGENT,
    ActionRecorded,
    BuildEvent,
    CompilerTold,
    FlowPublished,
    FlowWritten,
    MessageWritten,
    ModelDecided,
    QuestionsAnswered,
    QuestionsAsked,
    RowBegun,
    SessionClosed,
    SessionOpened,
    TodoAdded,
    TodoDeleted,
    TodoDone,
    TodoRenamed,
    Told,
    ValueRecorded,
)

TalkKind = Literal["said", "model", "told", "note", "refused", "asked", "answered", "did", "failed", "row", "flow"]


@dataclass(frozen=True)
class TalkLine:
    """``kind``: ``note``: what the model alone is told. ``who``: empty: the session itself. ``lines``: below it.
    ``flow``: the version in the library that it names."""

    at: str
    kind: TalkKind
    who: str
    text: str
    lines: tuple[str, ...] = ()
    flow: str = ""


def talk_lines(events: Iterable[BuildEvent]) -> list[TalkLine]:
    """Return the lines, oldest first. What the compiler does is in its log."""
    titles: dict[int, str] = {}
    found: list[TalkLine] = []
    for event in events:
        if isinstance(event, TodoAdded | TodoRenamed):
            titles[event.number] = event.title
        line = _said(event) or _done(event, titles) or _flow(event)
        if line is not None:
            found.append(line)
    return found


def _said(event: BuildEvent) -> TalkLine | None:
    match event:
        case MessageWritten():
            is_model = event.by == AGENT
            return TalkLine(
                event.at, "model" if is_model else "said", "the model" if is_model else event.by, event.text
            )
        case Told() if note := note_to_model(event):
            return TalkLine(event.at, "note", "", note)
        case Told():
            return TalkLine(event.at, "refused" if event.refused else "told", "", event.text) if event.text else None
        case QuestionsAsked():
            return TalkLine(event.at, "asked", "", "Asked", tuple(one.text for one in event.questions))
        case QuestionsAnswered():
            answers = tuple(", ".join(one.chosen) or one.text for one in event.answers)
            return TalkLine(event.at, "answered", "", "Answered" if answers else "Left open", answers)
        case ModelDecided():
            if event.problem:
                return TalkLine(event.at, "failed", event.model, f"Its answer could not be used: {event.problem}")
            return None
        case SessionOpened():
            return TalkLine(event.at, "row", event.by, "has opened the session")
        case SessionClosed():
            return TalkLine(event.at, "row", "", "The session was closed.")
        case _:
            return None


def _done(event: BuildEvent, titles: dict[int, str]) -> TalkLine | None:
    match event:
        case RowBegun():
            return TalkLine(event.at, "row", "", f"Row {event.sample_id} begins.")
        case ActionRecorded():
            text = f"step {event.step}: {event.message}" if event.ok else event.message
            return TalkLine(event.at, "did" if event.ok else "failed", BY.get(event.by, event.by), text)
        case ValueRecorded():
            none = " (the page says that there is none)" if event.shown else "the page shows none of it"
            text = f"{event.field}: {event.shown}{none if event.absent else ''}"
            return TalkLine(event.at, "did", BY.get(event.by, event.by), text)
        case TodoDone():
            return TalkLine(event.at, "row", "", f"TODO {event.number} ({titles.get(event.number, '')}) is done.")
        case TodoDeleted():
            return TalkLine(event.at, "row", "", f"TODO {event.number} ({titles.get(event.number, '')}) was deleted.")
        case _:
            return None


def _flow(event: BuildEvent) -> TalkLine | None:
    match event:
        case FlowWritten():
            if not event.version:
                return TalkLine(event.at, "failed", "", "flow.py was not written: the log of the compiler says why.")
            reasons = "1 reason" if len(event.problems) == 1 else f"{len(event.problems)} reasons"
            draft = f", a draft for {reasons}" if event.problems else ""
            return TalkLine(event.at, "flow", "", f"flow.py is version {event.version}{draft}.", event.problems)
        case FlowPublished():
            text = f"It is in the library as {event.name}, version {event.hash[:12]}, proven on row {event.row}."
            return TalkLine(event.at, "flow", "", text, tuple(unvaried_lines(event.unvaried)), event.name)
        case _:
            return None


@dataclass(frozen=True)
class CompileOfBuild:
    """A version of flow.py. ``number``: of the compile, from 1."""

    number: int
    event: FlowWritten


def compiles(events: Iterable[BuildEvent]) -> list[CompileOfBuild]:
    """Return the compiles that have changed flow.py or have failed, the newest first."""
    ended = [one for one in events if isinstance(one, FlowWritten)]
    kept = [
        CompileOfBuild(number, one)
        for number, one in enumerate(ended, 1)
        if one.diff or not one.version or number == 1 or one.version != ended[number - 2].version
    ]
    return kept[::-1]


def compiler_log(events: Iterable[BuildEvent]) -> Sequence[CompilerTold]:
    """Return what the compiler has told, oldest first."""
    return [one for one in events if isinstance(one, CompilerTold)]
