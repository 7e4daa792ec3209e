"""Unpack a run from a zip into a temporary folder: only the files that extraction needs.

A zip is untrusted input. Whatever `exhibit verify` would report about the zip itself is refused; the contents of its
files are not judged here.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from shared.contracts.discovery import Problem
from shared.errors import RunRejectedError
from shared.evidence_format.chain import NOT_JSON
from shared.evidence_format.files.run import parse_run_file
from shared.evidence_format.layout import RESULT, RUN
from shared.evidence_format.sources.source import NoRun, RunListing, Unreadable, read_file
from shared.evidence_format.sources.zip import ZipSource
from shared.text.names import safe_id

NEEDED_SUFFIXES = (f"/{RESULT}", "/sample.json", ".mhtml.zst", ".observation.json.zst")
MAX_FILE_BYTES = 64_000_000
"""Limit per file; stored pages are not larger."""


@asynccontextmanager
async def unpack_run(path: Path) -> AsyncGenerator[tuple[Path, str]]:
    """Yield a temporary folder with the run, and the run's id.

    Raises RunRejectedError when the zip is unsafe, damaged, or too large for the disk.
    """
    with tempfile.TemporaryDirectory(prefix="exhibit-zip-") as folder:
        try:
            run_id = await _unpack(path, Path(folder))
        except (NoRun, Unreadable, OSError, UnicodeError) as exc:
            raise _rejection_with_hint(path, f"it cannot be unpacked: {exc}") from exc
        yield Path(folder), run_id


async def _unpack(path: Path, folder: Path) -> str:
    medium = ZipSource(path)
    try:
        listing = medium.list_files()
        _check_listing(path, listing)
        run_id = _parse_run_id(read_file(medium, RUN, MAX_FILE_BYTES), path)
        needed = [RUN, *(name for name in listing.files if _is_needed(name))]
        _check_disk_space(path, sum(listing.files[name].size_bytes for name in needed), folder)
        for name in needed:
            target = folder / run_id / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(read_file(medium, name, MAX_FILE_BYTES))
            await asyncio.sleep(0)  # lets Ctrl-C cancel between files
    finally:
        medium.close()
    return run_id


def _is_needed(name: str) -> bool:
    """Return whether the file belongs to the latest attempt at a sample; files of earlier ones are a folder deeper."""
    return name.count("/") == 1 and name.endswith(NEEDED_SUFFIXES)


def _check_listing(path: Path, listing: RunListing) -> None:
    if listing.problems:
        first, more = listing.problems[0], len(listing.problems) - 1
        message = f"{first.path}: {first.message}" if first.path else first.message
        raise _rejection_with_hint(path, message + (f" (and {more} more)" if more else ""))
    if RUN not in listing.files:
        raise _rejection_with_hint(path, f"it has no {RUN}")


def _check_disk_space(path: Path, needed_bytes: int, folder: Path) -> None:
    free_bytes = shutil.disk_usage(folder).free
    if needed_bytes > free_bytes:
        message = (
            f"{needed_bytes / 1e6:,.0f} MB of it have to be unpacked, and {folder.parent} has {free_bytes / 1e6:,.0f}"
        )
        raise _rejection(f"{path}: {message} MB: set TMPDIR to a folder with more room")


def _parse_run_id(data: bytes, path: Path) -> str:
    try:
        run_id = parse_run_file(data).record.run_id
    except NOT_JSON as exc:
        raise _rejection_with_hint(path, f"its {RUN} cannot be read: {exc}") from exc
    if safe_id(run_id) != run_id:
        raise _rejection_with_hint(path, f"its run is called {run_id!r}, which is no valid id of a run")
    return run_id


def _rejection_with_hint(path: Path, why: str) -> RunRejectedError:
    return _rejection(f"{path}: {why}. `exhibit verify {path}` tells all that is wrong with it")


def _rejection(message: str) -> RunRejectedError:
    return RunRejectedError([Problem(where="RUN", message=message)])
