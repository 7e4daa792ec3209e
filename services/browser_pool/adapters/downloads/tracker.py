"""Follows the downloads of one context, stops those that are too large, and owns the folder that they are written to.

The browser writes each file into a folder of the session and reports progress twice a second. A fast connection brings
half a gigabyte in that time, so the file size is polled too.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Browser, CDPSession, Download, Error, Page

from services.browser_pool.adapters import protocol
from services.browser_pool.files.filenames import safe_name
from shared.aio import BackgroundTasks
from shared.file_lock import open_locked

MAX_FILES = 20
"""Maximum number of files of one action; further ones are stopped and reported."""
MAX_ANNOUNCED = 500
"""Maximum number of downloads, over all sessions, that are remembered."""
WATCH_S = 0.05
CLOSE_BOUND_S = 2.0

Fate = Literal["coming", "here", "too_large", "too_many", "late", "interrupted"]


@dataclass
class FileDownload:
    """One download. ``fate`` is its state, or why it was stopped."""

    guid: str
    url: str
    name: str
    fate: Fate = "coming"
    got_bytes: int = 0
    announced_bytes: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)


class DownloadTracker:
    """Follows downloads. ``limit_bytes`` bounds each file and the sum of one action. ``media_type`` returns what the
    response of an address has said of its content; empty: not known."""

    def __init__(self, limit_bytes: int, media_type: Callable[[str], str]) -> None:
        self.limit_bytes = limit_bytes
        self.media_type = media_type
        self.incoming: list[FileDownload] = []
        """Begun and not yet taken, in order of their start."""
        self.refused = 0
        """Number of downloads that were stopped at once because there were too many."""
        self.begun = asyncio.Event()
        self._by_label: dict[str, tuple[Path, int]] = {}
        self._announced: dict[str, FileDownload] = {}
        self._own: set[str] = set()
        self._folder: Path | None = None
        self._cdp: CDPSession | None = None
        self._context_id = ""
        self._background = BackgroundTasks()
        self._watching = False

    async def open(self, browser: Browser, page: Page, context_id: str) -> None:
        """Direct the context's downloads to this session. Idempotent.

        ``context_id`` is the protocol's id of the context. Raises Playwright's error when the browser is dead.
        """
        if self._cdp is not None:
            return
        self._context_id = context_id
        self._folder = Path(tempfile.mkdtemp(dir=process_folder_path()))
        self._cdp = await browser.new_browser_cdp_session()
        page.context.on("page", self._on_page_opened)
        for opened in page.context.pages:
            self._on_page_opened(opened)
        self._cdp.on("Browser.downloadWillBegin", self._on_begin)
        self._cdp.on("Browser.downloadProgress", self._on_progress)
        await protocol.send(
            self._cdp,
            "Browser.setDownloadBehavior",
            behavior="allowAndName",
            browserContextId=self._context_id,
            downloadPath=str(self._folder),
            eventsEnabled=True,
        )

    async def beginning(self, timeout_s: float) -> None:
        """Wait until a download has begun that was not taken, or until the timeout."""
        await self.more_than(0, timeout_s)

    async def more_than(self, count: int, timeout_s: float) -> bool:
        """Return whether more than ``count`` untaken downloads have begun within the timeout."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while len(self.incoming) <= count:
                    self.begun.clear()
                    await self.begun.wait()
        return len(self.incoming) > count

    def take(self, file: FileDownload, label: str) -> Path:
        """Return the file, which the caller removes. The session keeps a second link for uploads."""
        assert self._folder is not None
        self.incoming.remove(file)
        here = self._folder / file.guid
        named = Path(tempfile.mkdtemp(dir=self._folder)) / safe_name(file.name).encode()[:240].decode("utf-8", "ignore")
        handed_over = process_folder_path() / file.guid
        os.link(here, handed_over)
        here.rename(named)
        self._remember(label, named, file.got_bytes)
        return handed_over

    def named(self, label: str) -> Path | None:
        """Return the latest download with that label, or None."""
        remembered = self._by_label.get(label)
        return remembered[0] if remembered else None

    def drop(self, file: FileDownload) -> None:
        """Stop the download and remove its file."""
        if file in self.incoming:
            self.incoming.remove(file)
        if file.fate == "coming":
            self._stop(file, "late")
        self._unlink(file)

    async def close(self) -> None:
        await self._background.cancel()
        if self._cdp is not None:
            # The browser outlives the session and must not keep it in memory.
            with contextlib.suppress(Error, TimeoutError):
                async with asyncio.timeout(CLOSE_BOUND_S):
                    await self._cdp.detach()
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    # --- events of the browser

    # They cover all sessions. Playwright knows which downloads belong to this session.

    def _on_page_opened(self, page: Page) -> None:
        page.on("download", self._mark_own)

    def _mark_own(self, download: Download) -> None:
        self._own.add(guid_of(download))
        self._accept(guid_of(download))

    def _on_begin(self, event: dict[str, Any]) -> None:
        name = safe_name(str(event.get("suggestedFilename", "")))
        self._announced[event["guid"]] = FileDownload(event["guid"], str(event.get("url", "")), name)
        while len(self._announced) > MAX_ANNOUNCED:
            del self._announced[next(iter(self._announced))]
        self._accept(event["guid"])

    def _accept(self, guid: str) -> None:
        """Accept a download once both sources have reported it, in either order."""
        if guid not in self._own or guid not in self._announced:
            return
        file = self._announced[guid]
        if len(self.incoming) >= MAX_FILES:
            self.refused += 1
            self._stop(file, "too_many")
            return
        self.incoming.append(file)
        self._update_size(file, 0)
        self.begun.set()
        self._watch()

    def _on_progress(self, event: dict[str, Any]) -> None:
        file = self._announced.get(event["guid"])
        if file is None:
            return
        self._update_size(file, int(event["receivedBytes"]), int(event["totalBytes"]))
        if event["state"] == "inProgress":
            return
        if file.fate == "coming":
            file.fate = "here" if event["state"] == "completed" else "interrupted"
        if file.fate != "here":
            self._unlink(file)
        file.over.set()

    def _update_size(self, file: FileDownload, got_bytes: int, announced_bytes: int = 0) -> None:
        # An interrupted download is reported with no bytes; what had come before is what matters.
        file.got_bytes = max(file.got_bytes, got_bytes)
        file.announced_bytes = max(file.announced_bytes, announced_bytes)
        others_bytes = sum(
            other.got_bytes for other in self.incoming if other is not file and other.fate in ("coming", "here")
        )
        too_large = others_bytes + max(file.got_bytes, file.announced_bytes) > self.limit_bytes
        if too_large and file.guid in self._own and file.fate in ("coming", "here"):
            self._stop(file, "too_large")

    def _stop(self, file: FileDownload, fate: Fate) -> None:
        file.fate = fate
        file.over.set()
        self._background.start(self._cancel(file))

    async def _cancel(self, file: FileDownload) -> None:
        assert self._cdp is not None
        with contextlib.suppress(Error):  # it has ended, or its browser has
            await protocol.send(self._cdp, "Browser.cancelDownload", guid=file.guid, browserContextId=self._context_id)
        self._unlink(file)

    def _unlink(self, file: FileDownload) -> None:
        assert self._folder is not None
        for name in (f"{file.guid}.crdownload", file.guid):  # the browser turns the first into the second
            (self._folder / name).unlink(missing_ok=True)

    # --- polling the sizes of files

    def _watch(self) -> None:
        if not self._watching:
            self._watching = True
            self._background.start(self._watch_growing())

    async def _watch_growing(self) -> None:
        try:
            while growing := [file for file in self.incoming if file.fate == "coming"]:
                for file in growing:
                    self._update_size(file, self._size(file))
                await asyncio.sleep(WATCH_S)
        finally:
            self._watching = False

    def _size(self, file: FileDownload) -> int:
        assert self._folder is not None
        with contextlib.suppress(OSError):
            return (self._folder / f"{file.guid}.crdownload").stat().st_size
        return 0

    def _remember(self, label: str, path: Path, size_bytes: int) -> None:
        """Keep at most ``limit_bytes`` for later uploads, dropping the oldest first."""
        self._forget(label)
        self._by_label[label] = (path, size_bytes)
        while sum(size for _, size in self._by_label.values()) > self.limit_bytes:
            self._forget(next(iter(self._by_label)))

    def _forget(self, label: str) -> None:
        remembered = self._by_label.pop(label, None)
        if remembered is not None:
            remembered[0].unlink(missing_ok=True)


