"""The step log of an attempt: its entries, StepTaken to entry and back, the hash chain, and the file of all entries.

action_log.json is a list of entries, and ``_log/000001.json`` is one of them. An entry without a ``version`` is older
than versions: its shape is that of version 1. There ``problems`` are sentences; from version 2 on they are
objects.

Entries are chained by hashes of their JSON, so an entry is never decoded and encoded again on its way into
action_log.json: its bytes stay the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import fields, replace

from shared.contracts.actions import AnyAction
from shared.contracts.base import Part, Usage
from shared.contracts.results import ActionResult
from shared.contracts.steps import (
    FieldValue,
    FiledArtifact,
    FlowPlace,
    ListPage,
    Note,
    ObservationRef,
    Reflection,
    RouteMark,
    ShownCount,
    StepTaken,
    Summary,
    TargetContext,
)
from shared.contracts.vision import VisionAnswered
from shared.contracts.workflows.heals import Heal
from shared.contracts.workflows.invocations import WorkflowRan
from shared.evidence_format import chain
from shared.evidence_format.files.earlier_versions import route_mark_of, upgrade
from shared.evidence_format.files.json_files import ArtifactProblem, encode_file

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
    planner_id: str | UnsetType = UNSET
    """UNSET in logs of earlier versions; so is ``session_id``."""
    session_id: str | UnsetType = UNSET
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
    counts: tuple[ShownCount, ...] = ()
    list_pages: tuple[ListPage, ...] | UnsetType = UNSET
    """UNSET where no items of a field were saved."""
    vision: VisionAnswered | None = None
    workflow: WorkflowRan | UnsetType | None = UNSET
    """UNSET where no workflow was used."""
    flow: FlowPlace | UnsetType | None = UNSET
    """UNSET where no flow asked for it."""
    claimed: int | UnsetType = UNSET
    stood: dict[str, tuple[str, ...]] | UnsetType = UNSET
    """UNSET where the action can be taken back; so is ``stood_under``."""
    stood_under: dict[str, tuple[str, ...]] | UnsetType = UNSET
    reflection: Reflection | UnsetType = UNSET
    """UNSET where the decider has said nothing beside its call."""
    decided_in: int | UnsetType = UNSET
    """UNSET where it was decided in this attempt."""
    heals: tuple[Heal, ...] | UnsetType = UNSET
    """UNSET where a flow has found everything as it was recorded."""
    target_context: TargetContext | UnsetType | None = UNSET
    """UNSET where the action has no target in the observation."""
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


NO_ACTION = "none"
_CONVERTED = (
    *("action", "result", "message", "route", "workflow", "flow", "claimed", "stood", "decided_in", "heals"),
    *("list_pages", "target_context", "planner_id", "session_id", "stood_under", "reflection"),
)
"""Fields that an entry has in another form than the step."""
_COPIED = tuple(
    {field.name for field in fields(StepTaken)} & {field.name for field in fields(LogEntry)} - {*_CONVERTED}
)


class _StepNumber(msgspec.Struct, frozen=True, gc=False):
    step: int


class _AttemptNumber(msgspec.Struct, frozen=True, gc=False):
    attempt: int


def entry_of(step: StepTaken, problems: Sequence[ArtifactProblem] = ()) -> LogEntry:
    """Return the entry of a step, not yet chained. ``problems`` are those of its artifacts."""
    action: dict[str, Any] = msgspec.to_builtins(step.action) or {"reason": "", "action": NO_ACTION}
    words = step.message or (step.result.message if step.result else "")
    return LogEntry(
        version=ENTRY_VERSION,
        thinking=action.pop("reason"),
        action=action.pop("action"),
        params=action,
        result=words,
        timestamp=step.started_at,
        problems=tuple(problems),
        outcome=step.result,
        route=step.route,
        message=UNSET if words == step.message else step.message,
        workflow=UNSET if step.workflow is None else step.workflow,
        flow=UNSET if step.flow is None else step.flow,
        claimed=step.claimed or UNSET,
        stood=step.stood or UNSET,
        stood_under=step.stood_under or UNSET,
        reflection=UNSET if step.reflection is None else step.reflection,
        decided_in=step.decided_in or UNSET,
        planner_id=step.planner_id or UNSET,
        session_id=step.session_id or UNSET,
        heals=step.heals or UNSET,
        list_pages=step.list_pages or UNSET,
        target_context=UNSET if step.target_context is None else step.target_context,
        **{name: getattr(step, name) for name in _COPIED},
    )


def step_of(entry: LogEntry, run_id: str, sample_id: str) -> StepTaken:
    """Return the step of an entry; inverse of `entry_of`. Raises msgspec.ValidationError if its action is unknown."""
    named = {**entry.params, "action": entry.action, "reason": entry.thinking}
    return StepTaken(
        run_id=run_id,
        sample_id=sample_id,
        action=None if entry.action == NO_ACTION else msgspec.convert(named, AnyAction),
        result=entry.outcome,
        message=entry.result if entry.message is UNSET else entry.message,
        workflow=None if entry.workflow is UNSET else entry.workflow,
        flow=None if entry.flow is UNSET else entry.flow,
        claimed=0 if entry.claimed is UNSET else entry.claimed,
        stood={} if entry.stood is UNSET else entry.stood,
        stood_under={} if entry.stood_under is UNSET else entry.stood_under,
        reflection=None if entry.reflection is UNSET else entry.reflection,
        decided_in=0 if entry.decided_in is UNSET else entry.decided_in,
        planner_id="" if entry.planner_id is UNSET else entry.planner_id,
        session_id="" if entry.session_id is UNSET else entry.session_id,
        heals=() if entry.heals is UNSET else entry.heals,
        list_pages=() if entry.list_pages is UNSET else entry.list_pages,
        target_context=None if entry.target_context is UNSET else entry.target_context,
        route=route_mark_of(entry.decided_by, entry.thinking) if entry.route is UNSET else entry.route,
        **{name: getattr(entry, name) for name in _COPIED},
    )


def chain_entry(entry: LogEntry, run_id: str, sample_id: str, previous_sha256: str) -> LogEntry:
    """Return the entry with both hashes. ``previous_sha256`` is empty for the first entry of an attempt."""
    previous = previous_sha256 or chain.log_start(run_id, sample_id, entry.attempt)
    whole = replace(entry, previous_sha256=previous, sha256=UNSET)
    return replace(whole, sha256=chain.entry_hash(whole))


def parse_log(data: bytes) -> list[LogEntry]:
    """Return the entries of action_log.json, of any version in the current shape. Raises one of `chain.NOT_JSON`."""
    try:
        return msgspec.json.decode(data, type=list[LogEntry])
    except msgspec.ValidationError:
        return upgrade(data, list[LogEntry])


def attempt_of_log(data: bytes) -> int:
    """Return the attempt of a log, 0 if it has no entries. Raises one of `chain.NOT_JSON`."""
    return max((entry.attempt for entry in msgspec.json.decode(data, type=list[_AttemptNumber])), default=0)


def merge_log(whole: bytes | None, pieces: Sequence[bytes]) -> bytes | None:
    """Return action_log.json with the entries of ``pieces`` that it does not have yet, by step number.

    Args:
        whole: the file so far, None if there is none.
        pieces: one entry each, in order.

    Returns:
        The bytes of the file, None if there are no entries at all.

    Raises:
        One of `chain.NOT_JSON` if ``whole`` cannot be decoded.
    """
    if whole is None:
        return _joined(pieces) if pieces else None
    entries = msgspec.json.decode(whole, type=list[msgspec.Raw])
    known = {_number(entry) for entry in entries}
    more = [msgspec.Raw(piece) for piece in pieces if _number(piece) not in known]
    return encode_file([*entries, *more]) if more else whole


def _number(entry: bytes | msgspec.Raw) -> int:
    return msgspec.json.decode(entry, type=_StepNumber).step


def _joined(pieces: Iterable[bytes]) -> bytes:
    """Return the list as `encode_file` writes it, without decoding up to 45 MB: JSON strings contain no newlines."""
    return b"[\n" + b",\n".join(b"  " + piece.rstrip().replace(b"\n", b"\n  ") for piece in pieces) + b"\n]\n"
