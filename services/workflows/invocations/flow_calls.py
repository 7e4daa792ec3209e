"""What a flow asks its host for, and where in its source it does. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from services.workflows.ports import FlowCallSite, HostCall, HostCallError
from shared.flows.code.calls import MAX_NAME_CHARS, read_call

MAX_LINE = 1_000_000


def read_flow_call(call: HostCall, name: str, hash: str) -> FlowCallSite:
    """Return what the flow ``name`` asks for. Raises HostCallError, whose message names the function."""
    arguments = call.arguments.get("arguments")
    line, section = call.arguments.get("line"), call.arguments.get("section")
    if not isinstance(arguments, Mapping):
        raise HostCallError("TypeError", f"flow.{call.method}() has no arguments")
    try:
        wanted = read_call(call.method, cast("Mapping[str, Any]", arguments))
    except (TypeError, ValueError) as exc:
        raise HostCallError(type(exc).__name__, str(exc)) from exc
    return FlowCallSite(
        name=name,
        hash=hash,
        call=wanted,
        line=line if isinstance(line, int) and 0 < line < MAX_LINE else 0,
        section=section[:MAX_NAME_CHARS] if isinstance(section, str) else "",
    )
