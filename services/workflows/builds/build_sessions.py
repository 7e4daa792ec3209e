"""The build sessions of this process: opened under their ids, each with its own workspace, browser and work."""

from __future__ import annotations

import asyncio
import math
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from services.workflows.builds.build_store import BUILD_ID, BuildBus, BuildStore, drop_session
from services.workflows.builds.kept_builds import KeptBuilds
from services.workflows.builds.running_build import RunningBuild
from shared.aio import BackgroundTasks
from shared.bus.ports import PART_BYTES
from shared.contracts.workflows import builds
from shared.errors import ExhibitError
from shared.flows.building.retention import Keep, sessions_to_drop
from shared.streams import BUILDS
from shared.subjects import FOLLOW_BUILD
from shared.task.spec import check_spec

MAX_WAIT_S = 20.0
MAX_FILE_BYTES = 64 * 1024**2
MAX_PATH_CHARS = 400
LOOK_EVERY_S = 60.0
DROP_EVERY_S = 3600.0
KEEP = Keep()
SCRATCH_FILE = re.compile(r"scratch_work/[A-Za-z0-9_-][A-Za-z0-9_.-]*\.py")
WORKSPACE_FILE = re.compile(
    r"(conversation\.jsonl|logs/compiler\.log|(scratch_work|samples|workspace|data)(/[\w.-]+)+)"
)


