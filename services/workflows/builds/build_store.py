"""What is kept of a build session on the bus: its record, its events in batches, and the files of its workspace.

Files are stored before the events that tell of them: a process that is killed between leaves files that no event
knows, never an event without its file.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from shared.bus.ports import Asks, Blobs, Records
from shared.contracts.workflows.build_events import BuildEvent
from shared.contracts.workflows.builds import BuildBatch, BuildRecord, BuildRow, BuildStanding
from shared.errors import PermanentError
from shared.streams import BUILD_EVENTS, BUILD_FILES, BUILDS

BUILD_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")
MAX_BATCH_BYTES = 400_000


class BuildBus(Asks, Blobs, Records, Protocol):
    """What a build session uses of the bus."""


class BuildTakenOverError(PermanentError):
    """Another process has opened the session since: this one does nothing more in it."""

    default_code = "unsupported"


class BuildStore:
    """One session. ``owner``: the instance id of this process."""

    def __init__(self, bus: BuildBus, build_id: str, owner: str) -> None:
        self._bus, self._build_id, self._owner = bus, build_id, owner
        self._next_batch = self._first_batch = 1
        self._stored = 0
        self._hashes: dict[str, tuple[tuple[int, int], str]] = {}
        self.files: dict[str, str] = {}
        self._standing = BuildStanding()

    async def claim(
        self, spec: Mapping[str, Any], rows: Sequence[BuildRow], by: str, *, agent: bool = False
    ) -> BuildRecord:
        """Make this process the owner, and return the record. Rows that are given replace those that are there."""

        def change(known: BuildRecord | None) -> BuildRecord | None:
            if known is not None and known.dropping:
                return None
            if known is None:
                return BuildRecord(
                    build_id=self._build_id,
                    owner=self._owner,
                    spec=dict(spec),
                    rows=tuple(rows),
                    by=by,
                    agent=agent,
                )
            return replace(
                known,
                owner=self._owner,
                spec=dict(spec),
                rows=tuple(rows) or known.rows,
                by=by or known.by,
                agent=agent,
                closed_at=None,
            )

        while (record := await self._bus.modify(BUILDS, self._build_id, BuildRecord, change)) is None:
            await drop_session(self._bus, self._build_id, None)  # another process is at it, or has ended meanwhile
        self.files = dict(record.files)
        self._next_batch = self._first_batch = record.first_batch
        self._standing = record.standing or BuildStanding()
        return record

    async def close(self, at: datetime) -> None:
        """Note that the session was closed, if it is still this process's."""
        await self._bus.modify(
            BUILDS,
            self._build_id,
            BuildRecord,
            lambda known: replace(known, closed_at=at) if known is not None and known.owner == self._owner else None,
        )

    async def events(self) -> list[BuildEvent]:
        """Return all stored events."""
        found: list[BuildEvent] = []
        while (batch := await self._bus.read(BUILD_EVENTS, self._key(self._next_batch), BuildBatch)) is not None:
            found += batch.events
            self._next_batch += 1
        self._stored = len(found)
        return found

    async def fetch_files(self, folder: Path) -> None:
        """Write the stored files into an empty folder."""
        for path, sha256 in self.files.items():
            data = await self._bus.get(BUILD_FILES, self._blob(sha256))
            await asyncio.to_thread(_write, folder / path, data)

    async def save(self, folder: Path, events: Sequence[BuildEvent], standing: BuildStanding) -> None:
        """Store what has changed in the folder, then these events; ``standing``: after them. Raises
        BuildTakenOverError."""
        await self._save_files(folder, standing)
        for batch in batches(events):
            if not await self._bus.create(
                BUILD_EVENTS, self._key(self._next_batch), BuildBatch(first=self._stored + 1, events=batch)
            ):
                raise BuildTakenOverError(f"the build session {self._build_id} is worked on by another process")
            self._next_batch += 1
            self._stored += len(batch)

    async def _save_files(self, folder: Path, standing: BuildStanding) -> None:
        now = await asyncio.to_thread(self._hashed, folder)
        if now == self.files and replace(standing, changed_at=self._standing.changed_at) == self._standing:
            return
        for path, sha256 in list(now.items()):
            if sha256 not in self.files.values():
                try:
                    data = await asyncio.to_thread((folder / path).read_bytes)
                except FileNotFoundError:  # it was removed since
                    del now[path]
                    continue
                now[path] = hashlib.sha256(data).hexdigest()  # it may have been written since
                await self._bus.put(BUILD_FILES, self._blob(now[path]), data)
        record = await self._bus.modify(
            BUILDS,
            self._build_id,
            BuildRecord,
            lambda known: (
                replace(known, files=now, size_bytes=self._size(now), standing=standing)
                if known is not None and known.owner == self._owner
                else None
            ),
        )
        if record is None:
            raise BuildTakenOverError(f"the build session {self._build_id} is worked on by another process")
        before, self.files, self._standing = self.files, now, standing
        for sha256 in {*before.values()} - {*now.values()}:
            await self._bus.remove(BUILD_FILES, self._blob(sha256))

    def _size(self, names: Iterable[str]) -> int:
        """Return the bytes of these files, as they were hashed."""
        return sum(self._hashes[name][0][1] for name in names)

    def _hashed(self, folder: Path) -> dict[str, str]:
        """Return the SHA-256 of each file; one that has its time and size of before is not read again."""
        found: dict[str, str] = {}
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if name in NOT_KEPT or any(part.endswith(".new") for part in name.split("/")) or not path.is_file():
                continue
            try:
                facts = path.stat()
                mark = (facts.st_mtime_ns, facts.st_size)
                known = self._hashes.get(name)
                if known is None or known[0] != mark:
                    self._hashes[name] = (mark, hashlib.sha256(path.read_bytes()).hexdigest())
            except FileNotFoundError:  # it was removed since
                continue
            found[name] = self._hashes[name][1]
        return found

    def _key(self, batch: int) -> str:
        return f"{self._build_id}.{batch}"

    def _blob(self, sha256: str) -> str:
        return blob_name(self._build_id, self._first_batch, sha256)


