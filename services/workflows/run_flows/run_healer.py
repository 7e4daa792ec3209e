"""Heals a flow while runs use it: one worker of the fleet proposes, checks and publishes, the others take it.

Planners report each sample that a flow did to its end. Where the last ones all found something in another way, what
they agree on is proposed, checked with the recorded samples of the version, and published as the next one. Samples that
begin afterwards use it. See `shared.flows.healing`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from services.workflows.run_flows.heal_progress import as_healed, as_refused, begun, noted
from services.workflows.run_flows.run_task import load_task
from shared.aio import cancel_and_wait
from shared.bus.ports import Asks, Blobs, Records
from shared.contracts.workflows.heals import FlowFinished, FlowHealing
from shared.errors import ExhibitError
from shared.flows.healing.publishing import HealRefused, LibrarySamples, publish_heal
from shared.streams import FLOW_HEALS

log = logging.getLogger(__name__)

AUTHOR = "exhibit run"


class HealerBus(Asks, Blobs, Records, Protocol):
    """What healing uses of the bus."""


class RunHealer:
    def __init__(self, bus: HealerBus, now: Callable[[], datetime]) -> None:
        self._bus, self._now = bus, now
        self._tasks: set[asyncio.Task[None]] = set()

    async def note(self, finished: FlowFinished) -> None:
        """Take note of a sample, and begin to heal where it is time. Returns at once. Idempotent."""
        await self._bus.modify(FLOW_HEALS, finished.hash, FlowHealing, lambda known: noted(known, finished))
        if not finished.heals:
            return
        now = self._now()
        record = await self._bus.modify(FLOW_HEALS, finished.hash, FlowHealing, lambda known: begun(known, now))
        if record is not None:
            task = asyncio.create_task(self._heal(finished, record))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End what is at work. Another worker begins again later."""
        for task in tuple(self._tasks):
            await cancel_and_wait(task)

    async def _heal(self, finished: FlowFinished, record: FlowHealing) -> None:
        name, used = finished.name, finished.hash
        heals = {f"{one.run_id}/{one.sample_id}": one.heals for one in record.samples}
        try:
            _, spec = await load_task(self._bus, finished.run_id)
            outcome = await publish_heal(
                *(self._bus, spec, name, used, heals, LibrarySamples(self._bus)), author=AUTHOR, run_id=finished.run_id
            )
        except (ExhibitError, ValueError) as exc:
            outcome = HealRefused((str(exc),))
        except Exception:
            log.exception("healing %s@%s failed", name, used[:12])
            outcome = HealRefused(("an internal error, see the log",))
        if isinstance(outcome, HealRefused):
            reason = "; ".join(outcome.problems)
            log.info("no version comes of what samples of %s@%s found; its record tells why", name, used[:12])
            await self._bus.modify(FLOW_HEALS, used, FlowHealing, lambda known: as_refused(known, reason))
        else:
            hash = outcome.hash
            log.info("%s@%s is healed by %s", name, used[:12], hash[:12])
            await self._bus.modify(FLOW_HEALS, used, FlowHealing, lambda known: as_healed(known, hash))
