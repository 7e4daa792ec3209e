"""Placeholders in declarations: ``{name}``, ``{name:text if it is true}``, ``{secret:name}``; ``{{`` and ``}}`` are
braces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from shared.contracts.workflows.invocations import JsonValue

SECRET = "secret"  # noqa: S105  the word in front of a secret's name
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_INSIDE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::(.*))?", re.DOTALL)


@dataclass(frozen=True)
class Placeholder:
    """``shown``: what stands here if the argument is true; None: its value. ``secret``: it names a secret."""

    name: str
    shown: str | None = None
    secret: bool = False


class TemplateError(ValueError):
    """A template that cannot be read; the message is for its author."""


def parse_template(text: str) -> list[str | Placeholder]:
    """Return the literal texts and the placeholders, in order. Raises TemplateError."""
    parts: list[str | Placeholder] = []
    end = 0
    for token in _TOKEN.finditer(text):
        parts.append(_literal(text[end : token.start()]))
        end = token.end()
        if token[0] in ("{{", "}}"):
            parts.append(token[0][0])
            continue
        inside = _INSIDE.fullmatch(token[1])
        if inside is None:
            raise TemplateError(f"{token[0]} is no placeholder; a brace that is meant is written twice")
        name, after = inside[1], inside[2]
        if name == SECRET and not after:
            raise TemplateError(f"{token[0]} names no secret")
        parts.append(Placeholder(after, secret=True) if name == SECRET else Placeholder(name, after))
    parts.append(_literal(text[end:]))
    return [part for part in parts if part != ""]


def _literal(text: str) -> str:
    if "{" in text or "}" in text:
        raise TemplateError(f"{text!r} has a single brace; one that is meant is written twice")
    return text


def placeholders(template: JsonValue) -> Iterator[Placeholder]:
    """Yield the placeholders in all texts of a JSON value. Raises TemplateError."""
    if isinstance(template, str):
        yield from (part for part in parse_template(template) if isinstance(part, Placeholder))
    elif isinstance(template, Mapping):
        for key, value in cast("Mapping[str, Any]", template).items():
            yield from placeholders(key)
            yield from placeholders(value)
    elif isinstance(template, list | tuple):
        for value in cast("Sequence[Any]", template):
            yield from placeholders(value)


def whole_placeholder(template: str) -> str | None:
    """Return the name of the argument whose value is the whole template, or None."""
    parts = parse_template(template)
    only = parts[0] if len(parts) == 1 else None
    return only.name if isinstance(only, Placeholder) and not only.secret and only.shown is None else None


@dataclass(frozen=True)
class Rendered:
    """``is_value``: the text came from an argument, not from the declaration."""

    text: str
    is_value: bool


def render_parts(
    template: str, values: Mapping[str, JsonValue], secrets: Mapping[str, str] | None = None
) -> list[Rendered] | None:
    """Return the parts that are not empty; None where an argument without a value is used."""
    rendered: list[Rendered] = []
    for part in parse_template(template):
        if isinstance(part, str):
            rendered.append(Rendered(part, is_value=False))
        elif part.secret:
            rendered.append(Rendered((secrets or {})[part.name], is_value=False))
        elif part.shown is not None:
            rendered.append(Rendered(part.shown if values.get(part.name) else "", is_value=False))
        elif values.get(part.name) is None:
            return None
        else:
            rendered.append(Rendered(text_of(values[part.name]), is_value=True))
    return [part for part in rendered if part.text]


def render(template: str, values: Mapping[str, JsonValue], secrets: Mapping[str, str] | None = None) -> str | None:
    """Return the text; None where an argument without a value is used."""
    parts = render_parts(template, values, secrets)
    return None if parts is None else "".join(part.text for part in parts)


def render_json(template: JsonValue, values: Mapping[str, JsonValue], secrets: Mapping[str, str]) -> JsonValue:
    """Return the JSON value. A text that is one placeholder becomes the argument itself, of whatever type. Keys and
    items without a value are left out."""
    if isinstance(template, str):
        name = whole_placeholder(template)
        return render(template, values, secrets) if name is None else values.get(name)
    if isinstance(template, Mapping):
        members = cast("Mapping[str, Any]", template).items()
        filled = {key: (value, render_json(value, values, secrets)) for key, value in members}
        return {key: new for key, (old, new) in filled.items() if new is not None or old is None}
    if isinstance(template, list | tuple):
        items = [(old, render_json(old, values, secrets)) for old in cast("Sequence[Any]", template)]
        return [new for old, new in items if new is not None or old is None]
    return template


def text_of(value: JsonValue) -> str:
    """Return a value as programs and addresses take it: a text as it is, other values as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
