"""Compares what was sealed with what is there: files, and the cells of a changed table with the results.

A file may be changed, lost, added, exchanged or renamed.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from shared.evidence_format.facts import ResultFacts, TaskFacts
from shared.evidence_format.files.manifest import FileEntry
from shared.evidence_format.sources.source import Digest, Finding
from shared.evidence_format.table.rows import RowMaker, cell_texts


def differences(sealed: Mapping[str, FileEntry], actual: Mapping[str, Digest]) -> list[Finding]:
    """Every difference, each reported once, at the file that was sealed. ``sealed`` by path from the run's folder."""
    changed = {path for path, entry in sealed.items() if path in actual and not _is_unchanged(entry, actual[path])}
    gone = [path for path in sealed if path not in actual]
    came = {path for path in actual if path not in sealed}
    problems, renamed = _missing(gone, sealed, _by_hash(came, actual))
    problems += [Finding(path, "added", "was added since it was sealed") for path in came - renamed]
    return problems + _changed(changed, sealed, actual)


def _is_unchanged(entry: FileEntry, digest: Digest) -> bool:
    return (entry.sha256, entry.size_bytes) == (digest.sha256, digest.size_bytes)


def _missing(
    gone: Iterable[str], sealed: Mapping[str, FileEntry], came: dict[str, list[str]]
) -> tuple[list[Finding], set[str]]:
    problems: list[Finding] = []
    renamed: set[str] = set()
    for path in gone:
        others = came.get(sealed[path].sha256)
        if others:
            now = others.pop()
            renamed.add(now)
            problems.append(Finding(path, "renamed", f"was renamed or moved: its bytes lie at {now}"))
        else:
            problems.append(Finding(path, "missing", "was sealed and is not there any more"))
    return problems, renamed


def _changed(changed: set[str], sealed: Mapping[str, FileEntry], actual: Mapping[str, Digest]) -> list[Finding]:
    owners = {sealed[path].sha256: path for path in sorted(sealed, reverse=True)} if changed else {}
    wanted = {sealed[path].sha256: path for path in sorted(changed)}
    problems: list[Finding] = []
    reported: set[str] = set()
    for path in sorted(changed - reported):
        digest = actual[path]
        other = wanted.get(digest.sha256, "")
        if digest.unreadable:
            problems.append(Finding(path, "unreadable", f"cannot be read: {digest.unreadable}"))
        elif path in reported:
            continue
        elif other and other != path and actual[other].sha256 == sealed[path].sha256:
            reported.add(other)
            problems.append(Finding(path, "exchanged", f"and {other} were exchanged"))
        elif digest.sha256 in owners:
            problems.append(Finding(path, "swapped", f"holds what was sealed as {owners[digest.sha256]}"))
        else:
            problems.append(Finding(path, "changed", _change_words(sealed[path], digest)))
    return problems


def _change_words(entry: FileEntry, digest: Digest) -> str:
    if entry.size_bytes != digest.size_bytes:
        return f"was changed since it was sealed: it has {digest.size_bytes} bytes, it had {entry.size_bytes}"
    return "was changed since it was sealed: its SHA-256 is another"


def _by_hash(paths: Iterable[str], actual: Mapping[str, Digest]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted(paths, reverse=True):
        found.setdefault(actual[path].sha256, []).append(path)
    return found


MAX_PROBLEMS = 20


def row_problems(
    table: bytes, samples: set[str], task: TaskFacts, facts_of: Callable[[str], ResultFacts | None]
) -> list[str]:
    """Return sentences about the first `MAX_PROBLEMS` cells and rows that differ.

    Args:
        samples: ids of all samples of the run.
        facts_of: returns the facts of a sample, None if its result cannot be read.
    """
    maker = RowMaker(task)
    problems: list[str] = []
    left = set(samples)
    try:
        for row in csv.DictReader(io.StringIO(table.decode(errors="replace"), newline=""), strict=True):
            sample_id = str(row.get("sample_id"))
            if sample_id not in left:
                problems.append(f"row {sample_id}: there is no such sample, or its row stands there twice")
                continue
            left.discard(sample_id)
            if (facts := facts_of(sample_id)) is not None:
                problems += _cell_problems(row, facts, maker)
    except csv.Error as exc:
        problems.append(f"it cannot be read as a table: {exc}")
    problems += [f"row {sample_id}: is not there any more" for sample_id in sorted(left)]
    more = len(problems) - MAX_PROBLEMS
    return [*problems[:MAX_PROBLEMS], *([f"rows: {more} more"] if more > 0 else [])]


def _cell_problems(table: Mapping[str, Any], facts: ResultFacts, maker: RowMaker) -> Iterator[str]:
    row = maker.row(facts)
    right = {
        column.name: (cell, text)
        for column, cell, text in zip(maker.columns, row.cells, cell_texts(row, maker.columns), strict=True)
    }
    for name, (value, text) in right.items():
        if name in table and not _shows(str(table[name] or ""), value, text):
            shown = str(table[name])[:80]
            yield f"row {facts.sample_id}, column {name}: {shown!r} is not {text[:80]!r}, as in its result.json"


def _shows(cell: str, value: Any, text: str) -> bool:
    """Whether a cell shows this value, in any form in which tables and spreadsheets write it."""
    wanted = text.replace("\0", "\ufffd")
    return wanted in (cell, cell.removeprefix("'")) or (
        not isinstance(value, str) and cell.strip().lower() in (text.lower(), json.dumps(value).lower())
    )
