"""The calls of several samples beside each other: which are the same step, and which only some samples took.

Two calls are the same step if they do the same and their elements have something in common that does not belong to the
sample: an id, a label, a name, the label beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from shared.contracts.workflows.flows import ChooseOption, DownloadFile, OpenAddress, TakeScreenshot
from shared.flows.compiling.recorded_calls import RecordedCall
from shared.flows.compiling.templates import common_name, common_template
from shared.text.normal import fold

Rows = Sequence[Mapping[str, str]]
STABLE = frozenset({"id", "testid", "label"})


@dataclass
class Column:
    """One step of the flow: the call of each sample that took it."""

    calls: dict[int, RecordedCall] = field(default_factory=dict[int, RecordedCall])

    @property
    def any(self) -> RecordedCall:
        return next(iter(self.calls.values()))

    @property
    def first(self) -> int:
        """The number of the sample that `any` is of."""
        return next(iter(self.calls))


def align_samples(samples: Sequence[Sequence[RecordedCall]], rows: Rows) -> list[Column]:
    """Return the steps in order. Each sample's calls keep their order, but for the fillings of one form."""
    columns = [Column({0: one}) for one in samples[0]]
    for number, calls in enumerate(samples[1:], 1):
        columns = _merged(columns, _in_earlier_order(calls, columns, rows), number, rows)
    return columns


# --- the fillings of one form


def _in_earlier_order(calls: Sequence[RecordedCall], columns: Sequence[Column], rows: Rows) -> list[RecordedCall]:
    """Return the calls of a sample with the fillings of each form in the order of earlier samples."""
    forms = [list(group) for fills, group in groupby(columns, lambda one: one.any.fills) if fills]
    ordered: list[RecordedCall] = []
    for fills, group in groupby(calls, lambda one: one.fills):
        same = list(group)
        ordered += _ordered_form(same, forms, rows) if fills else same
    return ordered


def _ordered_form(
    fillings: Sequence[RecordedCall], forms: Sequence[Sequence[Column]], rows: Rows
) -> list[RecordedCall]:
    """Return consecutive fillings in the order of the earlier form that has most of them."""
    found = [(form, _places_in(form, fillings, rows)) for form in forms]
    if not found:
        return list(fillings)
    form, places = max(found, key=lambda one: len(one[1]))
    left = list(range(len(fillings)))
    ordered: list[RecordedCall] = []
    while left:
        free = [at for at in left if not any(_must_follow(at, other, places, form) for other in left if other < at)]
        first = min(free, key=lambda at: (places.get(at, -1), at))
        left.remove(first)
        ordered.append(fillings[first])
    return ordered


def _places_in(form: Sequence[Column], fillings: Sequence[RecordedCall], rows: Rows) -> dict[int, int]:
    """Return the column of each filling that the form has, by their numbers. What has the same name comes first."""
    places: dict[int, int] = {}
    for is_alike in (_is_named_alike, _is_same_column):
        for at, one in enumerate(fillings):
            free = (n for n, column in enumerate(form) if n not in places.values() and is_alike(column, one, rows))
            if at not in places and (column := next(free, None)) is not None:
                places[at] = column
    return places


def _is_named_alike(column: Column, one: RecordedCall, rows: Rows) -> bool:
    if not _is_same_column(column, one, rows):
        return False
    others = [other for other in column.calls.values() if other.target is not None]
    names = [other.target.name for other in (*others, one) if other.target is not None]
    return common_name(names, [rows[other.sample] for other in (*others, one)]) is not None


def _must_follow(at: int, before: int, places: Mapping[int, int], form: Sequence[Column]) -> bool:
    """Return whether a filling keeps its place after an earlier one, through which its element may have appeared: no
    earlier sample has filled it before the other one, or without it."""
    if at not in places:
        return True
    if before not in places:
        return False
    own, other = places[at], places[before]
    return not any(own < other or sample not in form[other].calls for sample in form[own].calls)


# --- the steps of all samples


def _merged(columns: Sequence[Column], calls: Sequence[RecordedCall], number: int, rows: Rows) -> list[Column]:
    """Return the columns with a further sample: the longest common subsequence is shared."""
    same = [[_is_same_column(column, one, rows) for one in calls] for column in columns]
    lengths = [[0] * (len(calls) + 1) for _ in range(len(columns) + 1)]
    for at in range(len(columns) - 1, -1, -1):
        for to in range(len(calls) - 1, -1, -1):
            together = lengths[at + 1][to + 1] + 1 if same[at][to] else 0
            lengths[at][to] = max(together, lengths[at + 1][to], lengths[at][to + 1])
    merged: list[Column] = []
    at = to = 0
    while at < len(columns) or to < len(calls):
        if at < len(columns) and to < len(calls) and same[at][to] and lengths[at][to] == lengths[at + 1][to + 1] + 1:
            merged.append(Column({**columns[at].calls, number: calls[to]}))
            at, to = at + 1, to + 1
        elif to == len(calls) or (at < len(columns) and lengths[at + 1][to] >= lengths[at][to + 1]):
            merged.append(columns[at])
            at += 1
        else:
            merged.append(Column({number: calls[to]}))
            to += 1
    return merged


def _is_same_column(column: Column, one: RecordedCall, rows: Rows) -> bool:
    return all(is_same_step(other, one, rows) for other in column.calls.values())


def is_same_step(one: RecordedCall, other: RecordedCall, rows: Rows) -> bool:
    """Return whether two samples took the same step here."""
    if type(one.call) is not type(other.call):
        return False
    pair = [rows[one.sample], rows[other.sample]]
    if isinstance(one.call, OpenAddress) and isinstance(other.call, OpenAddress):
        return common_template([one.call.url, other.call.url], pair, in_address=True) is not None
    if isinstance(one.call, TakeScreenshot) and isinstance(other.call, TakeScreenshot):
        return common_template([one.call.label, other.call.label], pair) is not None
    if (
        isinstance(one.call, DownloadFile)
        and isinstance(other.call, DownloadFile)
        and one.call.label == other.call.label
    ):
        return True
    if one.target is None or other.target is None:
        return one.call == other.call
    if one.target.role != other.target.role and not isinstance(one.call, ChooseOption):
        return False
    return _have_common_trait(one, other, pair)


def _have_common_trait(one: RecordedCall, other: RecordedCall, pair: Rows) -> bool:
    assert one.target is not None
    assert other.target is not None
    if common_name([one.target.name, other.target.name], pair) is not None:
        return True
    first = {(by.kind, by.value) for by in one.target.locators if by.kind in STABLE and by.matches == 1}
    if any((by.kind, by.value) in first and by.matches == 1 for by in other.target.locators):
        return True
    here, there = one.context, other.context
    if here is None or there is None:
        return False
    if here.header and fold(here.header) == fold(there.header):
        return True
    if here.before and there.before and here.before[0] and fold(here.before[0]) == fold(there.before[0]):
        return True
    css = {by.value for by in one.target.locators if by.kind == "css"}
    return any(by.kind == "css" and by.value in css for by in other.target.locators)
