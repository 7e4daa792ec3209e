"""Keeps the processes that queries run in: warm for the runs that were asked about last, ended when nobody asks."""

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
from urllib.parse import urlsplit
from uuid import uuid4

from services.evidence.sql.catalogue import BY_NAME, TABLES
from services.evidence.sql.questions_and_answers import Question, Refused, Sources, Written, reply_from
from services.evidence.sql.statements import view_over
from shared.child_process.parent import exchange, kill_and_wait, start_python
from shared.s3.location import parse_location
from shared.s3.opening import find_credentials
from shared.settings import Settings

PROGRAM = "services.evidence.sql_sandbox.child"
KEPT = 3
IDLE_S = 300.0
OPEN_BOUND_S = 60.0
GRACE_S = 5.0
"""Beyond the time of a query, before its process is ended: an interrupted query says so itself."""
MEMORY = "768MB"
MOST_MEMORY_BYTES = 2 * 1024**3
"""Of addresses, which are more than memory: the interpreter and its threads have theirs too."""
MOST_ANSWER_BYTES = 256 * 1024**2
GONE = "the query ended its process: it asked for more memory than a query has, or met a fault of the database"


@dataclass
class _Cell:
    process: Process
    folder: Path
    root: Path
    """What paths are named from."""
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    ending: asyncio.TimerHandle | None = None

    def named(self, path: str) -> str:
        inside = "://" not in path and Path(path).is_relative_to(self.root)
        return os.path.relpath(path, self.root) if inside else path


class SqlCells:
    """Answers questions. ``spool`` says where files of this process go, ``root`` where runs lie: paths are named from
    the folder above both, for its name may be one that DuckDB would take for a pattern. ``bucket``: the secret and the
    extension, where files lie in a bucket."""

    def __init__(self, spool: Callable[[], Path], root: Path, bucket: dict[str, Any] | None = None) -> None:
        self._spool, self._root, self._bucket = spool, root, bucket
        self._cells: dict[str, _Cell] = {}
        self._opening = asyncio.Lock()
        self._number = 0

    async def answer(self, sources: Sources, question: Question) -> Written | Refused:
        """The answer in a file that is the caller's to remove, or why there is none."""
        cell = await self._cell(sources)
        if isinstance(cell, Refused):
            return cell
        async with cell.asking:
            self._number += 1
            reply = await self._told(sources.key, cell, {**question.told, "number": self._number}, question.timeout_s)
        return Refused("failed", GONE) if reply is None else reply_from(reply, question)

    async def close(self) -> None:
        for key in list(self._cells):
            await self._end(key)

    # --- cells

    async def _cell(self, sources: Sources) -> _Cell | Refused:
        async with self._opening:
            cell = self._cells.pop(sources.key, None)
            if cell is None or cell.process.returncode is not None:
                opened = await self._opened(sources)
                if isinstance(opened, Refused):
                    return opened
                cell = opened
            self._cells[sources.key] = cell  # the last one is the one used last
            if cell.ending is not None:
                cell.ending.cancel()
            cell.ending = asyncio.get_running_loop().call_later(IDLE_S, self._end_idle, sources.key)
            for key in [key for key, one in self._cells.items() if not one.asking.locked()][: len(self._cells) - KEPT]:
                await self._end(key)
            return cell

    async def _opened(self, sources: Sources) -> _Cell | Refused:
        folder = self._spool().resolve() / f"sql-{uuid4().hex[:8]}"
        folder.mkdir(parents=True)
        root = Path(os.path.commonpath((self._root, folder)))
        runs = folder / "runs.jsonl"
        runs.write_bytes(sources.runs)
        process = await start_python("-m", PROGRAM, env={}, cwd=root)
        cell = _Cell(process, folder, root)
        reply = await self._exchanged(cell, self._given(sources, cell, runs), OPEN_BOUND_S)
        if reply is not None and reply.get("open"):
            return cell
        await _ended(cell)
        return Refused("failed", f"the tables cannot be opened: {(reply or {}).get('failed', GONE)}")

    def _given(self, sources: Sources, cell: _Cell, runs: Path) -> dict[str, Any]:
        files = {view: [cell.named(path) for path in paths] for view, paths in sources.files.items()}
        return {
            "folder": cell.named(str(cell.folder)),
            "runs": cell.named(str(runs)),
            "files": [path for paths in files.values() for path in paths],
            "views": [view_over(BY_NAME[view.name], files[view.name]) for view in TABLES],
            "bucket": self._bucket,
            "memory": MEMORY,
            "threads": 2,
            "most_memory_bytes": MOST_MEMORY_BYTES,
            "most_bytes": MOST_ANSWER_BYTES,
        }

    # --- talking

    async def _told(self, key: str, cell: _Cell, message: dict[str, Any], timeout_s: float) -> dict[str, Any] | None:
        try:
            reply = await self._exchanged(cell, message, timeout_s + GRACE_S)
        except BaseException:
            await self._end(key)  # it may still be at work: what it says later is no answer to anybody
            raise
        if reply is None:
            await self._end(key)
        elif "path" in reply:
            reply["path"] = str(cell.root / reply["path"])
        return reply

    async def _exchanged(self, cell: _Cell, message: dict[str, Any], bound_s: float) -> dict[str, Any] | None:
        """The reply; None where the process ended, or did not answer in time."""
        reply = await exchange(cell.process, json.dumps(message).encode(), bound_s)
        return None if reply is None else json.loads(reply)

    # --- ends

    def _end_idle(self, key: str) -> None:
        cell = self._cells.get(key)
        if cell is not None and not cell.asking.locked():
            del self._cells[key]
            cell.process.kill()
            shutil.rmtree(cell.folder, ignore_errors=True)

    async def _end(self, key: str) -> None:
        cell = self._cells.pop(key, None)
        if cell is not None:
            await _ended(cell)


async def _ended(cell: _Cell) -> None:
    if cell.ending is not None:
        cell.ending.cancel()
    await kill_and_wait(cell.process)
    shutil.rmtree(cell.folder, ignore_errors=True)


def in_bucket(settings: Settings) -> dict[str, Any] | None:
    """The key to the bucket, and to nothing else of its server, and the extension that reads it, from its wheel."""
    if settings.evidence_bucket is None:
        return None
    server = urlsplit(settings.s3_endpoint)
    place = parse_location(settings.evidence_bucket)
    access, secret_key, token = find_credentials(settings)
    secret = {
        "KEY_ID": access,
        "SECRET": secret_key,
        **({"SESSION_TOKEN": token} if token else {}),
        "REGION": settings.s3_region,
        "ENDPOINT": server.netloc,
        "URL_STYLE": "path",
        "USE_SSL": "false" if server.scheme == "http" else "true",
        "SCOPE": f"s3://{place.bucket}/",
    }
    return {"secret": secret, "extension": str(_extension())}


def _extension() -> Path:
    found = find_spec("duckdb_extension_httpfs")
    assert found is not None
    assert found.origin is not None
    return next(Path(found.origin).parent.rglob("httpfs.duckdb_extension"))
