"""The styles of a workbook, by the names that :mod:`services.evidence.combining.book_cells` gives them."""

# XlsxWriter tells only some of its types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

import xlsxwriter
from xlsxwriter.format import Format

from shared.statuses import STYLES

_TOP: dict[str, Any] = {"valign": "top"}
_STYLES: dict[str, dict[str, Any]] = {
    "plain": {},
    "text": {"text_wrap": True},
    "quoted": {"text_wrap": True, "quote_prefix": True},
    "wrong": {"text_wrap": True, "italic": True, "font_color": "#B71C1C"},
    "link": {"font_color": "#0563C1", "underline": 1},
    "date": {"num_format": "yyyy-mm-dd"},
    "moment": {"num_format": "yyyy-mm-dd hh:mm:ss"},
    "utc": {"num_format": 'yyyy-mm-dd hh:mm:ss "UTC"'},
    "head": {"text_wrap": True, "bold": True, "bg_color": "#ECEFF1", "bottom": 1},
    **{f"status {one}": {"font_color": style.sheet[0], "bg_color": style.sheet[1]} for one, style in STYLES.items()},
}


class StyleNumbers(dict[str, int]):
    """The number of each style in the book, made when it is first asked for."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        super().__init__()
        self._book = book

    def __missing__(self, name: str) -> int:
        made: Any = self.format(name)
        self[name] = int(made._get_xf_index())
        return self[name]

    def format(self, name: str) -> Format:
        return self._book.add_format({**_TOP, **_of(name)})


def _of(name: str) -> dict[str, Any]:
    if name.startswith("decimal "):
        digits = int(name.removeprefix("decimal "))
        return {"num_format": "0." + "0" * digits if digits else "0"}
    return _STYLES.get(name, {})
