"""Whether a reading contradicts what a person reads on the page, where that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from unicodedata import normalize

from shared.text.normal import fold, without_footnote
from tests.corpus.rows import Row, Rows
from tests.corpus.stored import REFUSED, AskedPage, Group

VALUES = ("labels", "flow")
"""Readers of single typed values."""


def contradictions(group: Group, rows: Rows) -> list[tuple[str, Row, str]]:
    """Return each certain reading that is not the truth, with its page and the truth. Those known by hand are left
    out."""
    pages = {one.name: one for one in group.pages}
    return [
        (page, row, right)
        for page, found in rows.items()
        for row, right in _of_page(pages[page], found)
        if not row.by_hand
    ]


def _of_page(asked: AskedPage, rows: Sequence[Row]) -> Iterator[tuple[Row, str]]:
    for row in rows:
        if row.is_refusal:
            continue
        if row.reader in VALUES and row.field in asked.truth:
            right = asked.truth[row.field]
            if not _agrees(row, right):
                yield row, "(none)" if right is None else right
        elif asked.refused and row.reader == "ending" and row.state.startswith("done"):
            yield row, "not done"
        elif asked.items and row.reader == "list":
            right = _list_fault(row, rows, asked.items)
            if right:
                yield row, right


def _list_fault(row: Row, rows: Sequence[Row], items: Sequence[str]) -> str:
    """Return what is right instead of this row of a list; empty if it is right. A list that goes on must not be told
    complete, and has no other items than these."""
    read = _items(rows)
    if row.field == "items" and not set(read) <= {*items, "..."} and items != INCOMPLETE:
        return f"{len(items)} items: {', '.join(items[:5])}"
    count = next(int(one.value or 0) for one in rows if one.key == ("list", "items"))
    if row.field == "complete" and row.state == "complete" and (items == INCOMPLETE or count < len(items)):
        return f"not complete: {len(items)} items"
    return ""


INCOMPLETE = ("incomplete",)


def _items(rows: Sequence[Row]) -> list[str]:
    texts = [row.value or "" for row in rows if row.reader == "list" and row.field.startswith("item ")]
    return [text.split(" | ")[0] for text in texts]


def _agrees(row: Row, right: str | None) -> bool:
    if right is None or row.state == "not_present":
        return right is None and row.state == "not_present"
    return right != REFUSED and any(_same(row.value or "", one) for one in right.split(" or "))


def _same(shown: str, right: str) -> bool:
    """A footnote's number is read with the text that it stands at."""
    if fold(normalize("NFC", without_footnote(shown))) == fold(normalize("NFC", right)):
        return True
    try:
        return Decimal(shown) == Decimal(right)
    except InvalidOperation:
        return False
