"""Requests a run and follows it, with nothing but nats-py: the bus is the interface.

    pip install nats-py
    exhibit up                                         # in another terminal
    python examples/submit_run.py task_specs/practice_tickets.json samples.json

samples.json is a list of objects, one a sample, with the columns that the spec's input_schema names:

    [{"ticket_number": "TCK-1001", "url": "http://127.0.0.1:8100/tickets/TCK-1001"}]
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

import nats

SUBMIT = "exhibit.v1.ask.discovery.run.submit"
EVENTS = "exhibit.v1.evt.*.*.*.{run_id}"


async def main() -> int:
    arguments = parse()
    request = {
        "type": "SubmitRun",
        "spec": json.loads(arguments.spec.read_text(encoding="utf-8")),
        "samples": json.loads(arguments.samples.read_text(encoding="utf-8")),
        "requested_by": "examples/submit_run.py",
    }
    nc = await nats.connect(arguments.nats, allow_reconnect=False)
    try:
        reply = await nc.request(SUBMIT, json.dumps(request).encode(), timeout=60)
        answer = json.loads(reply.data)
        print(json.dumps(answer, indent=2, ensure_ascii=False))
        if answer["type"] != "RunAccepted":  # RunRejected lists every problem, Failure says what went wrong
            return 1
        return await follow(nc, answer["run_id"])
    finally:
        await nc.close()


async def follow(nc: nats.NATS, run_id: str) -> int:
    """Prints what happens until the run is finished. The events are stored, so none that came before is missed."""
    subject = EVENTS.format(run_id=run_id)
    events: asyncio.Queue[dict] = asyncio.Queue()

    async def take(message: nats.aio.msg.Msg) -> None:
        events.put_nowait(json.loads(message.data))

    for pattern in (subject, f"{subject}.>"):
        await nc.jetstream().subscribe(pattern, stream="EVENTS", cb=take, ordered_consumer=True)
    while True:
        event = await events.get()
        print(told(event), flush=True)
        if event["type"] == "RunFinished":
            return 0 if all(outcome["status"] == "done" for outcome in event["outcomes"]) else 2


def told(event: dict) -> str:
    """One line about an event."""
    match event["type"]:
        case "StepTaken":
            return f"{event['sample_id']}: step {event['step']}, {event['action']['action']}"
        case "SampleFinished":
            return f"{event['sample_id']}: {event['status']} {event.get('reason', '')}".rstrip()
        case "RunFinished":
            counts = ", ".join(f"{one['samples']} {one['status']}" for one in event["outcomes"])
            return f"finished: {counts}\ntable: {event['table']}"
        case kind:
            return kind


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", type=Path)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--nats", default="nats://127.0.0.1:4222")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
