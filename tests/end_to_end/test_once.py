"""An irreversible form is submitted at most once, even if its run is interrupted and resumed."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from practice.hr_portal import demo
from practice.hr_portal.data import ground_truth
from practice.hr_portal.site import Options, PortalSite
from practice.serving import serve
from tests.end_to_end.conftest import ROOT, Cli, System
from tests.end_to_end.held_site import STARTED_S
from tests.waiting import until

SEEN_BY_ANN = {
    "form_submitted": "yes",
    "confirmation_number": "LR-1A2B3C4D",
    "report_file": "report.pdf",
    "attachment_count": "0",
}
NEVER = Options(latency_ms=20, report_ms=3_600_000)
"""The run is cut off while it waits for the report, behind the press."""


def written(folder: Path, url: str) -> tuple[str, str]:
    """The shipped task on the port of now, and one row of its input."""
    spec = json.loads((ROOT / "task_specs" / "practice_hr_request.json").read_text())
    spec["start_url"] = f"{url}/{spec['start_url'].partition('://')[2].partition('/')[2]}"
    (folder / "spec.json").write_text(json.dumps({key: value for key, value in spec.items() if key != "$schema"}))
    rows = demo.input_rows(ground_truth())[:1]
    with (folder / "in.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(folder / "spec.json"), str(folder / "in.csv")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
async def test_what_may_have_been_sent_is_sent_again_only_after_a_person_has_said_so(
    online: Cli, system: System, sign: signal.Signals
):
    site, before = PortalSite(NEVER), set(system.evidence.glob("run_*"))
    async with serve(site.app(), 0) as url:
        spec, rows = written(online.folder, url)
        process = online.start_alone("run", spec, "--input", rows)
        await asyncio.to_thread(until, lambda: site.submissions, "the form is sent", STARTED_S)
        os.killpg(process.pid, sign)
        await asyncio.to_thread(process.communicate)
        site._options = replace(NEVER, report_ms=20)
        (run,) = set(system.evidence.glob("run_*")) - before
        ended = await online.run_async("run", "--resume", run.name)
        assert len(site.submissions) == 1
        assert ended.returncode == 1, ended.stderr
        (at,) = run.glob("*/result.json")
        result = json.loads(at.read_text())
        assert (result["status"], result["reason"]) == ("needs_review", "unknown_outcome")
        assert "not done again" in result["message"]
        settle = ("settle", run.name, at.parent.name, "--by", "Ann", "--reason", "it was looked at")
        if sign is signal.SIGINT:
            settled = await online.run_async(*settle, "--again")
            assert settled.returncode == 0, settled.stderr
            again = await online.run_async("run", "--resume", run.name)
            assert len(site.submissions) == 2, again.stdout
            return
        given = [f"--value={name}={text}" for name, text in SEEN_BY_ANN.items()]
        settled = await online.run_async(*settle, "--done", *given)
        assert settled.returncode == 0, settled.stderr
        query = "select status, settled, settled_by from samples"
        asked = await online.run_async("sql", run.name, query, "--format", "csv")
    assert asked.stdout.split() == ["status,settled,settled_by", "done,done,Ann"], asked.stderr
    checked = online.run("verify", str(run))
    assert checked.returncode == 0, checked.stdout
