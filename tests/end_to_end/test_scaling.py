"""The bus is the API: services in separate processes, and a client without imports from this project."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from contextlib import suppress

from practice.tickets.data import ground_truth
from shared.client import connect
from tests.end_to_end.conftest import ROOT, Cli, descendants, gone


def url_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    return next(word.rstrip(",") for word in line.split() if word.startswith("nats://"))


async def instances(url: str, service: str, count: int) -> set[str]:
    """Who answers nats.micro's own discovery under that name: asked until ``count`` have, and nobody else does."""
    async with connect(url) as client:
        inbox = client.bus.nc.new_inbox()
        subscription = await client.bus.nc.subscribe(inbox)
        found: set[str] = set()
        for _ in range(60):
            await client.bus.nc.publish(f"$SRV.PING.{service}", b"", reply=inbox)
            with suppress(TimeoutError):
                while True:
                    message = await subscription.next_msg(timeout=1)
                    found.add(json.loads(message.data)["metadata"]["instance"])
            if len(found) >= count:
                break
        return found


async def test_two_more_browser_pools_share_the_work(cli: Cli, tickets_url: str, ticket_spec: dict):
    cli.env["EXHIBIT_BROWSER_CAPACITY"] = "2"
    up = cli.start("up", "--port", "-1", "--evidence", str(cli.folder / "evidence"))
    url = url_of(up)
    pools = [cli.start("serve", "browser_pool", "--nats", url) for _ in range(2)]
    for pool in pools:
        url_of(pool)
    assert len(await instances(url, "browser_pool", 3)) == 3

    numbers = [ticket.number for ticket in ground_truth()[:18]]
    rows = [{"ticket_number": n, "url": f"{tickets_url}/tickets/{n}"} for n in numbers]
    async with connect(url) as client:
        accepted = await client.submit(ticket_spec, rows=rows, concurrency=6)
        finished = await client.result(accepted.run_id)
    assert {o.status: o.samples for o in finished.outcomes} == {"done": 18}
    busy = [stats for stats in [len(descendants(process.pid)) for process in (up, *pools)] if stats]
    assert len(busy) == 3

    family = [child for process in (up, *pools) for child in descendants(process.pid)]
    for process in (*pools, up):
        process.send_signal(signal.SIGTERM)
    for process in (*pools, up):
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert gone(family)


async def test_a_client_in_plain_nats_py_gets_its_run_done(cli: Cli, tickets_url: str):
    up = cli.start("up", "--port", "-1", "--evidence", str(cli.folder / "evidence"))
    url = url_of(up)
    number = ground_truth()[0].number
    samples = cli.folder / "samples.json"
    samples.write_text(json.dumps([{"ticket_number": number, "url": f"{tickets_url}/tickets/{number}"}]))
    client = await asyncio.create_subprocess_exec(
        sys.executable,
        "examples/submit_run.py",
        "--nats",
        url,
        "task_specs/practice_tickets.json",
        str(samples),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    out, err = await asyncio.wait_for(client.communicate(), 120)
    assert client.returncode == 0, err.decode()
    assert b"RunAccepted" in out
    assert b"finished: 1 done" in out
