"""The step log of an attempt: its steps as entries of a file and back, the hash chain, and the file of all entries.

action_log.json is a list of entries. While the attempt is at work, ``_log/steps.jsonl`` has one a line, or each is a
file, ``_log/000001.json``. An entry without a ``version`` is older
than versions: its shape is that of version 1. There ``problems`` are sentences; from version 2 on they are
objects. An entry of version 3 leaves out rows which entries before it have (``known_rows``).

Entries are chained by hashes of their JSON, so an entry is never decoded and encoded again on its way into
action_log.json: its bytes stay the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, get_args

import msgspec
from msgspec import UNSET, UnsetType, structs
from msgspec.structs import FieldInfo, fields

from shared.contracts.actions import AnyAction
from shared.contracts.base import Part
from shared.contracts.results import ActionResult
from shared.contracts.steps import StepTaken
from shared.evidence_format import chain, layout
from shared.evidence_format.files.earlier_versions import route_mark_of, upgrade
from shared.evidence_format.files.json_files import ArtifactProblem, encode_file

ENTRY_VERSION = 2
SHORTENED_VERSION = 3
"""Of an entry that leaves out rows which entries before it have."""
NO_ACTION = "none"
_ACTIONS: dict[str, type[AnyAction]] = {str(one.__struct_config__.tag): one for one in get_args(AnyAction)}


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A step, with what the step log says of it beside. Whatever acts on a step takes it from `step_of`.

    ``step``: without its run and its sample, which an entry does not name; and without its action where this version
    does not know it. ``action``, ``params`` and ``reason`` are the action as it is written.
    """

    step: StepTaken
    action: str
    """Name of the action; ``none`` where the driver gave no usable one."""
    params: dict[str, Any]
    """The fields of the action, without its reason."""
    reason: str
    problems: tuple[ArtifactProblem, ...] = ()
    """What is wrong with its artifacts."""
    previous_sha256: str = ""
    """Of the entry before; empty in logs that are not chained, and so is ``sha256``."""
    sha256: str = ""

    @property
    def is_known(self) -> bool:
        return self.action == NO_ACTION or self.step.action is not None

    @property
    def outcome_text(self) -> str:
        """What came of it, for people: the message of the planner, else that of the browser."""
        return self.step.message or (self.step.result.message if self.step.result is not None else "")


# --- the form of an entry: what a reader wants to know first, then the fields of the step under their names


class _EntryHead(Part, frozen=True, kw_only=True, gc=False):
    version: int = 1
    step: int
    thinking: str
    action: str
    params: dict[str, Any]
    result: str
    """`LogEntry.outcome_text`."""
    timestamp: datetime
    problems: tuple[ArtifactProblem, ...]
    outcome: ActionResult | None


_OTHERWISE = frozenset({"run_id", "sample_id", "step", "action", "result", "message"})
"""Fields of a step that an entry has in its head or at its end, or that follow from where it stands."""
_UNLESS_EMPTY = (
    *("planner_id", "session_id", "list_pages", "workflow", "flow", "claimed", "stood", "stood_under", "reflection"),
    *("decided_in", "heals", "target_context", "known_rows", "taken_over"),
)
"""Fields that an entry has only where they say something. So have all that are added to a step later."""
_LATE = ("heals", "target_context")
"""They stand before the summary."""


def _fields_in_order() -> list[FieldInfo]:
    known = {field.name: field for field in fields(StepTaken) if field.name not in _OTHERWISE}
    late = [known.pop(name) for name in _LATE]
    order = list(known.values())
    at = order.index(known["summary"])
    return [*order[:at], *late, *order[at:]]


_FIELDS = _fields_in_order()
_NAMES = tuple(field.name for field in _FIELDS)
_Entry: Any = msgspec.defstruct(
    "_Entry",
    [
        *((one.name, one.type) if one.required else (one.name, one.type | UnsetType, UNSET) for one in _FIELDS),
        ("message", str | UnsetType, UNSET),
        ("previous_sha256", str | UnsetType, UNSET),
        ("sha256", str | UnsetType, UNSET),
    ],
    bases=(_EntryHead,),
    module=__name__,
    frozen=True,
    kw_only=True,
    gc=False,
)
"""``message`` is UNSET where it equals ``result``; both hashes are UNSET in logs that are not chained. Any other field
that is UNSET when it is read is as in a step without it; but ``route``, in logs of version 1, is in the reason."""
_decoder = msgspec.json.Decoder(list[_Entry])


class _StepNumber(msgspec.Struct, frozen=True, gc=False):
    step: int


class _AttemptNumber(msgspec.Struct, frozen=True, gc=False):
    attempt: int


def entry_of(step: StepTaken, problems: Sequence[ArtifactProblem] = ()) -> LogEntry:
    """Return the entry of a step, not yet chained. ``problems`` are those of its artifacts."""
    params: dict[str, Any] = msgspec.to_builtins(step.action) or {"reason": "", "action": NO_ACTION}
    reason, action = params.pop("reason"), params.pop("action")
    return LogEntry(structs.replace(step, run_id="", sample_id=""), action, params, reason, tuple(problems))


