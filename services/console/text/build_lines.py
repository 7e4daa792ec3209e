"""Parse what is typed in a build session: commands, and actions in short or as `exhibit drive` takes them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from services.console.text.action_lines import InvalidLine, parse_action
from shared.actions.table import ACTIONS, tag_of
from shared.contracts.actions import BrowserAction, Goto, with_targets
from shared.contracts.discovery import Problem
from shared.task.row_values import fill_known

ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    tag_of(kind): facts.line for kind, facts in ACTIONS.items() if facts.line is not None
}
"""The actions that have a short form, and their arguments in order; those with a default may be left out."""
COMMANDS: Mapping[str, str] = {
    "open": "open the start address of the row",
    "page": "look at the page again, and show it: page [WORDS that lines must have]",
    "read": "record a value: read FIELD NUMBER | read FIELD beside LABEL | read FIELD TEXT",
    "undo": "leave the last step out of the flow",
    "done": "the TODO is finished: its calls are written to scratch_work",
    "todo": "todo list | todo add TITLE | todo done",
    "next": "the next row: what is in scratch_work is run on it",
    "again": "this row from its beginning, with what is in scratch_work",
    "compile": "compile now, in the background",
    "questions": "answer what the compiler asks",
    "say": "write a remark into the conversation",
    "log": "the last lines of the compiler's log",
    "close": "save, compile and end",
    "help": "this",
}


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
    if not text or text.startswith("#"):
        return None
    if text.startswith("{"):
        action = parse_action(text, snapshot_id)
        if isinstance(action, Problem):
            return InvalidLine(f"{action.where}: {action.message}")
        return BuildLine("page") if action is None else BuildLine("act", action=action)
    name, _, rest = text.partition(" ")
    if name in ("?", "quit", "exit"):
        name = "help" if name == "?" else "close"
    if name not in COMMANDS and name not in ARGUMENTS:
        return InvalidLine(f"there is no {name!r}: ? shows what there is")
    if name == "open":
        return BuildLine("act", action=Goto(url=start_url, reason="where to begin"))
    if name == "say":
        return BuildLine("say", rest=rest.strip())
    try:
        words = tuple(fill_known(word, row) for word in shlex.split(rest))
    except ValueError as exc:
        return InvalidLine(f"{exc}: write a text with spaces in double quotes")
    if name in COMMANDS:
        return BuildLine(name, words, rest.strip())
    return _action(name, words, snapshot_id)


def _action(name: str, words: tuple[str, ...], snapshot_id: str) -> BuildLine | InvalidLine:
    names = ARGUMENTS[name]
    if len(words) > len(names):
        how = " ".join((name, *map(str.upper, names)))
        return InvalidLine(f"{how}: write a text with spaces in double quotes")
    given: dict[str, Any] = {"action": name, **dict(zip(names, words, strict=False))}
    try:
        return BuildLine("act", words, action=msgspec.convert(with_targets(given, snapshot_id), BrowserAction))
    except msgspec.ValidationError as exc:
        return InvalidLine(f"{' '.join((name, *map(str.upper, names)))}: {exc}")


def build_help() -> str:
    """Return one line per command, and the actions."""
    actions = [" ".join((name, *map(str.upper, names))) for name, names in ARGUMENTS.items()]
    return "\n".join(
        (
            *(f"{name:<10} {text}" for name, text in COMMANDS.items()),
            f"actions    {'; '.join(actions)}",
            "           A target is the number of an element, its text in double quotes, or css=...; {column} is the",
            '           value of the row. Or JSON, as for `exhibit drive`: {"action": "click", "target": "12"}',
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
