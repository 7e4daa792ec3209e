"""The step log of an attempt: action_log.json is a list of entries, and ``_log/000001.json`` is one of them.

An entry without a ``version`` was written before there were versions: its shape is that of version 1. There
``problems`` are sentences; from version 2 on they are objects.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import UNSET, UnsetType

from shared.contracts.base import Part, Usage
from shared.contracts.results import ActionResult
from shared.contracts.steps import FieldValue, FiledArtifact, Note, ObservationRef, RouteMark, Summary
from shared.contracts.vision import VisionAnswered
from shared.evidence_format.files.base import ArtifactProblem

ENTRY_VERSION = 2


class LogEntry(Part, frozen=True, kw_only=True, gc=False):
    """One step: what a reader wants to know first, then all fields of :class:`shared.contracts.steps.StepTaken`.

    The keys are listed here and not taken from StepTaken, so that a change of the message does not change the file.
    ``message`` is UNSET where it equals ``result``; both hashes are UNSET in logs that are not chained.
    """

    version: int = 1
    step: int
    thinking: str
    action: str
    """Name of the action; ``none`` where the decider gave no usable one."""
    params: dict[str, Any]
    """The fields of the action, without its reason."""
    result: str
    timestamp: datetime
    problems: tuple[ArtifactProblem, ...]
    outcome: ActionResult | None
    attempt: int
    started_at: datetime
    ended_at: datetime
    observation: ObservationRef | None
    decided_by: str
    refused: bool = False
    remark: str = ""
    notices: tuple[str, ...] = ()
    route: RouteMark | UnsetType | None = UNSET
    """UNSET in logs of version 1, where the reason of the action contains it."""
    call: int = 1
    artifacts: tuple[FiledArtifact, ...] = ()
    values: tuple[FieldValue, ...] = ()
    seen: tuple[FieldValue, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    items: tuple[dict[str, Any], ...] = ()
    vision: VisionAnswered | None = None
    summary: Summary | None = None
    notes: tuple[Note, ...] = ()
    looks: int = 0
    observe_tokens: int = 0
    prompt_chars: int = 0
    prompt_weight: float = 0.0
    usage: Usage = Usage()
    browser_ms: float = 0.0
    decide_ms: float = 0.0
    total_ms: float = 0.0
    message: str | UnsetType = UNSET
    previous_sha256: str | UnsetType = UNSET
    sha256: str | UnsetType = UNSET
