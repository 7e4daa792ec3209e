"""The whole job on a bus with users: each service with its own key, the request by a client."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from practice.tickets.data import ground_truth
from shared.bus.access.credentials import BusAccess
from shared.client import Client, connect
from shared.client.schedules import add_schedule, change_schedule, compare_two_runs, list_schedules
from shared.contracts.comparing import ComparisonTold
from shared.contracts.discovery import SubmitRun
from shared.contracts.evidence import SqlRefused
from shared.contracts.scheduling import AddSchedule, ScheduledRun
from shared.health.readiness import Health, Readiness
from shared.host.service_names import NAMES
from shared.host.services import run_services
from shared.settings import Settings
from tests.bus_with_users import bus_with_users
from tests.end_to_end.conftest import ROOT
from tests.waiting import until_asked


async def test_a_run_is_done_with_all_users_in_place_and_nothing_is_refused(
    settings: Settings, tmp_path: Path, tickets_url: str, ticket_spec: dict, caplog: pytest.LogCaptureFixture
):
    rows = [
        {"ticket_number": ticket.number, "url": f"{tickets_url}/tickets/{ticket.number}"}
        for ticket in ground_truth()[:2]
    ]
    async with bus_with_users(tmp_path / "bus") as bus:
        settings = settings.model_copy(update={"nats_url": bus.url, "nats_seed": bus.access.seeds})
        keys = tmp_path / "bus" / "keys"
        client_alone = BusAccess(seeds=keys / "client.seed")
        health = Health(NAMES, time.monotonic)
        async with run_services(settings, bus.url, health=health), connect(bus.url, client_alone) as client:
            ready = await until_asked(partial(_all_well, health), "every service says that it is well")
            accepted = await client.submit(ticket_spec, rows=rows[:1])
            finished = await client.result(accepted.run_id)
            plain = await in_plain_nats_py(bus.url, keys / "client.seed", tmp_path, rows[1:])
            answered = await client.sql("SELECT count(*) AS n FROM samples WHERE status = 'done'")
            status = await client.status(accepted.run_id)
            scheduled, compared = await of_a_schedule(client, ticket_spec, rows[:1], accepted.run_id)
    assert scheduled.outcome == "started"
    assert (compared.same, compared.counts["same"], compared.refused) == (True, 1, "")
    assert {one.service for one in ready.conditions} == set(NAMES)
    assert {one.status: one.samples for one in finished.outcomes} == {"done": 1}
    assert "finished: 1 done" in plain
    assert not isinstance(answered, SqlRefused)
    assert b"2" in answered[1]
    assert status.run_id == accepted.run_id
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


async def _all_well(health: Health) -> Readiness | None:
    """Return what the services say of themselves; None while one of them needs longer for its answer."""
    seen = await health.look()
    return None if any(one.told for one in seen.conditions) else seen


async def of_a_schedule(
    client: Client, spec: dict[str, Any], rows: list[dict[str, str]], earlier: str
) -> tuple[ScheduledRun, ComparisonTold]:
    """Return what became of a schedule with a file, whose run was requested now, and what has changed since an earlier
    run of these rows."""
    data = "\n".join(",".join(one) for one in (rows[0].keys(), *(row.values() for row in rows)))
    request = SubmitRun(spec=spec, input_file=await client.upload("rows.csv", data.encode()), planner="rules")
    await add_schedule(client.bus, AddSchedule(name="yearly", every="0 6 1 1 *", request=request))
    [run] = (await change_schedule(client.bus, "yearly", "run")).runs
    await change_schedule(client.bus, "yearly", "remove")
    assert await list_schedules(client.bus) == ()
    await client.result(run.run_id)
    return run, await compare_two_runs(client.bus, earlier, run.run_id)


async def in_plain_nats_py(url: str, seed: Path, folder: Path, rows: list[dict[str, str]]) -> str:
    """Have the example of a plain client request a run and follow it; return what it says."""
    samples = folder / "samples.json"
    samples.write_text(json.dumps(rows), encoding="utf-8")
    client = await asyncio.create_subprocess_exec(
        *(sys.executable, "examples/submit_run.py", "task_specs/practice_tickets.json", str(samples)),
        *("--nats", url, "--seed", str(seed)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
    )
    said, _ = await asyncio.wait_for(client.communicate(), 120)
    return said.decode()
