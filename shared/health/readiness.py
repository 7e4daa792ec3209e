"""What a process says of its services: which conditions of each hold.

A service that has more to say than its bus names its checks as ``READY_WHEN`` in its ``__main__``. A check has a real
effect where that is cheap: it opens a page, it writes a file. What is told is the meaning of a code and no text of an
error, for that may quote a page, and who asks may be anybody on the network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from shared.aio import raise_if_cancelled
from shared.contracts.base import Part
from shared.telemetry.logs import error_words

CHECK_BOUND_S = 5.0
"""Of one check; all of them run side by side."""
KEPT_S = 1.0
"""Who asks again within this time is told the same: a flood of questions is no flood of checks."""


class NotReady(Exception):
    """A condition does not hold. The text is told to who asks: words of our own, which quote nothing."""


@dataclass(frozen=True)
class ReadyCheck:
    """``run`` gets what the service's handlers have, and raises where the condition does not hold."""

    name: str
    run: Callable[[Any], Awaitable[None]]


class HealthCondition(Part, frozen=True, kw_only=True):
    """``told``: why it does not hold; empty where it does."""

    service: str
    name: str
    told: str = ""


class Readiness(Part, frozen=True, kw_only=True):
    ready: bool
    conditions: tuple[HealthCondition, ...]


@dataclass(frozen=True)
class BoundCheck:
    """A check with what it looks at."""

    name: str
    run: Callable[[], Awaitable[None]]


class Health:
    """The services that this process is to have, and their checks once they serve. ``now_s``: a monotonic clock."""

    def __init__(self, names: Iterable[str], now_s: Callable[[], float]) -> None:
        self._checks: dict[str, tuple[BoundCheck, ...] | None] = dict.fromkeys(names)
        self._now_s = now_s
        self._looking: asyncio.Task[Readiness] | None = None
        self._looked_s = 0.0

    def serves(self, name: str, checks: tuple[BoundCheck, ...]) -> None:
        self._checks[name] = checks
        self._looking = None

    def stops(self, name: str) -> None:
        self._checks[name] = None
        self._looking = None

    async def look(self) -> Readiness:
        """Return what holds now. One look at a time, whoever asks."""
        old = self._looking is not None and self._looking.done() and self._now_s() - self._looked_s > KEPT_S
        if self._looking is None or old:
            self._looking = asyncio.create_task(self._look())
        return await asyncio.shield(self._looking)

    async def _look(self) -> Readiness:
        found = await asyncio.gather(*(_conditions(name, checks) for name, checks in self._checks.items()))
        self._looked_s = self._now_s()
        conditions = tuple(one for service in found for one in service)
        return Readiness(ready=not any(one.told for one in conditions), conditions=conditions)


async def _conditions(service: str, checks: tuple[BoundCheck, ...] | None) -> list[HealthCondition]:
    if checks is None:
        return [HealthCondition(service=service, name="serves", told="it does not serve yet, or not any more")]
    return list(await asyncio.gather(*(_condition(service, check) for check in checks)))


async def _condition(service: str, check: BoundCheck) -> HealthCondition:
    try:
        async with asyncio.timeout(CHECK_BOUND_S):
            await check.run()
    except TimeoutError:
        raise_if_cancelled()
        return HealthCondition(service=service, name=check.name, told=f"no answer within {CHECK_BOUND_S:g} s")
    except NotReady as error:
        return HealthCondition(service=service, name=check.name, told=str(error))
    except Exception as error:  # noqa: BLE001  whatever it is, this service is not ready
        return HealthCondition(service=service, name=check.name, told=error_words(error))
    return HealthCondition(service=service, name=check.name)


def checks_of(checks: Iterable[ReadyCheck], deps: Any) -> tuple[BoundCheck, ...]:
    return tuple(BoundCheck(check.name, lambda check=check: check.run(deps)) for check in checks)
