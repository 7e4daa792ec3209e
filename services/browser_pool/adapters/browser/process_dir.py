"""A place for all that a browser writes and starts, which is cleared away whatever ends this process."""

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
    """A folder, and a watcher that clears it away with every process that was started in it."""

    def __init__(self, folder: Path, watcher: asyncio.subprocess.Process) -> None:
        self.folder, self._watcher = folder, watcher

    @classmethod
    async def build(cls) -> ProcessDir:
        folder = Path(tempfile.mkdtemp(prefix="exhibit-browser-"))
        watcher = await start_python(str(WATCHER), str(folder), stdout=asyncio.subprocess.DEVNULL)
        return cls(folder, watcher)

    @asynccontextmanager
    async def home(self) -> AsyncGenerator[None]:
        """What is started in this block, and what that starts in its turn, belongs to the nest.

        Playwright hands its driver our environment and no other, so ours says for this moment where temporary files go.
        """
        async with _one_at_a_time():
            tempfile.gettempdir()  # where our own go has been settled by this
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
        """Ends what still runs and removes the folder. Clearing twice is no error."""
        if self._watcher.stdin is not None:
            self._watcher.stdin.close()
        try:
            async with asyncio.timeout(CLEAR_BOUND_S):
                await self._watcher.wait()
        except TimeoutError:
            log.warning("%s could not be cleared away within %g s", self.folder, CLEAR_BOUND_S)


_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def _one_at_a_time() -> asyncio.Lock:
    """Two drivers that start at the same moment would share one environment."""
    return _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
