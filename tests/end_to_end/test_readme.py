"""The commands of the README, executed literally."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from shared.task.spec import check_spec
from tests.end_to_end.conftest import ROOT, Cli
from tests.end_to_end.small_site import Answers, SmallSite

README = (ROOT / "README.md").read_text(encoding="utf-8")
SITE = "https://contracts.example.com"
CONTRACTS = {"C-1042": ("Ann Lee", "2027-03-31"), "C-1043": ("Nobody", "Open-ended")}
ROWS_WANTED = [
    {"contract_number": "C-1042", "owner": "Ann Lee", "ends_on": "2027-03-31"},
    {"contract_number": "C-1043", "owner": None, "ends_on": None},
]


class ContractSite(Answers):
    """The site that the README has in mind: a page for each contract."""

    def do_GET(self) -> None:
        number = self.path.strip("/")
        if number not in CONTRACTS:
            return self.answer("<title>Contracts</title><h1>No such contract</h1>", status=404)
        owner, end = CONTRACTS[number]
        return self.answer(
            f"<!doctype html><title>Contract {number}</title><h1>Contract</h1><dl><dt>Contract number<dd>{number}"
            f"<dt>Responsible<dd>{owner}<dt>End date<dd>{end}</dl>"
        )


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines() if line and line != "make test"]


def test_every_command_is_known_here():
    assert commands()[0] == "make demo"
    assert len(commands()) == 9


def test_the_commands_of_the_readme_work_one_after_the_other(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(cli.folder)
    for name in ("EXHIBIT_STATE_DIR", "EXHIBIT_PLANNER"):
        del cli.env[name]
    first_run_then_questions = sorted(commands(), key=lambda command: " last" in command)
    (spec,) = blocks("json")
    (rows,) = (block for block in blocks("text") if block.startswith("contract,url"))
    with SmallSite(ContractSite) as site:
        Path("task_specs").mkdir()
        on_loopback = json.dumps({**json.loads(spec), "allowed_hosts": [urlsplit(site.url).netloc]})
        Path("task_specs/my_contracts.json").write_text(on_loopback)
        Path("contracts.csv").write_text(rows.replace(SITE, site.url))
        for command in [c for c in first_run_then_questions if c.startswith(".venv/bin/exhibit ")]:
            ended = cli.run(*shlex.split(command.replace(SITE, site.url))[1:])
            assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
            assert ended.stdout.strip(), command
    with zipfile.ZipFile("handed_over.zip") as handed_over:
        results = sorted(name for name in handed_over.namelist() if name.endswith("/result.json"))
        read = [json.loads(handed_over.read(name)) for name in results]
    assert [{key: result["fields"][key].get("value") for key in ROWS_WANTED[0]} for result in read] == ROWS_WANTED


def made(*words: str) -> list[str]:
    """Return the lines of a make as typed by a person: one above it would have its own words printed."""
    env = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    command = ["make", *words]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, timeout=600, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.splitlines()


def test_make_knows_its_commands():
    assert made("--dry-run", "demo")[-1].endswith(".venv/bin/exhibit demo")
    assert made("--dry-run", "test")


@pytest.mark.long
def test_the_demo_ends_as_the_readme_shows():
    lines = made("demo")
    assert lines[-1] == "60 samples: 58 done, 2 failed (not found)"
    shown = next(block for block in blocks("text") if "60 samples" in block).splitlines()
    assert shown[-2:] == lines[-2:]
    reason = shown.index("  2 samples  not found  the page says: Ticket not found · Fieldnotes")
    assert {*shown[reason : reason + 2]} <= {line.rstrip() for line in lines}


def test_the_task_spec_shown_is_valid():
    (spec,) = (json.loads(block) for block in blocks("json"))
    assert check_spec(spec)[1] == ()


def test_what_it_links_to_is_there():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
