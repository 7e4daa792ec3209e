"""The first text of a file. PDF and workbooks are read in a limited subprocess, which a hostile file may crash without
other effect.

A preview that fails is left out; it never fails the download.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from services.browser_pool.adapters.downloads import previews
from services.browser_pool.files.filenames import suffix_of
from shared.child_process.parent import kill_and_wait, start_python

log = logging.getLogger(__name__)

PROGRAM = "services.browser_pool.adapters.downloads.preview_child"
BOUND_S = 22.0
AT_ONCE = asyncio.Semaphore(2)
"""Each subprocess may take a processor and a gigabyte."""


async def read_preview(path: Path, name: str) -> str | None:
    """Return about the first 2,000 characters, or None when there are none within the limits."""
    head = await asyncio.to_thread(_head, path)
    kind = previews.kind_of(head, suffix_of(name))
    if kind is None:
        return None
    if kind == "text":
        return previews.clipped(previews.decoded(head) or "")
    async with AT_ONCE:
        return await _read_in_subprocess(path, kind)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(previews.HEAD_BYTES)


async def _read_in_subprocess(path: Path, kind: str) -> str | None:
    with path.open("rb") as file:
        # An empty environment: the process that reads a hostile file gets no keys and no addresses.
        child = await start_python("-m", PROGRAM, kind, stdin=file, stderr=asyncio.subprocess.DEVNULL, env={})
    try:
        async with asyncio.timeout(BOUND_S):
            out, _ = await child.communicate()
    except TimeoutError:
        return None
    finally:
        await kill_and_wait(child)
    if child.returncode != 0:
        log.info("no preview of a %s file: its reader ended with %s", kind, child.returncode)
        return None
    return out.decode("utf-8", "replace")[: previews.MAX_CHARS] or None
