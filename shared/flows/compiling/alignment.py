"""The calls of several samples beside each other: which are the same step, and which only some samples took.

Two calls are the same step if they do the same and their elements have something in common that does not belong to the
sample: an id, a label, a name, the label beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shared.contracts.workflows.flows import ChooseOption, DownloadFile, OpenAddress, TakeScreenshot
from shared.flows.compiling.recorded_calls import RecordedCall
from shared.flows.compiling.templates import common_template
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


def align_samples(samples: Sequence[Sequence[RecordedCall]], rows: Rows) -> list[Column]:
    """Return the steps in order. Each sample's calls keep their order."""
    columns = [Column({0: one}) for one in samples[0]]
    for number, calls in enumerate(samples[1:], 1):
        columns = _merged(columns, calls, number, rows)
    return columns


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
    if common_template([one.target.name, other.target.name], pair) is not None:
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
