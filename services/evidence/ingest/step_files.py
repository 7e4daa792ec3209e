"""The step log of an attempt, on its way into action_log.json.

While an attempt is at work each of its steps is a file of its own, so that a step costs the same whether it is the
first or the three-hundredth. When the attempt is over they are put together, and go. A process that dies in between
leaves both: a step that stands in both is one step.
"""

from __future__ import annotations

import msgspec

from services.evidence.ports import Store
from shared.evidence_format import layout
from shared.evidence_format.files.base import encode_file
from shared.evidence_format.files.steps import LogEntry
from shared.evidence_format.log_codec import merge_log, parse_log


async def begin_attempt(store: Store, folder: str, attempt: int) -> None:
    """From here on what lies in the folder is of this attempt, before a step of it is written: an artifact comes first,
    and a process that dies behind it must not leave it to the attempt before."""
    await store.write(f"{folder}/{layout.LOG_BEGUN}", encode_file(attempt))


async def attempt_begun(store: Store, folder: str) -> int:
    """The attempt at work, as `begin_attempt` wrote it; 0 where it wrote none."""
    begun = await store.read(f"{folder}/{layout.LOG_BEGUN}")
    return msgspec.json.decode(begun, type=int) if begun is not None else 0


async def add_step(store: Store, folder: str, entry: LogEntry) -> None:
    """From here on the step outlives this process. ``folder``: the key of the sample's folder."""
    await store.write(f"{folder}/{layout.log_piece(entry.step)}", encode_file(entry))


async def read_log(store: Store, folder: str) -> list[LogEntry] | None:
    """The steps in their order, wherever they stand; None where there is no log. Raises one of `chain.NOT_JSON` where
    it cannot be read."""
    merged = await read_merged_log(store, folder)
    return parse_log(merged) if merged is not None else None


async def read_merged_log(store: Store, folder: str) -> bytes | None:
    """As `read_log`, as the bytes that action_log.json would have."""
    return merge_log(await store.read(f"{folder}/{layout.ACTION_LOG}"), await _pieces(store, folder))


async def put_together(store: Store, folder: str) -> None:
    """Makes one action_log.json of the steps; again after it was cut off it makes the same."""
    if layout.LOG_PIECES not in await store.names(folder):
        return
    key = f"{folder}/{layout.ACTION_LOG}"
    merged = await read_merged_log(store, folder)
    if merged is not None:
        await store.write(key, merged)
    await store.remove(f"{folder}/{layout.LOG_PIECES}")


async def _pieces(store: Store, folder: str) -> list[bytes]:
    below = f"{folder}/{layout.LOG_PIECES}"
    read = [await store.read(f"{below}/{name}") for name in await store.names(below) if name[:1].isdigit()]
    return [piece for piece in read if piece is not None]
