"""The discovery service: builds its dependencies and runs the actor."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from services.discovery.deps import BUS_USE, DiscoveryDeps
from services.discovery.handlers import actor, start_submission
from services.discovery.scheduling.schedules import keep_time
from services.discovery.submissions import finish_submissions, submit_once
from shared.aio import run_alongside
from shared.bus.nats_bus import Bus
from shared.contracts.planner import PLANNERS
from shared.settings import Settings
from shared.tables.excel import open_workbook

NAME = "discovery"

__all__ = ["BUS_USE", "NAME", "actor", "open_deps"]


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[DiscoveryDeps]:
    deps = DiscoveryDeps(
        asks=bus,
        publishes=bus,
        blobs=bus,
        records=bus,
        queues=bus,
        open_workbook=open_workbook,
        now=lambda: datetime.now(UTC),
        planners=frozenset(PLANNERS),
    )
    keeping = keep_time(lambda run: submit_once(run, start_submission, deps), deps)
    async with run_alongside(finish_submissions(start_submission, deps)), run_alongside(keeping):
        yield deps


if __name__ == "__main__":
    from shared.host.services import main

    main(NAME)
