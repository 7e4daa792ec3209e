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
    forms = made_forms(count)
    with FormSite(forms) as site:
        rows = [
            {"number": str(one.number), "name": one.name, "amount": one.amount, "url": site.url + one.path}
            for one in forms
        ]
        accepted = await client.submit(_spec(), rows=rows, planner="rules", concurrency=4)
        finished = await client.result(accepted.run_id)
    told = SendsTold(forms=count)
    for one in forms:
        result = json.loads((Path(finished.location) / str(one.number) / "result.json").read_text(encoding="utf-8"))
        told.sent += one.kind in TAKEN
        if result["status"] == "done":
            told.done += one.kind in TAKEN
            wrong = _wrong(one, result["extracted"].get("request_number"), site.received.get(one.number, []))
            told.untrue += [f"{one.number} {one.kind}: {wrong}"] if wrong else []
        elif len(site.received.get(one.number, [])) > 1:
            told.untrue.append(f"{one.number} {one.kind}: it was sent {len(site.received[one.number])} times")
    return told


def _wrong(made: MadeForm, number: object, received: list[tuple[str, str]]) -> str:
    if received != [(made.name, made.amount)]:
        return f"the site received {received}"
    return "" if number == number_of(made) else f"its number is {number_of(made)}, told is {number}"


def _spec() -> dict[str, Any]:
    return {
        "task_id": "made_forms",
        "goal": "Send the request and note its number.",
        "start_url": "{url}",
        "allowed_hosts": ["127.0.0.1"],
        "input_schema": {"number": "string", "name": "string", "amount": "string", "url": "string"},
        "sample_id": "{number}",
        "output_schema": {"request_number": "string"},
        "required_fields": ["request_number"],
        "route": [
            {"fill": {"Name": "{name}", "Amount": "{amount}"}},
            {"press": "Submit", "irreversible": True},
            {"read": ["request_number"]},
        ],
    }
