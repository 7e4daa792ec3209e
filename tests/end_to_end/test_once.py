"""An irreversible form is submitted at most once, even if its run is interrupted and resumed."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from practice.hr_portal import demo, server
from practice.hr_portal.data import ground_truth
from practice.hr_portal.site import Options
from tests.end_to_end.conftest import ROOT, Cli

SEEN_BY_ANN = {
    "form_submitted": "yes",
    "confirmation_number": "LR-1A2B3C4D",
    "report_file": "report.pdf",
    "attachment_count": "0",
}
REPORT_MS = 8000
"""Long enough that the run is cut off while it waits for the report, behind the press."""


def sent(url: str) -> int:
    with urllib.request.urlopen(f"{url}/api/submissions") as answer:
        told = json.load(answer)
    return len(told["submissions"] if isinstance(told, dict) else told)


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


async def cut_off(process: subprocess.Popen[str], url: str, sign: signal.Signals) -> None:
    """Once the form has been sent."""
    async with asyncio.timeout(120):
        while not await asyncio.to_thread(sent, url):
            assert process.poll() is None, process.communicate()
    os.killpg(process.pid, sign)
    await asyncio.to_thread(process.communicate)


async def told(cli: Cli, *words: str) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(cli.run, *words, "--evidence", str(cli.folder / "evidence"))


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
async def test_what_may_have_been_sent_is_sent_again_only_after_a_person_has_said_so(cli: Cli, sign: signal.Signals):
    async with server.serve(options=Options(latency_ms=20, report_ms=REPORT_MS)) as url:
        spec, rows = written(cli.folder, url)
        evidence = cli.folder / "evidence"
        process = cli.start("run", spec, "--input", rows, "--evidence", str(evidence))
        await cut_off(process, url, sign)
        (run,) = [path.name for path in evidence.glob("run_*")]
        ended = await told(cli, "run", "--resume", run)
        assert await asyncio.to_thread(sent, url) == 1
        assert ended.returncode == 1, ended.stderr
        (at,) = (evidence / run).glob("*/result.json")
        result = json.loads(at.read_text())
        assert (result["status"], result["reason"]) == ("needs_review", "unknown_outcome")
        assert "not done again" in result["message"]
        if sign is signal.SIGINT:
            settled = await told(
                cli, "settle", run, at.parent.name, "--again", "--reason", "nothing there", "--by", "Ann"
            )
            assert settled.returncode == 0, settled.stderr
            again = await told(cli, "run", "--resume", run)
            assert await asyncio.to_thread(sent, url) == 2, again.stdout
            return
        given = [f"--value={name}={text}" for name, text in SEEN_BY_ANN.items()]
        settled = await told(
            cli, "settle", run, at.parent.name, "--done", "--reason", "it is there", "--by", "Ann", *given
        )
        assert settled.returncode == 0, settled.stderr
    asked = await told(cli, "sql", run, "select status, settled, settled_by from samples", "--format", "csv")
    assert asked.stdout.split() == ["status,settled,settled_by", "done,done,Ann"], asked.stderr
    checked = await told(cli, "verify", run)
    assert checked.returncode == 0, checked.stdout
