"""A folder for all that a browser writes and starts, cleared whatever ends this process."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

from shared.child_process.parent import start_python

log = logging.getLogger(__name__)

CLEAR_BOUND_S = 20.0
WATCHER = Path(__file__).with_name("reaper.py")


class ProcessDir:
    """A folder, and a reaper process that clears it and kills every process started in it."""

    def __init__(self, folder: Path, watcher: asyncio.subprocess.Process) -> None:
        self.folder, self._watcher = folder, watcher

    @classmethod
    async def build(cls) -> ProcessDir:
        folder = Path(tempfile.mkdtemp(prefix="exhibit-browser-"))
        watcher = await start_python(str(WATCHER), str(folder), stdout=asyncio.subprocess.DEVNULL)
        return cls(folder, watcher)

    @asynccontextmanager
    async def home(self) -> AsyncGenerator[None]:
        """Assign everything that is started within this block to the folder.

        Playwright passes our environment on to its driver, so TMPDIR is changed for that time.
        """
        async with _one_at_a_time():
            tempfile.gettempdir()  # fixes our own temporary folder before TMPDIR changes
            before = os.environ.get("TMPDIR")
            os.environ["TMPDIR"] = str(self.folder)
            try:
                yield
            finally:
                if before is None:
                    del os.environ["TMPDIR"]
                else:
                    os.environ["TMPDIR"] = before

    async def clear(self) -> None:
        """End what still runs and remove the folder. Idempotent."""
        if self._watcher.stdin is not None:
            self._watcher.stdin.close()
        try:
            async with asyncio.timeout(CLEAR_BOUND_S):
                await self._watcher.wait()
        except TimeoutError:
            log.warning("%s could not be cleared away within %g s", self.folder, CLEAR_BOUND_S)


_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def _one_at_a_time() -> asyncio.Lock:
    """Return the lock around the environment: two drivers that start at once would share it."""
    return _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
