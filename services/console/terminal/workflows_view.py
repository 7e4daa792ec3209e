"""Workflows on a terminal: tables, findings, and one workflow with its source."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from shared.contracts.workflows.library import (
    FileProblem,
    HistoryEntry,
    WorkflowHit,
    WorkflowShown,
    WorkflowVersion,
)
from shared.contracts.workflows.sources import Parameter, SourceFinding
from shared.text.normal import printable

HASH_CHARS = 12


def versions_table(versions: Sequence[WorkflowVersion]) -> Table:
    table = Table("name", "description", "parameters", "version", "author", box=None, pad_edge=False)
    for one in versions:
        table.add_row(*map(_cell, (one.name, one.description, signature(one), one.hash[:HASH_CHARS], one.author)))
    return table


def hits_table(hits: Sequence[WorkflowHit]) -> Table:
    table = Table("score", "name", "description", "parameters", box=None, pad_edge=False)
    for hit in hits:
        one = hit.workflow
        table.add_row(f"{hit.score:.2f}", *map(_cell, (one.name, one.description, signature(one))))
    return table


def history_table(entries: Sequence[HistoryEntry]) -> Table:
    table = Table("when (UTC)", "what", "version", "by", "from run", "description", box=None, pad_edge=False)
    for entry in entries:
        version = entry.version
        table.add_row(
            f"{entry.at:%Y-%m-%d %H:%M:%S}",
            entry.kind,
            *map(_cell, (version.hash[:HASH_CHARS], entry.author, version.source_run or "", version.description)),
        )
    return table


def signature(version: WorkflowVersion) -> str:
    """Return the parameters as they are written in Python."""
    more = ["**more"] if version.takes_more else []
    return ", ".join([*map(_parameter, version.parameters), *more])


def _parameter(one: Parameter) -> str:
    typed = f"{one.name}: {one.type}" if one.type else one.name
    return typed if one.default is None else f"{typed} = {one.default}"


def show_text(shown: WorkflowShown) -> str:
    one = shown.workflow
    state = "current" if shown.is_current else "not the current version"
    lines = [
        f"{one.name}({signature(one)})",
        one.description,
        f"version {one.hash} ({state})",
        f"by {one.author or '?'}, {one.created_at:%Y-%m-%d %H:%M:%S} UTC"
        + (f", from run {one.source_run}" if one.source_run else ""),
    ]
    return printable("\n".join(lines), keep="\n") + "\n\n" + printable(shown.source, keep="\n\t").rstrip() + "\n"


def findings_lines(findings: Sequence[SourceFinding], where: str = "") -> str:
    """Return a line for each finding; ``where``: the file, in front of the line number."""
    return "".join(
        f"{_place(one.line, where)}{one.severity} {one.code}: {printable(one.message)}. {one.remedy}\n"
        for one in findings
    )


def problem_lines(problems: Sequence[FileProblem]) -> str:
    return "".join(
        f"exhibit: {_place(one.line, printable(one.file))}{printable(one.message)}; it is not loaded\n"
        for one in problems
    )


def _place(line: int, where: str) -> str:
    if where:
        return f"{where}:{line}: " if line else f"{where}: "
    return f"line {line}: " if line else ""


def _cell(text: str) -> str:
    return escape(printable(text))
