"""A run that was handed over in a zip, where it can be extracted again: of it, what that needs is unpacked for a while.

A zip is hostile. What `exhibit verify` would call wrong with it as a zip is refused; what its files say is not judged.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from shared.client import RunRejectedError
from shared.contracts.discovery import Problem
from shared.evidence_format.chain import NOT_JSON
from shared.evidence_format.files.run import parse_run_file
from shared.evidence_format.layout import RESULT, RUN
from shared.evidence_format.sources.base import NoRun, RunListing, Unreadable
from shared.evidence_format.sources.digests import read
from shared.evidence_format.sources.zip import ZipMedium
from shared.text.names import safe_id

NEEDED = (f"/{RESULT}", "/sample.json", ".mhtml.zst", ".observation.json.zst")
MOST_FILE_BYTES = 64_000_000
"""No file that is needed is larger: a page that was stored has no more."""


@asynccontextmanager
async def unpacked(path: Path) -> AsyncGenerator[tuple[Path, str]]:
    """A folder with the run, for as long as the block lasts, and the run's id. Raises RunRejectedError, saying why,
    where the zip is not to be trusted, is damaged, or does not fit on the disk."""
    with tempfile.TemporaryDirectory(prefix="exhibit-zip-") as folder:
        try:
            run_id = await _unpack(path, Path(folder))
        except (NoRun, Unreadable, OSError, UnicodeError) as exc:
            raise _refused(path, f"it cannot be unpacked: {exc}") from exc
        yield Path(folder), run_id


async def _unpack(path: Path, folder: Path) -> str:
    medium = ZipMedium(path)
    try:
        listing = medium.listed()
        _must_be_sound(path, listing)
        run_id = _run_id(read(medium, RUN, MOST_FILE_BYTES), path)
        wanted = [RUN, *(name for name in listing.files if _is_needed(name))]
        _must_fit(path, sum(listing.files[name].size_bytes for name in wanted), folder)
        for name in wanted:
            target = folder / run_id / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(read(medium, name, MOST_FILE_BYTES))
            await asyncio.sleep(0)  # whoever gives up need not wait for the last file
    finally:
        medium.close()
    return run_id


def _is_needed(name: str) -> bool:
    """Of the latest attempt at each sample: what earlier ones left behind lies a folder deeper."""
    return name.count("/") == 1 and name.endswith(NEEDED)


def _must_be_sound(path: Path, listing: RunListing) -> None:
    if listing.problems:
        first, more = listing.problems[0], len(listing.problems) - 1
        told = f"{first.path}: {first.message}" if first.path else first.message
        raise _refused(path, told + (f" (and {more} more)" if more else ""))
    if RUN not in listing.files:
        raise _refused(path, f"it has no {RUN}")


def _must_fit(path: Path, needed_bytes: int, folder: Path) -> None:
    free_bytes = shutil.disk_usage(folder).free
    if needed_bytes > free_bytes:
        told = (
            f"{needed_bytes / 1e6:,.0f} MB of it have to be unpacked, and {folder.parent} has {free_bytes / 1e6:,.0f}"
        )
        raise _rejected(f"{path}: {told} MB: set TMPDIR to a folder with more room")


def _run_id(data: bytes, path: Path) -> str:
    try:
        run_id = parse_run_file(data).record.run_id
    except NOT_JSON as exc:
        raise _refused(path, f"its {RUN} cannot be read: {exc}") from exc
    if safe_id(run_id) != run_id:
        raise _refused(path, f"its run is called {run_id!r}, which is the name of no run")
    return run_id


def _refused(path: Path, why: str) -> RunRejectedError:
    return _rejected(f"{path}: {why}. `exhibit verify {path}` tells all that is wrong with it")


def _rejected(message: str) -> RunRejectedError:
    return RunRejectedError([Problem(where="RUN", message=message)])
