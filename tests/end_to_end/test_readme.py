"""The commands of the README, executed literally."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import zipfile
from pathlib import Path

from practice.tickets.data import ground_truth
from shared.task.spec import check_spec
from tests.end_to_end.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SITE = "http://127.0.0.1:8000"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines() if line and line != "make test"]


def test_every_command_is_known_here():
    assert commands()[0] == "make demo"
    assert len(commands()) == 8


def test_the_commands_of_the_readme_work_one_after_the_other(tickets_url: str, tmp_path: Path):
    numbers = [ticket.number for ticket in ground_truth()[:2]]
    rows = "".join(f"{number},{tickets_url}/tickets/{number}\n" for number in numbers)
    (tmp_path / "tickets.csv").write_text(f"ticket_number,url\n{rows}")
    first_run_then_questions = sorted(commands(), key=lambda command: " last" in command)
    for command in [c for c in first_run_then_questions if c.startswith(".venv/bin/exhibit")]:
        words = shlex.split(command.replace(SITE, tickets_url).replace("task_specs/", f"{ROOT}/task_specs/"))
        words[0] = str(ROOT / words[0])
        ended = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
        assert ended.returncode == 0, f"{command}: {ended.stderr}"
        assert ended.stdout.strip(), command
    assert zipfile.is_zipfile(tmp_path / "handed_over.zip")


def test_the_demo_ends_as_the_readme_shows(tmp_path: Path):
    # As typed by a person: a make above this one would have its own words printed.
    env = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    command = ["make", "demo"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[-1] == "60 samples: 58 done, 2 failed (not found)"
    shown = next(block for block in blocks("text") if "60 samples" in block).splitlines()
    assert shown[-2:] == lines[-2:]
    assert "  TCK-9001    not found    the page says: Ticket not found · Fieldnotes" in [
        line.rstrip() for line in lines
    ]


def test_the_task_spec_shown_is_valid():
    (spec,) = (json.loads(block) for block in blocks("json"))
    assert check_spec(spec)[1] == ()


def test_what_it_links_to_is_there():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
