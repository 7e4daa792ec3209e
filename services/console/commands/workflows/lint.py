"""`exhibit workflows lint`: the sources of workflows, without a service or a bus."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from services.console import exits
from services.console.options import AsJson
from services.console.terminal.plain_output import print_out
from services.console.terminal.workflows_view import findings_lines
from shared.contracts.discovery import Problem
from shared.workflow_source.lint import lint as lint_source


def lint(
    files: Annotated[list[Path], typer.Argument(help="Python files with a top-level `run`.")], as_json: AsJson = False
) -> None:
    """List what is wrong with workflows, or could be better. Nothing of them is executed."""
    sources, unread = _read(files)
    if unread:
        exits.print_problems(unread, as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT)
    found = {path: lint_source(source, path.stem) for path, source in sources.items()}
    if as_json:
        listed = [{"file": str(path), "findings": findings} for path, findings in found.items()]
        sys.stdout.write(msgspec.json.encode({"workflows": listed}).decode() + "\n")
    else:
        for path, findings in found.items():
            print_out(findings_lines(findings, str(path)) or f"{path}: nothing to mend\n")
    if any(one.severity == "error" for findings in found.values() for one in findings):
        raise typer.Exit(exits.NOT_ALL_DONE)


def _read(files: list[Path]) -> tuple[dict[Path, str], list[Problem]]:
    sources: dict[Path, str] = {}
    problems: list[Problem] = []
    for path in files:
        try:
            sources[path] = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as exc:
            problems.append(Problem(where=str(path), message=getattr(exc, "strerror", None) or "it is not UTF-8 text"))
    return sources, problems
