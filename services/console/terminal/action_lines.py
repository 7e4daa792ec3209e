"""Pure: what an operator types, as an action: ``click 12``, ``type 7 some text``, ``done {...}``, or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from shared.contracts.operator import DecisionAsked

HELP_WORDS = ("?", "help")
PLAIN = ("string", "integer", "number", "boolean")


@dataclass(frozen=True)
class Wrong:
    """What is wrong with the line."""

    message: str


def action_of(line: str, asked: DecisionAsked) -> dict[str, Any] | Wrong:
    """The action as it goes over the bus; whether it can be carried out is for the planner to say."""
    text = line.strip()
    if text.startswith("{"):
        return _object(text)
    name, _, rest = text.partition(" ")
    tool = next((one for one in asked.tools if one["name"] == name), None)
    if tool is None:
        return Wrong(f"there is no {name!r}; there are {', '.join(one['name'] for one in asked.tools)}")
    if rest.strip().startswith("{"):
        arguments = _object(rest.strip())
        return arguments if isinstance(arguments, Wrong) else {"action": name, **arguments}
    return _positional(name, rest.strip(), tool["input_schema"])


def _object(text: str) -> dict[str, Any] | Wrong:
    try:
        written: object = json.loads(text)
    except json.JSONDecodeError as exc:
        return Wrong(f"not JSON: {exc.msg}, column {exc.colno}")
    return cast("dict[str, Any]", written) if isinstance(written, dict) else Wrong("an action is a JSON object")


def _positional(name: str, rest: str, schema: Mapping[str, Any]) -> dict[str, Any] | Wrong:
    """Arguments in their order; the last one takes all that is left."""
    plain = plain_arguments(schema)
    lacking = [key for key in schema["required"] if key not in plain and key != "reason"]
    if lacking:
        return Wrong(f"{name} needs {', '.join(lacking)}: write {name} {{...}}")
    words = rest.split(maxsplit=max(len(plain) - 1, 0)) if plain else []
    if rest and not plain:
        return Wrong(f"{name} takes nothing")
    action: dict[str, Any] = {"action": name}
    for key, word in zip(plain, words, strict=False):
        value = _converted(word, schema["properties"][key]["type"])
        if isinstance(value, Wrong):
            return Wrong(f"{name}: {key} {value.message}")
        action[key] = value
    missing = [key for key in schema["required"] if key in plain and key not in action]
    return Wrong(f"{name} needs {', '.join(missing)}") if missing else action


def plain_arguments(schema: Mapping[str, Any]) -> list[str]:
    """Those that are one word or text each, what is needed first."""
    names = [key for key, kind in schema["properties"].items() if key != "reason" and kind.get("type") in PLAIN]
    return sorted(names, key=lambda key: key not in schema["required"])


def _converted(word: str, kind: str) -> Any:
    if kind == "boolean":
        return (
            word.lower() in ("true", "yes", "1")
            if word.lower() in ("true", "yes", "1", "false", "no", "0")
            else Wrong("is true or false")
        )
    if kind == "string":
        return word
    try:
        return int(word) if kind == "integer" else float(word)
    except ValueError:
        return Wrong(f"is a number, not {word!r}")


def help_of(asked: DecisionAsked) -> str:
    """A line for each action, and how else one may answer."""
    lines = [_usage(tool) for tool in asked.tools]
    return "\n".join(
        (*lines, 'or JSON: {"action": "click", "target": "12", "reason": "why"}', "skip: let somebody else")
    )


def _usage(tool: Mapping[str, Any]) -> str:
    schema = tool["input_schema"]
    plain = [key.upper() if key in schema["required"] else f"[{key.upper()}]" for key in plain_arguments(schema)]
    objects = any(kind.get("type") not in PLAIN for kind in schema["properties"].values())
    written = " ".join((tool["name"], *plain, *(["{...}"] if objects else [])))
    return f"{written:<34} {str(tool['description']).splitlines()[0][:90]}"
