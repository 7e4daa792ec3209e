"""Evidence in a folder of this machine."""

from __future__ import annotations

import asyncio
import errno
import os
import tempfile
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from shared.errors import ExhibitError, PolicyDenied, Unavailable

Blocked = Callable[[str, str], Awaitable[None]]
"""Told of a key that cannot be written now, and why, in words for people."""

_FULL = {errno.ENOSPC, errno.EDQUOT}
BIG_BYTES = 1_000_000


async def _say_nothing(key: str, why: str) -> None: ...


class FolderStore:
    """See :class:`services.evidence.deps.Store`. Files are written beside their place and renamed into it."""

    def __init__(self, root: Path, on_blocked: Blocked = _say_nothing) -> None:
        self._root = root.resolve()
        self._on_blocked = on_blocked

    def must_be_usable(self) -> None:
        """Raises Unavailable, saying why, where nothing can be written: better now than in the middle of a run."""
        try:
            _write(self._root / ".writable", b"")
            (self._root / ".writable").unlink(missing_ok=True)
        except OSError as exc:
            told = f"evidence cannot be kept in {self._root}: {exc.strerror or exc}"
            raise Unavailable(told, code="store_unavailable") from exc

    async def write(self, key: str, data: bytes) -> None:
        path = self._path(key)
        try:
            with _mapped(path, len(data)):
                # A small write costs less than a thread; a big one must not hold up the loop.
                if len(data) < BIG_BYTES:
                    _write(path, data)
                else:
                    await asyncio.to_thread(_write, path, data)
        except Unavailable as exc:
            await self._on_blocked(key, str(exc))
            raise

    async def read(self, key: str) -> bytes | None:
        path = self._path(key)
        with _mapped(path, 0):
            try:
                return path.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None

    async def names(self, prefix: str) -> list[str]:
        path = self._path(prefix)
        with _mapped(path, 0):
            return sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []

    async def move(self, key: str, to: str) -> None:
        source, target = self._path(key), self._path(to)
        with _mapped(target, 0), suppress(FileNotFoundError):
            target.parent.mkdir(parents=True, exist_ok=True)
            source.replace(target)

    async def secure(self, prefix: str) -> None:
        path = self._path(prefix)
        with _mapped(path, 0):
            await asyncio.to_thread(_sync_files, path)

    def location(self, key: str) -> str:
        return str(self._path(key))

    def _path(self, key: str) -> Path:
        path = (self._root / key).resolve()
        if path != self._root and self._root not in path.parents:
            raise PolicyDenied(f"{key!r} leads out of {self._root}", code="unsafe_name")
        return path


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _sync_files(folder: Path) -> None:
    """Files first, then the folder: a name must not outlive what it names."""
    for path in [*(entry for entry in folder.iterdir() if entry.is_file()), folder]:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _mapped(path: Path, size_bytes: int) -> Generator[None]:
    """What the operating system says, in our words; it is worth trying again once a person has made room."""
    try:
        yield
    except ExhibitError:
        raise
    except OSError as exc:
        if exc.errno in _FULL:
            message = f"the disk is full: {size_bytes} bytes for {path} do not fit; make room and the run goes on"
            raise Unavailable(message, code="disk_full") from exc
        message = f"{path} cannot be used: {exc.strerror or exc}; the run goes on when it can"
        raise Unavailable(message, code="store_unavailable") from exc
