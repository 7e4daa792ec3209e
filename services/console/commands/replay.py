"""`exhibit replay`: takes the recorded steps of a run again and says what is different."""

from __future__ import annotations

import sys
from contextlib import aclosing
from dataclasses import dataclass

import msgspec
from rich.console import Console
from rich.text import Text

from services.console.commands.run.command import system
from services.console.terminal.replay_summary import Heard, lines, run_replayed
from shared.client import Client, RunRejectedError
from shared.contracts.discovery import Problem
from shared.contracts.evidence import RunFinished, RunUnknown
from shared.settings import Settings
from shared.text.terminal import printable


@dataclass(frozen=True)
class Replay:
    """What was asked for on the command line."""

    run_id: str
    samples: tuple[str, ...] | None
    allow_effects: bool
    concurrency: int | None
    as_json: bool


async def replay_run(settings: Settings, asked: Replay) -> bool:
    """Whether nothing differs. Raises RunRejectedError with all problems where nothing was started."""
    async with system(settings) as client:
        loaded = await client.load(asked.run_id)
        if isinstance(loaded, RunUnknown):
            raise RunRejectedError([Problem(where="RUN", message=loaded.message)])
        accepted = await client.submit(
            replay=asked.run_id,
            replay_samples=asked.samples,
            allow_effects=asked.allow_effects,
            concurrency=asked.concurrency,
        )
        heard, finished = await _followed(client, accepted.run_id)
    replayed = run_replayed(accepted.run_id, asked.run_id, finished.location, heard, loaded.samples, asked.samples)
    if asked.as_json:
        told = {**msgspec.to_builtins(replayed), "same": replayed.same}
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
    else:
        # What pages say is shown as text: neither as markup nor as an order to the terminal.
        Console().print(Text("\n".join(map(printable, lines(replayed)))), soft_wrap=True)
    return replayed.same


async def _followed(client: Client, run_id: str) -> tuple[Heard, RunFinished]:
    heard = Heard()
    async with aclosing(client.watch(run_id)) as events:
        async for event in events:
            heard.add(event)
            if isinstance(event, RunFinished):
                return heard, event
    raise AssertionError("a watch never ends")
