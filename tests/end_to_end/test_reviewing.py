"""The tutorial of docs/reviewing.md: two reviewers and an approver, from a run to its sign-off, by its commands."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from tests.end_to_end.command_line import ROOT, Cli, System

PAGE = (ROOT / "docs/reviewing.md").read_text(encoding="utf-8")
SITE = "http://tickets.example"
ENDS = {"exhibit run": 1}
"""A ticket that does not exist is not done."""
OF_SYSTEM = ("EXHIBIT_EVIDENCE_DIR", "EXHIBIT_STATE_DIR")
"""`verify` reads the evidence itself, and trusts the key of this state folder."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def online(cli: Cli, system: System) -> Cli:
    cli.env |= {"EXHIBIT_NATS_URL": system.url, **{name: system.env[name] for name in OF_SYSTEM}}
    return cli


def test_the_commands_of_the_tutorial_lead_to_a_signed_off_run(
    online: Cli, system: System, tickets_url: str, ticket_spec: dict, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(online.folder)
    Path("tickets.csv").write_text(blocks("csv")[0].replace(SITE, tickets_url))
    before, names, told = set(system.evidence.glob("run_*")), dict[str, str](), dict[str, str]()
    (review,) = blocks("json")
    for command in "".join(blocks("sh")).splitlines():
        if command.startswith("exhibit run"):
            for person in ("ann", "ben", "cleo"):
                review = review.replace(
                    f"KEY-OF-{person.upper()}", told[f"exhibit review key --by {person}"].split()[0]
                )
            Path("reviewed_tickets.json").write_text(json.dumps({**ticket_spec, **json.loads("{" + review + "}")}))
        words = [names.get(word, word) for word in shlex.split(command)[1:]]
        ended = online.run(*words)
        assert ended.returncode == ENDS.get(" ".join(command.split()[:2]), 0), (
            f"{command}: {ended.stdout}{ended.stderr}"
        )
        told[command] = ended.stdout
        if command.startswith("exhibit run"):
            [folder] = set(system.evidence.glob("run_*")) - before
            names["last"] = folder.name  # other services than those of this command have no last run
    blind = told["exhibit review list last --by ben"]
    assert "decisions of others: shown once you have decided" in blind
    assert "the register of tickets" not in blind
    assert "signed off, round 1" in told["exhibit review sign last --by cleo"]
    assert "agreement  2 of 2" in " ".join(told["exhibit review list last --by cleo"].split("\n"))
    table = (system.evidence / names["last"] / "combined.csv").read_text()
    rows = {row["sample_id"]: row for row in csv.DictReader(table.splitlines())}
    assert json.loads(rows["TCK-1001"]["reviewed_value"]) == {"assignee": "Somebody Else"}
    assert rows["TCK-1001"]["assignee"] != "Somebody Else"
    assert (rows["TCK-9001"]["decision"], rows["TCK-9001"]["reviewed_by"]) == ("accept", "ann;ben")
    assert all(row["signed_off_at"] for row in rows.values())
    assert "TCK-9001" in Path("reviewed.csv").read_text()
