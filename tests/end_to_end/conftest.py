"""Shared fixtures of the end-to-end tests: the practice site, a faulty site, and a whole system."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from exhibit.demo import practice_site
from practice.tickets.demo import ABSENT
from shared.client import Client, connect
from shared.contracts.evidence import RunFinished
from shared.settings import Settings
from tests.end_to_end.command_line import ROOT, Cli, System
from tests.end_to_end.faulty_site import FaultySite
from tests.end_to_end.finished_runs import run
from tests.end_to_end.flow_sources import READ_TICKET, TICKET_FILES, create_flow
from tests.end_to_end.tickets import FULL, SOME, UNASSIGNED, row, rows, rows_of_demo
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
    return Settings(
        evidence_dir=tmp_path / "evidence",
        state_dir=tmp_path / "state",
        workflows_dir=tmp_path / "workflows",
        nats_url=None,
        planner="rules",
    )


@pytest.fixture(scope="session")
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
async def client(system: System) -> AsyncIterator[Client]:
    """A client of the services that the tests of a worker share."""
    async with connect(system.url) as client:
        yield client


@pytest.fixture(scope="session")
def tickets_run(system: System, tickets_url: str, ticket_spec: dict) -> RunFinished:
    """A sealed run of tickets of all kinds by rules. Tests look at it, and change copies only."""

    async def collect() -> RunFinished:
        async with connect(system.url) as client:
            return await run(client, ticket_spec, rows_of_demo(tickets_url, SOME), mode="agent")

    return asyncio.run(collect())


@pytest.fixture(scope="session")
def flow_run(system: System, tickets_url: str, ticket_spec: dict) -> RunFinished:
    """A sealed run of tickets by a flow of the library that a person has written."""

    async def collect() -> RunFinished:
        async with connect(system.url) as client:
            await create_flow(client, "ticket_by_hand", READ_TICKET, TICKET_FILES)
            asked = [*rows(tickets_url, [FULL[0], UNASSIGNED[0]]), row(tickets_url, ABSENT[0])]
            return await run(client, {**ticket_spec, "workflow": {"name": "ticket_by_hand"}}, asked)

    return asyncio.run(collect())


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
