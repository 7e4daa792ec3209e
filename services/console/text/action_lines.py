"""Parse the actions that a person types or a script pipes in.

`exhibit operate` reads ``click 12``, ``type 7 some text``, ``done {...}`` or JSON; `exhibit drive` reads JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from services.console.text.tally import to_words
from shared.contracts.actions import BrowserAction, with_targets
from shared.contracts.discovery import Problem
from shared.contracts.operator import DecisionAsked

HELP_WORDS = ("?", "help")
PLAIN_TYPES = ("string", "integer", "number", "boolean")


@dataclass(frozen=True)
class InvalidLine:
    """A line that is no action; ``message`` says why."""

    message: str


def parse_operator_line(line: str, asked: DecisionAsked) -> dict[str, Any] | InvalidLine:
    """Return the action as it is sent. The planner checks whether it is valid."""
    text = line.strip()
    if text.startswith("{"):
        return _parse_object(text)
    name, _, rest = text.partition(" ")
    tool = next((each for each in asked.tools if each["name"] == name), None)
    if tool is None:
        return InvalidLine(f"there is no {name!r}; there are {', '.join(each['name'] for each in asked.tools)}")
    if rest.strip().startswith("{"):
        arguments = _parse_object(rest.strip())
        return arguments if isinstance(arguments, InvalidLine) else {"action": name, **arguments}
    return _parse_positional(name, rest.strip(), tool["input_schema"])


def _parse_object(text: str) -> dict[str, Any] | InvalidLine:
    try:
        written: object = json.loads(text)
    except json.JSONDecodeError as exc:
        return InvalidLine(f"not JSON: {exc.msg}, column {exc.colno}")
    return cast("dict[str, Any]", written) if isinstance(written, dict) else InvalidLine("an action is a JSON object")


def _parse_positional(name: str, rest: str, schema: Mapping[str, Any]) -> dict[str, Any] | InvalidLine:
    """Parse positional arguments; the last one takes the rest of the line."""
    plain = plain_arguments(schema)
    structured = [key for key in schema["required"] if key not in plain and key != "reason"]
    if structured:
        return InvalidLine(f"{name} needs {', '.join(structured)}: write {name} {{...}}")
    words = rest.split(maxsplit=max(len(plain) - 1, 0)) if plain else []
    if rest and not plain:
        return InvalidLine(f"{name} takes nothing")
    action: dict[str, Any] = {"action": name}
    for key, word in zip(plain, words, strict=False):
        value = _parse_word(word, schema["properties"][key]["type"])
        if isinstance(value, InvalidLine):
            return InvalidLine(f"{name}: {key} {value.message}")
        action[key] = value
    missing = [key for key in schema["required"] if key in plain and key not in action]
    return InvalidLine(f"{name} needs {', '.join(missing)}") if missing else action


def plain_arguments(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of the arguments that are plain values, required ones first."""
    names = [key for key, kind in schema["properties"].items() if key != "reason" and kind.get("type") in PLAIN_TYPES]
    return sorted(names, key=lambda key: key not in schema["required"])


def _parse_word(word: str, kind: str) -> Any:
    if kind == "boolean":
        return (
            word.lower() in ("true", "yes", "1")
            if word.lower() in ("true", "yes", "1", "false", "no", "0")
            else InvalidLine("is true or false")
        )
    if kind == "string":
        return word
    try:
        return int(word) if kind == "integer" else float(word)
    except ValueError:
        return InvalidLine(f"is a number, not {word!r}")


def help_text(asked: DecisionAsked) -> str:
    """Return one line per action, and the other ways to answer."""
    lines = [_usage_line(tool) for tool in asked.tools]
    return "\n".join(
        (*lines, 'or JSON: {"action": "click", "target": "12", "reason": "why"}', "skip: leave it to another operator")
    )


def _usage_line(tool: Mapping[str, Any]) -> str:
    schema = tool["input_schema"]
    plain = [key.upper() if key in schema["required"] else f"[{key.upper()}]" for key in plain_arguments(schema)]
    objects = any(kind.get("type") not in PLAIN_TYPES for kind in schema["properties"].values())
    written = " ".join((tool["name"], *plain, *(["{...}"] if objects else [])))
    return f"{written:<34} {str(tool['description']).splitlines()[0][:90]}"


def parse_action(line: str, snapshot_id: str) -> BrowserAction | Problem | None:
    """Parse a JSON action: ``{"action": "click", "target": "3"}``. Return None for ``{"action": "observe"}``.

    A target may be a string, as a model would write it, or the long form of the contract.
    """
    try:
        data: Any = json.loads(line)
    except json.JSONDecodeError as exc:
        return Problem(where=f"column {exc.colno}", message=f"not JSON: {exc.msg}")
    if not isinstance(data, dict):
        return Problem(where="value", message='an action is a JSON object such as {"action": "click", "target": "3"}')
    fields = cast("dict[str, Any]", data)
    if fields.get("action") == "observe":
        return None
    try:
        return msgspec.convert(with_targets(fields, snapshot_id), BrowserAction)
    except msgspec.ValidationError as exc:
        return Problem(where=to_words(str(fields.get("action", "action"))), message=str(exc))
