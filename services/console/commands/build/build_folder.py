"""The folder of a build session on the client's side: what the session has, and what a person has changed in it."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from uuid import uuid4

import msgspec

from shared.bus.ports import PART_BYTES, Asks
from shared.contracts.base import Part
from shared.contracts.workflows.build_events import BuildEvent, CompilerTold, FlowPublished, QuestionsAnswered
from shared.contracts.workflows.builds import BuildOpened, BuildRefused, LoadBuildFile, StoreBuildFile
from shared.errors import PermanentError
from shared.flows.building.folder import (
    CONVERSATION,
    SCRATCH,
    CompilerLine,
    append_event,
    append_log,
    read_events,
    write_todos,
)
from shared.flows.building.state import BuildState, apply_event, replayed
from shared.subjects import LOAD_BUILD_FILE, STORE_BUILD_FILE

SESSION_FILE = ".session.json"
BROUGHT = ("scratch_work", "samples", "workspace", "data")


class KnownFiles(Part, frozen=True, kw_only=True):
    """``files``: SHA-256 of each file of the session as it was here last, by its path."""

    build_id: str
    files: dict[str, str] = {}


class BuildFolder:
    """``state``: the fold over the events that are in the folder; ``events``: how many they are.
    ``answered``: how often answers were given since; ``published``: whether the flow was."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        events = read_events(folder)
        self.state: BuildState = replayed(events)
        self.events = len(events)
        self.answered, self.published = 0, False
        path = folder / SESSION_FILE
        known = msgspec.json.decode(path.read_bytes(), type=KnownFiles) if path.exists() else None
        self.known = KnownFiles(build_id=uuid4().hex) if known is None else self._still_here(known)

    def _still_here(self, known: KnownFiles) -> KnownFiles:
        """Return what is known without what is gone from the folder. A file of scratch_work that is gone was removed by
        a person, which the session is to know."""
        files = {
            name: sha256
            for name, sha256 in known.files.items()
            if (self.folder / name).exists() or (name.startswith(f"{SCRATCH}/") and name.endswith(".py"))
        }
        return KnownFiles(build_id=known.build_id, files=files)

    def take(self, event: BuildEvent) -> None:
        """Write an event of the session."""
        append_event(self.folder, event)
        self.events += 1
        self.answered += isinstance(event, QuestionsAnswered)
        self.published = self.published or isinstance(event, FlowPublished)
        before, self.state = self.state, apply_event(self.state, event)
        if self.state.todos != before.todos:
            write_todos(self.folder, self.state)
        if isinstance(event, CompilerTold):
            line = CompilerLine(
                at=event.at, kind=event.kind, text=event.text, version=event.version, elapsed_s=event.elapsed_s
            )
            append_log(self.folder, line)

    async def bring(self, asks: Asks, opened: BuildOpened) -> None:
        """Bring the whole folder into a session that knows nothing of it."""
        conversation = self.folder / CONVERSATION
        found = [conversation] if conversation.exists() else []
        found += [path for part in BROUGHT for path in (self.folder / part).rglob("*") if path.is_file()]
        for path in found:
            await self._store(asks, opened, path.relative_to(self.folder).as_posix(), path)

    async def send_changes(self, asks: Asks, opened: BuildOpened) -> None:
        """Send what a person has changed in scratch_work since the session has written it."""
        there = {path.relative_to(self.folder).as_posix(): path for path in (self.folder / SCRATCH).glob("*.py")}
        for name, path in sorted(there.items()):
            if _sha256(path) != self.known.files.get(name):
                await self._store(asks, opened, name, path)
        for name in [one for one in self.known.files if one.startswith(f"{SCRATCH}/") and one.endswith(".py")]:
            if name not in there:
                await self._store(asks, opened, name, None)

    async def _store(self, asks: Asks, opened: BuildOpened, name: str, path: Path | None) -> None:
        data = b"" if path is None else await asyncio.to_thread(path.read_bytes)
        for offset in range(0, max(len(data), 1), PART_BYTES):
            part = data[offset : offset + PART_BYTES]
            request = StoreBuildFile(
                build_id=opened.build_id,
                instance_id=opened.instance_id,
                path=name,
                data=part,
                offset=offset,
                last=offset + len(part) >= len(data),
                removed=path is None,
            )
            reply = await asks.ask(STORE_BUILD_FILE, request)
            if isinstance(reply, BuildRefused):
                raise PermanentError(reply.message)
        files = {one: sha256 for one, sha256 in self.known.files.items() if one != name}
        if path is not None and name != CONVERSATION:
            files[name] = hashlib.sha256(data).hexdigest()
        self._note(files)

    async def fetch(self, asks: Asks, opened: BuildOpened, files: dict[str, str]) -> None:
        """Write what has changed in the session; what a person has changed here since is left."""
        if files == self.known.files:
            return
        now = dict(self.known.files)
        for name, sha256 in files.items():
            path = self.folder / name
            if self.known.files.get(name) == sha256 or (name in now and _sha256(path) != now[name]):
                continue
            data = await self._load(asks, opened, name)
            if data is None:  # it has gone since: the next list of files does not have it
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{path.name}.new")
            part.write_bytes(data)
            part.replace(path)
            now[name] = _sha256(path)
        for name in [one for one in now if one not in files]:
            if _sha256(self.folder / name) == now.pop(name):
                (self.folder / name).unlink(missing_ok=True)
        self._note(now)

    async def _load(self, asks: Asks, opened: BuildOpened, name: str) -> bytes | None:
        data = b""
        while True:
            request = LoadBuildFile(
                build_id=opened.build_id, instance_id=opened.instance_id, path=name, offset=len(data)
            )
            part = await asks.ask(LOAD_BUILD_FILE, request)
            if isinstance(part, BuildRefused):
                return None
            data += part.data
            if len(data) >= part.size or not part.data:
                return data

    def _note(self, files: dict[str, str]) -> None:
        self.known = KnownFiles(build_id=self.known.build_id, files=files)
        path = self.folder / SESSION_FILE
        part = path.with_name(f"{path.name}.new")
        part.write_bytes(msgspec.json.encode(self.known))
        part.replace(path)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
