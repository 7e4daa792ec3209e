"""Opens one file under kernel limits, and reads its first text: ``python -I -m ... KIND < FILE > FILE_READ``.

Whatever a hostile file does to its parser ends this process only."""

from __future__ import annotations

import io
import sys

import msgspec

from services.browser_pool.adapters.downloads.openers import FileRead, open_whole
from shared.child_process.child import die_with_parent, limit_resources

CPU_S = 8
WALL_S = 20
MEMORY_BYTES = 1 << 30
FILE_BYTES = 1 << 20


def main() -> None:
    die_with_parent()
    limit_resources(memory_bytes=MEMORY_BYTES, file_bytes=FILE_BYTES, cpu_s=CPU_S, wall_s=WALL_S)
    file = io.BufferedReader(io.FileIO(0, closefd=False))
    read = open_whole(sys.argv[1], file)
    sys.stdout.buffer.write(msgspec.json.encode(msgspec.structs.replace(read, text=_sendable(read.text))))


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def decode_reply(reply: bytes) -> FileRead | None:
    """Return what a child has found; None where it has ended before it could say it."""
    try:
        return msgspec.json.decode(reply, type=FileRead)
    except msgspec.DecodeError:
        return None


if __name__ == "__main__":
    main()