def step_of(entry: LogEntry, run_id: str, sample_id: str) -> StepTaken:
    """Return the step as it was taken; inverse of `entry_of`. Raises msgspec.ValidationError if this version does not
    know its action."""
    if not entry.is_known:
        raise msgspec.ValidationError(f"step {entry.step.step}: there is no action {entry.action!r} with these fields")
    return structs.replace(entry.step, run_id=run_id, sample_id=sample_id)


def chain_entry(entry: LogEntry, run_id: str, sample_id: str, previous_sha256: str) -> LogEntry:
    """Return the entry with both hashes. ``previous_sha256`` is empty for the first entry of an attempt."""
    previous = previous_sha256 or chain.log_start(run_id, sample_id, entry.step.attempt)
    whole = replace(entry, previous_sha256=previous, sha256="")
    return replace(whole, sha256=chain.entry_hash(_written(whole)))


def encode_entry(entry: LogEntry) -> bytes:
    """Return the entry as JSON on one line, without an end of the line."""
    return msgspec.json.encode(_written(entry))


def encode_log(log: Sequence[LogEntry]) -> bytes:
    """Return action_log.json."""
    return encode_file([*map(_written, log)])


def _written(entry: LogEntry) -> Any:
    step, text = entry.step, entry.outcome_text
    same = {name: getattr(step, name) for name in _NAMES}
    return _Entry(
        version=SHORTENED_VERSION if step.known_rows else ENTRY_VERSION,
        step=step.step,
        thinking=entry.reason,
        action=entry.action,
        params=entry.params,
        result=text,
        timestamp=step.started_at,
        problems=entry.problems,
        outcome=step.result,
        message=UNSET if text == step.message else step.message,
        previous_sha256=entry.previous_sha256 or UNSET,
        sha256=entry.sha256 or UNSET,
        **{name: value or UNSET if name in _UNLESS_EMPTY else value for name, value in same.items()},
    )


def _read(written: Any) -> LogEntry:
    told = {name: value for name in _NAMES if (value := getattr(written, name)) is not UNSET}
    if written.route is UNSET:
        told["route"] = route_mark_of(written.decided_by, written.thinking)
    step = StepTaken(
        run_id="",
        sample_id="",
        step=written.step,
        action=_action_of(written),
        result=written.outcome,
        message=written.result if written.message is UNSET else written.message,
        **told,
    )
    return LogEntry(
        step,
        written.action,
        written.params,
        written.thinking,
        written.problems,
        written.previous_sha256 or "",
        written.sha256 or "",
    )


def _action_of(written: _EntryHead) -> AnyAction | None:
    kind = _ACTIONS.get(written.action)
    if kind is None:
        return None
    try:
        return msgspec.convert({**written.params, "action": written.action, "reason": written.thinking}, kind)
    except msgspec.ValidationError:
        return None


def parse_log(data: bytes) -> list[LogEntry]:
    """Return the steps of action_log.json, of any version in the current shape. Raises one of `chain.NOT_JSON`."""
    try:
        entries: list[Any] = _decoder.decode(data)
    except msgspec.ValidationError:
        entries = upgrade(data, list[_Entry])
    return [*map(_read, entries)]


def attempt_of_log(data: bytes) -> int:
    """Return the attempt of a log, 0 if it has no entries. Raises one of `chain.NOT_JSON`."""
    return max((entry.attempt for entry in msgspec.json.decode(data, type=list[_AttemptNumber])), default=0)


def split_piece(path: str, data: bytes) -> list[bytes]:
    """Return the entries that a file below ``_log/`` has, none if it has others than entries.

    A last line without an end was cut off while it was written. It is left out: its step was not acknowledged. So is
    an empty file, which a power failure may leave under a name that was not synced.
    """
    if path.endswith(layout.LOG_LINES):
        return data.split(b"\n")[:-1]
    return [data] if data and path.rpartition("/")[2][:1].isdigit() else []


def merge_log(whole: bytes | None, pieces: Sequence[bytes]) -> bytes | None:
    """Return action_log.json with the entries of ``pieces`` that it does not have yet, by step number.

    Args:
        whole: the file so far, None if there is none.
        pieces: one entry each, in order. Of two of one step the latter counts: writing the former was not acknowledged.

    Returns:
        The bytes of the file, None if there are no entries at all.

    Raises:
        One of `chain.NOT_JSON` if ``whole`` or a piece cannot be decoded.
    """
    if whole is None:
        return _joined({_number(piece): piece for piece in pieces}.values()) if pieces else None
    entries = msgspec.json.decode(whole, type=list[msgspec.Raw])
    known = {_number(entry) for entry in entries}
    more = {number: msgspec.Raw(piece) for piece in pieces if (number := _number(piece)) not in known}
    return encode_file([*entries, *more.values()]) if more else whole


def _number(entry: bytes | msgspec.Raw) -> int:
    return msgspec.json.decode(entry, type=_StepNumber).step


def _joined(pieces: Iterable[bytes]) -> bytes:
    """Return the list as `encode_file` writes it, without decoding up to 45 MB: JSON strings contain no newlines."""
    formatted = (msgspec.json.format(piece, indent=2) for piece in pieces)
    return b"[\n" + b",\n".join(b"  " + piece.replace(b"\n", b"\n  ") for piece in formatted) + b"\n]\n"
