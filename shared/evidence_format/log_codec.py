"""Pure: the step log as it is written and read: StepTaken to log entry and back, the chain, the file of all entries.

Bytes that were written are kept as they are: entries are chained by hashes of their JSON, so an entry is never decoded
and encoded again on its way into action_log.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import fields, replace

from shared.contracts.actions import AnyAction
from shared.contracts.steps import StepTaken
from shared.evidence_format import chain
from shared.evidence_format.files.base import ArtifactProblem, encode_file
from shared.evidence_format.files.earlier_versions import route_mark_of, upgrade
from shared.evidence_format.files.steps import ENTRY_VERSION, LogEntry

NO_ACTION = "none"
_OTHERWISE = ("action", "result", "message", "route")
"""What an entry says in other words than the step."""
_SAME = tuple({field.name for field in fields(StepTaken)} & {field.name for field in fields(LogEntry)} - {*_OTHERWISE})


class _Numbered(msgspec.Struct, frozen=True, gc=False):
    step: int


class _Attempted(msgspec.Struct, frozen=True, gc=False):
    attempt: int


def entry_of(step: StepTaken, problems: Sequence[ArtifactProblem] = ()) -> LogEntry:
    """The entry of a step, not yet chained. ``problems``: what is wrong with its artifacts."""
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
        **{name: getattr(step, name) for name in _SAME},
    )


def step_of(entry: LogEntry, run_id: str, sample_id: str) -> StepTaken:
    """The step that `entry_of` made this entry of. Raises msgspec.ValidationError where its action is unknown."""
    named = {**entry.params, "action": entry.action, "reason": entry.thinking}
    return StepTaken(
        run_id=run_id,
        sample_id=sample_id,
        action=None if entry.action == NO_ACTION else msgspec.convert(named, AnyAction),
        result=entry.outcome,
        message=entry.result if entry.message is UNSET else entry.message,
        route=route_mark_of(entry.decided_by, entry.thinking) if entry.route is UNSET else entry.route,
        **{name: getattr(entry, name) for name in _SAME},
    )


def chain_entry(entry: LogEntry, run_id: str, sample_id: str, previous_sha256: str) -> LogEntry:
    """The entry with both hashes. ``previous_sha256``: that of the entry before, empty for the first of the attempt."""
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
    """The attempt that the log is of; 0 for one without entries. Raises one of `chain.NOT_JSON`."""
    return max((entry.attempt for entry in msgspec.json.decode(data, type=list[_Attempted])), default=0)


def merge_log(whole: bytes | None, pieces: Sequence[bytes]) -> bytes | None:
    """action_log.json of what is written already and of pieces with one entry each, in order; a step that is in both is
    one step. None where there is neither. Raises one of `chain.NOT_JSON` where ``whole`` cannot be read."""
    if whole is None:
        return _joined(pieces) if pieces else None
    entries = msgspec.json.decode(whole, type=list[msgspec.Raw])
    known = {_number(entry) for entry in entries}
    more = [msgspec.Raw(piece) for piece in pieces if _number(piece) not in known]
    return encode_file([*entries, *more]) if more else whole


def _number(entry: bytes | msgspec.Raw) -> int:
    return msgspec.json.decode(entry, type=_Numbered).step


def _joined(pieces: Iterable[bytes]) -> bytes:
    """As `encode_file` would write the list, without decoding what may be 45 MB: strings in JSON have no line ends."""
    return b"[\n" + b",\n".join(b"  " + piece.rstrip().replace(b"\n", b"\n  ") for piece in pieces) + b"\n]\n"
