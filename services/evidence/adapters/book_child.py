"""The process that makes combined.xlsx, beside the one that makes the other tables: it takes as long as both of them.

Run as ``python -I -m``, with frames on its standard input: `Asked`, then the rows, each as `row_spool.RowLines` writes
them, then `END`. Where the input ends before that, nothing is made. The answer is one frame: `Told`.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import BinaryIO

import msgspec

from services.evidence.adapters.row_spool import RowLines
from services.evidence.adapters.workbook import Workbook
from shared.child_process.child import read_frame, take_stdout, write_frame
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.table.columns import columns_of
from shared.evidence_format.task_facts import TaskFacts

END = b"end"


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
    replies = take_stdout()
    try:
        told = Told() if _made(sys.stdin.buffer) else None
    except OSError as exc:
        told = Told(errno=exc.errno or 0, problem=str(exc))
    except Exception as exc:  # noqa: BLE001  said to the one who asked, who decides
        traceback.print_exc()
        told = Told(problem=f"{type(exc).__name__}: {exc}")
    if told is not None:
        write_frame(replies, msgspec.json.encode(told))
        replies.flush()


def _made(given: BinaryIO) -> bool:
    asked = msgspec.json.decode(read_frame(given) or b"", type=Asked)
    lines = RowLines(columns_of(TaskFacts.of(asked.record.spec)))
    book = Workbook(Path(asked.path), Path(asked.folder), asked.record, asked.finished)
    try:
        while (line := read_frame(given)) is not None:
            if line == END:
                book.wait()
                return True
            book.add(lines.row_of(line))
        return False
    finally:
        book.close()


if __name__ == "__main__":
    main()
