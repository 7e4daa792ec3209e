"""Options of the workflow commands, names for shell completion, and arguments as JSON."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from pydantic import ValidationError

from shared.contracts.discovery import Problem
from shared.settings import Settings


def complete_name(incomplete: str) -> Iterator[str]:
    """Yield the names of the library's files that begin so. A library on the bus is not asked: it would be slow."""
    try:
        folder = Settings().workflows_dir
    except ValidationError:
        return
    for path in sorted(folder.glob("*.py")):
        if path.stem.startswith(incomplete) and not path.stem.startswith("_"):
            yield path.stem


WorkflowName = Annotated[str, typer.Argument(help="Name of a workflow.", autocompletion=complete_name)]
NameAndVersion = Annotated[
    str,
    typer.Argument(
        metavar="NAME[@HASH]",
        help="Name of a workflow; with the first 8 characters of a hash, an old version of it.",
        autocompletion=complete_name,
    ),
]
Library = Annotated[Path | None, typer.Option("--library", help="Folder of the library. Without: workflows.")]
Author = Annotated[str, typer.Option(help="Who does this; it stands in the history. Without: the user.")]


def author_or_user(author: str) -> str:
    return author or getpass.getuser()


def parse_arguments(text: str, pairs: Sequence[str]) -> tuple[dict[str, Any], list[Problem]]:
    """Return the arguments of a JSON object and of ``name=value`` pairs, and what is wrong with them.

    A value that is no JSON is taken as a text: ``--arg city=Berlin``, ``--arg count=3``, ``--arg 'ids=["a"]'``.
    """
    arguments: dict[str, Any] = {}
    problems: list[Problem] = []
    try:
        given = json.loads(text or "{}", parse_constant=_refuse_constant)
    except ValueError as exc:
        given = None
        problems.append(Problem(where="ARGUMENTS", message=f"this is no JSON: {exc}"))
    if isinstance(given, dict):
        arguments.update(cast("dict[str, Any]", given))
    elif not problems:
        problems.append(Problem(where="ARGUMENTS", message='this is no JSON object, such as {"url": "..."}'))
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name:
            problems.append(Problem(where="--arg", message=f"{pair!r} is not of the form name=value"))
        elif name in arguments:
            problems.append(Problem(where="--arg", message=f"{name} is given twice"))
        else:
            arguments[name] = _parse_value(value)
    return arguments, problems


def _parse_value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        return text


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
