"""What the lines of a build session ask of it, as commands."""

from __future__ import annotations

from services.console.text.action_lines import InvalidLine
from services.console.text.build_lines import NO_QUESTION, BuildLine
from shared.contracts.workflows import builds

HOW_TO_READ = (
    "read FIELD NUMBER | read FIELD NUMBER PART of its text | read FIELD beside LABEL | read FIELD TEXT, "
    "while a TODO is open"
)
ACCEPT_LOSS = "--accept-loss"
HOW_TO_PUBLISH = f"publish [NAME] [{ACCEPT_LOSS} FIELD], this once for each field that the flow need not bring"
HOW_TODO = (
    "todo list | todo add TITLE | todo done | todo NUMBER | todo rename NUMBER TITLE | "
    "todo move NUMBER before NUMBER | todo move NUMBER last | todo delete NUMBER | todo reopen NUMBER | "
    "todo take STEP NUMBER"
)


def command_of(line: BuildLine) -> builds.AnyBuildCommand | InvalidLine | None:
    """Return the command of a line that is no action; None: it only shows something."""
    match line.command:
        case "page":
            return builds.ShowPage(words=line.words)
        case "read":
            if len(line.words) < 2:
                return InvalidLine(HOW_TO_READ)
            return builds.ReadValue(field=line.words[0], where=line.words[1:])
        case "absent":
            if len(line.words) != 1:
                return InvalidLine("absent FIELD, while a TODO is open")
            return builds.NoteAbsent(field=line.words[0])
        case "undo":
            return builds.UndoStep()
        case "done":
            return builds.FinishTodo()
        case "todo":
            return _todo(line.words)
        case "next":
            return builds.NextRow()
        case "again":
            return builds.RowAgain()
        case "compile":
            return builds.CompileNow()
        case "questions":
            return builds.AskCompiler()
        case "answer":
            return InvalidLine(f"{NO_QUESTION}: {line.rest}")
        case "say":
            return builds.SayText(text=line.rest)
        case "publish":
            return _publish(line.words)
        case _:
            return None


def _todo(words: tuple[str, ...]) -> builds.AnyBuildCommand | InvalidLine | None:
    match words:
        case () | ("list",):
            return None
        case ("add", first, *more):
            return builds.AddTodo(title=" ".join((first, *more)))
        case ("done",):
            return builds.FinishTodo()
        case ("rename", number, first, *more) if number.isdecimal():
            return builds.RenameTodo(number=int(number), title=" ".join((first, *more)))
        case ("move", number, "before", other) if number.isdecimal() and other.isdecimal():
            return builds.MoveTodo(number=int(number), before=int(other))
        case ("move", number, "last") if number.isdecimal():
            return builds.MoveTodo(number=int(number))
        case ("delete", number) if number.isdecimal():
            return builds.DeleteTodo(number=int(number))
        case ("reopen", number) if number.isdecimal():
            return builds.ReopenTodo(number=int(number))
        case ("take", step, number) if step.isdecimal() and number.isdecimal():
            return builds.MoveStep(step=int(step), todo=int(number))
        case (number,) if number.isdecimal():
            return builds.ChooseTodo(number=int(number))
        case _:
            return InvalidLine(HOW_TODO)


def _publish(words: tuple[str, ...]) -> builds.AnyBuildCommand | InvalidLine:
    name, accepted, left = "", list[str](), list(words)
    while left:
        word = left.pop(0)
        if word == ACCEPT_LOSS and left:
            accepted.append(left.pop(0))
        elif word.startswith("-") or name:
            return InvalidLine(HOW_TO_PUBLISH)
        else:
            name = word
    return builds.PublishFlow(name=name, accept_loss=tuple(dict.fromkeys(accepted)))