NOT_KEPT = ("conversation.jsonl", "todos.json", "logs/compiler.log")
"""Files of a workspace that follow from the events."""


def batches(events: Sequence[BuildEvent]) -> list[tuple[BuildEvent, ...]]:
    """Return the events in groups that fit into a record."""
    found: list[list[BuildEvent]] = []
    size = 0
    for event in events:
        more = len(msgspec.json.encode(event))
        if not found or size + more > MAX_BATCH_BYTES:
            found.append([])
            size = 0
        found[-1].append(event)
        size += more
    return [tuple(one) for one in found]


def blob_name(build_id: str, first_batch: int, sha256: str) -> str:
    """Return the name of a file's bytes. A session under the id of one that was dropped has names of its own: whoever
    still removes the files of that one removes none of these."""
    return f"{build_id}.{sha256}" if first_batch == 1 else f"{build_id}.{first_batch}.{sha256}"


async def drop_session(bus: BuildBus, build_id: str, closed_at: datetime | None) -> bool:
    """Remove what is kept of a session that was closed then; of its record a few bytes stay, so that none of its events
    is taken for one of a later session under its id. Return whether it was: one that was opened since is kept.

    A process that is killed meanwhile leaves a session that is dropped half, and whose rest is dropped next.
    """

    def begin(known: BuildRecord | None) -> BuildRecord | None:
        may = known is not None and (known.dropping or (known.closed_at is not None and known.closed_at == closed_at))
        return replace(known, dropping=True) if known is not None and may else None

    record = await bus.modify(BUILDS, build_id, BuildRecord, begin)
    if record is None:
        return False
    for sha256 in {*record.files.values()}:
        await bus.remove(BUILD_FILES, blob_name(build_id, record.first_batch, sha256))
    after = record.first_batch
    while await bus.read(BUILD_EVENTS, f"{build_id}.{after}", BuildBatch) is not None:
        after += 1
    if not _is_same(await bus.read(BUILDS, build_id, BuildRecord), record):
        return True  # another process has dropped it meanwhile: of these batches, some may be of a later session
    for batch in range(record.first_batch, after):
        await bus.modify(BUILD_EVENTS, f"{build_id}.{batch}", BuildBatch, _without_events)
    next_first = max(after, record.first_batch + 1)  # also of one without events: its files have it in their names
    emptied = replace(
        record, spec={}, rows=(), files={}, size_bytes=0, dropping=False, first_batch=next_first, standing=None
    )
    await bus.modify(BUILDS, build_id, BuildRecord, lambda known: emptied if _is_same(known, record) else None)
    return True


def _is_same(known: BuildRecord | None, dropped: BuildRecord) -> bool:
    """Whether the session is still that which is dropped, and nobody has ended that."""
    return known is not None and known.dropping and known.first_batch == dropped.first_batch


def _without_events(known: BuildBatch | None) -> BuildBatch | None:
    return None if known is None else replace(known, events=())


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
