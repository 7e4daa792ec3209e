"""A list that was not read to its end: what everybody is told about it, and that it is gone on with."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.end_to_end.conftest import Cli
from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect

TOTAL, SHOWN = 7, 5
KEYS = [f"B-{number:02d}" for number in range(1, TOTAL + 1)]
STATES = ("open", "closed")


class Register(SmallSite):
    """Bookings on pages of five. As long as it is ``broken``, its first page does not lead to the second."""

    def __init__(self) -> None:
        super().__init__(RegisterAnswers)
        self.broken = True


class RegisterAnswers(Answers):
    def do_GET(self) -> None:
        address = urlsplit(self.path)
        key = address.path.rpartition("/")[2]
        self.answer(_record(key) if key in KEYS else self._list(int(parse_qs(address.query).get("page", ["1"])[0])))

    def _list(self, number: int) -> str:
        first = (number - 1) * SHOWN
        keys = KEYS[first : first + SHOWN]
        rows = "".join(f"<tr><td><a href=/bookings/{key}>{key}</a><td>{_state(key)}" for key in keys)
        leads_on = first + SHOWN < TOTAL and not expect(self.server, Register).broken
        next_page = f'<a href="/bookings?page={number + 1}">Next</a>' if leads_on else ""
        table = f"<table><tr><th>Booking<th>Status{rows}</table>"
        counted = f"<p>{first + 1} - {first + len(keys)} of {TOTAL}</p>"
        return f"<title>Bookings</title><h1>Bookings</h1>{table}{counted}{next_page}"


def _state(key: str) -> str:
    return STATES[int(key[2:]) % 2]


def _record(key: str) -> str:
    facts = {"Booking": key, "Status": _state(key), "Message": f"Message of {key}"}
    rows = "".join(f"<tr><th>{label}<td>{value}" for label, value in facts.items())
    return f"<title>{key}</title><h1>{key}</h1><table>{rows}</table>"


@pytest.fixture
def register() -> Iterator[Register]:
    with Register() as site:
        yield site


LISTED = {"booking": {"type": "string", "pattern": "B-[0-9]+"}, "status": "string", "url": "string"}
READ = {"booking": "string", "status": {"type": "enum", "values": list(STATES)}, "message": "string"}


def write_specs(folder: Path, url: str) -> tuple[str, str]:
    """Return the files of the discovery and of the execution spec."""
    hosts = {"allowed_hosts": ["127.0.0.1"]}
    listing = {
        **{"task_id": "bookings", "phase": "discovery", "goal": "List the bookings.", "sample_id": "{booking}"},
        **{"start_url": f"{url}/bookings", "output_schema": LISTED, "required_fields": list(LISTED)},
    }
    execution = {
        **{"task_id": "booking", "goal": "Read the booking.", "sample_id": "{booking}"},
        **{"input_schema": {"booking": "string", "url": "string"}, "identity": {"booking": "{booking}"}},
        **{"output_schema": READ, "required_fields": list(READ)},
    }
    files = folder / "bookings.json", folder / "booking.json"
    for file, spec in zip(files, (listing, execution), strict=True):
        file.write_text(json.dumps({**spec, **hosts}))
    return str(files[0]), str(files[1])


def asked(cli: Cli, run_id: str, query: str) -> list[dict[str, str]]:
    answered = cli.run("sql", run_id, query, "--format", "csv")
    assert answered.returncode == 0, answered.stderr
    return list(csv.DictReader(answered.stdout.splitlines()))


def test_a_list_that_was_not_read_to_its_end_is_told_and_gone_on_with(online: Cli, register: Register):
    listing, _ = write_specs(online.folder, register.url)
    first = online.run("run", listing)
    assert first.returncode == 1
    for words in (f"Incomplete: {SHOWN} of {TOTAL}", f"1 - 5 of {TOTAL}", "Go on with --resume"):
        assert words in " ".join(first.stdout.split())

    still = online.run("run", listing, "--json", "--resume", "last")
    told = json.loads(still.stdout)
    assert (still.returncode, told["population_reason"], told["samples"]) == (1, "incomplete_list", SHOWN)
    run_id = told["run_id"]
    query = "select population_complete, population_reason, population_counted, population_note from runs"
    [row] = asked(online, run_id, query)
    assert row["population_complete"] == "false"
    assert (row["population_reason"], row["population_counted"]) == ("incomplete_list", str(TOTAL))
    assert f"{SHOWN} of {TOTAL}" in row["population_note"]

    register.broken = False
    whole = online.run("run", listing, "--json", "--resume", "last")
    finished = json.loads(whole.stdout)
    assert (whole.returncode, finished["run_id"], finished["samples"]) == (0, run_id, TOTAL)
    assert finished["population_complete"]
    with (Path(finished["location"]) / "discovered_samples.csv").open(newline="") as file:
        assert [row["booking"] for row in csv.DictReader(file)] == KEYS
    none = online.run("run", listing, "--json", "--resume", "last")
    assert (none.returncode, "no unfinished run" in none.stdout) == (2, True)


def test_what_is_found_later_is_worked_on_and_nothing_twice(online: Cli, register: Register):
    listing, execution = write_specs(online.folder, register.url)
    first = online.run("run", execution, "--discover", listing, "--json")
    finished = json.loads(first.stdout)
    assert (first.returncode, finished["outcomes"]) == (1, [{"status": "done", "reason": "", "samples": SHOWN}])
    run = Path(finished["location"])
    before = {key: (run / key / "result.json").read_bytes() for key in KEYS[:SHOWN]}

    register.broken = False
    whole = online.run("run", "--resume", finished["run_id"], "--json")
    again = json.loads(whole.stdout)
    assert (whole.returncode, again["outcomes"]) == (0, [{"status": "done", "reason": "", "samples": TOTAL}])
    assert {key: (run / key / "result.json").read_bytes() for key in before} == before, "what is done stays so"

    samples = asked(online, run.name, "select sample_id, status, reason from samples order by 1")
    assert [(one["sample_id"], one["status"]) for one in samples] == [(key, "done") for key in KEYS]
    query = "select sample_id, field, value from fields where field in ('status', 'message') order by 1, 2"
    values = [(one["sample_id"], one["field"], one["value"]) for one in asked(online, run.name, query)]
    with Path(again["table"]).open(newline="") as file:
        table = [(one["sample_id"], one["sample_status"], one["status"]) for one in csv.DictReader(file)]
    assert sorted(table) == [(key, "done", _state(key)) for key in KEYS]
    assert values == [
        (key, field, value)
        for key in KEYS
        for field, value in (("message", f"Message of {key}"), ("status", _state(key)))
    ]


def test_the_last_run_is_gone_on_with_where_samples_are_not_done_and_not_with_another_input(
    online: Cli, register: Register
):
    _, execution = write_specs(online.folder, register.url)
    rows = online.folder / "rows.csv"
    given = [f"{key},{register.url}/bookings/{key}\n" for key in ("B-01", "B-99")]
    rows.write_text(f"booking,url\n{''.join(given)}")
    arguments = ("run", execution, "--input", str(rows), "--json")
    first = online.run(*arguments)
    finished = json.loads(first.stdout)
    assert (first.returncode, finished["samples"]) == (1, 2), first.stderr

    again = online.run(*arguments, "--resume", "last")
    assert (again.returncode, json.loads(again.stdout)["run_id"]) == (1, finished["run_id"])

    rows.write_text(f"booking,url\n{given[0]}")
    other = online.run(*arguments, "--resume", "last")
    assert other.returncode == 2
    assert f"go on with that one by --resume {finished['run_id']}" in json.loads(other.stdout)["problems"][0]["message"]
