"""What the forms of the page of a build session ask of it, as commands; a line is that of `exhibit build`. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from services.console.text.action_lines import InvalidLine
from services.console.text.build_commands import command_of
from services.console.text.build_lines import parse_build_line
from services.console.web.steering.answers import read_answers
from shared.contracts.actions import ByRef, Click, Goto, SelectOption, TypeText
from shared.contracts.questions import Question
from shared.contracts.workflows import builds

MOST_TEXT_CHARS = 20_000
Order = builds.AnyBuildCommand | InvalidLine


def order_of(form: Mapping[str, str], known: KnownSession) -> Order:
    """Return the command of a form; InvalidLine, with what to do, where it is none.

    ``act``: which one; its arguments are further fields."""
    make = ORDERS.get(form.get("act", ""))
    if make is None:
        return InvalidLine("There is no such act on this page. Load it again.")
    return make(form, known)


class KnownSession:
    """What a form refers to. ``snapshot_id``: of the last look at the page. ``row``: the columns of the current row.
    ``asking``: questions that wait; ``asked``: their number. ``fields``: of the task. ``person``: who asks."""

    def __init__(
        self,
        snapshot_id: str,
        row: Mapping[str, str],
        start_url: str,
        asking: tuple[Question, ...],
        asked: int,
        fields: tuple[str, ...],
        person: str,
    ) -> None:
        self.snapshot_id, self.row, self.start_url = snapshot_id, row, start_url
        self.asking, self.asked, self.fields, self.person = asking, asked, fields, person


def _number(form: Mapping[str, str], name: str) -> int:
    text = form.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 0


def _title(form: Mapping[str, str]) -> str:
    return " ".join(form.get("title", "").split())[:500]


def _say(form: Mapping[str, str], known: KnownSession) -> Order:
    text = form.get("text", "").replace("\r\n", "\n").strip()
    return builds.SayText(text=text) if text else InvalidLine("Nothing was said: write it first.")


def _line(form: Mapping[str, str], known: KnownSession) -> Order:
    parsed = parse_build_line(form.get("line", "")[:MOST_TEXT_CHARS], known.snapshot_id, known.row, known.start_url)
    if parsed is None:
        return InvalidLine("The line is empty.")
    if isinstance(parsed, InvalidLine):
        return parsed
    if parsed.action is not None:
        return builds.ActOnRow(action=parsed.action)
    if parsed.command == "close":
        return builds.CloseBuild()
    found = command_of(parsed)
    return InvalidLine("What that shows is on this page.") if found is None else found


def _element(form: Mapping[str, str], known: KnownSession) -> Order:
    """Return what is done to an element, by the number that the page has shown."""
    if not known.snapshot_id or form.get("look", "") != known.snapshot_id:
        return InvalidLine("Something was done since, and the numbers are of another look at the page: look again.")
    number, text, verb = _number(form, "ref"), form.get("text", "")[:MOST_TEXT_CHARS], form.get("verb", "")
    if not number:
        return InvalidLine("Say which element is meant: its number stands before it.")
    target = ByRef(ref=number, snapshot_id=known.snapshot_id)
    if verb == "click":
        return builds.ActOnRow(action=Click(target=target))
    if verb == "type":
        return builds.ActOnRow(action=TypeText(target=target, text=text))
    if verb == "select":
        return builds.ActOnRow(action=SelectOption(target=target, option=text))
    field = next((name for at, name in enumerate(known.fields) if verb == f"read.{at}"), "")
    if not field:
        return InvalidLine("Say what is to be done with the element.")
    return builds.ReadValue(field=field, ref=number, part=text.strip())


def _answer(form: Mapping[str, str], known: KnownSession) -> Order:
    """Return the answers to all questions that wait, as far as the form has them for exactly these."""
    if not known.asking or form.get("asked", "") != str(known.asked):
        return InvalidLine("These questions were answered meanwhile, or others are asked: look again.")
    if form.get("leave"):
        return builds.GiveAnswers(answers=(), asked=known.asked)
    answers = read_answers(known.asking, form)
    return InvalidLine(answers) if isinstance(answers, str) else builds.GiveAnswers(answers=answers, asked=known.asked)


def _publish(form: Mapping[str, str], known: KnownSession) -> Order:
    lost = tuple(name for at, name in enumerate(known.fields) if f"loss.{at}" in form)
    return builds.PublishFlow(name=form.get("name", "").strip()[:200], author=known.person, accept_loss=lost)


ORDERS: Mapping[str, Callable[[Mapping[str, str], KnownSession], Order]] = {
    "say": _say,
    "line": _line,
    "answer": _answer,
    "element": _element,
    "publish": _publish,
    "open": lambda form, known: builds.ActOnRow(action=Goto(url=known.start_url, reason="where to begin")),
    "page": lambda form, known: builds.ShowPage(words=tuple(form.get("words", "").split()[:20])),
    "undo": lambda form, known: builds.UndoStep(),
    "next": lambda form, known: builds.NextRow(),
    "again": lambda form, known: builds.RowAgain(),
    "compile": lambda form, known: builds.CompileNow(),
    "questions": lambda form, known: builds.AskCompiler(),
    "close": lambda form, known: builds.CloseBuild(),
    "todo_done": lambda form, known: builds.FinishTodo(),
    "todo_add": lambda form, known: builds.AddTodo(title=_title(form)),
    "todo_rename": lambda form, known: builds.RenameTodo(number=_number(form, "number"), title=_title(form)),
    "todo_move": lambda form, known: builds.MoveTodo(number=_number(form, "number"), before=_number(form, "before")),
    "todo_delete": lambda form, known: builds.DeleteTodo(number=_number(form, "number")),
    "todo_reopen": lambda form, known: builds.ReopenTodo(number=_number(form, "number")),
    "todo_choose": lambda form, known: builds.ChooseTodo(number=_number(form, "number")),
    "step_move": lambda form, known: builds.MoveStep(step=_number(form, "step"), todo=_number(form, "todo")),
}
"""The command of each act."""
