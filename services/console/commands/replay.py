"""`exhibit replay`: repeat the recorded steps of a run and show what differs."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import AsJson, Concurrency, Evidence, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.run_location import HOW_TO_NAME_A_RUN, locate_run, remember_run
from services.console.text.replay_summary import ReplayEvents, RunReplayed, replay_lines, to_run_replayed
from shared.contracts.discovery import Problem
from shared.contracts.evidence import RunFinished, RunUnknown
from shared.errors import RunRejectedError
from shared.host.connections import open_client
from shared.text.normal import printable

if TYPE_CHECKING:
    from shared.client import Client
    from shared.settings import Settings


def replay(
    run: Annotated[str, typer.Argument(help=f"The run whose steps are repeated: {HOW_TO_NAME_A_RUN}.")],
    sample: Annotated[list[str] | None, typer.Option(help="Id of a sample; without any, all that can be.")] = None,
    allow_effects: Annotated[
        bool, typer.Option("--allow-effects", help="Repeat steps that may change something on the site, too.")
    ] = False,
    concurrency: Concurrency = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Repeat the steps of an earlier run, without a model, and show what is different now."""
    settings = load_settings(nats, evidence)
    with exits.bad_input("RUN"):
        settings, run_id = locate_run(settings, run)
    work = replay_run(
        settings,
        run_id,
        samples=tuple(sample) if sample else None,
        allow_effects=allow_effects,
        concurrency=concurrency,
    )
    replayed = run_async(work)
    # Text of pages is printed as plain text, neither as markup nor as terminal control sequences.
    told = {**msgspec.to_builtins(replayed), "same": replayed.same}
    code = exits.OK if replayed.same else exits.NOT_ALL_DONE
    return CommandResult([*map(printable, replay_lines(replayed))], told, code)


async def replay_run(
    settings: Settings,
    run_id: str,
    *,
    samples: tuple[str, ...] | None,
    allow_effects: bool,
    concurrency: int | None,
) -> RunReplayed:
    """Replay the run.

    Raises RunRejectedError with all problems when nothing was started.
    """
    async with open_client(settings) as client:
        loaded = await client.load(run_id)
        if isinstance(loaded, RunUnknown):
            raise RunRejectedError([Problem(where="RUN", message=loaded.message)])
        accepted = await client.submit(
            replay=run_id, replay_samples=samples, allow_effects=allow_effects, concurrency=concurrency
        )
        remember_run(settings, accepted.run_id)
        events, finished = await _watch(client, accepted.run_id)
    return to_run_replayed(accepted.run_id, run_id, finished.location, events, loaded.samples, samples)


async def _watch(client: Client, run_id: str) -> tuple[ReplayEvents, RunFinished]:
    collected = ReplayEvents()
    async with aclosing(client.watch(run_id)) as events:
        async for event in events:
            collected.add(event)
            if isinstance(event, RunFinished):
                return collected, event
    raise AssertionError("watch() does not end")
