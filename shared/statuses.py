"""The statuses of samples: their order, groups, words and colours. Everything that shows or counts them uses these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shared.contracts.codes import Status

Group = Literal["done", "review", "failed", "excepted"]
NO_RESULT = "no_result"


@dataclass(frozen=True)
class GroupStyle:
    """A term of the population: found = done + review + failed + excepted. Colours are CSS.

    ``ink`` is of texts and ``bar`` of areas, each on light and on dark ground; ``print_ink`` is of texts on paper.
    """

    words: str
    icon: str
    """The status whose icon it has in the report."""
    ink: tuple[str, str]
    bar: tuple[str, str]
    print_ink: str


@dataclass(frozen=True)
class StatusStyle:
    """``words``, and ``meaning`` as in "those that ...", are for people. ``terminal`` is a colour of rich; ``sheet`` is
    ink and ground of a cell of a workbook."""

    group: Group
    words: str
    meaning: str
    ink: Group
    """The group whose colour its name has in the report."""
    terminal: str
    sheet: tuple[str, str]


GROUPS: dict[Group, GroupStyle] = {
    "done": GroupStyle("done", "done", ("#1d7044", "#74cf9d"), ("#57a77d", "#3f8d64"), "#1d7044"),
    "review": GroupStyle("for review", "needs_review", ("#8a5300", "#e6b455"), ("#e0a93f", "#b2832a"), "#8a5300"),
    "failed": GroupStyle("failed", "failed", ("#b02a1f", "#f5938a"), ("#d56a5c", "#b9564b"), "#a3261c"),
    "excepted": GroupStyle("excepted", "auth_required", ("#5d4696", "#b9a6ee"), ("#9a87c9", "#7a67ab"), "#5d4696"),
}
"""In the order in which a population is accounted for."""
STYLES: dict[Status | Literal["no_result"], StatusStyle] = {
    "done": StatusStyle("done", "Done", "ended as done", "done", "green", ("#1B5E20", "#E8F5E9")),
    "partial_success": StatusStyle(
        "review", "Partial", "brought only a part", "review", "yellow", ("#7A5B00", "#FFF8E1")
    ),
    "needs_review": StatusStyle(
        "review", "Needs review", "must be looked at by a person", "review", "yellow", ("#8A4B00", "#FFF0DC")
    ),
    "no_result": StatusStyle("excepted", "No result", "have no result", "failed", "red", ("#B71C1C", "#FDECEA")),
    "auth_required": StatusStyle(
        "excepted", "Login required", "were stopped by a login", "excepted", "magenta", ("#0D47A1", "#E7F0FB")
    ),
    "failed": StatusStyle("failed", "Failed", "failed", "failed", "red", ("#B71C1C", "#FDECEA")),
}
"""The least urgent first. ``no_result`` is shown for a sample without a result; it is stored nowhere."""
STATUSES: tuple[Status, ...] = tuple(status for status in STYLES if status != NO_RESULT)
_BY_CODE: dict[str, StatusStyle] = {**STYLES}
_PLACE: dict[str, int] = {status: place for place, status in enumerate(STYLES)}


def group_of(status: str) -> Group:
    """What a status counts as in the population; one of another version is excepted."""
    style = _style_of(status)
    return "excepted" if style is None else style.group


def urgency_of(status: str) -> int:
    """For sorting, the least urgent first; a status of another version comes last."""
    return _PLACE.get(status, len(_PLACE))


def population_order(status: str) -> tuple[int, int, str]:
    """For sorting as a population is accounted for: by group, then by urgency. One of another version comes last."""
    group = list(GROUPS).index(group_of(status)) if status in STATUSES else len(GROUPS)
    return group, urgency_of(status), status


def colour_of(status: str) -> str:
    """A colour of rich; empty for a status of another version."""
    style = _style_of(status)
    return "" if style is None else style.terminal


def _style_of(status: str) -> StatusStyle | None:
    return _BY_CODE.get(status)