def guid_of(download: Download) -> str:
    """Return the browser's id of a download.

    Playwright has it as the last part of the expected path; no public property offers it before the download is
    complete.
    """
    told: dict[str, Any] = download._impl_obj._artifact._initializer  # pyright: ignore[reportPrivateUsage]
    return Path(told["absolutePath"]).name


# --- the folder of this process, which ends with it however it ends

PREFIX = "exhibit-files-"
LOCK = "lock"
YOUNG_S = 60.0
"""A younger folder may belong to a process that has not locked it yet."""


@cache
def process_folder_path() -> Path:
    """Return this process's folder, removed at its end. Folders of killed processes are removed here."""
    parent = Path(tempfile.gettempdir())
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            _remove_if_left_over(folder)
    owned = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
    _owned.append(owned)
    _locks.append(open_locked(Path(owned.name) / LOCK, create=True, wait=True))
    return Path(owned.name)


_owned: list[tempfile.TemporaryDirectory[str]] = []
_locks: list[int] = []


def _remove_if_left_over(folder: Path) -> None:
    # Folders of other users and links under our prefix are left alone.
    about = folder.lstat()
    if about.st_uid != os.getuid() or folder.is_symlink() or time.time() - about.st_mtime < YOUNG_S:
        return
    descriptor = open_locked(folder / LOCK)  # raises OSError while its process is alive
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)
