"""combined.xlsx, made by a process of its own: side by side with the other tables, and out of our memory."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from services.evidence.adapters.book_child import END, Asked, Told
from shared.child_process.parent import ChildProcess
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.table.rows import Row

PROGRAM = "services.evidence.adapters.book_child"


class BookError(Exception):
    """A fault of ours in the other process, which has said more of it on standard error."""


class BookProcess:
    """Beside its caller what `Workbook` is within it. `end` says that these were all rows: from then on the book is put
    together, and `wait` waits until it lies at its path.

    Raises OSError where the system refuses something, such as room on the disk, and BookError for anything else.
    """

    def __init__(self, path: Path, folder: Path, record: RunRecord, finished: RunFinished) -> None:
        self._process = ChildProcess(PROGRAM)
        asked = Asked(str(path), str(folder), record, finished)
        self._write(msgspec.json.encode(asked))

    def add(self, row: Row, line: bytes) -> None:
        """``line``: the row as `RowLines` writes it."""
        self._write(line)

    def end(self) -> None:
        self._write(END)
        with self._heard():
            self._process.close_input()

    def wait(self) -> None:
        said = self._process.receive()
        code = self._process.wait()
        told = msgspec.json.decode(said, type=Told) if said else Told(problem=f"its process ended with {code}")
        if told.errno:
            raise OSError(told.errno, told.problem)
        if told.problem:
            raise BookError(told.problem)

    def close(self) -> None:
        """The process is gone afterwards, whatever it was at; calling it twice is no error."""
        self._process.close()

    def _write(self, data: bytes) -> None:
        with self._heard():
            self._process.send(data, flush=False)

    @contextmanager
    def _heard(self) -> Generator[None]:
        """A process that takes nothing any more has said why, which tells more than that it is gone."""
        try:
            yield
        except BrokenPipeError:
            self.wait()
            raise
