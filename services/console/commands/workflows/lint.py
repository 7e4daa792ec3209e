"""`exhibit workflows lint`: the sources of workflows, without a service or a bus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from services.console import exits
from services.console.options import AsJson
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.terminal.workflows_view import finding_lines
from shared.contracts.discovery import Problem
from shared.errors import RunRejectedError
from shared.workflow_source.lint import lint as lint_source


def lint(
    files: Annotated[list[Path], typer.Argument(help="Python files with a top-level `run`.")], as_json: AsJson = False
) -> CommandOutcome:
    """List what is wrong with workflows, or could be better. Nothing of them is executed."""
    sources, unread = _read(files)
    if unread:
        raise RunRejectedError(unread)
    found = {path: lint_source(source, path.stem) for path, source in sources.items()}
    lines = [
        line
        for path, findings in found.items()
        for line in finding_lines(findings, str(path)) or [f"{path}: nothing to mend"]
    ]
    told = [{"file": str(path), "findings": findings} for path, findings in found.items()]
    refused = any(one.severity == "error" for findings in found.values() for one in findings)
    return CommandResult(lines, {"workflows": told}, exits.NOT_ALL_DONE if refused else exits.OK)


def _read(files: list[Path]) -> tuple[dict[Path, str], list[Problem]]:
    sources: dict[Path, str] = {}
    problems: list[Problem] = []
    for path in files:
        try:
            sources[path] = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as exc:
            problems.append(Problem(where=str(path), message=getattr(exc, "strerror", None) or "it is not UTF-8 text"))
    return sources, problems
