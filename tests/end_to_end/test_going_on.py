"""A killed command resumes its run in the same folder, and never starts a second one silently."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.host.services import run_embedded
from shared.settings import Settings
from tests.end_to_end.conftest import Cli, descendants, gone
from tests.end_to_end.held_site import HeldSite, results, wait_for_result
from tests.end_to_end.owner_tasks import write_owner_task

NUMBERS = ["A", "none", "B", "C"]


@pytest.fixture
def site() -> Iterator[HeldSite]:
    with HeldSite(held=["B", "C"], missing=["none"]) as site:
        yield site


def killed(cli: Cli, arguments: tuple[str, ...], evidence: Path, site: HeldSite) -> Path:
    """Kill the command, and no process that it has started, once it has a result and waits for a page.

    Return the run's folder.
    """
    process = cli.start(*arguments, "--evidence", str(evidence), "--concurrency", "2")
    wait_for_result(evidence, "A")
    site.wait_until_asked("B")
    family = descendants(process.pid)
    process.kill()
    process.communicate()
    assert gone(family), "nothing is left behind"
    [run] = evidence.glob("run_*")
    return run


async def test_a_killed_command_goes_on_in_the_same_folder_and_a_second_one_is_not_begun_in_silence(
    cli: Cli, site: HeldSite, settings: Settings
):
    write_owner_task(cli, "held", f"{site.url}/records", NUMBERS)
    arguments = ("run", str(cli.folder / "spec.json"), "--input", str(cli.folder / "in.csv"))
    evidence = Path(settings.evidence_dir)
    run = killed(cli, arguments, evidence, site)
    before = results(evidence)
    assert f"{run.name}/A/result.json" in before
    assert not {f"{run.name}/B/result.json", f"{run.name}/C/result.json"} & before.keys()
    site.let_go()

    async with run_embedded(settings) as client:
        assert client.bus.nc.connected_url is not None
        cli.env["EXHIBIT_NATS_URL"] = client.bus.nc.connected_url.geturl()
        second = await cli.run_async(*arguments, "--json")
        told = f"exhibit: {run.name} ({len(NUMBERS)} samples), of the same task and the same input, is not finished"
        assert told in second.stderr
        assert f"--resume {run.name}" in second.stderr
        assert json.loads(second.stdout)["run_id"] != run.name

        resumed = await cli.run_async(*arguments, "--resume", "last", "--json")
        assert f"going on with {run.name}" in resumed.stderr, "the second is finished"
        finished = json.loads(resumed.stdout)
        assert (finished["run_id"], finished["samples"]) == (run.name, len(NUMBERS))
        assert {one["status"]: one["samples"] for one in finished["outcomes"]} == {"done": 3, "failed": 1}
        after = results(evidence)
        done, failed = f"{run.name}/A/result.json", after[f"{run.name}/none/result.json"]
        assert after[done] == before[done], "what was done is not done again"
        with (run / "combined.csv").open(newline="") as file:
            assert sorted(row["sample_id"] for row in csv.DictReader(file)) == sorted(NUMBERS)

        again = await cli.run_async("run", "--resume", run.name, "--json")
        assert json.loads(again.stdout)["run_id"] == run.name
        assert (run / "none" / "result.json").read_bytes() != failed
        aside = sorted((run / "none").glob("attempt_*/result.json"))
        assert failed in [path.read_bytes() for path in aside], "an attempt is added, none is overwritten"
        known = await client.runs()
    assert known.unfinished is None
    assert len(list(evidence.glob("run_*"))) == 2
