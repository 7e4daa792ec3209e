"""What evidence tells of two runs of a task: how many samples are the same, changed, new or gone."""

from __future__ import annotations

from shared.contracts.base import Message


class CompareRuns(Message, frozen=True, kw_only=True):
    """Request to compare two finished runs of a task. ``run_a``: the earlier one."""

    run_a: str
    run_b: str


class ComparisonTold(Message, frozen=True, kw_only=True):
    """``same``: all is known, and nothing has changed. ``counts``: samples by verdict, as `exhibit compare` names them.
    ``changed``: in how many samples a field is another one. ``refused``: why they were not compared, for people; the
    rest is empty then."""

    run_a: str
    run_b: str
    same: bool = False
    counts: dict[str, int] = {}
    changed: dict[str, int] = {}
    refused: str = ""
