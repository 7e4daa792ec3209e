"""Requests a run and follows it, with nothing but nats-py: the bus is the interface.

    pip install nats-py nkeys
    exhibit up                                         # in another terminal
    python examples/submit_run.py task_specs/practice_tickets.json samples.json

samples.json is a list of objects, one a sample, with the columns that the spec's input_schema names:

    [{"ticket_number": "TCK-1001", "url": "http://127.0.0.1:8100/tickets/TCK-1001"}]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
from pathlib import Path

import nats
import nats.errors
import nkeys
from nats.aio.client import Client
from nats.aio.msg import Msg

SUBMIT = "exhibit.v1.ask.discovery.run.submit"
FOLLOW = "exhibit.v1.ask.evidence.run.follow"
EVENTS = "exhibit.v1.evt.*.*.*.{run_id}"


async def main() -> int:
    arguments = parse()
    request = {
        "type": "SubmitRun",
        "spec": json.loads(arguments.spec.read_text(encoding="utf-8")),
        "samples": json.loads(arguments.samples.read_text(encoding="utf-8")),
        "requested_by": "examples/submit_run.py",
    }
    nc = await nats.connect(arguments.nats, allow_reconnect=False, **key(arguments))
    try:
        reply = await nc.request(SUBMIT, json.dumps(request).encode(), timeout=60)
        answer = json.loads(reply.data)
        print(json.dumps(answer, indent=2, ensure_ascii=False))
        if answer["type"] != "RunAccepted":  # RunRejected lists every problem, Failure says what went wrong
            return 1
        return await follow(nc, answer["run_id"])
    except nats.errors.NoRespondersError:
        print(f"Nobody takes run requests at {arguments.nats}. Start the services first: exhibit up")
        return 1
    finally:
        await nc.close()


async def follow(nc: Client, run_id: str) -> int:
    """Prints what happens until the run is finished. The events are stored: none that came before is missed."""
    heard = asyncio.Event()

    async def on_event(_: Msg) -> None:
        heard.set()

    subject = EVENTS.format(run_id=run_id)  # of the run itself; those of its samples have one token more
    for one in (subject, f"{subject}.>"):
        await nc.subscribe(one, cb=on_event)
    after = 0
    while True:
        heard.clear()
        asked = {"type": "FollowRun", "run_id": run_id, "after": after}
        page = json.loads((await nc.request(FOLLOW, json.dumps(asked).encode(), timeout=60)).data)
        for stored in page["events"]:
            after, event = stored["sequence"], json.loads(stored["data"])
            print(told(event), flush=True)
            if event["type"] == "RunFinished":
                return 0 if all(outcome["status"] == "done" for outcome in event["outcomes"]) else 2
        with contextlib.suppress(TimeoutError):  # an event may be heard before it is stored
            await asyncio.wait_for(heard.wait(), 0.0 if page["more"] else 1.0)


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


def key(arguments: argparse.Namespace) -> dict:
    """What the bus knows this program by: the seed of a user, as `exhibit bus-config` writes it, or the token that
    `exhibit up` keeps in a file of its user while it runs."""
    if arguments.seed:
        user = nkeys.from_seed(bytearray(arguments.seed.read_bytes().strip())).public_key.decode()
        return {"nkeys_seed": str(arguments.seed), "inbox_prefix": f"_INBOX.{user}"}
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    host, _, port = arguments.nats.removeprefix("nats://").partition(":")
    context = state / "exhibit" / "bus" / f"{host}-{port or 4222}.json"
    return {"token": json.loads(context.read_bytes())["token"]} if context.exists() else {}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", type=Path)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--nats", default="nats://127.0.0.1:4222")
    parser.add_argument("--seed", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
