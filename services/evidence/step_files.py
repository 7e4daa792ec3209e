"""The step log of an attempt as files, until it is merged into action_log.json.

While an attempt is at work, its steps are appended to one file, so that every step costs the same to write. In a
bucket, where nothing can be appended, each step is an object. Runs of earlier versions have a file for each step in a
folder too: both are read everywhere. When the attempt is over, all are merged and removed. A process that dies in
between leaves both: a step that is in both counts once.
"""

from __future__ import annotations

import msgspec

from services.evidence.ports import Store
from shared.evidence_format import layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.log_codec import LogEntry, encode_entry, merge_log, parse_log, split_piece


async def begin_attempt(store: Store, folder: str, attempt: int) -> None:
    """Record that the files of the sample's folder belong to this attempt from now on.

    It is written before the first artifact, so that a crash does not leave that artifact to the attempt before.
    ``folder``: the key of the sample's folder, in this module.
    """
    await store.write(f"{folder}/{layout.LOG_BEGUN}", encode_file(attempt))


async def read_begun_attempt(store: Store, folder: str) -> int:
    """Return the number that `begin_attempt` wrote; 0 without one."""
    begun = await store.read(f"{folder}/{layout.LOG_BEGUN}")
    return msgspec.json.decode(begun, type=int) if begun is not None else 0


async def write_step(store: Store, folder: str, entry: LogEntry) -> None:
    alone = f"{folder}/{layout.log_piece(entry.step.step)}"
    await store.append_line(f"{folder}/{layout.LOG_LINES}", encode_entry(entry) + b"\n", alone)


async def read_log(store: Store, folder: str) -> list[LogEntry] | None:
    """Return the steps in order, of action_log.json and of single files; None without a log. Raises one of
    `chain.NOT_JSON` if the log is corrupt."""
    merged = await read_merged_log(store, folder)
    return parse_log(merged) if merged is not None else None


async def read_merged_log(store: Store, folder: str) -> bytes | None:
    """As `read_log`, but return the bytes that action_log.json would have."""
    return merge_log(await store.read(f"{folder}/{layout.ACTION_LOG}"), await _read_pieces(store, folder))


async def merge_step_files(store: Store, folder: str) -> None:
    """Merge the step files into action_log.json and remove them. Idempotent."""
    if layout.LOG_PIECES not in await store.names(folder):
        return
    merged = await read_merged_log(store, folder)
    if merged is not None:
        await store.write(f"{folder}/{layout.ACTION_LOG}", merged)
    await store.remove(f"{folder}/{layout.LOG_PIECES}")


async def _read_pieces(store: Store, folder: str) -> list[bytes]:
    below = f"{folder}/{layout.LOG_PIECES}"
    paths = [f"{below}/{name}" for name in await store.names(below)]
    return [piece for path in paths for piece in split_piece(path, await store.read(path) or b"")]
