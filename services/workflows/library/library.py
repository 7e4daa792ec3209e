"""The library: creates, finds, shows and deletes workflows. Nothing of a workflow is executed here."""

from __future__ import annotations

import asyncio
import difflib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial

from services.workflows.clock import utc_now
from services.workflows.library.samples import Fetch, data_of, findings_of_samples, keep_samples, set_of
from services.workflows.library.versions import (
    MAX_ENTRIES,
    MIN_HASH_CHARS,
    created,
    current_of,
    deleted,
    find_version,
    make_version,
    replaced,
)
from services.workflows.ports import Indexed, SearchIndex, Shelf, WorkflowStorage
from shared.contracts.workflows.library import (
    CreateReply,
    FileProblem,
    GetReply,
    HistoryEntry,
    SamplesLoaded,
    WorkflowCreated,
    WorkflowHistory,
    WorkflowHit,
    WorkflowRefused,
    WorkflowShown,
    WorkflowUnknown,
    WorkflowVersion,
)
from shared.contracts.workflows.samples import KeptSample, SampleSet
from shared.contracts.workflows.sources import SourceFinding
from shared.errors import PermanentError, Unavailable
from shared.workflow_source.files import file_findings
from shared.workflow_source.findings import finding
from shared.workflow_source.lint import lint
from shared.workflow_source.module import MAX_DESCRIPTION_CHARS, name_findings

log = logging.getLogger(__name__)

MAX_SIMILAR = 3
MAX_TRIES = 20
"""To delete a workflow that others replace at the same time."""


