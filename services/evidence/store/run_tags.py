"""Keeps the tags of runs in ``run.tags/RUN.json``, beside the runs: they are in no run and in no seal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from services.evidence.ports import READ_LIMIT, Store
from services.evidence.run_lock.change_locks import TAGS, ChangeLocks, lock_name
from shared.aio import map_concurrently
from shared.contracts.discovery import Problem
from shared.contracts.sessions.tagging import RunTagged, TagReply, TagRun, TagsRefused
from shared.errors import PermanentError, PolicyDenied
from shared.evidence_format import layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.tags import TagsFile, changed_tags, parse_tags_file

log = logging.getLogger(__name__)


class RunTags:
    """Nothing of it is remembered: each question reads the files. The tags of a run are changed one at a time."""

    def __init__(self, store: Store, now: Callable[[], datetime], *, read_only: bool) -> None:
        self._store, self._now, self._read_only = store, now, read_only
        self._locks = ChangeLocks(store)

    async def change(self, request: TagRun) -> TagReply:
        """Set and remove tags of a run, or refuse that with all that is wrong. Idempotent.

        Raises PermanentError (``object_damaged``) where the file of the tags cannot be read: it would be lost.
        """
        run_id = request.run_id
        if not layout.is_safe(run_id) or await self._store.read(layout.run_key(run_id, layout.RUN)) is None:
            where = layout.no_run(run_id[:100], self._store.location(""))
            return TagsRefused(run_id=run_id, code="no_such_run", problems=(Problem(where="run", message=where),))
        if self._read_only:
            raise PolicyDenied("this process only reads evidence, so it changes no tags")
        return await self._locks.run_alone(lock_name(TAGS, run_id), lambda: self._change(request))

    async def _change(self, request: TagRun) -> TagReply:
        run_id = request.run_id
        there = await self._read(run_id)
        tags, problems = changed_tags(there, request.add, request.remove)
        if problems:
            return TagsRefused(run_id=run_id, code="not_valid", problems=problems)
        if tags != there:
            key = layout.tags_key(run_id)
            file = TagsFile(run_id=run_id, tags=tags, changed_by=request.by, changed_at=self._now())
            await self._store.write(key, encode_file(file))
            await self._store.make_file_durable(key)
        return RunTagged(run_id=run_id, tags=tags)

    async def of(self, run_id: str) -> tuple[str, ...]:
        """Return the tags of a run, sorted; none where their file cannot be read, which is logged."""
        try:
            return await self._read(run_id)
        except PermanentError as exc:
            log.warning("the tags of %s are left out: %s", run_id, exc)
            return ()

    async def of_all(self, run_ids: Iterable[str]) -> tuple[Mapping[str, tuple[str, ...]], tuple[str, ...]]:
        """Return the tags of those runs that have some, and a note on each file that cannot be read."""
        kept = {name.removesuffix(".json") for name in await self._store.names(layout.TAGS)}
        tagged = [run_id for run_id in run_ids if run_id in kept]

        async def read(run_id: str) -> tuple[str, ...] | str:
            try:
                return await self._read(run_id)
            except PermanentError as exc:
                return str(exc)

        found = dict(zip(tagged, await map_concurrently(read, tagged, READ_LIMIT), strict=True))
        notes = tuple(one for one in found.values() if isinstance(one, str))
        return {run_id: one for run_id, one in found.items() if not isinstance(one, str)}, notes

    async def _read(self, run_id: str) -> tuple[str, ...]:
        key = layout.tags_key(run_id)
        data = await self._store.read(key)
        return () if data is None else parse_tags_file(data, self._store.location(key)).tags
