"""Parses a model's calls into actions. They are untrusted input: a call that is not valid becomes a `BadCall`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

import msgspec

from services.planner.prompt.tools import REFLECTION, TARGET, TOOLS, argument_fields, is_offered
from services.planner.state.attempt_state import SampleView
from shared.contracts.actions import (
    TARGET_FIELDS,
    Action,
    AnyAction,
    AskPicture,
    Done,
    Fail,
    Goto,
    SaveProgress,
    with_targets,
)
from shared.contracts.codes import FAIL_CODES_FOR_MODELS
from shared.contracts.steps import Reflection
from shared.field_types import is_rows
from shared.models.sanitize import clipped
from shared.pages.addresses import is_on_visited_host, may_open
from shared.task.spec import TaskSpec
from shared.task.typed_values import as_shown
from shared.text.normal import fold, quoted, tidy

REFLECTION_CHARS = 500
"""Of each text; it is shown again with later steps."""
MAX_CALL_BYTES = 256 * 1024
"""A call is part of its step, which must fit into one message."""
_REF = re.compile(r"\[?\s*(\d{1,9})\s*\]?")


@dataclass(frozen=True)
class BadCall:
    """Why a call could not be used; `message` is for the model."""

    message: str


@dataclass(frozen=True)
class ModelCall:
    """One call of an answer, unparsed."""

    name: str
    arguments: object


@dataclass(frozen=True)
class ParsedCalls:
    """The calls of one answer to execute, in order. `remark` tells the model what becomes of the others; `reflection`:
    what it says beside the first."""

    first: AnyAction | BadCall
    then: tuple[AnyAction, ...] = ()
    remark: str = ""
    reflection: Reflection | None = None


def parse_calls(calls: Sequence[ModelCall], view: SampleView) -> ParsedCalls:
    """Parse at least one call. An invalid call drops itself and all that follow it."""
    return replace(_parse_calls(calls, view), reflection=reflection_of(calls[0].arguments, view.spec))


def reflection_of(arguments: object, spec: TaskSpec) -> Reflection | None:
    """Return what the arguments of a call say beside it; None: nothing, or the task does not ask for it."""
    if spec.reflection == "off" or not isinstance(arguments, Mapping):
        return None
    written = cast("Mapping[str, object]", arguments)
    said = {
        name: clipped(tidy(text), REFLECTION_CHARS) for name in REFLECTION if isinstance(text := written.get(name), str)
    }
    return Reflection(**said) if any(said.values()) else None


def _parse_calls(calls: Sequence[ModelCall], view: SampleView) -> ParsedCalls:
    most = view.spec.max_actions_per_turn
    first = parse_call(calls[0].name, calls[0].arguments, view)
    if isinstance(first, BadCall):
        return ParsedCalls(first, remark=_only_first(calls, 1, "looked at"))
    then: list[AnyAction] = []
    for number, call in enumerate(calls[1:most], 2):
        following = parse_call(call.name, call.arguments, view)
        if isinstance(following, BadCall):
            return ParsedCalls(
                first, tuple(then), f"Call {number} of this answer was left out, with all after it: {following.message}"
            )
        then.append(following)
    return ParsedCalls(first, tuple(then), _only_first(calls, most, "taken"))


def _only_first(calls: Sequence[ModelCall], most: int, what: str) -> str:
    if len(calls) <= most:
        return ""
    first = f"first {most}" if most > 1 else "first"
    return f"Only the {first} of the {len(calls)} calls of this answer {'were' if most > 1 else 'was'} {what}."


def parse_call(name: str, arguments: object, view: SampleView) -> AnyAction | BadCall:
    """Return the action, checked. Its refs are those of the page that was shown."""
    kind = TOOLS.get(name)
    if kind is None or not is_offered(kind, view.spec):
        known = (tool for tool, its in TOOLS.items() if is_offered(its, view.spec))
        return BadCall(f"There is no tool {name[:60]!r}. The tools are: {', '.join(known)}.")
    if not isinstance(arguments, Mapping):
        return BadCall(f"{name}: the arguments must be an object.")
    if len(msgspec.json.encode(arguments)) > MAX_CALL_BYTES:
        return BadCall(f"{name}: the arguments are longer than {MAX_CALL_BYTES} bytes.")
    written: dict[str, Any] = {str(key): value for key, value in arguments.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if view.spec.reflection != "off":
        written = {key: value for key, value in written.items() if key not in REFLECTION}
    problem = _first_problem(kind, written)
    if problem is not None:
        return BadCall(f"{name}: {problem}")
    return _checked(_convert(kind, written, view), view)


def _convert(kind: type[Action], written: dict[str, Any], view: SampleView) -> AnyAction | BadCall:
    snapshot = view.page.snapshot_id if view.page is not None else ""
    written = with_targets(written, snapshot)
    if isinstance(written.get("refs"), Mapping):
        written = {**written, "refs": _refs(cast("Mapping[str, object]", written["refs"]))}
    try:
        action: Any = msgspec.convert({"action": kind.__struct_config__.tag, **written}, type=AnyAction)
    except msgspec.ValidationError as exc:
        return BadCall(f"{kind.__struct_config__.tag}: {exc}")
    return action


def _refs(written: Mapping[str, object]) -> dict[str, object]:
    """Accept `"12"` and `"[12]"` as numbers."""
    return {name: int(m[1]) if (m := _REF.fullmatch(as_shown(ref).strip())) else ref for name, ref in written.items()}


def _first_problem(kind: type[Action], written: Mapping[str, Any]) -> str | None:
    reason = written.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        return "'reason' is missing: one sentence that says why"
    known = {field.name for field in argument_fields(kind)}
    unknown = [key for key in written if key not in known]
    if unknown:
        return f"there is no argument {unknown[0][:60]!r}; there are: {', '.join(sorted(known))}"
    if kind is Fail and "code" not in written:
        return "'code' is missing"
    wrong = [key for key in TARGET_FIELDS if key in known and not _is_target(written.get(key))]
    return f"'{wrong[0]}' must be a string. {TARGET}" if wrong else None


def _is_target(written: object) -> bool:
    """Return whether the argument has the form of a target. Whether one is required is checked with the types."""
    return written is None or isinstance(written, str) or (isinstance(written, int) and not isinstance(written, bool))


def _checked(action: AnyAction | BadCall, view: SampleView) -> AnyAction | BadCall:
    """Check what the types cannot express."""
    if isinstance(action, Goto):
        return _allowed_goto(action, view)
    if isinstance(action, Fail) and action.code not in FAIL_CODES_FOR_MODELS:
        return BadCall(f"fail: the code must be one of {', '.join(FAIL_CODES_FOR_MODELS)}.")
    unknown = sorted(_fields_of(action) - set(view.spec.output_schema))
    if unknown:
        return BadCall(f"There is no field {unknown[0][:60]!r}; the fields are: {', '.join(view.spec.output_schema)}.")
    if isinstance(action, AskPicture) and action.field and is_rows(view.spec.output_schema[action.field].type):
        return BadCall(f"ask_picture: {action.field} has rows, which are read off a page; ask without a field.")
    return _with_refs(action, view) if isinstance(action, Done) else action


def _fields_of(action: AnyAction | BadCall) -> set[str]:
    if isinstance(action, Done | SaveProgress):
        return {*action.values, *action.not_present, *action.refs}
    return {action.field} if isinstance(action, AskPicture) and action.field else set()


def _with_refs(done: Done, view: SampleView) -> Done | BadCall:
    """Require the element of every value.

    Exempt are values that are on no element of this page: saved earlier, read from a picture, or derived.
    """
    lacking = [
        name
        for name, value in done.values.items()
        if value is not None and name not in done.refs and not _needs_none(name, value, view)
    ]
    if lacking:
        return BadCall(f"done: 'refs' lacks the element that shows the value of: {', '.join(lacking)}")
    return done


def _needs_none(name: str, value: object, view: SampleView) -> bool:
    known = view.state.seen.get(name)
    asked = (
        e
        for e in view.state.history
        if isinstance(e.action, AskPicture) and e.action.field == name and e.picture_answer
    )
    return (
        view.spec.output_schema[name].derived
        or is_rows(view.spec.output_schema[name].type)
        or (known is not None and known.value == value)
        or any(fold(entry.picture_answer) == fold(as_shown(value)) for entry in asked)
    )


def _allowed_goto(action: Goto, view: SampleView) -> Goto | BadCall:
    """Allow only hosts that the task allows or that were visited, and links on the page.

    So a page cannot send the browser, with what it knows, to an address of its own making.
    """
    if view.page is None:
        return action
    try:
        url = urljoin(view.page.url, action.url.strip())
        scheme = urlsplit(url).scheme
    except ValueError:
        return BadCall(f"goto: {quoted(action.url, 120)} is no address.")
    visited = (view.page.url, *(e.action.url for e in view.state.history if isinstance(e.action, Goto)))
    linked = {element.url for element in view.page.elements if element.url}
    ours = is_on_visited_host(url, visited) or may_open(url, view.spec, view.sample)
    if scheme in ("http", "https") and (ours or url in linked):
        return Goto(url=url, reason=action.reason)
    return BadCall(f"goto: {quoted(url, 120)} is neither on this site nor linked from this page.")
