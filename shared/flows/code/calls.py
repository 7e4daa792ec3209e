"""A call of a flow as its code makes it, checked: it is hostile until then. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from shared.contracts.workflows.flows import (
    AwaitElement,
    ChooseOption,
    ClickElement,
    EnterSection,
    FlowCall,
    SetChecked,
)

MAX_NAME_CHARS = 200
MAX_SELECTOR_CHARS = 4000
MAX_WAIT_S = 300.0


def read_call(name: str, arguments: Mapping[str, Any]) -> FlowCall:
    """Return the call of this tag. Raises TypeError and ValueError, whose messages name the function."""
    try:
        call = msgspec.convert({**arguments, "call": name}, type=FlowCall)
    except msgspec.ValidationError as exc:
        raise TypeError(f"{name[:MAX_NAME_CHARS]}(): {exc}") from exc
    if problem := _problem(call):
        raise ValueError(f"{name}(): {problem}")
    return call


def _problem(call: FlowCall) -> str:
    """Return what is wrong with a call that has the right types."""
    selector = getattr(call, "selector", "")
    if len(selector) > MAX_SELECTOR_CHARS:
        return f"the selector has {len(selector)} characters, at most {MAX_SELECTOR_CHARS}"
    match call:
        case ClickElement() | ChooseOption() | SetChecked() if not selector.strip():
            return "the selector is empty"
        case AwaitElement() if not (math.isfinite(call.timeout_s) and 0 < call.timeout_s <= MAX_WAIT_S):
            return f"timeout_s is {call.timeout_s:g}, and must be above 0 and at most {MAX_WAIT_S:g}"
        case EnterSection() if len(call.name) > MAX_NAME_CHARS:
            return f"the name of the section has more than {MAX_NAME_CHARS} characters"
        case _:
            return ""
