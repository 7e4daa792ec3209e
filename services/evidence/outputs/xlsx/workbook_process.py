"""Makes combined.xlsx of a large run in a child process, in parallel with the other tables. The other tables are made
even if the workbook fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from services.evidence.outputs.products import NotMadeError, not_made_message
from services.evidence.outputs.xlsx.workbook import Workbook
from services.evidence.outputs.xlsx.workbook_child import END, WorkbookReply, WorkbookRequest
from shared.child_process.parent import ChildProcess
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.table.rows import TableRow

PROGRAM = "services.evidence.outputs.xlsx.workbook_child"

log = logging.getLogger(__name__)


class WorkbookError(Exception):
    """A bug in the child process, which has logged its traceback on standard error."""


class WorkbookProcess:
    """A `Workbook` that a child process makes. Call `end` after the last row, then `wait` until the file is complete.

    Every call may raise OSError for an error of the system, such as a full disk, and WorkbookError for anything else.
    """

    def __init__(self, path: Path, folder: Path, record: RunRecord, finished: RunFinished) -> None:
        self._process = ChildProcess(PROGRAM)
        self._write(msgspec.json.encode(WorkbookRequest(str(path), str(folder), record, finished)))

    def add(self, row: TableRow, line: bytes) -> None:
        """Send a row to the child. ``line``: the row as encoded by `RowLines`."""
        self._write(line)

    def end(self) -> None:
        self._write(END)
        with self._explain_broken_pipe():
            self._process.close_input()

    def wait(self) -> None:
        frame = self._process.receive()
        code = self._process.wait()
        ended = WorkbookReply(problem=f"its process ended with {code}")
        reply = msgspec.json.decode(frame, type=WorkbookReply) if frame else ended
        if reply.errno:
            raise OSError(reply.errno, reply.problem)
        if reply.problem:
            raise WorkbookError(reply.problem)

    def close(self) -> None:
        """Kill the child if it still runs; idempotent."""
        self._process.close()

    def _write(self, data: bytes) -> None:
        with self._explain_broken_pipe():
            self._process.send(data, flush=False)

    @contextmanager
    def _explain_broken_pipe(self) -> Generator[None]:
        """Raise the child's own error instead of BrokenPipeError, if the child has sent one."""
        try:
            yield
        except BrokenPipeError:
            self.wait()
            raise


class OptionalWorkbook:
    """A workbook whose failure does not prevent the other tables. A child process makes it if the run is ``large``.

    Every call may raise OSError for an error of the system. Any other error is logged, and raised by `wait` as
    NotMadeError.
    """

    def __init__(self, path: Path, folder: Path, record: RunRecord, finished: RunFinished, *, large: bool) -> None:
        self._name = path.name
        self._workbook = (WorkbookProcess if large else Workbook)(path, folder, record, finished)
        self._failure = ""

    def add(self, row: TableRow, line: bytes) -> None:
        """Add a row. ``line``: the row as encoded by `RowLines`."""
        self._unless_failed(lambda: self._workbook.add(row, line), f" at sample {row.sample_id}")

    def end(self) -> None:
        """Call it after the last row."""
        self._unless_failed(self._workbook.end, "")

    def wait(self) -> None:
        self._unless_failed(self._workbook.wait, "")
        if self._failure:
            raise NotMadeError(self._failure)

    def close(self) -> None:
        self._workbook.close()

    def _unless_failed(self, step: Callable[[], None], where: str) -> None:
        if self._failure:
            return
        try:
            step()
        except OSError:
            raise
        except Exception as exc:  # the other tables must still be made
            self._failure = not_made_message(self._name, where, exc)
            log.exception("%s was not made: the result of the run tells why", self._name)
