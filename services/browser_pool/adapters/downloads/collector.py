"""Waits for downloads that have begun, and turns them into captures, with what their bytes are."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from pathlib import Path

from services.browser_pool.adapters.downloads import previews
from services.browser_pool.adapters.downloads.file_reader import decode_reply
from services.browser_pool.adapters.downloads.openers import FileRead
from services.browser_pool.adapters.downloads.tracker import DownloadTracker, FileDownload
from services.browser_pool.adapters.outcome import PerformOutcome
from services.browser_pool.adapters.tabs import Tabs
from services.browser_pool.files import content, filenames
from services.browser_pool.files.filenames import suffix_of
from services.browser_pool.ports import Capture
from shared.aio import SemaphorePerLoop
from shared.child_process.parent import kill_and_wait, start_python
from shared.contracts.error_codes import ActionCode
from shared.contracts.results import Captured, FileContent, NotSeen

log = logging.getLogger(__name__)

LONGEST_S = 100.0
"""Time limit for all downloads of an action, below the deadline of the caller's request."""
MAX_TOLD = 300
CODES: dict[str, ActionCode] = {
    "too_large": "too_large",
    "too_many": "too_large",
    "late": "timeout",
    "interrupted": "no_file",
}


async def wait_for_file(files: DownloadTracker, file: FileDownload, stall_s: float, until_s: float) -> None:
    """Wait until the download ends. It is dropped when it stalls for ``stall_s``, or at ``until_s`` of the monotonic
    clock."""
    while file.fate == "coming":
        before_bytes = file.got_bytes
        left_s = until_s - time.monotonic()
        try:
            async with asyncio.timeout(max(0.0, min(stall_s, left_s))):
                await file.over.wait()
        except TimeoutError:
            if file.got_bytes == before_bytes or left_s <= stall_s:
                files.drop(file)


async def capture_file(files: DownloadTracker, file: FileDownload, label: str) -> Capture:
    """Return a complete download as a capture. The caller removes the file once it is stored."""
    path = files.take(file, label)
    found, text = await read_file(path, file.name, file.url, files.media_type(file.url))
    return Capture(
        kind="download",
        label=label,
        media_type=content.media_type(found, filenames.media_type_of(file.name)),
        suffix=filenames.suffix_of(file.name),
        data=path,
        source_url=file.url[:2000],
        original_name=file.name,
        text_preview=text,
        content=found,
    )


def invalid_words(capture: Capture) -> str:
    """Return what a message adds about a file that is not what was to come; else nothing."""
    found = capture.content
    return f"; the file is kept, but {found.told}" if found is not None and found.problem else ""


def refusal_message(files: DownloadTracker, file: FileDownload) -> str:
    """Return why a file was not kept."""
    if file.fate == "too_large":
        return filenames.too_large(file.name, files.limit_bytes, file.got_bytes, file.announced_bytes)
    if file.fate == "late":
        return filenames.interrupted_message(file.name, file.got_bytes, file.announced_bytes) + ": it did not come on"
    return filenames.interrupted_message(file.name, file.got_bytes, file.announced_bytes)


async def collect_files(outcome: PerformOutcome, files: DownloadTracker, tabs: Tabs, stall_s: float) -> PerformOutcome:
    """Return the outcome with every file that the action brought, requested or not."""
    until_s = time.monotonic() + LONGEST_S
    captures, told = list(outcome.captures), [outcome.message]
    while files.incoming:
        file = files.incoming[0]
        await wait_for_file(files, file, stall_s, until_s)
        if file.fate != "here":
            files.drop(file)
            told.append(refusal_message(files, file))
            continue
        label = filenames.label_of(file.name, {capture.label for capture in captures})
        captures.append(await capture_file(files, file, label))
        told.append(
            f'the file "{file.name}" came down ({file.got_bytes} bytes) and is kept as "{label}"'
            f"{invalid_words(captures[-1])}"
        )
    if files.refused:
        told.append(f"{files.refused} more files were stopped: one action may bring no more than these")
        files.refused = 0
    brought = len(captures) > len(outcome.captures)
    emptied = bool(tabs.downloads) and await _close_emptied(tabs)
    effect = Captured() if brought and (emptied or isinstance(outcome.effect, NotSeen)) else outcome.effect
    return replace(outcome, message="; ".join(told), captures=tuple(captures), effect=effect)


async def _close_emptied(tabs: Tabs) -> bool:
    """Close tabs that were opened for a download only, as a browser with a window does."""
    emptied = [page for page in tabs.opened if not page.is_closed() and page.url in ("", ":")]
    for page in emptied:
        await page.close()
    tabs.follow()
    return bool(emptied)


# --- what a file is: one that is hostile may crash the subprocess that opens it without other effect

PROGRAM = "services.browser_pool.adapters.downloads.file_reader"
READ_BOUND_S = 22.0
READS_AT_ONCE = SemaphorePerLoop(2)
"""Each subprocess may take a processor and a gigabyte."""


async def read_file(path: Path, name: str, url: str = "", header: str = "") -> tuple[FileContent, str | None]:
    """Return what the bytes of a file are, compared with its name, its address and its header, and about the first
    2,000 characters of its text, if there are any.

    A file that cannot be opened within the limits is ``unopened``. None of it fails the download.
    """
    head = await asyncio.to_thread(_head, path)
    kind = content.kind_of(head)
    if kind not in content.READ_WHOLE:
        text = content.decoded(head) if suffix_of(name) in previews.TEXTS else None
        return content.judged(kind, head, name, url, header), previews.clipped(text or "")
    async with READS_AT_ONCE.hold():
        read = await _read_in_subprocess(path, kind)
    if read is None:
        return FileContent(kind=kind, problem="unopened", told="it could not be opened within the limits"), None
    if read.broken:
        return FileContent(kind=read.kind, problem="broken", told=read.broken[:MAX_TOLD]), None
    return content.judged(read.kind, head, name, url, header), read.text or None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(content.HEAD_BYTES)


async def _read_in_subprocess(path: Path, kind: str) -> FileRead | None:
    with path.open("rb") as file:
        # An empty environment: the process that reads a hostile file gets no keys and no addresses.
        child = await start_python("-m", PROGRAM, kind, stdin=file, stderr=asyncio.subprocess.DEVNULL, env={})
    try:
        async with asyncio.timeout(READ_BOUND_S):
            out, _ = await child.communicate()
    except TimeoutError:
        return None
    finally:
        await kill_and_wait(child)
    if child.returncode != 0:
        log.info("a %s file was not read: its reader ended with %s", kind, child.returncode)
        return None
    return decode_reply(out)
