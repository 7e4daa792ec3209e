"""Lines of Python source as the compiler lays them out: literals, signatures, imports, long calls, docstrings. Pure."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence

WIDTH = 100
MAX_TITLE = 1500
INDENT = "    "


def quoted_literal(text: str) -> str:
    """Return the text as a Python literal in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def module_docstring(title: str) -> list[str]:
    """Return the docstring of a module, safe in quotes."""
    words = " ".join(title.split()).replace("\\", "/").replace('"""', "'''")[:MAX_TITLE].rstrip('" ')
    lines = textwrap.wrap(words if words.endswith((".", "!", "?")) else f"{words}.", WIDTH - 3)
    lines[0] = f'"""{lines[0]}'
    return [*lines, '"""'] if len(lines) > 1 else [f'{lines[0]}"""']


def indented(lines: Sequence[str]) -> list[str]:
    return [f"{INDENT}{line}" if line else "" for line in lines]


def signature_of(start: str, given: str, result: str) -> list[str]:
    whole = f"{start}({given}) -> {result}:"
    if len(whole) <= WIDTH:
        return [whole]
    return [f"{start}(", *(f"{INDENT}{one}," for one in given.split(", ")), f") -> {result}:"]


def import_of(module: str, names: Sequence[str]) -> str:
    whole = f"from {module} import {', '.join(names)}"
    if len(whole) <= WIDTH:
        return whole
    return "\n".join([f"from {module} import (", *(f"{INDENT}{name}," for name in names), ")"])


def wrapped(line: str) -> list[str]:
    """Return a call on one line, or with one argument a line where it is too long."""
    if len(line) <= WIDTH - len(INDENT):
        return [line]
    begin = line.index("(") + 1
    end = line.rindex(")")
    arguments = _split_arguments(line[begin:end])
    return [line[:begin], *(f"{INDENT}{one}," for one in arguments), line[end:]]


def _split_arguments(text: str) -> list[str]:
    """Split at the commas of the outermost call. Texts in quotes are left whole."""
    parts: list[str] = []
    depth, quoted, start = 0, False, 0
    at = 0
    while at < len(text):
        letter = text[at]
        if quoted:
            at += letter == "\\"
            quoted = letter != '"'
        elif letter == '"':
            quoted = True
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
        at += 1
    return [*parts, text[start:].strip()]
