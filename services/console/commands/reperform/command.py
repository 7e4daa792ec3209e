"""`exhibit reperform`: extracts every value of a run again from its stored pages, and says what is not the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console

from services.console import exits
from services.console.commands.reperform.run_zip import unpacked
from services.console.commands.reperform.screens import FEW_VALUES, JsonScreen, ReperformScreen, WordsScreen
from services.console.commands.run.command import system
from services.console.run_location import place_of_run, run_kept
from shared.aio import iterate_concurrently
from shared.bus.ports import Asks
from shared.client import Client, RunRejectedError
from shared.contracts.discovery import Problem
from shared.contracts.evidence import RunLoaded, RunUnknown
from shared.contracts.reperform import Reperform, SampleReperformed
from shared.errors import ExhibitError
from shared.host.services import run_services
from shared.settings import Settings, with_capacity
from shared.subjects import REPERFORM

AT_ONCE = 4
ANSWER_BOUND_S = 600.0


@dataclass(frozen=True)
class Asked:
    """What was asked for on the command line."""

    run: str | Path
    """The run's id, or its zip."""
    samples: tuple[str, ...] | None = None
    as_json: bool = False
    all_values: bool = False
    concurrency: int | None = None


async def reperform_run(settings: Settings, asked: Asked) -> bool:
    """Whether all that can be extracted again is the same. Raises RunRejectedError where there is no such run or
    sample. Where it cannot go on to the end, it says what there is until there."""
    async with _lying(settings, asked.run) as (settings, run_id), system(settings, ("evidence",)) as client:
        ids, fields = _wanted(await client.load(run_id), asked)
        async with _working(settings, asked, client):
            screen = _screen(run_id, asked, len(ids), fields)
            return await tell(client.bus, screen, run_id, ids, at_once=asked.concurrency or AT_ONCE)


async def tell(asks: Asks, screen: ReperformScreen, run_id: str, ids: Sequence[str], *, at_once: int) -> bool:
    """Whether all that can be extracted again is the same. Where it cannot go on, what there is until there is said
    first: it took its time, and findings among it stand."""

    async def reperform(sample_id: str) -> SampleReperformed:
        return await asks.ask(REPERFORM, Reperform(run_id=run_id, sample_id=sample_id), timeout_s=ANSWER_BOUND_S)

    try:
        async with aclosing(iterate_concurrently(reperform, ids, at_once)) as reperformed:
            async for sample in reperformed:
                screen.add(sample)
    except asyncio.CancelledError as exc:
        screen.stopped(str(exc) or "interrupted")
        raise
    except ExhibitError as exc:
        screen.stopped(str(exc))
        raise typer.Exit(exits.CANNOT_RUN) from None
    return screen.end()


def run_or_zip(settings: Settings, named: str) -> tuple[Settings, str | Path]:
    """The id of the run and the settings under which it is found, or its zip. Raises PermanentError as `run_kept`."""
    place = place_of_run(settings, named) if settings.nats_url is None else ""
    if isinstance(place, Path) and place.is_file():
        return settings, place
    return run_kept(settings, named)


@asynccontextmanager
async def _lying(settings: Settings, run: str | Path) -> AsyncGenerator[tuple[Settings, str]]:
    """Where the run lies, and its id. It is read and nothing else: whoever was handed a run may not be able to write
    there, and must not change it."""
    settings = settings.model_copy(update={"evidence_read_only": True})
    if isinstance(run, str):
        yield settings, run
        return
    async with unpacked(run) as (folder, run_id):
        yield settings.model_copy(update={"evidence_dir": folder, "evidence_bucket": None}), run_id


@asynccontextmanager
async def _working(settings: Settings, asked: Asked, client: Client) -> AsyncGenerator[None]:
    """Beside evidence, on a bus of our own: who opens pages and who reads them. They start once there is work."""
    if settings.nats_url is not None:
        yield
        return
    sized = with_capacity(settings, asked.concurrency or AT_ONCE)
    url = client.bus.nc.connected_url
    assert url is not None
    async with run_services(sized, url.geturl(), ("browser_pool", "planner")):
        yield


def _wanted(loaded: RunLoaded | RunUnknown, asked: Asked) -> tuple[Sequence[str], int]:
    """The samples that were asked for and have a result, and how many fields each has."""
    if isinstance(loaded, RunUnknown):
        raise RunRejectedError([Problem(where="RUN", message=loaded.message)])
    fields = len(loaded.record.spec["output_schema"])
    there = [state.sample.sample_id for state in loaded.samples if state.status is not None]
    if asked.samples is None:
        return there, fields
    missing = sorted(set(asked.samples) - set(there))
    if missing:
        told = f"{loaded.record.run_id} has no result of such a sample"
        raise RunRejectedError([Problem(where=f"--sample {one}", message=told) for one in missing])
    return list(dict.fromkeys(asked.samples)), fields


def _screen(run_id: str, asked: Asked, samples: int, fields: int) -> ReperformScreen:
    if asked.as_json:
        return JsonScreen(run_id, samples)
    all_values = asked.all_values or samples * fields <= FEW_VALUES
    return WordsScreen(run_id, samples, Console(), all_values=all_values)
