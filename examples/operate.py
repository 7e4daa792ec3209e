"""Decides the steps of samples as an operator, with nothing but nats-py: the bus is the interface.

    pip install nats-py nkeys
    exhibit up                                         # in another terminal
    python examples/operate.py                         # and run a task with: exhibit run ... --planner operator

It plays by simple rules for the task in task_specs/practice_tickets.json: refuse cookies, take the screenshot that is
still missing, report what stands under each label. A program of yours would put its own `decide` in their place.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
from pathlib import Path

import nats
import nkeys
from nats.aio.msg import Msg

DECIDE = "exhibit.v1.ask.operator.decision.decide"
LABELS = {"ticket_number": "Ticket number", "assignee": "Assignee", "due_date": "Due date"}
NOBODY = {"Unassigned", "No due date"}


async def main() -> None:
    arguments = parse()
    nc = await nats.connect(arguments.nats, **key(arguments))

    async def asked(msg: Msg) -> None:
        question = json.loads(msg.data)
        action = decide(question)
        print(f"{question['sample_id']}, step {question['step']}: {json.dumps(action)}", flush=True)
        reply = {"type": "DecisionGiven", "action": action, "decided_by": arguments.name}
        await msg.respond(json.dumps(reply).encode())

    # All operators of one queue group share the questions.
    await nc.subscribe(DECIDE, queue="operators", cb=asked)
    print(f"{arguments.name} decides at {arguments.nats}", flush=True)
    await asyncio.Event().wait()


def decide(question: dict) -> dict:
    """The next action, of those that question["tools"] describes."""
    shown = {field: value_of(label, question["text"]) for field, label in LABELS.items()}
    if not all(shown.values()):
        if question["steps_left"] > 1:
            return {"action": "wait", "reason": "The ticket is not shown yet."}
        return {"action": "fail", "code": "other", "note": "The ticket was never shown."}
    banner = re.search(r'\[(\d+)\] \[button\] "Reject all"', question["text"])
    if banner:
        return {"action": "click", "target": banner[1], "reason": "The banner lies over the page."}
    if question["missing_artifacts"]:
        label = question["missing_artifacts"][0].partition(":")[2]
        return {"action": "screenshot", "label": label, "reason": "The task asks for it."}
    found = {field: value for field, value in shown.items() if value}
    return {
        "action": "done",
        "values": {field: text for field, (_, text) in found.items() if text not in NOBODY},
        "not_present": {field: text for field, (_, text) in found.items() if text in NOBODY},
        "refs": {field: ref for field, (ref, _) in found.items()},
        "reason": "All three values are read.",
    }


def value_of(label: str, text: str) -> tuple[int, str] | None:
    """Number and text of the one element that stands under ``label``."""
    found = re.findall(rf'^\s*\[(\d+)\][^\n"]*\b{re.escape(label)}: "([^"\n]*)"', text, re.M)
    return (int(found[0][0]), found[0][1]) if len(found) == 1 else None


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
    parser.add_argument("--nats", default="nats://127.0.0.1:4222")
    parser.add_argument("--seed", type=Path)
    parser.add_argument("--name", default="examples/operate.py")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
