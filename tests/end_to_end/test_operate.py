"""Samples decided by a program and by a person at the command line, with all real services."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

from practice.tickets.data import ground_truth
from services.console.exits import INTERRUPTED
from shared.client import Client
from shared.contracts.evidence import RunFinished
from shared.host.services import run_embedded
from tests.end_to_end.conftest import ROOT, Cli

TICKETS = [ticket for ticket in ground_truth() if ticket.assignee and ticket.due_date][:2]


def url_of(client: Client) -> str:
    assert client.bus.nc.connected_url is not None
    return client.bus.nc.connected_url.geturl()


async def worked_on(client: Client, spec: dict[str, Any], url: str, tickets: list[Any]) -> RunFinished:
    rows = [{"ticket_number": one.number, "url": f"{url}/tickets/{one.number}"} for one in tickets]
    accepted = await client.submit(spec, rows=rows, planner="operator")
    return await asyncio.wait_for(client.result(accepted.run_id), 120)


def values_of(ticket: Any) -> dict[str, str]:
    return {"ticket_number": ticket.number, "assignee": ticket.assignee, "due_date": ticket.due_date.isoformat()}


def result_of(finished: RunFinished, number: str) -> dict[str, Any]:
    return json.loads((Path(finished.location) / number / "result.json").read_text())


async def test_a_plain_program_completes_tickets(settings, ticket_spec, tickets_url):
    async with run_embedded(settings) as client:
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, str(ROOT / "examples" / "operate.py"), "--nats", url_of(client)),
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            assert program.stdout is not None
            assert b"decides at" in await program.stdout.readline()
            finished = await worked_on(client, ticket_spec, tickets_url, TICKETS)
        finally:
            program.terminate()
            await program.wait()
    assert {(one.status, one.samples) for one in finished.outcomes} == {("done", 2)}
    for ticket in TICKETS:
        result = result_of(finished, ticket.number)
        assert result["extracted"] == values_of(ticket)
        assert (result["decided_by"], result["llm_calls"]) == ("operator", 0)
        assert [one["label"] for one in result["artifacts"] if one["kind"] == "screenshot"] == ["ticket"]


async def test_a_person_completes_a_ticket_at_the_command_line(settings, ticket_spec, tickets_url, cli: Cli):
    ticket = TICKETS[0]
    values = values_of(ticket)
    refs = {"ticket_number": 27, "assignee": 33, "due_date": 35}
    lines = ["clik 3", "?", 'done {"values": {"colour": "red"}}', "click Reject all", "screenshot ticket"]
    lines.append(f"done {json.dumps({'values': values, 'refs': refs})}")
    async with run_embedded(settings) as client:
        person = cli.start("operate", "--name", "ann", "--nats", url_of(client), stdin="")
        assert person.stdin is not None
        person.stdin.write("\n".join(lines) + "\n")
        person.stdin.flush()
        finished = await worked_on(client, ticket_spec, tickets_url, [ticket])
        person.send_signal(signal.SIGINT)
        out, err = await asyncio.to_thread(person.communicate, "", 30)
    assert person.returncode == INTERRUPTED
    assert {(one.status, one.samples) for one in finished.outcomes} == {("done", 1)}, out + err
    assert result_of(finished, ticket.number)["extracted"] == values
    log = json.loads((Path(finished.location) / ticket.number / "action_log.json").read_text())
    assert [entry["decided_by"] for entry in log[1:]] == ["operator:ann"] * 4
    assert "there is no 'clik'" in out
    assert "type TARGET TEXT" in out
    assert "There is no field 'colour'" in out
