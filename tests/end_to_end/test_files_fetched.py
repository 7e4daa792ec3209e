"""Files that a route fetches, in whole runs: by address, by a button without a name, and each stored once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shared.client import Client
from tests.end_to_end.finished_runs import run
from tests.end_to_end.small_site import Answers, SmallSite

BILL, NOTES = "month,sum\nMay,12\n", "two lines\nof notes\n"
PAGE = """<!doctype html><title>Box B-1</title><h1>Box B-1</h1><dl><dt>Owner</dt><dd>Ann Lee</dd></dl>
<h2>Bill</h2><p>The bill of May
<button onclick="location.href = '/bill.csv'"><svg width=16 height=16></svg></button></p>
<h2>Notes</h2><p><a href=/notes.txt>Notes</a> <a href=/bill.csv>Bill</a></p>"""


class Archive(Answers):
    def do_GET(self) -> None:
        if self.path == "/bill.csv":
            self.answer(BILL, "text/csv", content_disposition='attachment; filename="bill.csv"')
        elif self.path == "/notes.txt":
            self.answer(NOTES, "text/plain; charset=utf-8")
        else:
            self.answer(PAGE)


@pytest.fixture
def archive() -> Iterator[str]:
    with SmallSite(Archive) as site:
        yield site.url


async def fetched(client: Client, url: str, route: list[dict[str, Any]], artifacts: list[str]) -> dict[str, Any]:
    spec = {
        "task_id": "boxes",
        "goal": "The files of the box.",
        "start_url": f"{url}/",
        "input_schema": {"box": "string"},
        "sample_id": "{box}",
        "output_schema": {"box": "string", "owner": "string"},
        "identity": {"box": "{box}"},
        "required_fields": ["owner"],
        "required_artifacts": artifacts,
        "route": route,
    }
    finished = await run(client, spec, [{"box": "B-1"}])
    folder = Path(finished.location) / "B-1"
    result = json.loads((folder / "result.json").read_text())
    files = [one for one in result["artifacts"] if one["kind"] == "download"]
    result["files"] = {one["label"]: (folder / one["filename"]).read_text() for one in files}
    assert len(result["files"]) == len(files)
    return result


async def test_files_are_fetched_by_address_and_by_the_button_without_a_name(client: Client, archive: str):
    route = [{"download": "notes", "open": "/notes.txt"}, {"download": "paper", "under": "Bill"}, {"read": ["owner"]}]
    result = await fetched(client, archive, route, ["download:notes", "download:paper"])
    assert (result["status"], result["fields"]["owner"]["value"]) == ("done", "Ann Lee")
    assert result["files"] == {"notes": NOTES, "paper": BILL}


async def test_the_same_file_by_address_and_by_a_click_is_stored_once(client: Client, archive: str):
    route = [{"download": "paper", "open": "/bill.csv"}, {"download": "again", "press": "Bill"}, {"read": ["owner"]}]
    result = await fetched(client, archive, route, ["download:paper", "download:again"])
    assert result["status"] == "done", result["message"]
    assert list(result["files"].values()) == [BILL]
