"""A killed command resumes its run in the same folder, and never starts a second one silently."""

from __future__ import annotations

import csv
import json

from tests.end_to_end.conftest import Cli, System, descendants, gone
from tests.end_to_end.held_site import HeldSite, run_with_result
from tests.end_to_end.owner_tasks import write_owner_task

NUMBERS = ["K-1", "none", "K-2", "K-3"]


def test_a_killed_command_goes_on_in_the_same_folder_and_a_second_one_is_not_begun_in_silence(
    online: Cli, system: System
):
    """It is killed, and no process that it has started, once it has a result and waits for a page."""
    arguments = ("run", str(online.folder / "spec.json"), "--input", str(online.folder / "in.csv"))
    with HeldSite(held=["K-2", "K-3"], missing=["none"]) as site:
        write_owner_task(online, "killed", f"{site.url}/records", NUMBERS)
        process = online.start_alone(*arguments, "--concurrency", "2")
        run = run_with_result(system.evidence, "K-1")
        site.wait_until_asked("K-2")
        family = descendants(process.pid)
        process.kill()
        process.communicate()
        assert gone(family), "nothing is left behind"
        done = (run / "K-1" / "result.json").read_bytes()
        assert not (run / "K-2" / "result.json").exists()
        site.let_go()

        second = online.run(*arguments, "--json")
        told = f"exhibit: {run.name} ({len(NUMBERS)} samples), of the same task and the same input, is not finished"
        assert told in second.stderr
        assert f"--resume {run.name}" in second.stderr
        assert json.loads(second.stdout)["run_id"] != run.name

        resumed = online.run(*arguments, "--resume", "last", "--json")
        assert f"going on with {run.name}" in resumed.stderr, "the second is finished"
        finished = json.loads(resumed.stdout)
        assert (finished["run_id"], finished["samples"]) == (run.name, len(NUMBERS))
        assert {one["status"]: one["samples"] for one in finished["outcomes"]} == {"done": 3, "failed": 1}
        assert (run / "K-1" / "result.json").read_bytes() == done, "what was done is not done again"
        with (run / "combined.csv").open(newline="") as file:
            assert sorted(row["sample_id"] for row in csv.DictReader(file)) == sorted(NUMBERS)

        failed = (run / "none" / "result.json").read_bytes()
        again = online.run("run", "--resume", run.name, "--json")
    assert json.loads(again.stdout)["run_id"] == run.name
    assert (run / "none" / "result.json").read_bytes() != failed
    aside = sorted((run / "none").glob("attempt_*/result.json"))
    assert failed in [path.read_bytes() for path in aside], "an attempt is added, none is overwritten"
    assert len(list(system.evidence.glob("run_*/K-1"))) == 2
