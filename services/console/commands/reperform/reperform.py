"""`exhibit reperform`: extract every value of a run again from its stored pages, and show what differs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.console import exits
from services.console.commands.reperform.run_zip import unpack_run
from services.console.event_loop import run_async
from services.console.options import AsJson, Evidence, Nats, RunOrZip, load_settings
from services.console.run_location import find_run, locate_run
from services.console.terminal.plain_console import PlainConsole
from services.console.terminal.reperform_view import (
    MAX_VALUES_LISTED_BY_DEFAULT,
    JsonReperformView,
    ReperformView,
    TextReperformView,
)
from shared.aio import iterate_concurrently
from shared.contracts.discovery import Problem
from shared.contracts.evidence import RunLoaded, RunUnknown
from shared.contracts.reperform import Reperform, SampleReperformed
from shared.errors import ExhibitError, RunRejectedError
from shared.host.connections import open_client
from shared.subjects import REPERFORM

if TYPE_CHECKING:
    from shared.bus.ports import Asks
    from shared.client import Client
    from shared.settings import Settings

DEFAULT_CONCURRENCY = 4
ANSWER_TIMEOUT_S = 600.0


def reperform(
    run: RunOrZip,
    sample: Annotated[list[str] | None, typer.Option(help="Id of a sample; without any, all of them.")] = None,
    all_values: Annotated[bool, typer.Option("--all", help="List every value, however many there are.")] = False,
    concurrency: Annotated[int | None, typer.Option(min=1, max=64, help="Samples at a time.")] = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> int:
    """Extract every value of a run again from its stored pages, offline, and show what differs."""
    settings = load_settings(nats, evidence)
    with exits.bad_input("RUN"):
        settings, located = locate_run_or_zip(settings, run)
    work = reperform_run(
        settings,
        located,
        samples=tuple(sample) if sample else None,
        all_values=all_values,
        concurrency=concurrency or DEFAULT_CONCURRENCY,
        as_json=as_json,
    )
    return exits.OK if run_async(work) else exits.NOT_ALL_DONE


async def reperform_run(
    settings: Settings,
    run: str | Path,
    *,
    samples: tuple[str, ...] | None,
    all_values: bool,
    concurrency: int,
    as_json: bool,
) -> bool:
    """Extract the values of a run, named by id or by zip, again. Return whether all that can be extracted is the same.

    Raises RunRejectedError when there is no such run or sample.
    """
    async with _open_run(settings, run) as (settings, run_id), open_client(settings, ("evidence",)) as client:
        ids, fields = _select_samples(await client.load(run_id), samples)
        async with _run_readers(settings, client, concurrency):
            list_all = all_values or len(ids) * fields <= MAX_VALUES_LISTED_BY_DEFAULT
            view = _view(run_id, len(ids), list_all=list_all, as_json=as_json)
            return await reperform_samples(client.bus, view, run_id, ids, concurrency=concurrency)


def _view(run_id: str, samples: int, *, list_all: bool, as_json: bool) -> ReperformView:
    """Return what shows the samples. Each prints as soon as it is there, so only the one that is asked for is made."""
    if as_json:
        return JsonReperformView(run_id, samples)
    return TextReperformView(run_id, samples, PlainConsole(), all_values=list_all)


async def reperform_samples(
    asks: Asks, view: ReperformView, run_id: str, ids: Sequence[str], *, concurrency: int
) -> bool:
    """Show each sample as it comes in. Return whether all that can be extracted again is the same.

    On an error the partial result is shown before the command ends, because its findings are valid.
    """

    async def extract(sample_id: str) -> SampleReperformed:
        return await asks.ask(REPERFORM, Reperform(run_id=run_id, sample_id=sample_id), timeout_s=ANSWER_TIMEOUT_S)

    try:
        async with aclosing(iterate_concurrently(extract, ids, concurrency)) as reperformed:
            async for sample in reperformed:
                view.add(sample)
    except asyncio.CancelledError as exc:
        view.print_partial(str(exc) or "interrupted")
        raise
    except ExhibitError as exc:
        view.print_partial(str(exc))
        raise typer.Exit(exits.CANNOT_RUN) from None
    return view.end()


def locate_run_or_zip(settings: Settings, named: str) -> tuple[Settings, str | Path]:
    """Return the settings for the run, and its id or the path of its zip. Raises PermanentError as `locate_run`."""
    location = find_run(settings, named) if settings.nats_url is None else ""
    if isinstance(location, Path) and location.is_file():
        return settings, location
    return locate_run(settings, named)


@asynccontextmanager
async def _open_run(settings: Settings, run: str | Path) -> AsyncGenerator[tuple[Settings, str]]:
    """Yield the settings for reading the run, and its id. Nothing is written to the run."""
    settings = settings.model_copy(update={"evidence_read_only": True})
    if isinstance(run, str):
        yield settings, run
        return
    async with unpack_run(run) as (folder, run_id):
        yield settings.model_copy(update={"evidence_dir": folder, "evidence_bucket": None}), run_id


@asynccontextmanager
async def _run_readers(settings: Settings, client: Client, concurrency: int) -> AsyncGenerator[None]:
    """Run browser pool and planner on the bus of this process, once there is work for them."""
    from shared.bus.signing.service_keys import KeysInMemory  # only here: what hosts services takes long to load
    from shared.host.services import run_services
    from shared.settings import with_capacity

    if settings.nats_url is not None:
        yield
        return
    sized = with_capacity(settings, concurrency)
    url = client.bus.nc.connected_url
    assert url is not None
    async with run_services(sized, url.geturl(), ("browser_pool", "planner"), KeysInMemory()):
        yield


def _select_samples(loaded: RunLoaded | RunUnknown, named: tuple[str, ...] | None) -> tuple[Sequence[str], int]:
    """Return the ids of the named samples (or all) that have a result, and the number of fields of each."""
    if isinstance(loaded, RunUnknown):
        raise RunRejectedError([Problem(where="RUN", message=loaded.message)])
    fields = len(loaded.record.spec["output_schema"])
    finished = [state.sample.sample_id for state in loaded.samples if state.status is not None]
    if named is None:
        return finished, fields
    missing = sorted(set(named) - set(finished))
    if missing:
        message = f"{loaded.record.run_id} has no result of such a sample"
        raise RunRejectedError([Problem(where=f"--sample {sample_id}", message=message) for sample_id in missing])
    return list(dict.fromkeys(named)), fields
