"""Waits for downloads that have begun, and turns them into captures."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from services.browser_pool.adapters.downloads.preview import read_preview
from services.browser_pool.adapters.downloads.tracker import DownloadTracker, FileDownload
from services.browser_pool.adapters.outcome import PerformOutcome
from services.browser_pool.adapters.tabs import Tabs
from services.browser_pool.files import filenames
from services.browser_pool.ports import Capture
from shared.contracts.codes import ActionCode
from shared.contracts.results import Captured, NotSeen

LONGEST_S = 100.0
"""Time limit for all downloads of an action, below the deadline of the caller's request."""
CODES: dict[str, ActionCode] = {
    "too_large": "too_large",
    "too_many": "too_large",
    "late": "timeout",
    "interrupted": "no_file",
}


async def wait_for_file(files: DownloadTracker, one: FileDownload, stall_s: float, until_s: float) -> None:
    """Wait until the download ends. It is dropped when it stalls for ``stall_s``, or at ``until_s`` of the monotonic
    clock."""
    while one.fate == "coming":
        before_bytes = one.got_bytes
        left_s = until_s - time.monotonic()
        try:
            async with asyncio.timeout(max(0.0, min(stall_s, left_s))):
                await one.over.wait()
        except TimeoutError:
            if one.got_bytes == before_bytes or left_s <= stall_s:
                files.drop(one)


async def capture_file(files: DownloadTracker, one: FileDownload, label: str) -> Capture:
    """Return a complete download as a capture. Whoever stores it removes the file."""
    path = files.take(one, label)
    return Capture(
        kind="download",
        label=label,
        media_type=filenames.media_type_of(one.name),
        suffix=filenames.suffix_of(one.name),
        data=path,
        source_url=one.url[:2000],
        original_name=one.name,
        text_preview=await read_preview(path, one.name),
    )


def refusal_message(files: DownloadTracker, one: FileDownload) -> str:
    """Return why a file was not kept."""
    if one.fate == "too_large":
        return filenames.too_large(one.name, files.limit_bytes, one.got_bytes, one.announced_bytes)
    if one.fate == "late":
        return filenames.interrupted(one.name, one.got_bytes, one.announced_bytes) + ": it did not come on"
    return filenames.interrupted(one.name, one.got_bytes, one.announced_bytes)


async def collect_files(outcome: PerformOutcome, files: DownloadTracker, tabs: Tabs, stall_s: float) -> PerformOutcome:
    """Return the outcome with every file that the action brought, requested or not."""
    until_s = time.monotonic() + LONGEST_S
    captures, told = list(outcome.captures), [outcome.message]
    while files.incoming:
        one = files.incoming[0]
        await wait_for_file(files, one, stall_s, until_s)
        if one.fate != "here":
            files.drop(one)
            told.append(refusal_message(files, one))
            continue
        label = filenames.label_of(one.name, {capture.label for capture in captures})
        captures.append(await capture_file(files, one, label))
        told.append(f'the file "{one.name}" came down ({one.got_bytes} bytes) and is kept as "{label}"')
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
