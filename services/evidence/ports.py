"""What evidence is given: a store, a signer, and who answers in SQL."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from shared.contracts.evidence import AskSql, SqlReply
from shared.evidence_format.files.manifest import Seal

READ_LIMIT = 16
"""Reads of a store at a time: a bucket takes a while to answer one request, and answers many in the same while."""


class SpooledFile(Protocol):
    """A file in a store's spool that is written piece by piece, and hashed on the way."""

    path: Path
    size_bytes: int

    def write(self, data: bytes, /) -> object: ...

    def done(self) -> str:
        """Nothing more is written; the SHA-256 of what was, in hex."""
        ...


class Store(Protocol):
    """Where evidence lies. Keys are paths with ``/`` below one root; no key ever leads out of it.

    Every call raises Unavailable where the place cannot be used now (a full disk: code ``disk_full``),
    and PolicyDenied for a key that would lead out of the root.
    """

    async def hold(self, run_id: str) -> bool:
        """From here on nobody else writes this run, until it is released or this process ends; whether it was not ours
        before, so that somebody else may have written it. Unavailable with the code ``run_held`` where another process
        has it."""
        ...

    async def release(self, run_id: str) -> None:
        """Others may write this run. What is not held is no error."""
        ...

    async def write(self, key: str, data: bytes) -> None:
        """All of it or nothing: a reader never sees half a file. What was there is replaced."""
        ...

    def incoming(self, key: str) -> AbstractAsyncContextManager[SpooledFile]:
        """A new file in `spool` for what is to stand under ``key``; after the block it is gone, unless it was kept."""
        ...

    async def keep(self, key: str, sha256: str, path: Path) -> None:
        """The bytes of the file at ``path``, which lies in `spool` and has that hash, stand under ``key`` from here on;
        the file is used up. Equal bytes of a run take room once: they lie in its ``objects/``, and ``key`` is a name of
        theirs. PermanentError with the code ``name_taken`` where other bytes stand under the name already: captured
        bytes are never overwritten."""
        ...

    async def write_file(self, key: str, path: Path) -> None:
        """As `write`, of a file in `spool` of any size; it is used up."""
        ...

    def local(self, key: str) -> AbstractAsyncContextManager[Path | None]:
        """A file on this machine with the bytes under ``key``, to be read for as long as the block lasts."""
        ...

    @property
    def spool(self) -> Path:
        """A folder of this machine, of this process alone, in which files are prepared."""
        ...

    async def secure(self, prefix: str) -> None:
        """What was written directly below ``prefix`` outlives a power failure from here on."""
        ...

    async def read(self, key: str) -> bytes | None: ...

    async def names(self, prefix: str) -> list[str]:
        """Names directly below ``prefix``, files and folders, sorted."""
        ...

    async def move(self, key: str, to: str) -> None:
        """Moves one file; a file that is not there is no error (an earlier try moved it)."""
        ...

    async def remove(self, prefix: str) -> None:
        """What lies directly below ``prefix`` goes, and ``prefix`` itself; nothing there is no error. Only for what
        stands elsewhere by now: evidence is never removed."""
        ...

    def location(self, key: str) -> str:
        """What a person would open."""
        ...


class Questions(Protocol):
    async def answer(self, request: AskSql) -> SqlReply:
        """What a query over the evidence brings, or why it is not answered. It changes nothing."""
        ...


class Signer(Protocol):
    def seal(self, manifest: bytes) -> Seal:
        """The seal of these bytes, with a key that never leaves its place. The same bytes are sealed the same."""
        ...
