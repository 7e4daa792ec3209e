"""A run, and its values extracted again from its stored pages: without the site, unchanged, altered, and forged."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from practice.tickets import server
from practice.tickets.data import ground_truth
from shared.client import connect
from shared.zstd import pack_zstd, unpack_zstd
from tests.end_to_end.conftest import ROOT, Cli, System
from tests.typed import expect

SPEC = json.loads((ROOT / "task_specs/practice_tickets.json").read_text())
FIRST, SECOND = [ticket.number for ticket in ground_truth() if ticket.assignee and ticket.due_date][:2]
OWNER = expect(next(ticket.assignee for ticket in ground_truth() if ticket.number == FIRST), str)


@pytest.fixture(scope="module")
def collected(system: System, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the folder of a run of three tickets, one of which is not there. The site is gone by now."""

    async def collect() -> str:
        async with server.serve(latency_ms=0) as url, connect(system.url) as client:
            rows = [{"ticket_number": n, "url": f"{url}/tickets/{n}"} for n in (FIRST, SECOND, "TCK-9001")]
            accepted = await client.submit(SPEC, rows=rows, mode="agent")
            return (await client.result(accepted.run_id)).run_id

    run = asyncio.run(collect())
    return Path(shutil.copytree(system.evidence / run, tmp_path_factory.mktemp("collected") / run))


@pytest.fixture
def run(system: System, collected: Path) -> Run:
    """The run among those of the services, as it was collected."""
    folder = system.evidence / collected.name
    shutil.rmtree(folder)
    return Run(Path(shutil.copytree(collected, folder)))


