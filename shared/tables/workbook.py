"""What a workbook says of its sheets, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

Rectangle = tuple[int, int, int, int]
"""First row, first column, last row, last column; each from 1."""


@dataclass(frozen=True)
class SheetHead:
    """A sheet of a workbook. ``has_cells``: False for a chart and the like, which hold no rows."""

    name: str
    hidden: bool = False
    has_cells: bool = True


@dataclass(frozen=True)
class SheetCells:
    """The cells of a sheet from its first row and column on. A row without cells is empty.

    ``hidden_rows`` and ``hidden_columns``: their numbers from 1. ``filtered``: a filter is set on the sheet.
    """

    grid: Sequence[Sequence[object]]
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    merged: Sequence[Rectangle] = ()
    filtered: bool = False


class SheetBook(Protocol):
    """An open workbook. ``untold``: what its format or reader cannot tell of it; empty where all is known."""

    @property
    def form(self) -> str: ...
    @property
    def sheets(self) -> tuple[SheetHead, ...]: ...
    @property
    def untold(self) -> str: ...
    def read(self, name: str) -> SheetCells:
        """Return the cells of a sheet. Raises InvalidMessage when they cannot be read. Blocks."""
        ...


OpenWorkbook = Callable[[bytes], SheetBook]
"""Opens a workbook: :func:`shared.tables.excel.open_workbook`."""
