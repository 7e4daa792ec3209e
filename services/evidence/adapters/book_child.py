"""The process that makes combined.xlsx, beside the one that makes the other tables: it takes as long as both of them.

Run as ``python -I -m``. On its standard input: what the book is of, in a line of JSON, then the rows, each in a line as
`row_spool.RowLines` writes them, then `END`. Where its input ends before, nobody waits for the book any more, and
nothing is made. On its standard output it says how it went, in a line of JSON.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import BinaryIO

import msgspec

from services.evidence.adapters.row_spool import RowLines
from services.evidence.adapters.workbook import Workbook
from services.evidence.combining.columns import columns_of
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished

END = b"end\n"


class Asked(msgspec.Struct, frozen=True):
    """``path`` of the book, and an empty ``folder`` for what is needed on the way."""

    path: str
    folder: str
    record: RunRecord
    finished: RunFinished


class Told(msgspec.Struct, frozen=True):
    """Nothing is said of a book that lies there. ``errno``: of what the system said, such as that the disk is full."""

    errno: int = 0
    problem: str = ""


def main() -> None:
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no reply
    try:
        told = Told() if _made(sys.stdin.buffer) else None
    except OSError as exc:
        told = Told(errno=exc.errno or 0, problem=str(exc))
    except Exception as exc:  # noqa: BLE001  said to the one who asked, who decides
        traceback.print_exc()
        told = Told(problem=f"{type(exc).__name__}: {exc}")
    if told is not None:
        replies.write(msgspec.json.encode(told))
        replies.flush()


def _made(given: BinaryIO) -> bool:
    asked = msgspec.json.decode(given.readline(), type=Asked)
    lines = RowLines(columns_of(asked.record.spec))
    book = Workbook(Path(asked.path), Path(asked.folder), asked.record, asked.finished)
    try:
        for line in given:
            if line == END:
                book.wait()
                return True
            book.add(lines.row_of(line))
        return False
    finally:
        book.close()


if __name__ == "__main__":
    main()
