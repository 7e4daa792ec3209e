"""Makes combined.xlsx in a child process, in parallel with the other tables."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from services.evidence.adapters.book_child import END, BookReply, BookRequest
from shared.child_process.parent import ChildProcess
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.table.rows import TableRow

PROGRAM = "services.evidence.adapters.book_child"


class BookError(Exception):
    """A bug in the child process, which has logged its traceback on standard error."""


class BookProcess:
    """A `Workbook` that a child process makes. After the last row call `end`, and `wait` until it is made.

    Every call may raise OSError for an error of the system, such as a full disk, and BookError for anything else.
    """

    def __init__(self, path: Path, folder: Path, record: RunRecord, finished: RunFinished) -> None:
        self._process = ChildProcess(PROGRAM)
        self._write(msgspec.json.encode(BookRequest(str(path), str(folder), record, finished)))

    def add(self, row: TableRow, line: bytes) -> None:
        """``line``: the row as `RowLines` writes it."""
        self._write(line)

    def end(self) -> None:
        self._write(END)
        with self._explain_broken_pipe():
            self._process.close_input()

    def wait(self) -> None:
        frame = self._process.receive()
        code = self._process.wait()
        ended = BookReply(problem=f"its process ended with {code}")
        reply = msgspec.json.decode(frame, type=BookReply) if frame else ended
        if reply.errno:
            raise OSError(reply.errno, reply.problem)
        if reply.problem:
            raise BookError(reply.problem)

    def close(self) -> None:
        """Kill the child if it still runs; idempotent."""
        self._process.close()

    def _write(self, data: bytes) -> None:
        with self._explain_broken_pipe():
            self._process.send(data, flush=False)

    @contextmanager
    def _explain_broken_pipe(self) -> Generator[None]:
        """Raise the child's own error in place of BrokenPipeError, where it has sent one."""
        try:
            yield
        except BrokenPipeError:
            self.wait()
            raise
