"""Parse what is typed in a build session: commands of its own, and actions as `exhibit drive` takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from services.console.text.action_lines import (
    BROWSER_VERBS,
    DRIVE_VERBS,
    InvalidLine,
    help_lines,
    parse_browser_line,
    quoted_words,
)
from shared.contracts.actions import BrowserAction, Goto
from shared.contracts.workflows.build_events import Told
from shared.flows.building.folder import CompilerLine
from shared.flows.building.outcome_texts import text_for_model
from shared.task.row_values import fill_known

COMMANDS: Mapping[str, str] = {
    "open": "open the start address of the row",
    "page": "look at the page again, and show it: page [WORDS that lines must have]",
    "read": "record a value: read FIELD NUMBER | read FIELD NUMBER PART of its text | read FIELD beside LABEL | "
    "read FIELD TEXT",
    "absent": "absent FIELD: the page shows none of it on this row",
    "undo": "leave the last step out of the flow",
    "done": "the TODO is finished: its calls are written to scratch_work",
    "todo": "todo list | todo add TITLE | todo done | todo NUMBER: work on that one | todo rename NUMBER TITLE",
    "todo ...": "todo move NUMBER before NUMBER | todo move NUMBER last | todo delete NUMBER | todo reopen NUMBER | "
    "todo take STEP NUMBER",
    "next": "the next row: what is in scratch_work is run on it",
    "again": "this row from its beginning, with what is in scratch_work",
    "compile": "compile now, in the background",
    "publish": "replay the flow on a row that it was not built with, and put it into the library: "
    "publish [NAME] [--accept-loss FIELD]",
    "questions": "answer what the compiler asks",
    "answer": "answer TEXT: a number or words, written ahead for the next question, as in a pipe; a question that is "
    "shown is answered by the next line that is sent after it",
    "say": "say TEXT: a model goes on with it (--agent); without one it is a remark in the conversation",
    "log": "the last lines of the compiler's log",
    "close": "save, compile and end",
    "help": "this",
}


ANSWER = "answer"
NO_QUESTION = (
    "Nothing is asked, so this answers nothing. A question is answered by a line that is sent after it, or by the next "
    "one where that is written ahead as `answer TEXT`"
)


@dataclass(frozen=True)
class BuildLine:
    """``command``: one of `COMMANDS`, or ``act``. ``rest``: what follows it, as written; ``words``: taken apart."""

    command: str
    words: tuple[str, ...] = ()
    rest: str = ""
    action: BrowserAction | None = None


def parse_build_line(
    line: str, snapshot_id: str, row: Mapping[str, str], start_url: str
) -> BuildLine | InvalidLine | None:
    """Return what a line asks for; None for an empty one or a comment. ``{column}`` stands for the row's value."""
    text = line.strip()
    if is_empty_line(text):
        return None
    name, _, rest = text.partition(" ")
    if name in ("?", "quit", "exit"):
        name = "help" if name == "?" else "close"
    if name == "open":
        return BuildLine("act", action=Goto(url=start_url, reason="where to begin"))
    if name in ("say", ANSWER):
        return BuildLine(name, rest=rest.strip())
    split = quoted_words(lambda word: fill_known(word, row))
    if name in COMMANDS:
        words = split(rest, len(rest))
        return words if isinstance(words, InvalidLine) else BuildLine(name, tuple(words), rest.strip())
    if text.isdecimal():
        return InvalidLine(f"{NO_QUESTION}: {text}")
    if not text.startswith("{") and name not in DRIVE_VERBS:
        return InvalidLine(f"there is no {name!r}: ? shows what there is")
    action = parse_browser_line(text, snapshot_id, split)
    if isinstance(action, InvalidLine):
        return action
    return BuildLine("page") if action is None else BuildLine("act", action=action)


def is_empty_line(line: str) -> bool:
    """Return whether a line asks for nothing: it is empty, or a comment."""
    return not line.strip() or line.lstrip().startswith("#")


def answer_in(line: str) -> str:
    """Return the answer that a line is written as, ahead of its question; empty: it is none."""
    name, _, rest = line.strip().partition(" ")
    return rest.strip() if name == ANSWER else ""


def build_help() -> str:
    """Return one line per command and per action."""
    return "\n".join(
        (
            *(f"{name:<10} {text}" for name, text in COMMANDS.items()),
            *help_lines(BROWSER_VERBS.values()),
            "A target is the number of an element, its text in double quotes, or css=...; {column} is the value of the",
            'row. Or JSON: {"action": "click", "target": "12"}',
        )
    )


def parse_choice(line: str, options: tuple[str, ...], *, multi_select: bool) -> tuple[tuple[str, ...], str]:
    """Return the options that an answer chooses, by their numbers or words; else the answer as a free text."""
    parts = [part.strip() for part in line.split(",")] if multi_select else [line.strip()]
    chosen: list[str] = []
    for part in parts:
        if part.isdecimal() and 0 < int(part[:3]) <= len(options):
            chosen.append(options[int(part) - 1])
        elif part in options:
            chosen.append(part)
        else:
            return (), line.strip()
    return tuple(dict.fromkeys(chosen)), ""


def note_to_model(event: Told) -> str:
    """Return what the model alone is told of something that it had asked for; empty: this is told to people."""
    return text_for_model(event.outcome) if event.to_model and event.outcome is not None else ""


def log_text(line: CompilerLine) -> str:
    """Return a line of the compiler's log for people."""
    end = f"  {line.version}" if line.version else ""
    took = f"  {line.elapsed_s:.2f} s" if line.elapsed_s else ""
    return f"{line.at[11:19]}  {line.kind:<9}  {line.text}{end}{took}"
