"""Pure: what the step logs of earlier versions say in words only. The one place where a reason is read."""

from __future__ import annotations

import re

from shared.contracts.planner import WITHOUT_MODEL
from shared.contracts.steps import RouteMark

_REASON = re.compile(r"Route step (\d+)(?:\.([a-z0-9]+))?: .*", re.S)


def route_mark_of(decided_by: str, reason: str) -> RouteMark | None:
    """Return the step of the route that an action was taken for, from its reason.

    A replay asks for it, so that a button that is pressed once only is known again. How many records had matched is not
    read: only the attempt that turned the list asks for that. What a model gave as its reason is not believed.
    """
    if decided_by not in WITHOUT_MODEL:
        return None
    found = _REASON.fullmatch(reason)
    return RouteMark(step=int(found[1]), part=found[2] or "") if found is not None else None