class Library:
    """The workflows of one storage. What other processes change is seen by the next call; `list` and `search` see
    a file that somebody edits in place 2 seconds later at most."""

    def __init__(
        self, storage: WorkflowStorage, index: Callable[[], SearchIndex], now: Callable[[], datetime] = utc_now
    ) -> None:
        """``index`` opens the index on the first search: its model takes a second to load."""
        self._storage, self._open_index, self._now = storage, index, now
        self._index: SearchIndex | None = None
        self._current: dict[str, WorkflowVersion] = {}
        self._problems: tuple[FileProblem, ...] = ()
        self._noted: tuple[FileProblem, ...] = ()
        self._revision = ""
        self._refreshing = asyncio.Lock()
        self._indexing = asyncio.Lock()
        self._indexed: dict[str, str] = {}
        """Name to hash and description, of what the index holds."""

    async def close(self) -> None:
        if self._index is not None:
            await asyncio.to_thread(self._index.close)
        await self._storage.close()

    # --- change

    async def create(
        self,
        name: str,
        source: str,
        *,
        description: str = "",
        author: str = "",
        source_run: str | None = None,
        files: Mapping[str, str] | None = None,
        replace: str = "",
        samples: SampleSet | None = None,
        fetch: Fetch | None = None,
        accepted_losses: tuple[str, ...] = (),
    ) -> CreateReply:
        """Create a workflow, or say everything that is wrong with it.

        ``replace``: the hash of the current version, which this one takes the place of at once; the history keeps both.
        Without it an existing one is never replaced. ``samples`` are kept with it; ``fetch`` reads those that have a
        blob. ``accepted_losses``: fields that were read before, and that its author accepts to be lost.
        """
        files = dict(files or {})
        findings = await asyncio.to_thread(lambda: (*lint(source, name), *file_findings(files)))
        findings = (*findings, *findings_of_samples(samples))
        if len(description) > MAX_DESCRIPTION_CHARS:
            text = f"the description has {len(description)} characters, at most {MAX_DESCRIPTION_CHARS}"
            findings = (finding("too_long", text), *findings)
        current: WorkflowVersion | None = None
        if not any(one.code == "invalid_name" for one in findings):
            current, problem = await self._find_place(name, replace)
            findings = (*problem, *findings)
        if any(one.severity == "error" for one in findings):
            return WorkflowRefused(findings=findings)
        kept: str | list[SourceFinding] = ""
        if samples is not None:
            kept = await keep_samples(self._storage, samples, fetch or _no_blobs)
        if not isinstance(kept, str):
            return WorkflowRefused(findings=(*kept, *findings))
        version = await asyncio.to_thread(
            partial(
                make_version,
                *(name, source, files),
                description=description,
                author=author,
                at=self._now(),
                source_run=source_run,
                samples=kept,
                accepted_losses=accepted_losses,
            )
        )
        entries = (created(version),) if current is None else replaced(current, version)
        if not await self._storage.append(name, entries, source, files):
            text = f"{name}: it has had {MAX_ENTRIES} changes, which is the most"
            _, problem = await self._find_place(name, replace)
            return WorkflowRefused(findings=(*(problem or [finding("name_taken", text)]), *findings))
        log.info("workflow %s was created, version %s, by %s", name, version.hash[:12], author or "?")
        return WorkflowCreated(workflow=version, findings=findings)

    async def _find_place(self, name: str, replace: str) -> tuple[WorkflowVersion | None, list[SourceFinding]]:
        """Return the version to replace, or None; and why there is no place for a new one."""
        try:
            current = current_of(await self._storage.history(name))
        except PermanentError as exc:
            if exc.code != "workflow_unreadable":
                raise
            return None, [finding("name_taken", f"{name!r} is taken by a file that is no workflow: {exc}")]
        if current is None:
            text = f"there is no current version of {name!r}, and version {replace[:12]} was to be replaced"
            return None, [finding("not_current", text)] if replace else []
        if current.hash == replace:
            return current, []
        at = f"{current.created_at:%Y-%m-%d %H:%M} UTC"
        who = f"version {current.hash[:12]} of {current.author or 'somebody'}"
        if replace:
            text = f"since {at} {who} is the current one of {name!r}, and not {replace[:12]}, which was to be replaced"
            return None, [finding("not_current", text)]
        return None, [finding("name_taken", f"{name!r} is taken since {at} by {who}")]

    async def delete(self, name: str, *, author: str = "") -> bool:
        """Delete the current version; the history keeps it. Return whether there was one."""
        for _ in range(MAX_TRIES):
            current = current_of(await self._history(name))
            if current is None:
                return False
            if await self._storage.append(name, [deleted(current, author, self._now())]):
                log.info("workflow %s was deleted by %s", name, author or "?")
                return True
        raise Unavailable(f"the workflow {name} changes too fast to be deleted", code="record_contended")

    # --- read

    async def list(self) -> tuple[tuple[WorkflowVersion, ...], tuple[FileProblem, ...]]:
        """Return the current workflows by name, and the files that are not loaded."""
        await self.refresh()
        return tuple(self._current.values()), (*self._problems, *self._noted)

    def note_problems(self, problems: Sequence[FileProblem]) -> None:
        """List these files too: they are not loaded, and are none of the storage's own."""
        self._noted = tuple(problems)

    async def get(self, name: str, hash: str = "") -> GetReply:
        """Return a workflow with its source. ``hash``: of an old version, or its first 8 characters or more."""
        version, is_current = await self._find(name, hash)
        if isinstance(version, WorkflowUnknown):
            return version
        source = await self._storage.source(version.hash)
        if source is None:
            message = f"the source of {name}, version {version.hash[:12]}, is not in the storage any more"
            raise PermanentError(message, code="workflow_unreadable")
        files = await self._storage.files(version.hash) if version.files else {}
        if tuple(sorted(files)) != version.files:
            message = f"the files of {name}, version {version.hash[:12]}, are not in the storage any more"
            raise PermanentError(message, code="workflow_unreadable")
        return WorkflowShown(workflow=version, source=source, is_current=is_current, files=files)

    async def samples(self, name: str, hash: str = "") -> SamplesLoaded | WorkflowUnknown:
        """Return the set of recorded samples of a version; without blobs. Raises PermanentError
        (``workflow_unreadable``)."""
        version, _ = await self._find(name, hash)
        if isinstance(version, WorkflowUnknown):
            return version
        return SamplesLoaded(workflow=version, samples=await set_of(self._storage, version))

    async def sample_data(self, one: KeptSample) -> bytes:
        """Return the bytes of a sample. Raises PermanentError (``workflow_unreadable``)."""
        return await data_of(self._storage, one)

    async def _find(self, name: str, hash: str) -> tuple[WorkflowVersion | WorkflowUnknown, bool]:
        """Return a version, and whether it is the current one."""
        history = await self._history(name)
        current = current_of(history)
        version = find_version(history, hash) if hash else current
        if version is None:
            return await self._unknown(name, hash, history.entries), False
        return version, current is not None and current.hash == version.hash

    async def history(self, name: str) -> tuple[HistoryEntry, ...]:
        return (await self._history(name)).entries

    async def _history(self, name: str) -> WorkflowHistory:
        """Return the history of a name. What no workflow can be called has none, and a storage is not asked for it."""
        return WorkflowHistory() if any(name_findings(name)) else await self._storage.history(name)

    async def _unknown(self, name: str, hash: str, entries: tuple[HistoryEntry, ...]) -> WorkflowUnknown:
        if hash and entries:
            message = (
                f"{name} has no single version {hash}: give {MIN_HASH_CHARS} characters or more of one in its history"
            )
            return WorkflowUnknown(name=name, message=message)
        await self.refresh()
        similar = tuple(difflib.get_close_matches(name, self._current, MAX_SIMILAR))
        message = f"there is no workflow {name!r}"
        if entries:
            last = entries[-1]
            message += f": {last.author or 'somebody'} deleted it on {last.at:%Y-%m-%d}"
        elif similar:
            message += f"; there is {', '.join(similar)}"
        return WorkflowUnknown(name=name, message=message, similar=similar)

    async def search(self, query: str, limit: int, threshold: float | None = None) -> tuple[WorkflowHit, ...]:
        """Return the workflows that do what the query says, best first; none when nothing reaches the threshold."""
        await self.refresh()
        current = self._current
        if not current or not query.strip() or limit < 1:
            return ()
        index = await self._updated_index(current)
        found = await asyncio.to_thread(index.search, query, limit, threshold)
        return tuple(WorkflowHit(workflow=current[name], score=score) for name, score in found if name in current)

    async def refresh(self) -> None:
        """Read what has changed in the storage, if anything has."""
        async with self._refreshing:
            revision = await self._storage.revision()
            if revision == self._revision:
                return
            self._take(await self._storage.load())
            # Loading may have recorded what was changed by hand.
            after = await self._storage.revision()
            self._revision = after if after == revision else ""

    def _take(self, shelf: Shelf) -> None:
        versions = {name: current_of(history) for name, history in sorted(shelf.histories.items())}
        self._current = {name: version for name, version in versions.items() if version is not None}
        if shelf.problems != self._problems:
            for problem in shelf.problems:
                log.warning("%s:%s: %s; it is not loaded", problem.file, problem.line, problem.message)
        self._problems = shelf.problems

    # --- the index

    async def _updated_index(self, current: Mapping[str, WorkflowVersion]) -> SearchIndex:
        async with self._indexing:
            if self._index is None:
                self._index = await asyncio.to_thread(self._open_index)
                await asyncio.to_thread(self._index.update, await self._read_for_index(current.values()))
            elif self._indexed != (wanted := _contents(current)):
                for name in self._indexed.keys() - wanted.keys():
                    await asyncio.to_thread(self._index.remove, name)
                changed = [current[name] for name in wanted if self._indexed.get(name) != wanted[name]]
                for one in await self._read_for_index(changed):
                    await asyncio.to_thread(self._index.add, one)
            self._indexed = _contents(current)
            return self._index

    async def _read_for_index(self, versions: Iterable[WorkflowVersion]) -> list[Indexed]:
        found: list[Indexed] = []
        for version in versions:
            source = await self._storage.source(version.hash)
            found.append(Indexed(version.name, version.hash, version.description, source or ""))
        return found


async def _no_blobs(one: KeptSample) -> bytes:
    raise PermanentError(f"the sample {one.sample_id!r} is not in the library", code="no_blob")


def _contents(current: Mapping[str, WorkflowVersion]) -> dict[str, str]:
    return {name: f"{version.hash} {version.description}" for name, version in current.items()}
