"""A call of a flow as its code makes it, checked: it is hostile until then. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from services.workflows.ports import FlowMoment, HostCall, HostCallError
from shared.contracts.workflows.flows import AwaitElement, ChooseOption, ClickElement, EnterSection, FlowCall

MAX_LINE = 1_000_000
MAX_NAME_CHARS = 200
MAX_SELECTOR_CHARS = 4000
MAX_WAIT_S = 300.0


def read_flow_call(call: HostCall, name: str, hash: str) -> FlowMoment:
    """Return what the flow ``name`` asks for. Raises HostCallError, whose message names the function."""
    arguments = call.arguments.get("arguments")
    line, section = call.arguments.get("line"), call.arguments.get("section")
    if not isinstance(arguments, Mapping):
        raise HostCallError("TypeError", f"flow.{call.method}() has no arguments")
    given = {**cast("Mapping[str, Any]", arguments), "call": call.method}
    try:
        wanted = msgspec.convert(given, type=FlowCall)
    except msgspec.ValidationError as exc:
        raise HostCallError("TypeError", f"{call.method[:MAX_NAME_CHARS]}(): {exc}") from exc
    if problem := _problem(wanted):
        raise HostCallError("ValueError", f"{call.method}(): {problem}")
    return FlowMoment(
        name=name,
        hash=hash,
        call=wanted,
        line=line if isinstance(line, int) and 0 < line < MAX_LINE else 0,
        section=section[:MAX_NAME_CHARS] if isinstance(section, str) else "",
    )


def _problem(call: FlowCall) -> str:
    """Return what is wrong with a call that has the right types."""
    selector = getattr(call, "selector", "")
    if len(selector) > MAX_SELECTOR_CHARS:
        return f"the selector has {len(selector)} characters, at most {MAX_SELECTOR_CHARS}"
    match call:
        case ClickElement() | ChooseOption() if not selector.strip():
            return "the selector is empty"
        case AwaitElement() if not (math.isfinite(call.timeout_s) and 0 < call.timeout_s <= MAX_WAIT_S):
            return f"timeout_s is {call.timeout_s:g}, and must be above 0 and at most {MAX_WAIT_S:g}"
        case EnterSection() if len(call.name) > MAX_NAME_CHARS:
            return f"the name of the section has more than {MAX_NAME_CHARS} characters"
        case _:
            return ""
