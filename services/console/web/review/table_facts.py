"""What the table of a run shows: a cell for each sample and field, its state, and what people have decided. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from services.console.text.review_words import item_words
from shared.contracts.sessions.reviewing import ReviewItem, ShownDecision
from shared.evidence_format.facts import TaskField
from shared.evidence_format.files.sample import StoredField
from shared.evidence_format.review.items import shown_text, value_beside
from shared.evidence_format.step_words import value_text
from shared.evidence_view.sample_facts import SampleFacts
from shared.statuses import group_of

CellState = Literal["certain", "review", "read", "none", "not_found", "nothing"]
"""What a cell has:

- ``certain``: a value of which nothing is in doubt, of a sample that is done, or of which people have decided each
  value that is in doubt.
- ``review``: a value, and a person is to look at it or at its sample.
- ``read``: a value of a run at work.
- ``none``: the page says that there is none.
- ``not_found``: the field was looked for.
- ``nothing``: the sample has no result, or none for this field.
"""
STATE_SIGNS: Mapping[str, tuple[str, str]] = {
    "certain": ("●", "certain"),
    "review": ("▲", "for review"),
    "read": ("◐", "read so far"),
    "none": ("○", "none, as the page says"),
    "not_found": ("?", "not found"),
    "nothing": ("·", "no result"),
}
"""The sign and the words of each."""
DECISION_SIGNS: Mapping[str, tuple[str, str]] = {
    "accept": ("✓", "accepted"),
    "correct": ("→", "corrected"),
    "reject": ("✗", "rejected"),
    "not_applicable": ("⊘", "not applicable"),
    "comment": ("✎", "comment"),
}
JUDGMENT_COLUMN = "judgment"
NONE_TEXT = "none"
"""The word for a value of which the page says that there is none."""


@dataclass(frozen=True)
class CellMark:
    """A decision on a cell. ``stale``: its evidence has changed since."""

    act: str
    by: str
    at: datetime
    value: str = ""
    stale: bool = False

    @property
    def sign(self) -> str:
        return DECISION_SIGNS.get(self.act, ("•", ""))[0]

    @property
    def words(self) -> str:
        return DECISION_SIGNS.get(self.act, ("", self.act.replace("_", " ")))[1]


@dataclass(frozen=True)
class SheetCell:
    """``words``: its name in addresses, as in a review. ``column``: for people. ``text``: as the page shows it;
    ``value``: what was read, where the markup of the page says more than its text. ``rows``: of a field of rows, how
    many. ``absent``: the page says that there is none. ``doubt``: why it is for review, as a code. ``marks``: what
    people have decided, the last for each; ``hidden``: how many decisions are not shown yet. ``standing``: where it
    stands in the review, as whoever looks is told; empty: it is not in it. A first decision does not decide where the
    task asks for two."""

    words: str
    column: str
    state: CellState
    text: str = ""
    value: str = ""
    rows: int | None = None
    absent: bool = False
    doubt: str = ""
    marks: tuple[CellMark, ...] = ()
    hidden: int = 0
    standing: str = ""
    settled: str = ""
    """The decision on its sample, for a cell that is for review and has none of its own."""

    @property
    def is_decided(self) -> bool:
        """Whether a decision stands in the place of what is for review."""
        return self.state in ("review", "not_found") and (bool(self.settled) or self.standing == "decided")

    @property
    def corrected(self) -> str:
        """The value that counts in the place of what was read; empty: none does, or people have said several."""
        said = {(one.act, one.value) for one in self.marks if one.act != "comment" and not one.stale}
        act, value = next(iter(said)) if self.standing == "decided" and len(said) == 1 else ("", "")
        return value if act == "correct" else ""

    @property
    def read_words(self) -> str:
        """What the run has read, in words."""
        return self.text or self.state_words if self.state in ("not_found", "nothing") else self.text or "(empty)"

    @property
    def decided_by_values(self) -> bool:
        """Of the cell of a sample: it is decided, and not by a decision on the sample itself."""
        return self.standing == "decided" and not _settling(self.marks)

    @property
    def differs(self) -> bool:
        """Whether people have decided it in more than one way."""
        return self.standing == "disagreed"

    @property
    def settled_sign(self) -> tuple[str, str]:
        """The sign and the words of the decision on its sample."""
        return DECISION_SIGNS.get(self.settled, ("•", self.settled.replace("_", " ")))

    @property
    def sign(self) -> str:
        return STATE_SIGNS[self.state][0]

    @property
    def state_words(self) -> str:
        return STATE_SIGNS[self.state][1]


def _settling(marks: Sequence[CellMark]) -> str:
    """Return the last decision that stands; empty: there is none."""
    return next((one.act for one in reversed(marks) if one.act != "comment" and not one.stale), "")


@dataclass(frozen=True)
class SampleCells:
    """A sample. ``own``: the cell of the sample itself; ``cells``: one for each column."""

    sample_id: str
    key: str
    row: int | None
    status: str
    reason: str
    own: SheetCell
    cells: tuple[SheetCell, ...]


def table_rows(
    told: Iterable[Mapping[str, Any]], columns: Sequence[str], items: Iterable[ReviewItem], *, ended: bool, judged: bool
) -> list[SampleCells]:
    """Return the rows of a page.

    Args:
        told: the answer to `table_query`.
        columns: the fields, in the order in which they are shown.
        items: what is for review or decided of these samples.
        ended: whether the run has ended.
        judged: whether the last column is the judgment.
    """
    by_sample: dict[str, list[Mapping[str, Any]]] = {}
    for one in told:
        by_sample.setdefault(one["sample_id"], []).append(one)
    known = {item_words(item): item for item in items}

    def row(sample_id: str, parts: list[Mapping[str, Any]]) -> SampleCells:
        head = parts[0]
        by_field = {one["field"]: one for one in parts}
        cells = [field_cell(sample_id, name, by_field.get(name), known, ended=ended) for name in columns]
        if judged:
            cells.append(_judgment_cell(sample_id, head, known, ended=ended))
        own = known.get(sample_id)
        whole = decided_cell(SheetCell(sample_id, "sample", "nothing"), own)
        return SampleCells(
            sample_id, head["key"] or "", head["row"], head["status"] or "", head["reason"] or "",
            whole, tuple(settled_cell(cell, whole) for cell in cells),
        )  # fmt: skip

    return [row(sample_id, parts) for sample_id, parts in by_sample.items()]


def field_cell(
    sample_id: str, name: str, told: Mapping[str, Any] | None, known: Mapping[str, ReviewItem], *, ended: bool
) -> SheetCell:
    """Return the cell of a field. ``told``: its row of the answer; None: the sample has none for the field."""
    words = f"{sample_id}.{name}"
    item = known.get(words)
    if told is None or told["state"] is None:
        return decided_cell(SheetCell(words, name, "nothing"), item)
    doubt = (item.why if item is not None else "") or ("rows_lacking" if told["lacking"] else "")
    text: str | None = told["text"] if told["items"] is None else told["first"]
    state = _state(told, doubt, ended=ended)
    value = value_beside(text or "", told["value"] or "", told["title"] or "") if told["items"] is None else ""
    absent = told["state"] == "not_present"
    text = NONE_TEXT if absent else text or ""
    cell = SheetCell(words, name, state, text, value, told["items"], absent, doubt)
    return decided_cell(cell, item)


def _state(told: Mapping[str, Any], doubt: str, *, ended: bool) -> CellState:
    if told["state"] == "not_found":
        return "not_found"
    in_doubt = bool(doubt) or (ended and (bool(told["flagged"]) or group_of(told["status"] or "") != "done"))
    if told["state"] == "not_present" and not in_doubt:
        return "none"
    if not ended:
        return "read"
    return "review" if in_doubt else "certain"


def _judgment_cell(
    sample_id: str, head: Mapping[str, Any], known: Mapping[str, ReviewItem], *, ended: bool
) -> SheetCell:
    words = f"{sample_id}:judgment"
    if head["answer"] is None:
        return decided_cell(SheetCell(words, JUDGMENT_COLUMN, "nothing"), known.get(words))
    state = _state({**head, "state": "value"}, "", ended=ended)
    return decided_cell(SheetCell(words, JUDGMENT_COLUMN, state, text=head["answer"]), known.get(words))


def stored_cell(
    words: str, facts: SampleFacts, field: TaskField | None, item: ReviewItem | None, *, ended: bool
) -> SheetCell:
    """Return the cell of a field as the files of its sample have it; without one, that of the judgment."""
    head = {"status": facts.status, "flagged": facts.flagged}
    known = {words: item} if item is not None else {}
    if field is None:
        answer = facts.judgment.answer if facts.judgment is not None else None
        return _judgment_cell(facts.sample_id, {**head, "answer": answer}, known, ended=ended)
    stored = facts.fields.get(field.name)
    if stored is None:
        return field_cell(facts.sample_id, field.name, None, known, ended=ended)
    rows = len(stored.rows or ()) if field.columns else None
    told = {
        "state": stored.state,
        "lacking": stored.lacking or None,
        "items": rows,
        "first": _first_row(stored, field),
        "text": shown_text(stored),
        "value": "" if stored.value is None else value_text(stored.value),
        "title": stored.source.title if stored.source is not None else None,
    }
    return field_cell(facts.sample_id, field.name, {**head, **told}, known, ended=ended)


def _first_row(stored: StoredField, field: TaskField) -> str:
    """Return the cells of the first row of a field of rows, in the order of `table_query`."""
    cells = stored.rows[0].cells if stored.rows else {}
    ordered = sorted(cells, key=lambda name: (name not in field.id_keys, name))
    told = [cells[name].shown or value_text(cells[name].value) for name in ordered if cells[name].state == "value"]
    return ", ".join(told)


def settled_cell(cell: SheetCell, whole: SheetCell) -> SheetCell:
    """Return the cell with the decision on its sample, where it has none of its own. ``whole``: the cell of that.

    Where people have decided the sample by its values in doubt, its other values are certain.
    """
    if cell.words == whole.words or _settling(cell.marks) or whole.standing != "decided":
        return cell
    if whole.decided_by_values:
        known = cell.state == "review" and not cell.doubt
        return replace(cell, state="none" if cell.absent else "certain") if known else cell
    return replace(cell, settled=_settling(whole.marks))


def decided_cell(cell: SheetCell, item: ReviewItem | None) -> SheetCell:
    """Return the cell with what is decided of it: the last decision and the last comment of each person."""
    if item is None:
        return cell
    last: dict[tuple[str, bool], ShownDecision] = {}
    for one in sorted(item.decisions, key=lambda one: one.number):
        last[one.by, one.act == "comment"] = one
    ordered = sorted(last.values(), key=lambda one: (one.act == "comment", one.number))
    marks = tuple(CellMark(str(one.act), one.by, one.at, one.value, one.stale) for one in ordered)
    return replace(cell, doubt=cell.doubt or item.why, marks=marks, hidden=item.hidden, standing=str(item.standing))
