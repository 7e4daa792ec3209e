"""`exhibit try`: a new user's first spec, one row, and the entries that it says to paste."""

from __future__ import annotations

import json
from getpass import getuser
from pathlib import Path
from typing import Any

import msgspec
from nats.js.errors import NotFoundError

from services.console.text.trial_story import TrialStory
from shared.client import Client, connect
from shared.contracts.results import Box
from shared.streams import ARTIFACTS
from tests.end_to_end.conftest import Cli, System
from tests.end_to_end.small_site import Answers, SmallSite

PAGE = """<!doctype html><html lang=en><title>Contract C-1042</title><h1>Contract C-1042</h1>
<dl><dt>Responsible person<dd>Ann Lee<dt>End date<dd>03/04/2027</dl>
<h2>Billing</h2><dl><dt>Amount<dd>1,250.00 EUR</dl>
<h2>Deposit</h2><dl><dt>Amount<dd>80.00 EUR</dl>
<p>Template v2.5.1</p>"""
NAIVE: dict[str, Any] = {
    "task_id": "contracts",
    "goal": "Read the contract.",
    "input_schema": {"contract": "string", "url": "string"},
    "sample_id": "{contract}",
    "output_schema": {
        "contract": {"type": "string", "shown_in": "heading", "pattern": "C-[0-9]+"},
        "responsible": "string",
        "ends_on": {"type": "date", "labels": ["End date"]},
        "amount": "decimal",
        "template": {"type": "string", "shown_in": "text", "pattern": "[0-9.]+"},
    },
    "required_fields": ["responsible", "ends_on", "amount", "template"],
    "identity": {"contract": "{contract}"},
}
MEANT = {"responsible": "Ann Lee", "ends_on": "2027-04-03", "amount": "1250.00", "template": "2.5.1"}
"""What the page means. Of dates and amounts only its people know it: the first number is the day, and it is billed."""


class Contract(Answers):
    def do_GET(self) -> None:
        return self.answer(PAGE)


def write_task(folder: Path, url: str, schema: dict[str, Any]) -> str:
    hosts = [url.removeprefix("http://")]
    (folder / "contracts.json").write_text(json.dumps({**NAIVE, "allowed_hosts": hosts, "output_schema": schema}))
    (folder / "contracts.csv").write_text(f"contract,url\nC-1042,{url}/C-1042\n")
    return str(folder / "contracts.json")


def tried(cli: Cli, *arguments: str) -> tuple[int, TrialStory]:
    ended = cli.run("try", *arguments, "--json")
    return ended.returncode, msgspec.json.decode(ended.stdout, type=TrialStory)


def pasted(story: TrialStory) -> dict[str, Any]:
    """Return the fields as the spec has them once a person has chosen among what was offered."""
    schema = dict(NAIVE["output_schema"])
    for field in story.fields:
        chosen = [key.entry for key in field.settled_by if key.value == MEANT.get(field.field)]
        schema |= {field.field: chosen[0]} if chosen else {}
    return schema


async def captured(client: Client) -> set[str]:
    store = await client.bus.nc.jetstream().object_store(ARTIFACTS.name)
    try:
        return {one.name for one in await store.list(ignore_deletes=True) if one.name}
    except NotFoundError:  # so it says that it is empty
        return set()


async def test_a_first_spec_is_settled_by_pasting_what_is_offered_and_nothing_is_left_behind(
    online: Cli, system: System
):
    folder = online.folder
    with SmallSite(Contract) as site:
        async with connect(system.url) as client:
            before = await captured(client), set(system.evidence.glob("run_*"))
            spec = write_task(folder, site.url, NAIVE["output_schema"])
            code, first = tried(online, spec)
            assert (code, first.status, first.certain) == (1, "needs_review", False)
            assert [one.field for one in first.fields if one.certain] == ["contract"]
            open_amount = next(one for one in first.fields if one.field == "amount")
            assert {key.keys["under"]: key.value for key in open_amount.settled_by} == {
                "Billing": "1250.00", "Deposit": "80.00",
            }  # fmt: skip
            assert Path(first.picture).read_bytes().startswith(b"\x89PNG")
            write_task(folder, site.url, pasted(first))
            code, second = tried(online, spec, "--id", "C-1042", "--picture", str(folder / "seen.png"))
            assert (code, second.status, second.certain) == (0, "done", True)
            assert {one.field: one.value for one in second.fields} == {"contract": "C-1042", **MEANT}
            assert all(one.ink == "seen" and isinstance(one.box, Box) for one in second.fields)
            assert (folder / "seen.png").exists()
            assert (await captured(client) - before[0], set(system.evidence.glob("run_*"))) == (set(), before[1])


def test_with_a_place_for_evidence_it_is_a_run_of_one_sample(cli: Cli):
    with SmallSite(Contract) as site:
        spec = write_task(cli.folder, site.url, NAIVE["output_schema"])
        code, told = tried(cli, spec, "--row", "1", "--evidence", str(cli.folder / "evidence"))
    assert (code, told.status) == (1, "needs_review")
    template = next(one for one in told.fields if one.field == "template")
    assert [key.value for key in template.settled_by] == ["2.5.1", "v2.5.1"]
    assert Path(told.picture).exists()
    asked = json.loads((Path(told.evidence) / "run.json").read_text(encoding="utf-8"))
    assert asked["record"]["requested_by"] == getuser()
    assert cli.run("verify", "last").returncode == 0
