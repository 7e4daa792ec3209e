"""The child process that makes combined.xlsx while its parent makes the other tables, which takes about as long.

It runs as ``python -I -m`` with frames on its standard input: `WorkbookRequest`, then each row as encoded by
`RowLines`, then `END`. If the input ends before `END`, no workbook is made. The reply is one frame: `WorkbookReply`.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import BinaryIO

import msgspec

from services.evidence.outputs.row_spool import RowLines
from services.evidence.outputs.xlsx.workbook import Workbook
from shared.child_process.child import read_frame, take_stdout, write_frame
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.table.columns import columns_of

END = b"end"


class WorkbookRequest(msgspec.Struct, frozen=True):
    """``path`` of the workbook, and an empty ``folder`` for temporary files."""

    path: str
    folder: str
    record: RunRecord
    finished: RunFinished


class WorkbookReply(msgspec.Struct, frozen=True):
    """Both are empty if the workbook was made. ``errno``: number of an error of the system, such as a full disk."""

    errno: int = 0
    problem: str = ""


def main() -> None:
    replies = take_stdout()
    try:
        reply = WorkbookReply() if _make(sys.stdin.buffer) else None
    except OSError as exc:
        reply = WorkbookReply(errno=exc.errno or 0, problem=str(exc))
    except Exception as exc:  # noqa: BLE001  the parent decides
        traceback.print_exc()
        reply = WorkbookReply(problem=f"{type(exc).__name__}: {exc}")
    if reply is not None:
        write_frame(replies, msgspec.json.encode(reply))
        replies.flush()


def _make(given: BinaryIO) -> bool:
    request = msgspec.json.decode(read_frame(given) or b"", type=WorkbookRequest)
    lines = RowLines(columns_of(TaskFacts.of(request.record.spec)))
    book = Workbook(Path(request.path), Path(request.folder), request.record, request.finished)
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
