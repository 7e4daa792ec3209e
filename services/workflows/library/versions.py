"""Which entries fit a history, what is current, and which version a hash names. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from shared.contracts.workflows.library import FileProblem, HistoryEntry, WorkflowHistory, WorkflowVersion
from shared.contracts.workflows.sources import SourceFinding
from shared.flows.files import is_flow
from shared.workflow_source.files import file_findings, hash_of_version
from shared.workflow_source.lint import lint
from shared.workflow_source.module import read_module
from shared.workflow_source.wording import finding_message

MAX_ENTRIES = 2000
"""Of one name; the history of a name is one record."""
MIN_HASH_CHARS = 8


def hash_of(source: str, files: Mapping[str, str] | None = None) -> str:
    """Return the hash of a version, in hex."""
    return hash_of_version(source, files or {})


def errors_of(source: str, name: str, files: Mapping[str, str] | None = None) -> tuple[SourceFinding, ...]:
    """Return why the library refuses this source with these files; empty when it takes them."""
    return tuple(one for one in (*lint(source, name), *file_findings(files or {})) if one.severity == "error")


def file_problems(file: str, errors: Iterable[SourceFinding]) -> list[FileProblem]:
    """Return the errors of a source as those of its file."""
    return [FileProblem(file=file, line=one.line, message=finding_message(one)) for one in errors]


def make_version(
    name: str,
    source: str,
    files: Mapping[str, str] | None = None,
    *,
    description: str,
    author: str,
    at: datetime,
    source_run: str | None = None,
    samples: str = "",
    accepted_losses: tuple[str, ...] = (),
) -> WorkflowVersion:
    """Return the version of an acceptable source with its files. An empty ``description``: that of its docstring.

    ``samples``: the hash of the set of its recorded samples; empty: it has none. ``accepted_losses``: see
    :class:`WorkflowVersion`."""
    module, _ = read_module(source)
    assert module is not None
    return WorkflowVersion(
        name=name,
        hash=hash_of(source, files),
        description=" ".join(description.split()) or module.description,
        parameters=module.parameters,
        takes_more=module.takes_more,
        is_async=module.is_async,
        author=author,
        created_at=at,
        source_run=source_run,
        files=tuple(sorted(files or {})),
        samples=samples,
        accepted_losses=accepted_losses,
        is_flow=is_flow(source, files or {}),
    )


def created(version: WorkflowVersion) -> HistoryEntry:
    return HistoryEntry(kind="created", version=version, author=version.author, at=version.created_at)


def deleted(version: WorkflowVersion, author: str, at: datetime) -> HistoryEntry:
    return HistoryEntry(kind="deleted", version=version, author=author, at=at)


def current_of(history: WorkflowHistory | None) -> WorkflowVersion | None:
    """Return the current version, or None: there never was one, or the last one was deleted."""
    if history is None or not history.entries or history.entries[-1].kind == "deleted":
        return None
    return history.entries[-1].version


def with_entry(history: WorkflowHistory | None, entry: HistoryEntry) -> WorkflowHistory | None:
    """Return the history with the entry, or None where it does not fit: see `WorkflowStorage.append`."""
    entries = () if history is None else history.entries
    current = current_of(history)
    fits = current is None if entry.kind == "created" else current is not None and current.hash == entry.version.hash
    if not fits or len(entries) >= MAX_ENTRIES:
        return None
    return WorkflowHistory(entries=(*entries, entry))


def with_entries(history: WorkflowHistory | None, entries: Sequence[HistoryEntry]) -> WorkflowHistory | None:
    """Return the history with all of the entries, or None where one of them does not fit."""
    changed = history
    for entry in entries:
        changed = with_entry(changed, entry)
        if changed is None:
            return None
    return changed


def replaced(current: WorkflowVersion, version: WorkflowVersion) -> tuple[HistoryEntry, HistoryEntry]:
    """Return what a history remembers of a replacement: a tombstone and the new version, of one author and time."""
    return deleted(current, version.author, version.created_at), created(version)


def find_version(history: WorkflowHistory, hash: str) -> WorkflowVersion | None:
    """Return the newest version whose hash begins with ``hash``: the current one, an old one, or a deleted one.

    None where there is no such version, two different ones, or ``hash`` has fewer than 8 characters.
    """
    found = {entry.version.hash: entry.version for entry in history.entries if entry.version.hash.startswith(hash)}
    return next(iter(found.values())) if len(found) == 1 and len(hash) >= MIN_HASH_CHARS else None
