"""A task that names an API: it is asked before the browser, proven, stored, compared with the page, and read again."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import pytest

from shared.client import Client, connect
from shared.contracts.reperform import Reperform, SampleReperformed
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from shared.subjects import REPERFORM
from tests.end_to_end.command_line import SECRETS, System
from tests.end_to_end.finished_runs import run
from tests.end_to_end.secret_search import found_below
from tests.end_to_end.small_site import Answers, SmallSite

SECRET = SECRETS["API_TOKEN"]
OWNERS: dict[str, str] = {
    "A-1": "Ann Lee",
    "A-2": "Bo Ray",
    "A-3": "Cy Dun",
    "A-4": "Di Fox",
    "A-5": "Ed Kim",
    "A-8": "Hal Poe",
    "A-9": "Ida Quin",
}


@dataclass
class Seen:
    """The requests that a site had: path, and the header that should hold the secret."""

    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def paths(self, prefix: str) -> list[str]:
        return [path for path, _ in self.asked if path.startswith(prefix)]


class Elsewhere(Answers):
    """Where one response redirects to."""

    seen: ClassVar = Seen()

    def do_GET(self) -> None:
        self.seen.asked.append((self.path, self.headers.get("Authorization", "")))
        self.answer("{}", "application/json")


def record(number: str, **changed: Any) -> str:
    whole = {"number": number, "owner": OWNERS[number], "state": "Open", "amount": 0, "due": None, **changed}
    text = json.dumps({"data": [{key: value for key, value in whole.items() if value != "left out"}]})
    return text.replace('"amount": 0', '"amount": 1234567890123456.10')


class Tickets(Answers):
    """Pages under /t/, an API under /api/."""

    seen: ClassVar = Seen()
    elsewhere: ClassVar = ""

    def do_GET(self) -> None:
        self.seen.asked.append((self.path, self.headers.get("Authorization", "")))
        number = self.path.rpartition("/")[2]
        if self.path.startswith("/api/"):
            self.answer_api(number)
        elif number == "A-8":
            self.answer("<title>No such ticket</title><h1>404</h1><p>There is no such ticket.</p>", status=404)
        else:
            self.answer(
                f"<title>{number}</title><h1>Ticket</h1><dl><dt>Number<dd>{number}<dt>Owner<dd>{OWNERS[number]}"
                "<dt>State<dd>Open<dt>Amount<dd>1234567890123456.10<dt>Due<dd>-</dl>"
            )

    def answer_api(self, number: str) -> None:
        match number:
            case "A-2":
                self.answer('{"error": "down"}', "application/json", 500)
            case "A-3":
                self.answer(record(number, owner="left out", state="Closed"), "application/json")
            case "A-4":
                self.answer(record("A-1"), "application/json")
            case "A-5":
                self.answer("", "application/json", 302, location=f"{self.elsewhere}/taken")
            case "A-8" | "A-9":
                self.answer(record(number, owner="left out"), "application/json")
            case _:
                self.answer(record(number), "application/json")


def spec(url: str) -> dict[str, Any]:
    return {
        "task_id": "tickets_by_api",
        "start_url": f"{url}/t/{{number}}",
        "goal": "Read the ticket.",
        "input_schema": {"number": "string"},
        "sample_id": "{number}",
        "output_schema": {
            "number": "string",
            "owner": "string",
            "state": "string",
            "amount": "decimal",
            "due": {"type": "date | null", "not_present": ["-"]},
        },
        "required_fields": ["number", "owner", "state", "amount"],
        "identity": {"number": "{number}"},
        "not_found_texts": ["There is no such ticket"],
        "secrets": ["API_TOKEN"],
        "integration": {
            "url": f"{url}/api/tickets/{{number}}",
            "headers": {"Authorization": {"secret": "API_TOKEN", "prefix": "Bearer "}},
            "fields": {
                "number": "/data/0/number",
                "owner": "/data/0/owner",
                "state": "/data/0/state",
                "amount": "/data/0/amount",
                "due": "/data/0/due",
            },
        },
    }


@dataclass(frozen=True)
class Collected:
    run: Path
    again: tuple[SampleReperformed, ...]
    """A-1 re-performed: as it was stored, with a changed response, and with its hash forged as well."""

    def result(self, number: str) -> dict[str, Any]:
        return json.loads((self.run / number / "result.json").read_text())

    def log(self, number: str) -> list[dict[str, Any]]:
        return json.loads((self.run / number / "action_log.json").read_text())


async def reperformed(client: Client, run: Path) -> tuple[SampleReperformed, ...]:
    """Re-perform A-1 three times. Afterwards its files are as they were."""
    request = Reperform(run_id=run.name, sample_id="A-1")
    response, result = run / "A-1/response.json", run / "A-1/result.json"
    before = {path: path.read_bytes() for path in (response, result)}
    forged = before[response].replace(b"Ann Lee", b"Mal Ory")
    then, now = (hashlib.sha256(data).hexdigest().encode() for data in (before[response], forged))
    told = [await client.bus.ask(REPERFORM, request, timeout_s=60)]
    for path, data in ((response, forged), (result, before[result].replace(then, now))):
        write(path, data)
        told.append(await client.bus.ask(REPERFORM, request, timeout_s=60))
    for path, data in before.items():
        write(path, data)
    return tuple(told)


def write(path: Path, data: bytes) -> None:
    path.unlink()  # equal bytes are one file under several names
    path.write_bytes(data)


@pytest.fixture(scope="module")
def collected(system: System) -> Collected:
    """A run over all cases. The sites are gone by now."""

    async def collect() -> Collected:
        with SmallSite(Elsewhere) as other, SmallSite(Tickets) as site:
            Tickets.elsewhere = other.url
            async with connect(system.url) as client:
                finished = await run(client, spec(site.url), [{"number": number} for number in OWNERS])
                folder = Path(finished.location)
                return Collected(folder, await reperformed(client, folder))

    return asyncio.run(collect())


def test_what_the_api_gives_is_enough_without_a_page(collected: Collected):
    result = collected.result("A-1")
    assert (result["status"], result["decided_by"], result["steps"]) == ("done", "api", 1), result
    assert result["extracted"] == {
        "number": "A-1", "owner": "Ann Lee", "state": "Open", "amount": "1234567890123456.10", "due": None
    }  # fmt: skip
    (kept,) = result["artifacts"]
    amount = result["fields"]["amount"]
    assert (kept["kind"], kept["filename"]) == ("response", "response.json")
    assert (amount["origin"], amount["shown"]) == ("api", "1234567890123456.10")
    assert amount["response"] == {
        "url": kept["source_url"], "sha256": kept["sha256"], "pointer": "/data/0/amount"
    }  # fmt: skip
    assert result["fields"]["due"]["state"] == "not_present"
    (step,) = collected.log("A-1")
    assert (step["action"], step["decided_by"]) == ("ask_api", "api")
    assert Tickets.seen.paths("/t/A-1") == []


@pytest.mark.parametrize(
    ("number", "why"),
    [
        ("A-2", "it answered HTTP 500"),
        ("A-4", "it is of another record: number is 'A-1', asked for was 'A-4'"),
        ("A-5", "it answered 302 with a redirect, and redirects are not followed"),
    ],
)
def test_where_the_api_fails_the_browser_does_the_work_and_a_note_says_why(collected: Collected, number: str, why: str):
    result = collected.result(number)
    assert (result["status"], result["decided_by"], result["extracted"]["owner"]) == ("done", "rules", OWNERS[number])
    assert {one["origin"] for one in result["fields"].values()} == {"page"}
    (note,) = result["notes"]
    assert note == {"kind": "api_failed", "text": f"{why}; the browser did the work"}
    assert [step["action"] for step in collected.log(number)].count("ask_api") == 1


def test_nothing_is_asked_where_a_response_redirects_to_nor_does_a_page_have_the_secret(collected: Collected):
    assert Elsewhere.seen.asked == []
    assert {told for path, told in Tickets.seen.asked if path.startswith("/api/")} == {f"Bearer {SECRET}"}
    assert {told for path, told in Tickets.seen.asked if path.startswith("/t/")} == {""}


def test_where_the_api_lacks_a_field_the_page_is_read_and_all_that_both_have_is_compared(collected: Collected):
    agreed, differing = collected.result("A-9"), collected.result("A-3")
    assert (agreed["status"], agreed["extracted"]["owner"]) == ("done", "Ida Quin")
    assert (differing["status"], differing["reason"]) == ("needs_review", "api_differs")
    assert differing["message"] == "state: the API gives 'Closed', and the page shows 'Open'"
    assert differing["flagged"] is True


def test_a_record_that_the_api_gives_and_the_site_denies_goes_to_a_person(collected: Collected):
    result = collected.result("A-8")
    assert (result["status"], result["reason"]) == ("needs_review", "api_differs")
    assert "the site says that there is none" in result["message"]


def test_the_secret_is_in_no_byte_that_was_written(collected: Collected, system: System):
    assert found_below(collected.run, SECRET) == []
    assert found_below(system.folder / "state", SECRET) == []


def test_the_run_holds_and_its_tables_say_what_an_api_gave(collected: Collected):
    run = collected.run
    with duckdb.connect() as db:
        columns, fields = "field, response_pointer, response_sha256", f"'{run}/tables/fields.parquet'"
        condition = "origin = 'api' and sample_id = 'A-1' and value is not null"
        told = db.sql(f"select {columns} from {fields} where {condition} order by field").fetchall()
    (kept,) = collected.result("A-1")["artifacts"]
    assert told == [(name, f"/data/0/{name}", kept["sha256"]) for name in ("amount", "number", "owner", "state")]
    with (run / "combined.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = {row["sample_id"]: row for row in csv.DictReader(file)}
    assert (rows["A-1"]["from_api"], rows["A-2"]["from_api"]) == ("number;owner;state;amount;due", "")
    assert not check_run(FolderSource(run), None).problems


def verdicts(sample: SampleReperformed) -> dict[str, tuple[str, str | None]]:
    return {value.field: (value.verdict, value.found) for value in sample.values}


def test_a_stored_response_is_read_again_without_the_api(collected: Collected):
    sample = collected.again[0]
    assert (sample.identity, {value.verdict for value in sample.values}) == ("proven", {"same"})
    assert verdicts(sample)["amount"] == ("same", "1234567890123456.10")


def test_a_changed_response_is_told_by_its_hash_and_a_forged_hash_by_the_value(collected: Collected):
    changed, forged = map(verdicts, collected.again[1:])
    assert {verdict for verdict, _ in changed.values()} == {"altered"}
    assert (forged["owner"], forged["state"]) == (("differs", "Mal Ory"), ("same", "Open"))
