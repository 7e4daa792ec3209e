"""Shared fixtures of the end-to-end tests: the practice site, a faulty site, and a whole system."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from scripts.demo import practice_site
from shared.settings import Settings
from tests.end_to_end.command_line import ROOT, Cli, System
from tests.end_to_end.faulty_site import FaultySite
from tests.processes import living

__all__ = ["ROOT", "Cli", "System", "descendants", "gone"]


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


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[Cli]:
    cli = Cli(tmp_path)
    yield cli
    cli.close()


@pytest.fixture(scope="session")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    with System(tmp_path_factory.mktemp("system")) as running:
        yield running


@pytest.fixture
def online(cli: Cli, system: System) -> Cli:
    """The command line of the user whose services run already: its evidence, keys, logins and workflows are theirs."""
    cli.env |= system.env | {"EXHIBIT_NATS_URL": system.url}
    return cli


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def gone(processes: list[psutil.Process]) -> bool:
    """Wait, with a limit, until none of them runs."""
    return living(processes) == []
