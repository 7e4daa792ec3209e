"""The table of a run: a page of its samples with a cell for each field, and the page of one cell with its crop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, quote

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.text.review_words import JUDGMENT, STATES, item_words, sample_of
from services.console.web.desk import NO_RUN, Desk, ask_rows, desk_of, page
from services.console.web.people.roles import may as may_open
from services.console.web.review.cell_crops import CellCrop, field_crops, file_crops, picture_names
from services.console.web.review.desk_reviewer import DeskReviewer, reviewer_of
from services.console.web.review.review_facts import (
    DECIDED_AS,
    TARGET,
    choices_of,
    has_decided,
    is_unread,
    target_field,
    undos_of,
)
from services.console.web.review.review_web import ACT_ROUTE, NOTHING_KEPT, acts_of, review_address
from services.console.web.review.table_facts import (
    DECISION_SIGNS,
    JUDGMENT_COLUMN,
    STATE_SIGNS,
    SheetCell,
    decided_cell,
    settled_cell,
    stored_cell,
    table_rows,
)
from services.console.web.review.table_query import MOST_CELLS, TABLE_ROWS, TableAsked, table_query
from services.console.web.review.where_shown import file_choices, first_choice
from services.console.web.run_facts import status_words
from services.console.web.stored_samples import picture_state, read_sample
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.discovery import Problem
from shared.contracts.evidence import WAITING, LoadRun, RunLoaded, RunUnknown
from shared.contracts.sessions.reviewing import ReviewItem, ReviewLoaded
from shared.errors import ExhibitError
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.review.policy import ReviewPolicy
from shared.evidence_view.sample_details import detail_of
from shared.evidence_view.sample_facts import SampleFacts
from shared.statuses import STATUSES
from shared.subjects import LOAD_RUN

MOST_SHOWN_ROWS = 12
"""Of a field of rows, in the pane of its cell."""


async def show_table(request: Request) -> Response:
    """Show the samples that the address asks for, a page of them."""
    desk, run_id = desk_of(request), request.path_params["run"]
    loaded, asked = await _load_run(desk, run_id), TableAsked.of(request.query_params)
    task = TaskFacts.of(loaded.record.spec)
    query = table_query(asked, has_rows=any(one.columns for one in task.fields), judged=task.judged)
    told = await ask_rows(desk, query, run_id, max_rows=MOST_CELLS)
    names = [one.name for one in task.fields]
    person, stands, items, lost = await _told_of(desk, loaded, list(dict.fromkeys(one["sample_id"] for one in told)))
    ended = loaded.finished is not None
    rows = table_rows(told, names, items, ended=ended, judged=task.judged)
    found = int(told[0]["found"]) if told else 0
    return page(
        request, "table.html", run_id=run_id, task_id=task.task_id or run_id, asked=asked, rows=rows, found=found,
        total=loaded.total, columns=[*names, *([JUDGMENT_COLUMN] if task.judged else [])],
        pages=-(-found // TABLE_ROWS), statuses=(*STATUSES, WAITING), link=CellLinks(run_id, asked),
        signs=STATE_SIGNS, decision_signs=DECISION_SIGNS, stands=stands, state=STATES[stands.state] if stands else "",
        may=_may(desk, loaded, person, stands), ended=ended, lost=lost, complete=loaded.population_complete,
        table=asked.query, words="", why="",
        **_who(desk, loaded, person),
    )  # fmt: skip


async def show_cell(request: Request) -> Response:
    """Show the cell that the address names: its crop, what is decided of it, and the forms that decide."""
    return await cell_page(request, request.path_params["cell"], request.url.query)


async def cell_page(
    request: Request, words: str, query: str, problems: Sequence[Problem] = (), kept: Mapping[str, str] | None = None
) -> Response:
    """Return the page of a cell.

    Args:
        words: its name, as in a review.
        query: what the address of its table asks for.
        problems: why what was sent is refused.
        kept: the form that is refused: its texts stand in the page again.
    """
    desk, run_id, sample_id = desk_of(request), request.path_params["run"], sample_of(words)
    given = dict(parse_qsl(query))
    loaded, asked = await _load_run(desk, run_id), TableAsked.of(given)
    task = TaskFacts.of(loaded.record.spec)
    stored = await asyncio.to_thread(read_sample, desk.settings, run_id, sample_id, task)
    person, stands, lost = await reviewer_of(desk), None, ""
    if loaded.finished is not None:
        try:
            stands = await person.load(desk.client.bus, run_id, sample_id)
        except ExhibitError as exc:
            lost = str(exc)
    item = next((one for one in stands.items if item_words(one) == words), None) if stands is not None else None
    facts = stored.facts if stored is not None else None
    own = _own_cell(words, sample_id, facts, task, item, ended=loaded.finished is not None)
    if own is None:
        raise HTTPException(404, "The run has no such cell, or the files of the sample are not on this machine.")
    whole = next((one for one in stands.items if item_words(one) == sample_id), None) if stands is not None else None
    own = settled_cell(own, decided_cell(SheetCell(sample_id, "", "nothing"), whole))
    detail: dict[str, Any] = msgspec.to_builtins(detail_of(facts)) if facts is not None else {}
    field = next((one for one in detail.get("fields") or () if one["n"] == own.column), None)
    crops = await _crops(desk, run_id, detail, own, words, sample_id)
    decidable = item is not None and stands is not None
    files = file_choices(stands.files, detail) if stands is not None else []
    return page(
        request, "table_cell.html", 409 if problems else 200, run_id=run_id, task_id=task.task_id or run_id,
        words=words,
        sample_id=sample_id, detail=detail, field=field, cell=own, crops=crops, item=item, stands=stands,
        own=item is not None and has_decided(person.name, item), files=files, where="",
        first_file=first_choice(files, detail, item, "") if item is not None else "", unread=is_unread(item),
        choices=choices_of(detail, own.column) if field is not None else (), candidate=given.get("candidate", ""),
        targets=[(f"{TARGET}0", target_field(item))] if item is not None else [], why="", alike=(), table=asked.query,
        problems=problems, kept=NOTHING_KEPT | dict(kept or {}), decided_as=DECIDED_AS, lost=lost,
        undos=undos_of(item, (), person.name),
        may=_may(desk, loaded, person, stands) if decidable else frozenset[str](), ended=loaded.finished is not None,
        step=_step_of(detail, own.column), link=CellLinks(run_id, asked), shown_rows=MOST_SHOWN_ROWS,
        turns=_turns(words, sample_id, task, detail), status=facts.status if facts is not None else "",
        status_told=status_words(facts.status) if facts is not None and facts.status else "",
        **_who(desk, loaded, person),
    )  # fmt: skip


async def _load_run(desk: Desk, run_id: str) -> RunLoaded:
    loaded = await desk.client.bus.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=LOAD_BOUND_S)
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, NO_RUN)
    return loaded


async def _told_of(
    desk: Desk, loaded: RunLoaded, sample_ids: Sequence[str]
) -> tuple[DeskReviewer, ReviewLoaded | None, list[ReviewItem], str]:
    """Return who looks, how the review stands, what of these samples is for review or decided, and why that is not
    known."""
    person = await reviewer_of(desk)
    if loaded.finished is None or not sample_ids:
        return person, None, [], ""
    try:
        stands, items = await person.load_of(desk.client.bus, loaded.record.run_id, sample_ids)
    except ExhibitError as exc:
        return person, None, [], str(exc)
    return person, stands, items, ""


def _may(desk: Desk, loaded: RunLoaded, person: DeskReviewer, stands: ReviewLoaded | None) -> frozenset[str]:
    return acts_of(desk, loaded.record, person) if stands is not None else frozenset()


def _who(desk: Desk, loaded: RunLoaded, person: DeskReviewer) -> dict[str, Any]:
    role = ReviewPolicy.of(loaded.record).role_of(person.name)
    return {"person": person, "role": role, "reads_only": not may_open(desk.roles, ACT_ROUTE)}


def _own_cell(
    words: str, sample_id: str, facts: SampleFacts | None, task: TaskFacts, item: ReviewItem | None, *, ended: bool
) -> SheetCell | None:
    """Return the cell as its sample has it; None for a name that is none of the run's."""
    if words == sample_id:
        known = facts is not None or item is not None
        return decided_cell(SheetCell(words, "", "nothing"), item) if known and sample_id else None
    field = next((one for one in task.fields if words == f"{sample_id}.{one.name}"), None)
    if field is None and not (task.judged and words == f"{sample_id}{JUDGMENT}"):
        return None
    if facts is None:
        name = field.name if field is not None else JUDGMENT_COLUMN
        return None if item is None else decided_cell(SheetCell(words, name, "review", item.value), item)
    return stored_cell(words, facts, field, item, ended=ended)


