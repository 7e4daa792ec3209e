"""The step log of an attempt, on its way into action_log.json.

While an attempt is at work each of its steps is a file of its own, so that a step costs the same whether it is the
first or the three-hundredth. When the attempt is over they are put together, and go. A process that dies in between
leaves both: a step that stands in both is one step.
"""

from __future__ import annotations

from typing import Any

import msgspec

from services.evidence import layout
from services.evidence.deps import Store
from services.evidence.filing.contents import as_json


async def begin_attempt(store: Store, folder: str, attempt: int) -> None:
    """From here on what lies in the folder is of this attempt, before a step of it is written: an artifact comes first,
    and a process that dies behind it must not leave it to the attempt before."""
    await store.write(f"{folder}/{layout.LOG_BEGUN}", as_json(attempt))


async def attempt_begun(store: Store, folder: str) -> int:
    """The attempt at work, as `begin_attempt` wrote it; 0 where it wrote none."""
    begun = await store.read(f"{folder}/{layout.LOG_BEGUN}")
    return msgspec.json.decode(begun, type=int) if begun is not None else 0


async def add_step(store: Store, folder: str, entry: dict[str, Any]) -> None:
    """From here on the step outlives this process. ``folder``: the key of the sample's folder."""
    await store.write(f"{folder}/{layout.log_piece(int(entry['step']))}", as_json(entry))


async def read_log(store: Store, folder: str) -> list[dict[str, Any]] | None:
    """The steps in their order, wherever they stand; None where there is no log. Raises one of `chain.NOT_JSON` where
    it cannot be read."""
    whole = await store.read(f"{folder}/{layout.ACTION_LOG}")
    pieces = await _pieces(store, folder)
    if whole is None and not pieces:
        return None
    entries: list[dict[str, Any]] = msgspec.json.decode(whole) if whole is not None else []
    known = {entry["step"] for entry in entries}
    later = [msgspec.json.decode(piece) for piece in pieces]
    return [*entries, *(entry for entry in later if entry["step"] not in known)]


async def put_together(store: Store, folder: str) -> None:
    """Makes one action_log.json of the steps; again after it was cut off it makes the same."""
    if layout.LOG_PIECES not in await store.names(folder):
        return
    whole, pieces = f"{folder}/{layout.ACTION_LOG}", await _pieces(store, folder)
    if await store.read(whole) is not None:
        await store.write(whole, as_json(await read_log(store, folder)))
    elif pieces:
        await store.write(whole, _joined(pieces))
    await store.remove(f"{folder}/{layout.LOG_PIECES}")


async def _pieces(store: Store, folder: str) -> list[bytes]:
    below = f"{folder}/{layout.LOG_PIECES}"
    read = [await store.read(f"{below}/{name}") for name in await store.names(below) if name[:1].isdigit()]
    return [piece for piece in read if piece is not None]


def _joined(pieces: list[bytes]) -> bytes:
    """As `as_json` would write the list, without making objects of what may be 45 MB: text in JSON has no line ends."""
    return b"[\n" + b",\n".join(b"  " + piece.rstrip().replace(b"\n", b"\n  ") for piece in pieces) + b"\n]\n"
