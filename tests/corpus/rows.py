"""What the readers say, a line each, so that a change is a line in a diff."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence

import msgspec

from tests.corpus.stored import FOLDER

REFUSALS = frozenset(
    {"missing", "not_found", "ambiguous", "uncertain", "unsure", "unproven", "mismatch", "needs_review", "doubt"}
)
"""States that leave it to a person."""


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reading. ``at``: the element that shows the value. ``doubt``: why it is not certain.

    ``by_hand``: why the reading is wrong; state and value are then the right ones, written by a person from the page,
    and ``read`` is what is read instead.
    """

    reader: str
    field: str = ""
    state: str = ""
    value: str | None = None
    at: str = ""
    doubt: str = ""
    by_hand: str = ""
    read: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return (self.reader, self.field)

    @property
    def is_refusal(self) -> bool:
        """Whether it is left to a person, by the reader or by what the picture shows."""
        return self.state in REFUSALS or self.doubt.startswith("ink")

    @property
    def said(self) -> str:
        """The reading in one text."""
        return f"{self.state} {self.value or ''}".strip()


Rows = dict[str, list[Row]]
"""The readings by page."""


def read_rows(group: str) -> Rows:
    path = FOLDER / group / "readings.jsonl"
    rows: Rows = {}
    page = ""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if line.startswith('{"page"'):
            page = json.loads(line)["page"]
            rows[page] = []
        else:
            rows[page].append(msgspec.json.decode(line, type=Row))
    return rows


def write_rows(group: str, rows: Rows) -> None:
    lines: list[str] = []
    for page, readings in rows.items():
        lines.append(json.dumps({"page": page}, ensure_ascii=False))
        lines += [json.dumps(msgspec.to_builtins(one), ensure_ascii=False) for one in readings]
    (FOLDER / group / "readings.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def differences(stored: Rows, found: Rows, group: str = "") -> list[str]:
    """Return each changed reading as `page, reader, field: before -> after`."""
    pages = dict.fromkeys([*stored, *found])
    return [f"{group}/{page}, {line}" for page in pages for line in _of_page(stored.get(page, []), found.get(page, []))]


def _of_page(stored: Sequence[Row], found: Sequence[Row]) -> Iterable[str]:
    before, after = {one.key: one for one in stored}, {one.key: one for one in found}
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        said = _difference(old, new)
        if said:
            yield f"{key[0]} {key[1]}: {said}"


def _difference(old: Row | None, new: Row | None) -> str:
    if old is not None and old.by_hand:
        return _of_known_wrong(old, new)
    if old == new:
        return ""
    return f"{_told(old)} -> {_told(new)}"


def _of_known_wrong(old: Row, new: Row | None) -> str:
    """The wrong reading is known, and a refusal is always accepted in its place. All else is new."""
    if new is not None and _is_right(old, new):
        return f"it is right now ({old.said}): {old.by_hand}"
    if new is None or new.is_refusal or new.said == old.read:
        return ""
    return f"right is {old.said}, {old.read} was read -> {_told(new)}"


def _is_right(by_hand: Row, found: Row) -> bool:
    """Where nothing can be told for certain, any refusal is right."""
    return found.said == by_hand.said or (by_hand.is_refusal and found.is_refusal)


def _told(row: Row | None) -> str:
    if row is None:
        return "(no reading)"
    return " | ".join(filter(None, (row.said, row.at, row.doubt)))


def merged(stored: Rows, found: Rows) -> Rows:
    """Return the found readings, with what was written by hand as it was; without its mark where it is read so now."""
    kept = {(page, one.key): one for page, rows in stored.items() for one in rows if one.by_hand}
    return {page: [_kept(kept.get((page, one.key)), one) for one in rows] for page, rows in found.items()}


def _kept(by_hand: Row | None, found: Row) -> Row:
    if by_hand is None or _is_right(by_hand, found):
        return found
    is_known = found.is_refusal or found.said == by_hand.read
    return by_hand if is_known else msgspec.structs.replace(by_hand, read=found.said)


def marks_of(rows: Rows) -> list[Row]:
    return [one for one in itertools.chain.from_iterable(rows.values()) if one.by_hand]