class BuildSessions:
    """``instance_id``: of this process on the bus. ``keep``: how long closed sessions are kept. ``kept``: what the
    bus has of sessions, open or not."""

    def __init__(self, bus: BuildBus, instance_id: str, keep: Keep = KEEP) -> None:
        self._bus, self._instance_id, self._keep = bus, instance_id, keep
        self.kept = KeptBuilds(bus)
        self._running: dict[str, RunningBuild] = {}
        self._opening = asyncio.Lock()
        self._tasks = BackgroundTasks()

    async def open(self, request: builds.OpenBuild) -> builds.OpenReply:
        """Open a session, or name the process that has it."""
        spec, problems = check_spec(request.spec)
        if not BUILD_ID.fullmatch(request.build_id):
            return _refused(request.build_id, "not_valid", "an id has 1 to 80 letters, digits, - and _")
        if spec is None:
            return _refused(request.build_id, "not_valid", "; ".join(f"{one.where}: {one.message}" for one in problems))
        async with self._opening:
            running = self._running.get(request.build_id)
            if running is not None and not running.closed and running.is_of(request.spec):
                running.set_rows(request.rows)
                running.agent = running.agent or request.agent
                return self._opened(request.build_id, running)
            if (elsewhere := await self._elsewhere(request.build_id, request.spec)) is not None:
                return elsewhere
            await self._end(request.build_id)
            store = BuildStore(self._bus, request.build_id, self._instance_id)
            record = await store.claim(request.spec, request.rows, request.by, agent=request.agent)
            if not record.rows:
                return _refused(request.build_id, "not_valid", "there is no row to work on")
            running = RunningBuild(self._bus, store, record, spec)
            await running.load()
            self._running[request.build_id] = running
        if not len(self._tasks):
            self._tasks.start(self._give_back_idle())
        return self._opened(request.build_id, running)

    def _opened(self, build_id: str, running: RunningBuild) -> builds.BuildOpened:
        return builds.BuildOpened(
            build_id=build_id, instance_id=self._instance_id, events=running.events, files=running.files
        )

    async def _elsewhere(self, build_id: str, spec: dict[str, Any]) -> builds.BuildOpened | None:
        """Return where the session is at work; None where its process has ended, or does not have it any more, or works
        with another spec: the session is opened here with the one that is given."""
        record = await self._bus.read(BUILDS, build_id, builds.BuildRecord)
        if record is None or record.owner == self._instance_id or record.spec != spec:
            return None
        request = builds.FollowBuild(build_id=build_id, instance_id=record.owner)
        try:
            reply = await self._bus.ask(FOLLOW_BUILD, request, timeout_s=10.0)
        except ExhibitError:
            return None
        if isinstance(reply, builds.BuildRefused) or reply.closed:
            return None
        return builds.BuildOpened(build_id=build_id, instance_id=record.owner, events=0, files=reply.files)

    # --- what clients ask of one

    def do(self, request: builds.DoInBuild) -> builds.DoReply:
        running = self._find(request.build_id)
        if isinstance(running, builds.BuildRefused):
            return running
        if why := running.take(request.command_id, request.command, request.by):
            return _refused(request.build_id, "not_valid", why)
        return builds.BuildAccepted(build_id=request.build_id)

    async def follow(self, request: builds.FollowBuild) -> builds.FollowReply:
        running = self._running.get(request.build_id)
        if running is None:
            return _unknown(request.build_id)
        return await running.follow(replace(request, wait_s=min(request.wait_s, MAX_WAIT_S)))

    async def store_file(self, request: builds.StoreBuildFile) -> builds.StoreReply:
        """Write a part of a file: scratch_work at any time, the rest of a workspace before the work begins."""
        running = self._find(request.build_id)
        if isinstance(running, builds.BuildRefused):
            return running
        allowed = SCRATCH_FILE if running.has_begun or running.events else WORKSPACE_FILE
        path = _path_in(running.folder, request.path) if allowed.fullmatch(request.path) else None
        if path is None or not 0 <= request.offset <= MAX_FILE_BYTES or len(request.data) > PART_BYTES:
            return _refused(request.build_id, "not_valid", f"{request.path[:MAX_PATH_CHARS]} cannot be stored")
        await asyncio.to_thread(_write_part, path, request)
        return builds.BuildFileStored(build_id=request.build_id)

    async def load_file(self, request: builds.LoadBuildFile) -> builds.LoadFileReply:
        running = self._running.get(request.build_id)
        if running is None:
            return _unknown(request.build_id)
        path = _path_in(running.folder, request.path)
        if path is None or not path.is_file():
            return _refused(request.build_id, "not_valid", f"there is no file {request.path[:MAX_PATH_CHARS]}")
        data = await asyncio.to_thread(path.read_bytes)
        start = max(request.offset, 0)
        return builds.BuildFilePart(data=data[start : start + PART_BYTES], size=len(data))

    def _find(self, build_id: str) -> RunningBuild | builds.BuildRefused:
        running = self._running.get(build_id)
        if running is None:
            return _unknown(build_id)
        if running.closed:
            return _refused(build_id, "taken_over", "the session was closed, or another process has it: open it again")
        return running

    # --- end

    async def _give_back_idle(self) -> None:
        """Give back the browsers of sessions that nobody follows, and drop closed sessions that are kept no longer."""
        loop, dropped_at = asyncio.get_running_loop(), -math.inf
        while True:
            if loop.time() - dropped_at >= DROP_EVERY_S:
                dropped_at = loop.time()
                with suppress(ExhibitError):  # in an hour again
                    await self.drop_closed(datetime.now(UTC))
            await asyncio.sleep(LOOK_EVERY_S)
            async with self._opening:
                for build_id in [one for one, running in self._running.items() if running.is_idle()]:
                    await self._end(build_id)

    async def drop_closed(self, now: datetime) -> list[str]:
        """Drop the closed sessions that are kept no longer. Return their ids."""
        records = await self._bus.read_all(BUILDS, builds.BuildRecord)
        found = sessions_to_drop(records, now, self._keep)
        return [one for one in found if await drop_session(self._bus, one, records[one].closed_at)]

    async def _end(self, build_id: str) -> None:
        running = self._running.pop(build_id, None)
        if running is not None:
            await running.aclose()

    async def close(self) -> None:
        await self._tasks.cancel()
        for build_id in list(self._running):
            await self._end(build_id)


def _unknown(build_id: str) -> builds.BuildRefused:
    return _refused(build_id, "no_such_build", f"there is no open build session {build_id}: open it first")


def _refused(build_id: str, code: builds.BuildRefusal, message: str) -> builds.BuildRefused:
    return builds.BuildRefused(build_id=build_id, code=code, message=message)


def _path_in(folder: Path, name: str) -> Path | None:
    """Return the path of a file of the workspace; None where it leads out of it."""
    path = folder / name
    inside = folder.resolve() in path.resolve().parents
    return path if inside and len(name) <= MAX_PATH_CHARS and ".." not in name.split("/") else None


def _write_part(path: Path, request: builds.StoreBuildFile) -> None:
    if request.removed:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.new")
    with part.open("r+b" if request.offset and part.exists() else "wb") as file:
        file.seek(request.offset)
        file.write(request.data)
    if request.last:
        part.replace(path)
