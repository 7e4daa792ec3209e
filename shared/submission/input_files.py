"""Input files on the bus: each part of a file is an object of its own in the bucket INPUTS."""

from __future__ import annotations

from shared.bus.ports import PART_BYTES, Blobs, Sink
from shared.contracts.discovery import InputFile
from shared.streams import INPUTS


def part_name(blob: str, part: int) -> str:
    """Return the name of the object that holds a part, counted from 0."""
    return f"{blob}/{part}"


def split_parts(data: bytes) -> list[bytes]:
    """Return the bytes of a file in parts; of an empty file one that is empty."""
    return [data[start : start + PART_BYTES] for start in range(0, max(len(data), 1), PART_BYTES)]


async def fetch_input(blobs: Blobs, file: InputFile, sink: Sink) -> None:
    """Write an input file to ``sink`` in pieces. The caller checks its size and its hash: its parts may be of several
    files. Raises what :meth:`Blobs.fetch` raises."""
    names = [part_name(file.blob, part) for part in range(file.parts)] or [file.blob]
    for name in names:
        await blobs.fetch(INPUTS, name, sink)
