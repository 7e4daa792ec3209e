"""Forms that are made (`tests/end_to_end/made_forms.py`), sent in the real browser.

A send is untrue if its sample is done and the site has not received exactly one request with the values of the row, or
gave it another number than the sample says; and if one was sent twice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shared.client import Client
from tests.end_to_end.made_forms import TAKEN, FormSite, MadeForm, made_forms, number_of


@dataclass
class SendsTold:
    """``sent``: forms that can be done, ``done`` of them; ``untrue``: what is wrong with samples that are done."""

    forms: int = 0
    sent: int = 0
    done: int = 0
    untrue: list[str] = field(default_factory=list[str])


async def send_made_forms(client: Client, count: int) -> SendsTold:
    """Send each form once by a task that reads its number, and once by one that asks for a picture alone."""
    told = SendsTold()
    for reads in (True, False):
        await _send(client, count, told, reads=reads)
    return told


async def _send(client: Client, count: int, told: SendsTold, *, reads: bool) -> None:
    forms = made_forms(count)
    with FormSite(forms) as site:
        rows = [
            {"number": str(one.number), "name": one.name, "amount": one.amount, "url": site.url + one.path}
            for one in forms
        ]
        accepted = await client.submit(_spec(reads=reads), rows=rows, planner="rules", concurrency=4)
        finished = await client.result(accepted.run_id)
    told.forms += count
    for one in forms:
        result = json.loads((Path(finished.location) / str(one.number) / "result.json").read_text(encoding="utf-8"))
        received, what = site.received.get(one.number, []), f"{one.number} {one.kind}, read: {reads}"
        told.sent += one.kind in TAKEN
        if result["status"] == "done":
            told.done += one.kind in TAKEN
            number = result["extracted"]["request_number"] if reads else number_of(one)
            wrong = _wrong(one, number, received)
            told.untrue += [f"{what}: {wrong}"] if wrong else []
        elif len(received) > 1:
            told.untrue.append(f"{what}: it was sent {len(received)} times")


def _wrong(made: MadeForm, number: object, received: list[tuple[str, str]]) -> str:
    if received != [(made.name, made.amount)]:
        return f"the site received {received}"
    return "" if number == number_of(made) else f"its number is {number_of(made)}, told is {number}"


def _spec(*, reads: bool) -> dict[str, Any]:
    field, title = {"request_number": "string"}, {"title": {"type": "string", "shown_in": "title", "pattern": ".+"}}
    return {
        "task_id": "made_forms",
        "goal": "Send the request and note its number.",
        "start_url": "{url}",
        "allowed_hosts": ["127.0.0.1"],
        "input_schema": {"number": "string", "name": "string", "amount": "string", "url": "string"},
        "sample_id": "{number}",
        "output_schema": field if reads else title,
        "required_artifacts": [] if reads else ["screenshot:sent"],
        "route": [
            *([] if reads else [{"read": ["title"]}]),
            {"fill": {"Name": "{name}", "Amount": "{amount}"}},
            {"press": "Submit", "irreversible": True},
            {"read": ["request_number"]} if reads else {"screenshot": "sent"},
        ],
    }