async def _crops(
    desk: Desk, run_id: str, detail: Mapping[str, Any], own: SheetCell, words: str, sample_id: str
) -> list[tuple[CellCrop, str]]:
    """Return the crops, each with how its picture is: ``as_captured``, ``gone`` or ``changed``; empty without one."""
    if not detail:
        return []
    if words == sample_id:
        crops = file_crops(run_id, detail, picture_names(detail)[-1:])
    elif words.endswith(JUDGMENT):
        judged: Mapping[str, Any] = detail.get("judgment") or {}
        crops = file_crops(run_id, detail, judged.get("evidence_refs") or ())
    else:
        crops = field_crops(run_id, detail, own.column)
    pictures = {one.part.filename: one.sha256 for one in crops if one.part is not None}

    def states() -> dict[str, str]:
        return {name: picture_state(desk.settings, run_id, sample_id, name, sha) for name, sha in pictures.items()}

    found = await asyncio.to_thread(states)
    return [(one, found[one.part.filename] if one.part is not None else "") for one in crops]


def _step_of(detail: Mapping[str, Any], name: str) -> int | None:
    """Return the last step that has reported a field."""
    return next((one["n"] for one in reversed(detail.get("steps") or ()) if name in (one.get("saved") or ())), None)


def _turns(words: str, sample_id: str, task: TaskFacts, detail: Mapping[str, Any]) -> tuple[str, str]:
    """Return the names of the cells before and after one in its row; empty: it is the first, the last."""
    row = [sample_id, *(f"{sample_id}.{one.name}" for one in task.fields)]
    if detail.get("judgment"):
        row.append(f"{sample_id}{JUDGMENT}")
    at = row.index(words) if words in row else 0
    return (row[at - 1] if at else "", row[at + 1] if at + 1 < len(row) else "")


