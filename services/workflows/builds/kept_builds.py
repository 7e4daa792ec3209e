"""What is kept of build sessions, read without opening them: any process of the library can tell it."""

from __future__ import annotations

from bisect import bisect_right

import msgspec

from services.workflows.builds.build_store import MAX_BATCH_BYTES, BuildBus, blob_name
from shared.bus.ports import PART_BYTES
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import BuildEvent
from shared.errors import PermanentError
from shared.streams import BUILD_EVENTS, BUILD_FILES, BUILDS

MOST_LISTED, MOST_KNOWN = 200, 200
MAX_HASH_CHARS, MAX_ID_CHARS = 64, 80


class KeptBuilds:
    """The sessions in the buckets of this bus."""

    def __init__(self, bus: BuildBus) -> None:
        self._bus = bus
        self._firsts: dict[str, list[int]] = {}
        """The number of the first event of each batch that was read, by session: a batch never changes."""

    async def list(self) -> builds.BuildsListed:
        """Return the sessions, those in which something was done last first."""
        records = (await self._bus.read_all(BUILDS, builds.BuildRecord)).values()
        lines = sorted(
            (_line(one) for one in records if _is_kept(one)), key=lambda one: one.standing.changed_at, reverse=True
        )
        return builds.BuildsListed(builds=tuple(lines[:MOST_LISTED]), more=max(len(lines) - MOST_LISTED, 0))

    async def read(self, request: builds.ReadBuild) -> builds.ReadReply:
        """Return the record of a session, or the next of its events."""
        record = await self._record(request.build_id)
        if record is None:
            return _unknown(request.build_id)
        if request.since < 0:
            return builds.BuildRead(record=record)
        found: list[BuildEvent] = []
        firsts = self._firsts_of(f"{request.build_id}.{record.first_batch}")
        at, size = max(bisect_right(firsts, request.since + 1) - 1, 0), 0
        while (batch := await self._batch(request.build_id, record.first_batch + at)) is not None:
            if at == len(firsts):
                firsts.append(batch.first)
            events = batch.events[max(request.since - (batch.first - 1), 0) :]
            size += len(msgspec.json.encode(events))
            if found and size > MAX_BATCH_BYTES:
                break
            found += events
            at += 1
        return builds.BuildRead(events=tuple(found))

    def _firsts_of(self, session: str) -> list[int]:
        known = self._firsts.setdefault(session, [])
        while len(self._firsts) > MOST_KNOWN:
            del self._firsts[next(iter(self._firsts))]
        return known

    async def read_file(self, request: builds.ReadBuildFile) -> builds.LoadFileReply:
        """Return a part of a file that the record of a session names."""
        record = await self._record(request.build_id)
        if record is None:
            return _unknown(request.build_id)
        gone = builds.BuildRefused(
            build_id=request.build_id, code="not_valid", message=f"there is no file {request.sha256[:MAX_HASH_CHARS]}"
        )
        if request.sha256 not in record.files.values():
            return gone
        try:
            data = await self._bus.get(BUILD_FILES, blob_name(request.build_id, record.first_batch, request.sha256))
        except PermanentError:  # it was replaced since
            return gone
        start = max(request.offset, 0)
        return builds.BuildFilePart(data=data[start : start + PART_BYTES], size=len(data))

    async def _record(self, build_id: str) -> builds.BuildRecord | None:
        """Return the record of a session; None: none is kept, or what is kept is being removed."""
        record = await self._bus.read(BUILDS, build_id, builds.BuildRecord)
        return record if record is not None and _is_kept(record) else None

    async def _batch(self, build_id: str, number: int) -> builds.BuildBatch | None:
        return await self._bus.read(BUILD_EVENTS, f"{build_id}.{number}", builds.BuildBatch)


def _is_kept(record: builds.BuildRecord) -> bool:
    """Return whether it is a session: of one that was dropped a few bytes stay."""
    return bool(record.spec) and not record.dropping


def _line(record: builds.BuildRecord) -> builds.ListedBuild:
    return builds.ListedBuild(
        build_id=record.build_id,
        task_id=str(record.spec.get("task_id", "")),
        by=record.by,
        agent=record.agent,
        rows=len(record.rows),
        standing=record.standing or builds.BuildStanding(),
    )


def _unknown(build_id: str) -> builds.BuildRefused:
    return builds.BuildRefused(
        build_id=build_id, code="no_such_build", message=f"no build session {build_id[:MAX_ID_CHARS]} is kept"
    )
