"""Settling a sample whose irreversible press has an unknown outcome: a person has looked, and says what it came to."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.actions import Judgment
from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode
from shared.contracts.discovery import Problem
from shared.contracts.steps import FieldValue

Verdict = Literal["done", "again"]
"""``done``: it was done, so the sample is done. ``again``: it was not, so the next round may press once more."""
SettleCode = Literal["no_such_run", "no_such_sample", "run_at_work", "not_unknown", "settled_already", "not_valid"]
"""Why a settlement was refused."""


class Settlement(Part, frozen=True, kw_only=True):
    """What a person has said of a sample that had ended with ``unknown_outcome``.

    ``number``: of the settlements of this sample, from 1. ``attempt``: the attempt whose outcome was not known.
    ``values``: those that the person has given. ``judgment``: the person's answer to the question of the task.
    ``released``: the claimed steps that may be pressed again, as in :class:`shared.contracts.steps.PressClaim`; empty
    for ``done``.
    """

    number: int
    verdict: Verdict
    by: str
    reason: str
    at: datetime
    attempt: int
    values: tuple[FieldValue, ...] = ()
    judgment: Judgment | None = None
    released: tuple[int, ...] = ()


class SettleSample(Message, frozen=True, kw_only=True):
    """Request to settle a sample. The same request again is answered with the settlement that there is.

    ``values``: texts of fields by name; an empty text says that the site has no value. ``answer``: to the question of
    a task with a judgment. ``evidence_refs``: names of files of the sample that show it. ``every_press``: release the
    claims also where several presses were claimed, all of which would be made again.
    """

    run_id: str
    sample_id: str
    verdict: Verdict
    by: str
    reason: str
    values: dict[str, str] = {}
    answer: str = ""
    evidence_refs: tuple[str, ...] = ()
    every_press: bool = False


class SettlementTaken(Message, frozen=True, kw_only=True):
    """The settlement is accepted. ``filed``: it is filed, and the run is sealed again; False: it is queued."""

    run_id: str
    sample_id: str
    settlement: Settlement
    filed: bool


class SettlementRefused(Message, frozen=True, kw_only=True):
    """Nothing was changed; ``problems`` has all that is wrong with the request."""

    run_id: str
    sample_id: str
    code: OpenCode[SettleCode]
    problems: tuple[Problem, ...]


SettleReply = SettlementTaken | SettlementRefused


class SampleSettled(Message, frozen=True, kw_only=True):
    """A person has settled a sample; evidence files it in the order of the run's events."""

    run_id: str
    sample_id: str
    attempt: int
    number: int
    settlement: Settlement
