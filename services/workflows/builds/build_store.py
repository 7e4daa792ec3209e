"""What is kept of a build session on the bus: its record, its events in batches, and the files of its workspace.

Files are stored before the events that tell of them: a process that is killed between leaves files that no event
knows, never an event without its file.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from shared.bus.ports import Asks, Blobs, Records
from shared.contracts.workflows.build_events import BuildEvent
from shared.contracts.workflows.builds import BuildBatch, BuildRecord, BuildRow
from shared.errors import PermanentError
from shared.streams import BUILD_EVENTS, BUILD_FILES, BUILDS

BUILD_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")
MAX_BATCH_BYTES = 400_000
FIRST_BATCH = 1


class BuildBus(Asks, Blobs, Records, Protocol):
    """What a build session uses of the bus."""


class BuildTakenOverError(PermanentError):
    """Another process has opened the session since: this one does nothing more in it."""

    default_code = "unsupported"


class BuildStore:
    """One session. ``owner``: the instance id of this process."""

    def __init__(self, bus: BuildBus, build_id: str, owner: str) -> None:
        self._bus, self._build_id, self._owner = bus, build_id, owner
        self._next_batch = FIRST_BATCH
        self._stored = 0
        self._hashes: dict[str, tuple[tuple[int, int], str]] = {}
        self.files: dict[str, str] = {}

    async def claim(
        self, spec: Mapping[str, Any], rows: Sequence[BuildRow], by: str, *, agent: bool = False
    ) -> BuildRecord:
        """Make this process the owner, and return the record. Rows that are given replace those that are there."""

        def change(known: BuildRecord | None) -> BuildRecord:
            if known is None:
                return BuildRecord(
                    build_id=self._build_id,
                    owner=self._owner,
                    spec=dict(spec),
                    rows=tuple(rows),
                    by=by,
                    agent=agent,
                )
            rows_now = tuple(rows) or known.rows
            return replace(known, owner=self._owner, spec=dict(spec), rows=rows_now, by=by or known.by, agent=agent)

        record = await self._bus.modify(BUILDS, self._build_id, BuildRecord, change)
        assert record is not None  # a change is always made
        self.files = dict(record.files)
        return record

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

    async def save(self, folder: Path, events: Sequence[BuildEvent]) -> None:
        """Store what has changed in the folder, then these events. Raises BuildTakenOverError."""
        await self._save_files(folder)
        for batch in batches(events):
            if not await self._bus.create(
                BUILD_EVENTS, self._key(self._next_batch), BuildBatch(first=self._stored + 1, events=batch)
            ):
                raise BuildTakenOverError(f"the build session {self._build_id} is worked on by another process")
            self._next_batch += 1
            self._stored += len(batch)

    async def _save_files(self, folder: Path) -> None:
        now = await asyncio.to_thread(self._hashed, folder)
        if now == self.files:
            return
        for path, sha256 in list(now.items()):
            if sha256 not in self.files.values():
                data = await asyncio.to_thread((folder / path).read_bytes)
                now[path] = hashlib.sha256(data).hexdigest()  # it may have been written since
                await self._bus.put(BUILD_FILES, self._blob(now[path]), data)
        record = await self._bus.modify(
            BUILDS,
            self._build_id,
            BuildRecord,
            lambda known: replace(known, files=now) if known is not None and known.owner == self._owner else None,
        )
        if record is None:
            raise BuildTakenOverError(f"the build session {self._build_id} is worked on by another process")
        before, self.files = self.files, now
        for sha256 in {*before.values()} - {*now.values()}:
            await self._bus.remove(BUILD_FILES, self._blob(sha256))

    def _hashed(self, folder: Path) -> dict[str, str]:
        """Return the SHA-256 of each file; one that has its time and size of before is not read again."""
        found: dict[str, str] = {}
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if name in NOT_KEPT or any(part.endswith(".new") for part in name.split("/")) or not path.is_file():
                continue
            facts = path.stat()
            mark = (facts.st_mtime_ns, facts.st_size)
            known = self._hashes.get(name)
            if known is None or known[0] != mark:
                self._hashes[name] = (mark, hashlib.sha256(path.read_bytes()).hexdigest())
            found[name] = self._hashes[name][1]
        return found

    def _key(self, batch: int) -> str:
        return f"{self._build_id}.{batch}"

    def _blob(self, sha256: str) -> str:
        return f"{self._build_id}.{sha256}"


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


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
