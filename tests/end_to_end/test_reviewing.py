"""The tutorial of docs/tutorial_review.md: two reviewers and an approver, from a list to a sign-off."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from exhibit.demo import practice_site
from tests.end_to_end.command_line import ROOT, Cli, System

PAGE = (ROOT / "docs/tutorial_review.md").read_text(encoding="utf-8")
PEOPLE = ("ann", "ben", "cleo")
ENDS = {"exhibit run": 1}
"""Not every ticket is done."""
OF_SYSTEM = ("EXHIBIT_EVIDENCE_DIR", "EXHIBIT_STATE_DIR")
"""`verify` reads the evidence itself, and trusts the key of this state folder."""


def blocks() -> Iterator[tuple[str, str]]:
    """Return the frames of the page in their order, each with its language."""
    return ((found[1], found[2]) for found in re.finditer(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL))


@pytest.fixture
def online(cli: Cli, system: System) -> Cli:
    cli.env |= {"EXHIBIT_NATS_URL": system.url, **{name: system.env[name] for name in OF_SYSTEM}}
    return cli


class Reader:
    """Somebody who does what the page says. ``told``: what each command has printed, the last time."""

    def __init__(self, cli: Cli, evidence: Path) -> None:
        self._cli, self._evidence = cli, evidence
        self._before, self._names = set(evidence.glob("run_*")), dict[str, str]()
        self.told: dict[str, str] = {}
        self._last = ""

    def write(self, task: str) -> None:
        for person in PEOPLE:
            key = self.told[f"exhibit review key --by {person}"].split()[0]
            task = task.replace(f"KEY-OF-{person.upper()}", key)
        Path("q1_tickets.json").write_text(task)

    def do(self, commands: str) -> None:
        self._last = ""
        for command in commands.splitlines():
            ended = self._cli.run(*(self._names.get(word, word) for word in shlex.split(command)[1:]))
            expected = ENDS.get(" ".join(command.split()[:2]), 0)
            assert ended.returncode == expected, f"{command}: {ended.stdout}{ended.stderr}"
            self.told[command] = ended.stdout
            self._last += ended.stdout
            if command.startswith("exhibit run"):  # other services than those of this command have no last run
                self._names["last"] = self.run.name

    def look(self, lines: str) -> None:
        """What the page shows stands in what the last commands have printed."""
        printed = " ".join(self._last.split())
        for line in lines.splitlines():
            assert " ".join(line.split()) in printed, f"{line}\n{self._last}"

    @property
    def run(self) -> Path:
        [folder] = set(self._evidence.glob("run_*")) - self._before
        return folder


def test_the_commands_of_the_tutorial_lead_to_a_signed_off_run(
    online: Cli, system: System, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(online.folder)
    reader = Reader(online, system.evidence)
    act = {"sh": reader.do, "text": reader.look, "json": reader.write}
    (language, site), *rest = blocks()
    assert language == "console"
    with practice_site(*site.split()[3:], "--latency-ms", "0"):
        for language, text in rest:
            act[language](text)
    told = {command: " ".join(printed.split()) for command, printed in reader.told.items()}
    assert "register of tickets" not in told["exhibit review list last --by ben"]
    with (reader.run / "combined.csv").open(newline="") as table:
        rows = {row["sample_id"]: row for row in csv.DictReader(table)}
    assert len(rows) == 60
    assert all(row["signed_off_at"] for row in rows.values())
    assert json.loads(rows["TCK-1006"]["reviewed_value"]) == {"assignee": "Somebody Else"}
    assert rows["TCK-1006"]["assignee"] != "Somebody Else"
    assert (rows["TCK-9001"]["decision"], rows["TCK-9001"]["reviewed_by"]) == ("accept", "ann;ben")
    assert (rows["TCK-1005"]["decision"], rows["TCK-1005"]["reviewed_by"]) == ("not_applicable", "ann;cleo")
    assert sum(row["decision"] == "not_applicable" for row in rows.values()) == 16
    assert "TCK-1005" in Path("decisions.csv").read_text()
