"""Fields of rows, read without a model: the list of the page whose columns are those of the field.

The reader of lists reads it. What it reads is then checked like a report: each cell in its row and column, and whether
these are all rows. A page that leaves open which list is meant gives none, with the reason. Rows of pages that were
kept before (row_pages.py) are joined with those of this one, by the id keys of the field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from msgspec.structs import replace as replace_part

from services.planner.judge.rows.merging import row_key
from services.planner.judge.rows.reported import (
    ReportedRows,
    finder_cells,
    problems_of_rows,
    reported_rows,
    rows_absent,
)
from services.planner.state.attempt_state import Entry, SampleView
from shared.contracts.actions import Click, Goto, SaveProgress, Scroll
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import BY_RULE
from shared.contracts.steps import FieldValue, Note, RowValue
from shared.field_types import is_rows, nullable
from shared.login_walls import login_wall_words
from shared.pages.elements import is_heading
from shared.pages.identity.scope import find_list
from shared.pages.listing.list_reader import ListRead, read_list
from shared.pages.lists.list_states import empty_words, parts_around
from shared.pages.lists.lists import column_headers
from shared.pages.lists.paging import without_pagers
from shared.pages.read.fields import labels_of
from shared.task.listing import ListChoice
from shared.task.output_field import OutputField
from shared.task.route import words
from shared.task.row_values import fill_known, template_values
from shared.task.spec import TaskSpec
from shared.text.normal import label_form, quoted

MOST_BELOW_PX = 60
"""Between the last row and the end of what its part can scroll to: a foot, a margin."""


@dataclass(frozen=True)
class RowsRead:
    """A field of rows as read of one page, together with the rows that were kept of pages before it. ``new``: those
    that were not. ``ends``: this page leaves open how its rows go on from those, so that no further one is looked at.
    ``first`` and ``last``: the refs of what begins and ends the list on this page, 0 where it is not shown; ``end_px``
    and ``scroller``: as in `ListRead`. ``doubt``: why this page leaves open which rows of it are meant."""

    value: FieldValue
    new: tuple[RowValue, ...] = ()
    ends: bool = False
    first: int = 0
    last: int = 0
    end_px: float = 0.0
    scroller: int = 0
    notes: tuple[Note, ...] = ()
    doubt: str = ""


def read_rows(view: SampleView, page: PageObserved) -> dict[str, RowsRead]:
    """Return a reading of each field of rows."""
    fields = {name: field for name, field in view.spec.output_schema.items() if is_rows(field.type)}
    return {name: _read(name, field, view, page) for name, field in fields.items()}


def steps_since_kept(view: SampleView) -> tuple[Entry, ...]:
    """Return the step that kept rows of a page last, and those after it; none if nothing was kept."""
    kept = [at for at, e in enumerate(view.state.history) if _keeps(e)]
    return view.state.history[kept[-1] :] if kept else ()


def _keeps(entry: Entry) -> bool:
    return isinstance(entry.action, SaveProgress) and entry.decided_by == BY_RULE and not entry.refused


def _read(name: str, field: OutputField, view: SampleView, page: PageObserved) -> RowsRead:
    row = template_values(view.sample)
    under = [fill_known(word, row) for word in words(field.under)]
    part = find_list(page, under) or ()
    read = read_list(_as_list(view.spec, field, under), without_pagers(page), of_record=True)
    kept = view.state.kept_rows.get(name)
    read = _in_sight(read, page, kept.rows if kept is not None else ())
    if kept is not None and (read.doubt or not read.texts):
        # What was whole before stays so on a page that another list was turned to.
        why = kept.lacking and _not_gone_on(page, read.doubt)
        return RowsRead(replace_part(kept, lacking=why), doubt=read.doubt)
    if read.doubt:
        return _none_read(name, read.doubt if _has_such_columns(field, page) or under else "")
    said = _is_no_row(read.texts[0], page) if len(read.texts) == 1 and kept is None else ""
    if not read.texts or said:
        said = said or _says_none(field, page, part)
        if said and nullable(field.type):
            return RowsRead(rows_absent(name, said, page))
        return _none_read(name, f"the page says {quoted(said)}" if said else "")
    told = reported_rows(name, field, [dict(texts) for texts in read.texts], None, _read_anew(name, view, page))
    return _joined(name, field, told, kept, read, view)


def read_told_rows(
    name: str, field: OutputField, texts: Sequence[Mapping[str, str | None]], view: SampleView, page: PageObserved
) -> RowsRead:
    """Return the reading of rows that are found in another way than by the labels of their columns: each is looked for
    on the page, and joined with those of pages before it. In a part that scrolls by itself it has no way on: which of
    its rows are drawn is not known."""
    told = reported_rows(name, field, [dict(one) for one in texts], None, _read_anew(name, view, page))
    sources = [cell.source for row in told.here for cell in row.cells if cell.source is not None]
    refs = {one.ref for one in sources}
    own = [one for one in page.elements if one.ref in refs]
    where = ListRead((), "", 0, 0.0)
    if own and not any(part.max_y_px >= 1 for part in parts_around(page, own[-1].scroller)):
        end_px = max((one.box.y for one in own if one.box is not None), default=0.0)
        where = replace(where, first=own[0].ref, last=own[-1].ref, end_px=end_px)
    return _joined(name, field, told, view.state.kept_rows.get(name), where, view)


def _read_anew(name: str, view: SampleView, page: PageObserved) -> SampleView:
    """Return the sample with no other rows of the field than those that were kept: rows of a page that was drawn again
    are no rows of another page."""
    kept = view.state.kept_rows.get(name)
    seen = {other: value for other, value in view.state.seen.items() if other != name}
    seen |= {name: kept} if kept is not None else {}
    return replace(view, page=page, state=replace(view.state, seen=seen, on_other_record=False))


def _in_sight(read: ListRead, page: PageObserved, kept: Sequence[RowValue]) -> ListRead:
    """Return no more than the rows that can be seen, where a part draws only those around its place: the others are
    drawn anew before a picture shows them. Those that were kept were seen."""
    part = next(iter(parts_around(page, read.scroller)), None)
    if part is None or part.max_y_px < 1 or not all(read.boxes):
        return read
    boxes = [box for box in read.boxes if box is not None]
    lowest = max((box.y + box.height for box in boxes), default=0.0)
    is_whole = lowest - part.top_px + part.y_px >= part.max_y_px + part.height_px - MOST_BELOW_PX
    is_end = part.y_px >= part.max_y_px - 1
    first, end = part.top_px - 1, part.top_px + part.height_px + (MOST_BELOW_PX if is_end else 1)
    known = [finder_cells(row) for row in kept]
    seen = [
        at for at, box in enumerate(boxes) if (first <= box.y and box.y + box.height <= end) or read.texts[at] in known
    ]
    if not seen or (is_whole and part.y_px < 1):
        return read
    texts, own = tuple(read.texts[at] for at in seen), tuple(boxes[at] for at in seen)
    return replace(read, texts=texts, boxes=own, end_px=own[-1].y)


def _joined(
    name: str, field: OutputField, told: ReportedRows, kept: FieldValue | None, read: ListRead, view: SampleView
) -> RowsRead:
    value = told.value
    doubts = [problem.text for problem in (*told.problems, *problems_of_rows(value, field))]
    if kept is None and (told.problems or value.state != "value" or doubts != [value.lacking] * bool(value.lacking)):
        return _none_read(name, doubts[0] if doubts else "")
    before = list(kept.rows) if kept is not None else []
    known = {row_key(row, field.id_keys) for row in before}
    new = tuple(row for row in value.rows if row_key(row, field.id_keys) not in known)
    wrong = ""
    if kept is not None:
        wrong = next((problem.text for problem in told.problems), "") or _how_joined(
            field, before, told.here, new, view
        )
    value = replace_part(value, lacking=wrong) if wrong else value
    return RowsRead(value, new, bool(wrong), read.first, read.last, read.end_px, read.scroller, told.notes)


def _how_joined(
    field: OutputField, before: Sequence[RowValue], here: Sequence[RowValue], new: Sequence[RowValue], view: SampleView
) -> str:
    """Return why the rows of this page may not be the next ones of the list; empty: they are.

    Where no page was turned, some of the known rows are still there, so that none was left out. Without id keys, equal
    rows are one row only where the page goes on from where the list was."""
    moves = [entry.action for entry in steps_since_kept(view) if changes_place(entry)]
    additive = all(isinstance(move, Scroll) for move in moves)
    if additive and not new:
        return ""
    keys = list(dict.fromkeys(row_key(row, field.id_keys) for row in here))
    known = list(dict.fromkeys(row_key(row, field.id_keys) for row in before))
    again = [key for key in keys if key in known]
    if additive and not again:
        return "none of the rows that were read before is there any more, so that others may have been left out"
    goes_on = bool(again) and keys[: len(again)] == known[-len(again) :]
    if field.id_keys or not again or (goes_on and (additive or len(again) == len(known))):
        return ""
    first = quoted(next((cell.shown or "" for cell in here[keys.index(again[0])].cells), ""), 40)
    times = f"{len(again)} rows" if len(again) > 1 else "one row"
    return f"{times} of this page are equal to rows of a page before, from {first} on: see `id_keys` of the field"


def changes_place(entry: Entry) -> bool:
    """Return whether the step may have shown another part of a list."""
    return isinstance(entry.action, Goto | Click | Scroll) and entry.may_have_fired


def _not_gone_on(page: PageObserved, doubt: str) -> str:
    asked = login_wall_words(page)
    status = f", and answers with HTTP {page.http_status}" if (page.http_status or 200) >= 400 else ""
    why = f"{doubt}" if doubt else f"it {asked}" if asked else "it shows no such rows"
    return f"what leads on from the rows has come to {page.url}{status}: {why}"


def _none_read(name: str, why: str) -> RowsRead:
    return RowsRead(FieldValue(field=name, state="not_found", lacking=why))


def _as_list(spec: TaskSpec, field: OutputField, under: list[str]) -> TaskSpec:
    """Return the rows as the list of a task that asks for each of their columns."""
    asked = {"output_schema": dict(field.columns), "required_fields": list(field.columns)}
    return spec.model_copy(update={**asked, "list_": ListChoice(under=under or None)})


def _has_such_columns(field: OutputField, page: PageObserved) -> bool:
    """Return whether a table of the page has a column of the field. Another table says nothing of it."""
    return bool(_labels(field) & {label_form(one.name) for one in column_headers(page.elements)})


def _labels(field: OutputField) -> frozenset[str]:
    return frozenset(label for name, column in field.columns.items() for label in labels_of(name, column))


def _says_none(field: OutputField, page: PageObserved, part: Sequence[Element]) -> str:
    """Return the words by which the page says that a table with all columns of the field has no rows; empty if it does
    not say so below the head of the table and above the next heading."""
    heads = [one for one in column_headers(part) if label_form(one.name) in _labels(field)]
    named = {label_form(one.name) for one in heads}
    if not heads or not all(labels_of(name, column) & named for name, column in field.columns.items()):
        return ""
    behind = [element for element in part if element.ref > heads[-1].ref]
    own = tuple(takewhile(lambda element: not is_heading(element), behind))
    return empty_words(replace_part(page, elements=own))


def _is_no_row(texts: Mapping[str, str], page: PageObserved) -> str:
    """Return the words by which the only row of a list says that there is none; empty: it is a row."""
    said = [element for element in page.elements if element.name and element.name in texts.values()]
    return empty_words(replace_part(page, elements=tuple(said))) if len(texts) == 1 else ""
