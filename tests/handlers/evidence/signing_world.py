"""Evidence as a service on a real nats-server, the services that send it events, and clients that forge some."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from nats.nuid import NUID

from shared.bus.access.rights import buckets_of
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.signing.seed_keys import SeedKeys
from shared.bus.signing.service_keys import KeysInMemory
from shared.bus.signing.signatures import SIGNATURE, EventSigner
from shared.client import Client, connect
from shared.contracts.discovery import RunStarted
from shared.contracts.evidence import RunFinished
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import StepTaken
from shared.evidence_format.refused_events import read_refused
from shared.evidence_format.signing import load_known_key
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from shared.host.nats_server import nats_server
from shared.host.services import run_services, service_user
from shared.settings import Settings
from shared.subjects import (
    POPULATION_CLOSED,
    RUN_STARTED,
    SAMPLE_FINISHED,
    SAMPLE_FOUND,
    STEP_TAKEN,
    Stored,
    subject_for,
)
from tests.bus_with_users import bus_with_users
from tests.handlers.evidence.evidence_desk import closed, ended, found, sample, started, took

ONE = sample("A-1")
PLANNER = "planner_one"


@dataclass
class SignedRun:
    """A run of one sample, of which the planner has taken the first step."""

    world: World
    run_id: str = field(default_factory=lambda: f"run_{NUID().next().decode()[-8:]}")

    def of(self, message: Any) -> Any:
        """Return a message of `evidence_desk` as one of this run and of its planner."""
        if isinstance(message, RunStarted):
            record = msgspec.structs.replace(message.record, run_id=self.run_id)
            message = msgspec.structs.replace(message, record=record)
        if isinstance(message, StepTaken | SampleFinished):
            message = msgspec.structs.replace(message, planner_id=message.planner_id or PLANNER)
        return msgspec.structs.replace(message, run_id=self.run_id)

    async def begin(self) -> None:
        discovery = self.world.discovery
        await discovery.publish(RUN_STARTED, self.of(started()))
        await discovery.publish(SAMPLE_FOUND, self.of(found(ONE)))
        await discovery.publish(POPULATION_CLOSED, self.of(closed(1)))
        await self.world.planner.publish(STEP_TAKEN, self.of(took(ONE)))

    async def end(self) -> RunFinished:
        """Have the planner send its result; return how the run ended, after all that was sent before."""
        await self.world.planner.publish(SAMPLE_FINISHED, self.of(ended(ONE, steps=1)))
        return await asyncio.wait_for(self.world.client.result(self.run_id), 30)

    async def forge(self, subject: Stored[Any], message: Any, headers: Mapping[str, str], at: str = "") -> None:
        """Send it as somebody who may publish it. ``at``: under another subject than its own."""
        where = at or subject_for(subject, message)
        await self.world.forger.js.publish(where, msgspec.json.encode(message), headers=dict(headers))

    def refused(self) -> list[tuple[str, str]]:
        """Return event and code of all that `exhibit doctor` tells of the run, in its order."""
        return [(one.event, one.code) for one in read_refused(self.world.settings, self.folder)]

    @property
    def folder(self) -> Path:
        return self.world.settings.evidence_dir / self.run_id

    def is_whole(self) -> bool:
        """Whether `exhibit verify` finds the run sealed and unchanged."""
        return check_run(FolderSource(self.folder), load_known_key(self.world.settings)).stands

    def result(self) -> dict[str, Any]:
        return msgspec.json.decode((self.folder / ONE.sample_id / "result.json").read_bytes())


@dataclass(frozen=True)
class World:
    """``forger``: a client that knows the secret of the bus; on a bus with users the connection of a planner."""

    url: str
    settings: Settings
    keys: KeysInMemory | SeedKeys
    client: Client
    forger: Bus
    discovery: Bus
    planner: Bus

    async def begun(self) -> SignedRun:
        run = SignedRun(self)
        await run.begin()
        return run

    def signed_by(self, service: str, subject: Stored[Any], message: Any) -> dict[str, str]:
        return signed(signer_of(self.keys, service), subject, message)


def signer_of(keys: KeysInMemory | SeedKeys, service: str) -> EventSigner:
    signer = keys.signing_of(service_user(service)).signer
    assert signer is not None
    return signer


def signed(signer: EventSigner, subject: Stored[Any], message: Any) -> dict[str, str]:
    return {SIGNATURE: signer.header(subject_for(subject, message), msgspec.json.encode(message))}


@asynccontextmanager
async def signing_world(folder: Path) -> AsyncGenerator[World]:
    keys = KeysInMemory()
    settings = Settings(evidence_dir=folder / "evidence", state_dir=folder / "state", nats_url=None)
    async with (
        nats_server(folder / "jetstream") as url,
        run_services(settings, url, ("evidence",), keys),
        connect(url) as client,
        connect_bus(url, name="discovery", signing=keys.signing_of(service_user("discovery"))) as discovery,
        connect_bus(url, name="planner", signing=keys.signing_of(service_user("planner"))) as planner,
    ):
        yield World(url, settings, keys, client, client.bus, discovery, planner)


@asynccontextmanager
async def world_with_users(folder: Path) -> AsyncGenerator[World]:
    async with bus_with_users(folder / "bus") as bus, AsyncExitStack() as stack:
        seeds = bus.access.seeds
        assert seeds is not None
        keys, opened = SeedKeys(seeds), dict[str, Bus]()
        settings = Settings(
            evidence_dir=folder / "evidence", state_dir=folder / "state", nats_url=bus.url, nats_seed=seeds
        )
        await stack.enter_async_context(run_services(settings, bus.url, ("evidence",)))
        for name in ("discovery", "planner"):
            user = service_user(name)
            connection = connect_bus(
                bus.url, name=name, access=bus.access, streams=buckets_of(user), signing=keys.signing_of(user)
            )
            opened[name] = await stack.enter_async_context(connection)
        forger = await stack.enter_async_context(connect_bus(bus.url, name="planner", access=bus.access))
        client = await stack.enter_async_context(connect(bus.url, bus.access))
        yield World(bus.url, settings, keys, client, forger, opened["discovery"], opened["planner"])
