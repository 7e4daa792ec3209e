"""The bus is the API: services in separate processes, and a client without imports from this project."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

from practice.tickets.data import ground_truth
from shared.client import connect
from shared.host.nats_server import nats_server
from shared.host.services import run_services
from shared.settings import Settings
from tests.end_to_end.conftest import ROOT, Cli, System, descendants, gone
from tests.end_to_end.held_site import HeldSite
from tests.end_to_end.owner_tasks import owner_spec

NUMBERS = ["A", "B", "C"]


def url_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    return next(word.rstrip(",") for word in line.split() if word.startswith("nats://"))


async def test_two_more_browser_pools_share_the_work(cli: Cli, settings: Settings):
    """Each has room for one session, and the site holds all pages back until three are asked for."""
    cli.env["EXHIBIT_BROWSER_CAPACITY"] = "1"
    settings = settings.model_copy(update={"browser_capacity": 1})
    with HeldSite(held=NUMBERS) as site:
        async with nats_server(cli.folder / "jetstream") as url, run_services(settings, url):
            pools = [cli.start("serve", "browser_pool", "--nats", url) for _ in range(2)]
            for pool in pools:
                assert await asyncio.to_thread(url_of, pool) == url
            async with connect(url) as client:
                rows = [{"number": number} for number in NUMBERS]
                accepted = await client.submit(owner_spec("held", f"{site.url}/records"), rows=rows, concurrency=3)
                await asyncio.to_thread(site.wait_until_asked, *NUMBERS)
                site.let_go()
                finished = await client.result(accepted.run_id)
            assert {o.status: o.samples for o in finished.outcomes} == {"done": len(NUMBERS)}
            family = [child for pool in pools for child in descendants(pool.pid)]
            assert family
            for pool in pools:
                pool.send_signal(signal.SIGTERM)
            for pool in pools:
                await asyncio.to_thread(pool.communicate, timeout=60)
                assert pool.returncode == 0
    assert await asyncio.to_thread(gone, family)


async def test_a_client_in_plain_nats_py_gets_its_run_done(system: System, tickets_url: str, tmp_path: Path):
    number = ground_truth()[0].number
    samples = tmp_path / "samples.json"
    samples.write_text(json.dumps([{"ticket_number": number, "url": f"{tickets_url}/tickets/{number}"}]))
    client = await asyncio.create_subprocess_exec(
        *(sys.executable, "examples/submit_run.py", "--nats", system.url),
        *("task_specs/practice_tickets.json", str(samples)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    out, err = await asyncio.wait_for(client.communicate(), 120)
    assert client.returncode == 0, err.decode()
    assert b"RunAccepted" in out
    assert b"finished: 1 done" in out
