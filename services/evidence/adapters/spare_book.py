"""The workbook as what the other tables can do without: a fault of ours in it costs nothing else."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from services.evidence.adapters.book_process import BookProcess
from services.evidence.adapters.workbook import Workbook
from services.evidence.outputs.isolated_product import NotMadeError, not_made
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.table.rows import TableRow

log = logging.getLogger(__name__)


class SpareBook:
    """Beside its caller what `Workbook` is within it, made by a process of its own where the run is ``large``.

    Raises OSError at once, where the system refuses something; anything else is kept until `wait`, as NotMadeError.
    """

    def __init__(self, path: Path, folder: Path, record: RunRecord, finished: RunFinished, *, large: bool) -> None:
        self._name = path.name
        self._book = (BookProcess if large else Workbook)(path, folder, record, finished)
        self._failure = ""

    def add(self, row: TableRow, line: bytes) -> None:
        self._unless_failed(lambda: self._book.add(row, line), f" at sample {row.sample_id}")

    def end(self) -> None:
        self._unless_failed(self._book.end, "")

    def wait(self) -> None:
        self._unless_failed(self._book.wait, "")
        if self._failure:
            raise NotMadeError(self._failure)

    def close(self) -> None:
        self._book.close()

    def _unless_failed(self, step: Callable[[], None], where: str) -> None:
        if self._failure:
            return
        try:
            step()
        except OSError:
            raise
        except Exception as exc:  # the tables that programs read must not be lost with it
            self._failure = not_made(self._name, where, exc)
            log.exception("%s", self._failure)
