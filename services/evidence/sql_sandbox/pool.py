"""A pool of sandboxes: child processes that run queries. Those used last are kept, and idle ones are ended."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from asyncio.subprocess import Process
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

from services.evidence.sql.catalogue import TABLES, VIEWS_BY_NAME
from services.evidence.sql.query_types import AnswerFile, QueryRefusal, QuerySources, SqlQuery, parse_sandbox_reply
from services.evidence.sql.statements import create_view
from shared.child_process.parent import exchange, kill_and_wait, start_python
from shared.extras import need_extra
from shared.s3.opening import make_duckdb_secret
from shared.settings import Settings

PROGRAM = "services.evidence.sql_sandbox.child"
MAX_SANDBOXES = 3
IDLE_S = 300.0
"""An unused sandbox is ended after this time."""
OPEN_TIMEOUT_S = 60.0
GRACE_S = 5.0
"""Time after the timeout of a query before its process is killed: an interrupted query reports that itself."""
DATABASE_MEMORY = "768MB"
MAX_ADDRESS_SPACE_BYTES = 2 * 1024**3
"""More than the database's memory: the interpreter and its threads need address space too."""
MAX_ANSWER_BYTES = 256 * 1024**2
GONE = "the query ended its process: it asked for more memory than a query has, or met a fault of the database"


@dataclass
class _Sandbox:
    process: Process
    folder: Path
    root: Path
    """Working directory of the process."""
    in_use: asyncio.Lock = field(default_factory=asyncio.Lock)
    idle_timer: asyncio.TimerHandle | None = None

    def path_inside(self, path: str) -> str:
        is_below = "://" not in path and Path(path).is_relative_to(self.root)
        return os.path.relpath(path, self.root) if is_below else path


