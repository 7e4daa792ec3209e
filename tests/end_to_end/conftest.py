"""Shared fixtures of the end-to-end tests: the practice site, a faulty site, and a whole system."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from scripts.demo import practice_site
from shared.settings import Settings
from tests.end_to_end.faulty_site import FaultySite
from tests.processes import living

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def tickets_url() -> Iterator[str]:
    with practice_site() as url:
        yield url


@pytest.fixture(scope="session")
def faulty() -> Iterator[FaultySite]:
    with FaultySite() as site:
        yield site


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", nats_url=None, planner="rules")


@pytest.fixture
def ticket_spec() -> dict:
    return json.loads((ROOT / "task_specs/practice_tickets.json").read_text())


class Cli:
    """`exhibit` as a process; all of its children end with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {**os.environ, "EXHIBIT_STATE_DIR": str(folder / "state"), "EXHIBIT_PLANNER": "rules"}
        self.env.pop("EXHIBIT_NATS_URL", None)
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str, stdin: str | None = None) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "services.console", *arguments],
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.env,
            cwd=ROOT,
            start_new_session=True,  # so that a test can do what Ctrl-C in a terminal does: signal the whole group
        )
        self.started.append(process)
        return process

    def run(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, stdin=stdin)
        out, err = process.communicate(stdin, timeout=180)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def close(self) -> None:
        """Kill whatever still runs."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[Cli]:
    cli = Cli(tmp_path)
    yield cli
    cli.close()


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def gone(processes: list[psutil.Process]) -> bool:
    """Wait, with a limit, until none of them runs."""
    return living(processes) == []
