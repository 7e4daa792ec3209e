"""Bytes on their way into a store: a file of the spool, hashed while it is written."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from services.evidence.store.disk_errors import Blocked, on_disk
from services.evidence.store.spool import Spool
from shared.errors import Unavailable


class IncomingFile:
    """See :class:`services.evidence.ports.SpooledFile`. Raises Unavailable where the disk takes no more."""

    def __init__(self, spool: Spool) -> None:
        self.refused: Unavailable | None = None
        self.size_bytes = 0
        with self._on_disk(spool.root):
            self.path = spool.new_file()
            self._file = self.path.open("wb")
        self._hashed = hashlib.sha256()

    def write(self, data: bytes, /) -> None:
        self._hashed.update(data)
        self.size_bytes += len(data)
        with self._on_disk(self.path):
            self._file.write(data)

    def done(self) -> str:
        with self._on_disk(self.path):
            self._file.close()
        return self._hashed.hexdigest()

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)
        with suppress(OSError):
            self._file.close()

    @contextmanager
    def _on_disk(self, path: Path) -> Generator[None]:
        try:
            with on_disk(path, self.size_bytes):
                yield
        except Unavailable as exc:
            self.refused = exc
            raise


@asynccontextmanager
async def incoming(spool: Spool, key: str, on_blocked: Blocked) -> AsyncGenerator[IncomingFile]:
    """The file, gone after the block unless something else was made of it."""
    file: IncomingFile | None = None
    try:
        file = IncomingFile(spool)
        yield file
    except Unavailable as exc:
        if file is None or exc is file.refused:  # others say themselves what they cannot do
            await on_blocked(key, str(exc))
        raise
    finally:
        if file is not None:
            file.drop()