class CellLinks:
    """Addresses of a table, of its cells, and of the review that takes their decisions."""

    def __init__(self, run_id: str, asked: TableAsked) -> None:
        self._base, self._asked = f"/runs/{quote(run_id, safe='')}/table", asked
        self.review = review_address(run_id, {})
        self._run_id = run_id

    def table(self, words: str = "") -> str:
        """The page of the table that one came from, at a cell."""
        return f"{self._base}{self._query()}{f'#{quote(words)}' if words else ''}"

    def cell(self, words: str) -> str:
        return f"{self._base}/{quote(words, safe='')}{self._query()}"

    def case(self, _why: str, words: str, **more: object) -> str:
        """As `ReviewLinks.case`: the page of the cell, with a text of the page taken into its correction."""
        candidate = f"candidate={quote(str(more['candidate']))}" if "candidate" in more else ""
        return f"{self._base}/{quote(words, safe='')}{self._query(candidate)}"

    def desk(self, words: str) -> str:
        return review_address(self._run_id, {"case": words})

    def act(self, act: str) -> str:
        return f"{self.review}/{act}"

    def _query(self, more: str = "") -> str:
        query = "&".join(part for part in (self._asked.query, more) if part)
        return f"?{query}" if query else ""


def cell_address(run_id: str, words: str, query: str) -> str:
    """Return the page of a cell. ``query``: what the address of its table asks for; what has no meaning is left out."""
    return CellLinks(run_id, TableAsked.of(dict(parse_qsl(query)))).cell(words)


def table_address(run_id: str, words: str, query: str) -> str:
    """Return the page of a table, at a cell. ``query``: as of `cell_address`."""
    return CellLinks(run_id, TableAsked.of(dict(parse_qsl(query)))).table(words)