class Run:
    """A copy of the run's folder, to be spoilt."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def result(self, number: str = FIRST) -> dict[str, Any]:
        return json.loads((self.folder / number / "result.json").read_text())

    def put(self, result: dict[str, Any], number: str = FIRST) -> None:
        self.write(self.folder / number / "result.json", json.dumps(result).encode())

    def file(self, kind: str, number: str = FIRST) -> Path:
        """Of the page that the values are bound to."""
        named = "page_sha256" if kind == "page" else "observation_file_sha256"
        sha256 = self.result(number)["fields"]["assignee"]["source"][named]
        kept = [one for one in self.result(number)["artifacts"] if (one["kind"], one["sha256"]) == (kind, sha256)]
        return self.folder / number / kept[0]["filename"]

    def change(self, kind: str, edit: Callable[[str], str]) -> None:
        """The stored file says something else now, and its record still has the hash of what was stored."""
        path = self.file(kind)
        before = unpack_zstd(path.read_bytes(), 10**8).decode()
        after = edit(before)
        assert after != before
        self.write(path, pack_zstd(after.encode()))

    def write(self, path: Path, data: bytes) -> None:
        path.unlink()  # equal bytes are one file under several names
        path.write_bytes(data)

    def forge(self, kind: str, edit: Callable[[str], str]) -> None:
        """As `change`, by somebody who knows where the hash is recorded."""
        path = self.file(kind)
        before = hashlib.sha256(path.read_bytes()).hexdigest()
        self.change(kind, edit)
        data, result = path.read_bytes(), self.result()
        for kept in result["artifacts"]:
            if kept["sha256"] == before:
                kept["size_bytes"] = len(data)
        self.put(json.loads(json.dumps(result).replace(before, hashlib.sha256(data).hexdigest())))


def reperformed(online: Cli, run: Run, *options: str, code: int) -> dict[str, Any]:
    ended = online.run("reperform", run.folder.name, "--json", *options)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return json.loads(ended.stdout)


def verdicts(told: dict[str, Any], number: str = FIRST) -> dict[str, str]:
    [sample] = [one for one in told["samples"] if one["sample_id"] == number]
    return {value["field"]: value["verdict"] for value in sample["values"]}


def value(told: dict[str, Any], field: str = "assignee") -> dict[str, Any]:
    return next(one for one in told["samples"][0]["values"] if one["field"] == field)


def other_owner(text: str) -> str:
    """As MHTML has it, names of one word each: a soft line end would hide a longer one."""
    return text.replace(OWNER.split()[0], "Mallory")


def test_every_value_is_extracted_again_without_the_site(online: Cli, run: Run, collected: Path):
    told = reperformed(online, run, code=0)
    assert told["same"] is True
    assert told["counts"]["values"] == {"same": 6}
    assert (told["counts"]["record_proven"], told["counts"]["record_not_proven"]) == (2, 0)
    assert [(one["sample_id"], one["status"], one["identity"]) for one in told["samples"]] == [
        (FIRST, "done", "proven"), (SECOND, "done", "proven"), ("TCK-9001", "failed", "not_stored"),
    ]  # fmt: skip
    owner = value(told)
    assert (owner["recorded"], owner["found"], owner["found_value"]) == (OWNER, OWNER, OWNER)
    assert (owner["observation"], owner["read_by"]) == ("same", "rules")
    assert "fingerprint" in owner["found_by"]
    assert owner["page"].endswith(".mhtml.zst")
    due = value(told, "due_date")
    assert due["found_value"] == due["recorded_value"] == run.result()["extracted"]["due_date"]
    assert due["found"] != due["found_value"]

    one = online.run("reperform", collected.name, "--sample", SECOND)
    assert one.returncode == 0, one.stdout + one.stderr
    assert f"1 sample of {collected.name}" in one.stdout
    assert "Every value that can be extracted again reads the same in the stored files." in one.stdout


def test_a_stored_page_that_was_changed_is_named_by_its_hash(online: Cli, run: Run):
    run.change("page", other_owner)
    told = reperformed(online, run, "--sample", FIRST, code=1)
    assert set(verdicts(told).values()) == {"altered"}
    now = hashlib.sha256(run.file("page").read_bytes()).hexdigest()
    assert now in value(told)["message"]
    assert run.file("page").name in value(told)["message"]
    words = online.run("reperform", run.folder.name)
    assert words.returncode == 1
    assert not words.stdout.startswith("{"), "people get no JSON"
    assert "ALTERED" in words.stdout
    assert f"SHA-256 of {run.file('page').name} is {now}" in words.stdout


def test_a_stored_page_and_its_hashes_that_were_forged_differ_with_both_values(online: Cli, run: Run):
    run.forge("page", other_owner)
    told = reperformed(online, run, code=1)
    assert verdicts(told) == {"ticket_number": "same", "assignee": "differs", "due_date": "same"}
    forged = value(told)
    assert (forged["recorded"], forged["found"]) == (OWNER, other_owner(OWNER))
    assert "the stored observation agrees with the record" in forged["message"]
    assert set(verdicts(told, SECOND).values()) == {"same"}
    # the second witness forged as well: the record still says something else
    run.forge("observation", other_owner)
    both = reperformed(online, run, "--sample", FIRST, code=1)
    assert verdicts(both)["assignee"] == "differs"
    assert f"the stored observation shows '{other_owner(OWNER)}'" in value(both)["message"]


@pytest.mark.parametrize("where", ["extracted", "fields"])
def test_a_value_that_was_changed_differs_from_the_page(online: Cli, run: Run, where: str):
    """It stands in the result twice: tables and report are made of the one, people read the other."""
    result = run.result()
    if where == "extracted":
        result["extracted"]["due_date"] = "2001-01-01"
    else:
        result["fields"]["due_date"]["value"] = "2001-01-01"
    run.put(result)
    told = reperformed(online, run, "--sample", FIRST, code=1)
    assert told["counts"]["values"] == {"same": 3, "differs": 1}
    [differs] = [one for one in told["samples"][0]["values"] if one["verdict"] == "differs"]
    assert (differs["field"], differs["recorded_value"]) == ("due_date", "2001-01-01")
    assert differs["found_value"] != "2001-01-01"


def test_a_run_or_a_sample_that_is_not_there_is_refused(online: Cli, collected: Path):
    no_run = online.run("reperform", "run_x")
    assert (no_run.returncode, "no run 'run_x'" in no_run.stderr) == (2, True)
    no_sample = online.run("reperform", collected.name, "--sample", "TCK-1")
    assert (no_sample.returncode, "--sample TCK-1" in no_sample.stderr) == (2, True)