class SqlSandboxPool:
    """Runs queries, each over its sources.

    ``spool`` returns the folder for files of this process, ``root`` is the folder of the runs. Sandboxes name paths
    relative to the folder above both, whose own name DuckDB could take for a glob pattern. ``bucket``: the secret and
    the extension for files in a bucket, see `bucket_access`.
    """

    def __init__(self, spool: Callable[[], Path], root: Path, bucket: dict[str, Any] | None = None) -> None:
        self._spool, self._root, self._bucket = spool, root, bucket
        self._sandboxes: dict[str, _Sandbox] = {}
        self._opening = asyncio.Lock()
        self._number = 0

    async def answer(self, sources: QuerySources, query: SqlQuery) -> AnswerFile | QueryRefusal:
        """Return the answer in a file that the caller removes, or why there is none."""
        sandbox = await self._sandbox(sources)
        if isinstance(sandbox, QueryRefusal):
            return sandbox
        async with sandbox.in_use:
            self._number += 1
            reply = await self._request(
                sources.key, sandbox, {**query.message, "number": self._number}, query.timeout_s
            )
        return QueryRefusal("failed", GONE) if reply is None else parse_sandbox_reply(reply, query)

    async def close(self) -> None:
        for key in list(self._sandboxes):
            await self._end(key)

    # --- sandboxes

    async def _sandbox(self, sources: QuerySources) -> _Sandbox | QueryRefusal:
        async with self._opening:
            sandbox = self._sandboxes.pop(sources.key, None)
            if sandbox is None or sandbox.process.returncode is not None:
                opened = await self._start(sources)
                if isinstance(opened, QueryRefusal):
                    return opened
                sandbox = opened
            self._sandboxes[sources.key] = sandbox  # the last one in the dict is the one used last
            if sandbox.idle_timer is not None:
                sandbox.idle_timer.cancel()
            sandbox.idle_timer = asyncio.get_running_loop().call_later(IDLE_S, self._end_idle, sources.key)
            for key in [key for key, other in self._sandboxes.items() if not other.in_use.locked()][
                : len(self._sandboxes) - MAX_SANDBOXES
            ]:
                await self._end(key)
            return sandbox

    async def _start(self, sources: QuerySources) -> _Sandbox | QueryRefusal:
        folder = self._spool().resolve() / f"sql-{uuid4().hex[:8]}"
        folder.mkdir(parents=True)
        root = Path(os.path.commonpath((self._root, folder)))
        runs = folder / "runs.jsonl"
        runs.write_bytes(sources.runs)
        process = await start_python("-m", PROGRAM, env={}, cwd=root)
        sandbox = _Sandbox(process, folder, root)
        reply = await self._exchange(sandbox, self._configuration(sources, sandbox, runs), OPEN_TIMEOUT_S)
        if reply is not None and reply.get("open"):
            return sandbox
        await _kill(sandbox)
        return QueryRefusal("failed", f"the tables cannot be opened: {(reply or {}).get('failed', GONE)}")

    def _configuration(self, sources: QuerySources, sandbox: _Sandbox, runs: Path) -> dict[str, Any]:
        files = {view: [sandbox.path_inside(path) for path in paths] for view, paths in sources.files.items()}
        return {
            "folder": sandbox.path_inside(str(sandbox.folder)),
            "runs": sandbox.path_inside(str(runs)),
            "files": [path for paths in files.values() for path in paths],
            "views": [create_view(VIEWS_BY_NAME[view.name], files[view.name]) for view in TABLES],
            "bucket": self._bucket,
            "memory": DATABASE_MEMORY,
            "threads": 2,
            "max_address_space_bytes": MAX_ADDRESS_SPACE_BYTES,
            "max_file_bytes": MAX_ANSWER_BYTES,
        }

    # --- messages

    async def _request(
        self, key: str, sandbox: _Sandbox, message: dict[str, Any], timeout_s: float
    ) -> dict[str, Any] | None:
        try:
            reply = await self._exchange(sandbox, message, timeout_s + GRACE_S)
        except BaseException:
            await self._end(key)  # it may still be at work, and its late reply would be taken for the next one
            raise
        if reply is None:
            await self._end(key)
        elif "path" in reply:
            reply["path"] = str(sandbox.root / reply["path"])
        return reply

    async def _exchange(self, sandbox: _Sandbox, message: dict[str, Any], timeout_s: float) -> dict[str, Any] | None:
        """Return the reply; None if the process ended, or did not answer in time."""
        reply = await exchange(sandbox.process, json.dumps(message).encode(), timeout_s)
        return None if reply is None else json.loads(reply)

    # --- ending

    def _end_idle(self, key: str) -> None:
        sandbox = self._sandboxes.get(key)
        if sandbox is not None and not sandbox.in_use.locked():
            del self._sandboxes[key]
            sandbox.process.kill()
            shutil.rmtree(sandbox.folder, ignore_errors=True)

    async def _end(self, key: str) -> None:
        sandbox = self._sandboxes.pop(key, None)
        if sandbox is not None:
            await _kill(sandbox)


async def _kill(sandbox: _Sandbox) -> None:
    if sandbox.idle_timer is not None:
        sandbox.idle_timer.cancel()
    await kill_and_wait(sandbox.process)
    shutil.rmtree(sandbox.folder, ignore_errors=True)


def bucket_access(settings: Settings) -> dict[str, Any] | None:
    """Return the secret for the bucket alone, the path of the extension that reads it, and that of the certificates
    that its server is checked with (empty: those of the system); None for a folder.

    Raises PermanentError (``not_installed``) without the extra for S3 servers.
    """
    if settings.evidence_bucket is None:
        return None
    need_extra("s3")
    ca = "" if settings.s3_ca is None else str(settings.s3_ca.resolve())
    return {"secret": make_duckdb_secret(settings), "extension": str(_httpfs_extension()), "ca": ca}


def _httpfs_extension() -> Path:
    found = find_spec("duckdb_extension_httpfs")
    assert found is not None
    assert found.origin is not None
    return next(Path(found.origin).parent.rglob("httpfs.duckdb_extension"))
