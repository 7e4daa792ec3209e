"""What somebody sees of the fleet on a bus with users, where the server shows nothing of others: what his asks tell."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared.bus.ports import Asks
from shared.contracts.scheduling import ListSchedules
from shared.contracts.sessions.status import LoadStatus
from shared.contracts.workflows.library import ListWorkflows
from shared.errors import ExhibitError, PermanentError
from shared.subjects import LIST_SCHEDULES, LIST_WORKFLOWS, LOAD_STATUS, Ask

ANSWER_S = 5.0
_NO_RUN = "run_none"
_ASKED: Mapping[str, tuple[Ask[Any, Any], Any]] = {
    "evidence": (LOAD_STATUS, LoadStatus(run_id=_NO_RUN)),
    "workflows": (LIST_WORKFLOWS, ListWorkflows()),
    "discovery": (LIST_SCHEDULES, ListSchedules(name=_NO_RUN)),
}
"""A question to each service that costs little and changes nothing. The others are asked only for work."""


@dataclass(frozen=True)
class ServiceSeen:
    """``answers``: None where this user may ask it nothing. ``ms``: that the answer took. ``why``: there was none."""

    service: str
    answers: bool | None = None
    ms: int = 0
    why: str = ""


async def look_by_asking(asks: Asks, names: tuple[str, ...]) -> tuple[ServiceSeen, ...]:
    """Return what is seen of each service, in this order."""
    return tuple(await asyncio.gather(*(_ask(asks, name) for name in names)))


async def _ask(asks: Asks, name: str) -> ServiceSeen:
    if name not in _ASKED:
        return ServiceSeen(name)
    subject, question = _ASKED[name]
    begun_s = time.monotonic()
    try:
        await asks.ask(subject, question, timeout_s=ANSWER_S)
    except PermanentError as exc:
        # A refusal of the server says nothing of the service; what a service has said itself is an answer.
        return ServiceSeen(name) if exc.code == "bus_refused" else _answered(name, begun_s)
    except ExhibitError as exc:
        return ServiceSeen(name, answers=False, why=str(exc))
    return _answered(name, begun_s)


def _answered(name: str, begun_s: float) -> ServiceSeen:
    return ServiceSeen(name, answers=True, ms=round(1000 * (time.monotonic() - begun_s)))
