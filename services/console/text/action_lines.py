"""The lines by which a person or a script chooses actions: one grammar for drive, login, build and operate.

A line is a verb and its arguments (``click 12``, ``type 7 "some text"``), a verb and a JSON object (``done {"values":
...}``), or the whole action as a JSON object. Verbs, arguments and help follow from the table of actions; of a question
to an operator they follow from the tools that it names.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import msgspec

from services.console.text.tally import to_words
from shared.actions.table import ACTIONS, tag_of
from shared.contracts.actions import Action, BrowserAction, Target, with_targets

HELP_WORDS = ("?", "help")
OBSERVE = "observe"
"""The verb that is no action: the page is shown again."""
ArgumentKind = Literal["string", "boolean", "integer", "number"]
_PLAIN = get_args(ArgumentKind)
KINDS: Mapping[object, ArgumentKind] = {str: "string", bool: "boolean", int: "integer", float: "number"}
BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
MOST_HELP_CHARS = 90
_OBJECT = re.compile(r'\{\s*["}]')
"""How a JSON object begins, and no ``{column}`` of a row."""


@dataclass(frozen=True)
class InvalidLine:
    """A line that is no action; ``message`` says why."""

    message: str


@dataclass(frozen=True)
class Argument:
    """An argument that is one word of a line."""

    name: str
    kind: ArgumentKind
    required: bool


@dataclass(frozen=True)
class Verb:
    """``arguments``: in the order of the line, required ones first. ``objects``: further arguments, that only JSON can
    give; ``needed``: those of them that must be given."""

    name: str
    help: str
    arguments: tuple[Argument, ...] = ()
    objects: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()

    @property
    def usage(self) -> str:
        words = [one.name.upper() if one.required else f"[{one.name.upper()}]" for one in self.arguments]
        return " ".join((self.name, *words, *(["{...}"] if self.objects else [])))


Verbs = Mapping[str, Verb]
SplitWords = Callable[[str, int], "list[str] | InvalidLine"]
"""Takes the arguments of a line apart: what follows the verb, and how many arguments there may be."""

# --- verbs


def verb_of_action(kind: type[Action]) -> Verb:
    """Return the verb of an action, as the table and the fields of its type say."""
    hints = get_type_hints(kind)
    fields = [field for field in msgspec.structs.fields(kind) if field.name != "reason"]
    arguments = [
        Argument(field.name, word_kind, field.required)
        for field in fields
        if (word_kind := _kind_of_hint(hints[field.name])) is not None
    ]
    objects = [field for field in fields if _kind_of_hint(hints[field.name]) is None]
    return Verb(
        tag_of(kind), ACTIONS[kind].tool, _required_first(arguments),
        tuple(field.name for field in objects), tuple(field.name for field in objects if field.required),
    )  # fmt: skip


def verb_of_tool(tool: Mapping[str, Any]) -> Verb:
    """Return the verb of an answer that a question allows, as its JSON Schema says."""
    schema = tool["input_schema"]
    properties = {key: kind.get("type") for key, kind in schema["properties"].items() if key != "reason"}
    plain = [Argument(key, kind, key in schema["required"]) for key, kind in properties.items() if kind in _PLAIN]
    objects = tuple(key for key, kind in properties.items() if kind not in _PLAIN)
    needed = tuple(key for key in schema["required"] if key in objects)
    return Verb(str(tool["name"]), str(tool["description"]), _required_first(plain), objects, needed)


def _kind_of_hint(hint: Any) -> ArgumentKind | None:
    is_text = hint in (Target, Target | None) or get_origin(hint) is Literal
    return "string" if is_text else KINDS.get(hint)


def _required_first(arguments: Iterable[Argument]) -> tuple[Argument, ...]:
    return tuple(sorted(arguments, key=lambda one: not one.required))


BROWSER_VERBS: Verbs = {
    tag_of(kind): verb_of_action(kind)
    for kind, facts in ACTIONS.items()
    if kind in get_args(BrowserAction) and facts.offered != "never"
}
"""The actions that the browser executes, and that are chosen by name."""
_OBSERVE_VERB = Verb(OBSERVE, "Shows the page again, with new numbers.")
DRIVE_VERBS: Verbs = {OBSERVE: _OBSERVE_VERB, **BROWSER_VERBS}


# --- words


def quoted_words(fill: Callable[[str], str] = str) -> SplitWords:
    """Return how words are taken apart as in a shell: a text with spaces stands in quotes. ``fill``: is applied to each
    word."""

    def split(rest: str, most: int) -> list[str] | InvalidLine:
        try:
            words = [fill(word) for word in shlex.split(rest)]
        except ValueError as exc:
            return InvalidLine(f"{exc}: write a text with spaces in double quotes")
        return words if len(words) <= most else InvalidLine("write a text with spaces in double quotes")

    return split


def words_as_written(rest: str, most: int) -> list[str] | InvalidLine:
    """Take words apart at spaces; the last one is the rest of the line, quotes and all."""
    return rest.split(maxsplit=most - 1)


# --- parsing


def parse_line(line: str, verbs: Verbs, split: SplitWords) -> dict[str, Any] | InvalidLine:
    """Return the action that a line says, with its targets as written. Of JSON only the form is checked here."""
    text = line.strip()
    if text.startswith("{"):
        return _parse_object(text)
    name, _, rest = (part.strip() for part in text.partition(" "))
    verb = verbs.get(name)
    if verb is None:
        return InvalidLine(f"there is no {name!r}; there are {', '.join(verbs)}; or an action is a JSON object")
    if _OBJECT.match(rest) or (verb.objects and rest.startswith("{")):
        arguments = _parse_object(rest)
        return arguments if isinstance(arguments, InvalidLine) else {"action": name, **arguments}
    if verb.needed:
        return InvalidLine(f"{name} needs {', '.join(verb.needed)}: write {name} {{...}}")
    if rest and not verb.arguments:
        return InvalidLine(f"{name} takes nothing")
    words = split(rest, len(verb.arguments)) if rest else []
    return InvalidLine(f"{verb.usage}: {words.message}") if isinstance(words, InvalidLine) else _given(verb, words)


def _parse_object(text: str) -> dict[str, Any] | InvalidLine:
    try:
        written: object = json.loads(text)
    except json.JSONDecodeError as exc:
        return InvalidLine(f"not JSON: {exc.msg}, column {exc.colno}")
    return cast("dict[str, Any]", written) if isinstance(written, dict) else InvalidLine("an action is a JSON object")


def _given(verb: Verb, words: list[str]) -> dict[str, Any] | InvalidLine:
    action: dict[str, Any] = {"action": verb.name}
    for argument, word in zip(verb.arguments, words, strict=False):
        value = _parse_word(word, argument.kind)
        if isinstance(value, InvalidLine):
            return InvalidLine(f"{verb.name}: {argument.name} {value.message}")
        action[argument.name] = value
    missing = [one.name for one in verb.arguments if one.required and one.name not in action]
    return InvalidLine(f"{verb.name} needs {', '.join(missing)}") if missing else action


def _parse_word(word: str, kind: ArgumentKind) -> str | bool | float | InvalidLine:
    if kind == "string":
        return word
    if kind == "boolean":
        value = BOOLEANS.get(word.lower())
        return InvalidLine("is true or false") if value is None else value
    try:
        return int(word) if kind == "integer" else float(word)
    except ValueError:
        return InvalidLine(f"is a number, not {word!r}")


def parse_browser_line(
    line: str, snapshot_id: str, split: SplitWords | None = None
) -> BrowserAction | InvalidLine | None:
    """Return the action of a line, with its targets on this snapshot; None for ``observe``.

    A target may be a text, as a model would write it, or the long form of the contract.
    """
    written = parse_line(line, DRIVE_VERBS, split or quoted_words())
    if isinstance(written, InvalidLine):
        return written
    if written.get("action") == OBSERVE:
        return None
    try:
        return msgspec.convert(with_targets(written, snapshot_id), BrowserAction)
    except msgspec.ValidationError as exc:
        return InvalidLine(f"{to_words(str(written.get('action', 'action')))}: {exc}")


# --- help


def help_lines(verbs: Iterable[Verb]) -> list[str]:
    """Return one line per verb: how it is written, and what it does."""
    return [f"{verb.usage:<34} {verb.help.splitlines()[0][:MOST_HELP_CHARS]}" for verb in verbs]
