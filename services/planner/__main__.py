"""The planner as a process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from services.planner.deps import BUS_USE, PlannerDeps
from services.planner.drivers.model.cache_check import SETUP_CHECKS
from services.planner.drivers.registry import DriverRegistry, ModelHelpers
from services.planner.handlers import actor
from shared.bus.nats_bus import Bus
from shared.settings import Settings, default_planner
from shared.subjects import WORK_SAMPLE

__all__ = ["BUS_USE", "NAME", "SETUP_CHECKS", "actor", "open_deps"]

NAME = "planner"


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[PlannerDeps]:
    """Open what the planner needs: clients of models stay open for the whole process."""
    actor.stored[WORK_SAMPLE.pattern] = replace(actor.stored[WORK_SAMPLE.pattern], max_attempts=settings.max_attempts)
    async with aclosing(DriverRegistry(settings, bus)) as drivers, aclosing(ModelHelpers(settings)) as helpers:
        model = helpers if settings.anthropic_api_key is not None else None
        yield PlannerDeps(
            bus, bus, bus, drivers, default_planner(settings), teacher=model, drafter=model, librarian=model,
            finder=model, builder=model,
            now=lambda: datetime.now(UTC), elapsed_s=time.perf_counter, wait=asyncio.sleep, blobs=bus,
            planner_id=bus.instance_id, seats=bus,
        )  # fmt: skip


if __name__ == "__main__":
    from shared.host.services import main

    main(NAME)
