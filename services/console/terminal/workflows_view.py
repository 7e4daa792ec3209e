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
from shared.contracts.workflows.sources import SourceFinding
from shared.text.normal import printable
from shared.workflow_source.wording import finding_line, signature_of

HASH_CHARS = 12


def versions_table(versions: Sequence[WorkflowVersion]) -> Table:
    table = Table("name", "description", "parameters", "version", "author", box=None, pad_edge=False)
    for one in versions:
        table.add_row(*map(_cell, (one.name, one.description, signature_of(one), one.hash[:HASH_CHARS], one.author)))
    return table


def hits_table(hits: Sequence[WorkflowHit]) -> Table:
    table = Table("score", "name", "description", "parameters", box=None, pad_edge=False)
    for hit in hits:
        one = hit.workflow
        table.add_row(f"{hit.score:.2f}", *map(_cell, (one.name, one.description, signature_of(one))))
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


def show_text(shown: WorkflowShown) -> str:
    one = shown.workflow
    state = "current" if shown.is_current else "not the current version"
    lines = [
        f"{one.name}({signature_of(one)})",
        one.description,
        f"version {one.hash} ({state})",
        f"by {one.author or '?'}, {one.created_at:%Y-%m-%d %H:%M:%S} UTC"
        + (f", from run {one.source_run}" if one.source_run else ""),
    ]
    lines += [f"set aside: {shown.set_aside}"] if shown.set_aside else []
    lines += [f"{path}: {len(text.encode())} bytes" for path, text in sorted(shown.files.items())]
    return printable("\n".join(lines), keep="\n") + "\n\n" + printable(shown.source, keep="\n\t").rstrip()


def finding_lines(findings: Sequence[SourceFinding], where: str = "") -> list[str]:
    """Return a line for each finding; ``where``: the file, in front of the line number."""
    return [printable(finding_line(one, where)) for one in findings]


def problem_lines(problems: Sequence[FileProblem]) -> list[str]:
    places = [f"{one.file}:{one.line}" if one.line else one.file for one in problems]
    lines = (f"{place}: {one.message}" for place, one in zip(places, problems, strict=True))
    return [f"exhibit: {printable(line)}; it is not loaded" for line in lines]


def _cell(text: str) -> str:
    return escape(printable(text))
