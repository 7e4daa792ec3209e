"""The protocols that evidence is given: a store, a signer, and a service that answers in SQL."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from shared.contracts.evidence import AskSql, SqlReply
from shared.errors import PermanentError
from shared.evidence_format.files.manifest import Seal

READ_LIMIT = 16
"""Concurrent reads of a store. One request to a bucket is slow, and many at once take as long as one."""

OnBlocked = Callable[[str, str], Awaitable[None]]
"""Called with a key that cannot be used now, and the reason, for people."""


async def ignore_blocked(key: str, why: str) -> None:
    """An `OnBlocked` that reports nothing."""


class SpooledFile(Protocol):
    """A file in a store's spool that is written piece by piece, and hashed on the way."""

    path: Path
    size_bytes: int

    def write(self, data: bytes, /) -> object: ...

    def finish(self) -> str:
        """Close the file and return the SHA-256 of what was written, in hex."""
        ...


class NameTakenError(PermanentError):
    """A file with other bytes has this name already. ``reason`` says so without the name."""

    code = "name_taken"

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.reason = "another file has this name, and evidence is never overwritten"
        super().__init__(f"{filename}: {self.reason}")


class Store(Protocol):
    """Where evidence is stored. Keys are paths with ``/`` below one root.

    Every call raises Unavailable if the storage cannot be used now (a full disk: code ``disk_full``), and PolicyDenied
    for a key outside of the root.
    """

    def try_store(self) -> None:
        """Write something and remove it again; in a bucket, only look that it is there: a write would stay as a
        version."""
        ...

    async def lock_run(self, run_id: str) -> bool:
        """Take the lock of a run, until it is released or this process ends. Idempotent.

        Return whether this process did not have it before, so that another one may have written the run. Raises
        Unavailable (``run_held``) if another process has it.
        """
        ...

    async def unlock_run(self, run_id: str) -> None:
        """Release the lock of a run. Idempotent."""
        ...

    async def write(self, key: str, data: bytes) -> None:
        """Write a file atomically; an existing one is replaced."""
        ...

    async def append_line(self, key: str, line: bytes, alone: str) -> None:
        """Append a line, which ends with its newline, to a file. A last line without its end, which the process or the
        disk has cut off, is removed first. In a bucket, where nothing can be appended, write the line as ``alone``."""
        ...

    def spooled_file(self, key: str) -> AbstractAsyncContextManager[SpooledFile]:
        """Return a new file in `spool` for the bytes of ``key``. It is removed after the block, unless it was
        stored."""
        ...

    async def store_captured(self, key: str, sha256: str, path: Path) -> None:
        """Store captured bytes under ``key``: the file at ``path`` in `spool`, which has this hash and is used up.

        Equal bytes of a run are stored once, in its ``objects/``, and ``key`` refers to them. Raises NameTakenError
        if other bytes have that name: captured bytes are never overwritten.
        """
        ...

    async def write_file(self, key: str, path: Path) -> None:
        """As `write`, of a file in `spool` of any size; it is used up."""
        ...

    def local_file(self, key: str) -> AbstractAsyncContextManager[Path | None]:
        """Return a file of this machine with the bytes under ``key``, valid within the block; None if there is none."""
        ...

    @property
    def spool(self) -> Path:
        """A local folder of this process alone, in which files are prepared."""
        ...

    async def make_durable(self, prefix: str) -> None:
        """Make the files directly below ``prefix`` survive a power failure; in a bucket, retain them."""
        ...

    async def make_file_durable(self, key: str) -> None:
        """As `make_durable`, of one file: the cost does not grow with the files beside it."""
        ...

    async def read(self, key: str) -> bytes | None: ...

    async def names(self, prefix: str) -> list[str]:
        """Return the names directly below ``prefix``, files and folders, sorted."""
        ...

    async def move(self, key: str, to: str) -> None:
        """Move one file. A missing file is no error: an earlier try may have moved it."""
        ...

    async def remove(self, prefix: str) -> None:
        """Remove ``prefix`` and the files directly below it. Idempotent. Only for copies: evidence is never removed."""
        ...

    def location(self, key: str) -> str:
        """Return the path or URL that a person opens."""
        ...


class SqlAnswers(Protocol):
    async def answer(self, request: AskSql) -> SqlReply:
        """Return the answer to a query over the evidence, or why there is none. Read-only."""
        ...


class Signer(Protocol):
    def seal(self, manifest: bytes) -> Seal:
        """Return the signature of these bytes. It is deterministic."""
        ...
