"""The placeholders of a template, ``{{run.id}}``, and what each stands for. Pure.

A placeholder of the run stands for one fact. One of a list (``{{sample.id}}``) makes its row be repeated for each item
of the list. One of a field (``{{field.name}}``) makes its cells be repeated to the right for each field of the task.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from shared.evidence_format import layout
from shared.evidence_format.facts import TaskControl
from shared.evidence_format.review.amounts import decided_words
from shared.field_types import base_type
from shared.papers.paper import (
    EXCEPTION_KINDS,
    MARKS,
    Paper,
    PaperComment,
    PaperException,
    PaperField,
    PaperOutcome,
    PaperSample,
    PaperSignature,
    PaperStamp,
    PaperValue,
)
from shared.papers.words import (
    attribute,
    by_words,
    comment_words,
    controls_words,
    decision_words,
    draw_words,
    exception_by_words,
    exception_decision_words,
    exception_reason_words,
    exception_value_words,
    moment_words,
    of_them_decided,
    period,
    read_words,
    review_period,
    review_words,
    sample_by_words,
    sample_decision_words,
    sample_status_words,
    status_words,
    value_words,
    verdict,
)
from shared.tables.workbook_cells import number_of

PLACEHOLDER_MARK = re.compile(r"\{\{\s*([a-z_]+)\.([a-z0-9_]+)\s*\}\}")
NO_ZONE = "UTC"
FIELD = "field"
"""What placeholders begin with that are repeated to the right."""


@dataclass(frozen=True)
class PaperCell:
    """What a placeholder stands for. ``link``: a path in the run's folder; empty: none. ``beside``: it leads from the
    workbook instead. ``anchor``: the place in the file. ``tip``: what is shown over the link."""

    value: str | float | datetime
    link: str = ""
    beside: bool = False
    anchor: str = ""
    tip: str = ""


@dataclass(frozen=True)
class SampleOfField:
    """The value of a sample in a field."""

    field: PaperField
    value: PaperValue | None


_Make = Callable[[Any], "PaperCell | str | float | datetime"]


def _moment(at: datetime | None) -> datetime | str:
    return at.astimezone(UTC).replace(tzinfo=None, microsecond=0) if at is not None else ""


def cell_value(value: PaperValue) -> str | float:
    """Return the value that counts as a cell has it: a number where Excel keeps all of its digits, else the text."""
    decided = value.decision_instead
    if decided is not None:
        text = value_words(value)
        return _cell_number(value, text, text) if decided.decision == "correct" else text
    return read_cell(value)


def read_cell(value: PaperValue) -> str | float:
    """Return what was read as a cell has it."""
    if value.absent or value.mark in ("?", "-"):
        return read_words(value)
    return value.text if isinstance(value.value, bool) else _cell_number(value, str(value.value), value.text)


def _cell_number(value: PaperValue, written: str, text: str) -> str | float:
    """Return what is written as a number if its field is one, else the text."""
    is_number = base_type(value.type) in ("number", "decimal") and re.fullmatch(r"[+-]?\d+(\.\d+)?", written)
    number = number_of(written) if is_number else None
    return text if number is None else number


def _told_number(paper: Paper, group: str, number: int) -> str | float:
    """Return how many samples have ended so, and how many of them are decided."""
    told = of_them_decided(number, paper.population.decided.get(group, 0))
    return f"{number:,}, {told}" if told else float(number)


RUN_FACTS: Mapping[str, Callable[[Paper], Any]] = {
    "run.id": lambda paper: paper.run_id,
    "run.task": lambda paper: paper.task_id,
    "run.goal": lambda paper: paper.goal,
    "run.attribute": attribute,
    "run.controls": controls_words,
    "run.period": period,
    "run.asked_at": lambda paper: _moment(paper.asked_at),
    "run.started_at": lambda paper: _moment(paper.started_at),
    "run.finished_at": lambda paper: _moment(paper.finished_at),
    "run.requested_by": lambda paper: paper.requested_by,
    "run.verdict": verdict,
    "run.software": lambda paper: paper.software,
    "run.remarks": lambda _: "",
    "review.state": review_words,
    "review.decided": lambda paper: decided_words(paper.decided),
    "review.period": review_period,
    "review.signed_off_at": lambda paper: _moment(paper.signed_off_at),
    "population.headline": lambda paper: paper.population.headline,
    "population.complete": lambda paper: "yes" if paper.population.complete else "no",
    "population.why_not": lambda paper: paper.population.why_not,
    "population.source": lambda paper: "\n".join(filter(None, paper.population.source)),
    "population.method": lambda paper: paper.population.method,
    "population.found": lambda paper: float(paper.population.found),
    "population.done": lambda paper: float(paper.population.done),
    "population.review": lambda paper: float(paper.population.review),
    "population.failed": lambda paper: float(paper.population.failed),
    "population.excepted": lambda paper: float(paper.population.excepted),
    "population.review_told": lambda paper: _told_number(paper, "review", paper.population.review),
    "population.failed_told": lambda paper: _told_number(paper, "failed", paper.population.failed),
    "population.excepted_told": lambda paper: _told_number(paper, "excepted", paper.population.excepted),
    "population.flagged": lambda paper: float(paper.population.flagged),
    "population.exceptions": lambda paper: float(len(paper.exceptions)),
    "population.open_exceptions": lambda paper: float(paper.open_exceptions),
    "draw.method": lambda paper: draw_words(paper.draw),
    "draw.seed": lambda paper: paper.draw.seed if paper.draw is not None else "none: nothing was drawn",
    "draw.size": lambda paper: float(paper.draw.size) if paper.draw is not None else "",
    "seal.manifest_sha256": lambda paper: PaperCell(
        paper.seal.manifest_sha256, layout.MANIFEST if paper.seal.manifest_sha256 else ""
    ),
    "seal.fingerprint": lambda paper: PaperCell(paper.seal.fingerprint, layout.SEAL if paper.seal.fingerprint else ""),
    "seal.sealed_at": lambda paper: _moment(paper.seal.sealed_at),
    "seal.round": lambda paper: float(paper.seal.round),
    "seal.software": lambda paper: paper.seal.software,
    "seal.files": lambda paper: float(paper.seal.files),
    "seal.notes": lambda paper: "\n".join(paper.seal.notes),
}
"""Placeholders of the run, each with its fact."""


STORED_PAGE = ".mhtml.zst"
PAGE_TIP = (
    "The page as it was stored (.mhtml.zst). `exhibit web` shows it below the values of its sample; or unpack it with "
    "`zstd -d` and open the .mhtml in a browser of the family of Chrome"
)


def _sample_link(sample: PaperSample) -> PaperCell:
    name = sample.key or sample.sample_id
    if sample.report:
        return PaperCell(name, sample.report, anchor=f"sample={quote(sample.sample_id, safe='')}")
    return PaperCell(name, next((one.path for one in sample.files if one.kind == "screenshot"), ""))


def _picture_link(value: PaperValue) -> PaperCell:
    """Return a value that leads to its crop; without one, to the whole picture. A corrected one leads to the file that
    the person has named for it: the crop shows what was read."""
    if value.where:
        return PaperCell(cell_value(value), value.where, tip=f"Where it stands, as {by_words(value.reviewed)} says")
    picture = next((place.picture for place in value.places if place.picture), "")
    if value.crop:
        return PaperCell(cell_value(value), value.crop, beside=True, tip=f"Cut of {picture}")
    return PaperCell(cell_value(value), picture)


def _page_link(text: str, value: PaperValue) -> PaperCell:
    return PaperCell(text, value.page, tip=_page_tip(value.page))


def _file_link(path: str) -> PaperCell:
    return PaperCell(path, path, tip=_page_tip(path))


def _page_tip(path: str) -> str:
    return PAGE_TIP if path.endswith(STORED_PAGE) else ""


_SAMPLE: Mapping[str, _Make] = {
    "row": lambda one: float(one.row),
    "id": _sample_link,
    "status": sample_status_words,
    "reason": lambda one: one.why,
    "message": lambda one: one.message,
    "remarks": lambda one: "\n".join(
        part for part in (one.why, one.message, *one.notes, *map(comment_words, one.comments)) if part
    ),
    "url": lambda one: one.url,
    "read_by": lambda one: one.decided_by,
    "finished_at": lambda one: _moment(one.finished_at),
    "answer": lambda one: (
        PaperCell(value_words(one.judgment), one.judgment.picture) if one.judgment is not None else ""
    ),
    "reasoning": lambda one: one.reasoning,
    "reviewed_answer": lambda one: one.judgment.reviewed_value if one.judgment is not None else "",
    "decision": sample_decision_words,
    "decided_by": sample_by_words,
    "decision_reason": lambda one: "; ".join(dict.fromkeys(said.reason for _, said in one.decided if said.reason)),
    "signed_off_at": lambda one: _moment(one.signed_off_at),
    "manifest_sha256": lambda one: PaperCell(
        one.manifest_sha256, f"{one.sample_id}/{layout.MANIFEST}" if one.manifest_sha256 else ""
    ),
}
_FIELD: Mapping[str, _Make] = {
    "name": lambda one: one.field.name,
    "heading_of_mark": lambda _: "mark",
    "description": lambda one: one.field.description,
    "value": lambda one: _picture_link(one.value) if one.value is not None else "",
    "mark": lambda one: _page_link(one.value.tickmark, one.value) if one.value is not None else "",
    "read": lambda one: read_cell(one.value) if one.value is not None else "",
    "reviewed_value": lambda one: one.value.reviewed_value if one.value is not None else "",
    "decision": lambda one: decision_words(one.value.reviewed) if one.value is not None else "",
}
_VALUE: Mapping[str, _Make] = {
    "sample": lambda one: _sample_link(one[0]) if one[0].report else one[0].key or one[0].sample_id,
    "field": lambda one: one[1].field,
    "value": lambda one: _picture_link(one[1]),
    "read": lambda one: read_cell(one[1]),
    "shown": lambda one: one[1].shown,
    "mark": lambda one: one[1].tickmark,
    "read_by": lambda one: one[1].read_by,
    "url": lambda one: one[1].url,
    "where": lambda one: _file_link(one[1].where),
    "picture": lambda one: PaperCell(one[1].picture, one[1].picture),
    "picture_sha256": lambda one: one[1].picture_sha256,
    "box": lambda one: box_words(one[1]),
    "page": lambda one: _page_link(one[1].page, one[1]),
    "page_sha256": lambda one: one[1].page_sha256,
    "reviewed_value": lambda one: one[1].reviewed_value,
    "decision": lambda one: decision_words(one[1].reviewed),
    "decided_by": lambda one: by_words(one[1].reviewed),
    "decision_reason": lambda one: one[1].reviewed.reason if one[1].reviewed is not None else "",
}
_EXCEPTION: Mapping[str, _Make] = {
    "kind": lambda one: EXCEPTION_KINDS[one.kind],
    "sample": lambda one: one.sample_id,
    "where": lambda one: one.where,
    "code": lambda one: one.code,
    "told": lambda one: one.told,
    "decision": exception_decision_words,
    "reviewed_value": exception_value_words,
    "decision_reason": exception_reason_words,
    "decided_by": exception_by_words,
}
LISTS: Mapping[str, Mapping[str, _Make]] = {
    "control": {
        "framework": lambda one: one.framework,
        "id": lambda one: one.id,
        "title": lambda one: one.title,
    },
    "sample": _SAMPLE,
    "value": _VALUE,
    "exception": _EXCEPTION,
    "comment": {
        "about": lambda one: one.about,
        "where": lambda one: one.where,
        "text": lambda one: one.text,
        "by": lambda one: one.by,
        "at": lambda one: _moment(one.at),
    },
    "mark": {"code": lambda one: one[0], "meaning": lambda one: one[1]},
    "outcome": {
        "status": lambda one: status_words(one.status),
        "reason": lambda one: one.words or one.reason,
        "samples": lambda one: float(one.samples),
        "decided": lambda one: float(one.decided) if one.decided else "",
    },
    "signature": {
        "name": lambda one: one.name,
        "role": lambda one: one.role,
        "at": lambda one: _moment(one.at),
        "key": lambda one: one.key,
    },
    "stamp": {
        "round": lambda one: float(one.round),
        "at": lambda one: _moment(one.at),
        "by": lambda one: one.by,
        "checked": lambda one: "checked against the authority" if one.checked else "not checked against an authority",
    },
    "hash": {"path": lambda one: PaperCell(one[0], one[0]), "sha256": lambda one: one[1]},
    FIELD: _FIELD,
}
"""Placeholders of lists, by the name of the list."""


def box_words(value: PaperValue) -> str:
    """Return where a picture shows a value; empty where it does not say."""
    box = value.box
    return f"x {box.x:.0f}, y {box.y:.0f}, {box.width:.0f} x {box.height:.0f} px" if box is not None else ""


Item = (
    TaskControl
    | PaperSample
    | tuple[Any, ...]
    | PaperException
    | PaperOutcome
    | PaperComment
    | PaperSignature
    | PaperStamp
    | SampleOfField
)


def items_of(paper: Paper, name: str) -> Sequence[Any]:
    """Return the items of a list."""
    items: Mapping[str, Callable[[], Sequence[Any]]] = {
        "control": lambda: paper.controls,
        "sample": lambda: paper.samples,
        "value": lambda: list(_values(paper)),
        "exception": lambda: paper.exceptions,
        "comment": lambda: paper.comments,
        "mark": lambda: list(MARKS.items()),
        "outcome": lambda: paper.population.outcomes,
        "signature": lambda: paper.signatures,
        "stamp": lambda: paper.seal.stamps,
        "hash": lambda: paper.seal.hashes,
    }
    return items[name]()


def _values(paper: Paper) -> Iterator[tuple[PaperSample, PaperValue]]:
    for sample in paper.samples:
        for value in (*sample.values, *([sample.judgment] if sample.judgment is not None else [])):
            if value.mark != "-" or value.reviewed is not None:
                yield sample, value


def field_items(paper: Paper, sample: PaperSample | None) -> list[SampleOfField]:
    """Return the fields of the task, with the values of a sample if it is in a row of one."""
    known = {one.field: one for one in sample.values} if sample is not None else {}
    return [SampleOfField(field, known.get(field.name)) for field in paper.fields]


def is_known(group: str, name: str) -> bool:
    """Return whether there is such a placeholder."""
    return f"{group}.{name}" in RUN_FACTS or name in LISTS.get(group, {})


def told_moment(value: datetime) -> str:
    """Return a moment inside of a text."""
    return moment_words(value.replace(tzinfo=UTC))
