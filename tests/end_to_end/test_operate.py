"""Samples decided by a program and by a person at the command line, with all real services."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from typing import Any

from services.console.exits import INTERRUPTED
from shared.client import Client
from tests.end_to_end.conftest import ROOT, Cli, System
from tests.end_to_end.finished_runs import logs_of, outcomes_of, results_of, run
from tests.end_to_end.tickets import FULL, rows

TICKET = FULL[0]


def values_of(ticket: Any) -> dict[str, str]:
    return {"ticket_number": ticket.number, "assignee": ticket.assignee, "due_date": ticket.due_date.isoformat()}


async def test_a_plain_program_completes_tickets(
    client: Client, system: System, ticket_spec: dict[str, Any], tickets_url: str
):
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "examples" / "operate.py"), "--nats", system.url),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert program.stdout is not None
        assert b"decides at" in await program.stdout.readline()
        finished = await run(client, ticket_spec, rows(tickets_url, [TICKET]), planner="operator", mode="agent")
    finally:
        program.terminate()
        await program.wait()
    result = results_of(finished)[TICKET.number]
    assert (result["status"], result["extracted"]) == ("done", values_of(TICKET))
    assert (result["decided_by"], result["llm_calls"]) == ("operator", 0)
    assert [one["label"] for one in result["artifacts"] if one["kind"] == "screenshot"] == ["ticket"]


async def test_a_person_completes_a_ticket_at_the_command_line(
    client: Client, system: System, ticket_spec: dict[str, Any], tickets_url: str, cli: Cli
):
    values = values_of(TICKET)
    refs = {"ticket_number": 27, "assignee": 33, "due_date": 35}
    lines = ["clik 3", "?", 'done {"values": {"colour": "red"}}', "click Reject all", "screenshot ticket"]
    lines.append(f"done {json.dumps({'values': values, 'refs': refs})}")
    person = cli.start("operate", "--name", "ann", "--nats", system.url, stdin="")
    assert person.stdin is not None
    person.stdin.write("\n".join(lines) + "\n")
    person.stdin.flush()
    finished = await run(client, ticket_spec, rows(tickets_url, [TICKET]), planner="operator", mode="agent")
    person.send_signal(signal.SIGINT)
    out, err = await asyncio.to_thread(person.communicate, "", 60)
    assert person.returncode == INTERRUPTED
    assert outcomes_of(finished) == {("done", ""): 1}, out + err
    assert results_of(finished)[TICKET.number]["extracted"] == values
    assert [entry["decided_by"] for entry in logs_of(finished)[TICKET.number][1:]] == ["operator:ann"] * 4
    assert "there is no 'clik'" in out
    assert "type TARGET TEXT" in out
    assert "There is no field 'colour'" in out
