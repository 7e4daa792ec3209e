"""`exhibit runs pause`, `resume`, `interrupt`, `close`, `message` and `answer`: the controls of a run at work."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from getpass import getuser
from typing import Annotated

import msgspec
import typer

from services.console import exits
from services.console.commands.runs.follow import require_bus
from services.console.event_loop import run_async
from services.console.options import AsJson, Nats, load_settings
from services.console.terminal.plain_output import print_out
from shared.client import Client
from shared.contracts.discovery import Problem
from shared.contracts.sessions.control import RunControlled
from shared.contracts.sessions.questions import QuestionAnswer
from shared.host.connections import open_client

RunId = Annotated[str, typer.Argument(help="The id of the run.")]
Steer = Callable[[Client], Awaitable[RunControlled]]


def pause(run: RunId, nats: Nats = None, as_json: AsJson = False) -> None:
    """Have every sample of a run wait before its next decision. Prints the key of the pause."""
    _steer(lambda client: client.pause(run, getuser()), "paused", nats, as_json=as_json)


def resume(
    run: RunId,
    key: Annotated[str, typer.Option(help="Key of the pause that is meant; without it whichever there is.")] = "",
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """End a pause. (`exhibit run --resume` goes on with a run that was cut off.)"""
    _steer(lambda client: client.resume(run, key, getuser()), "resumed", nats, as_json=as_json)


def interrupt(run: RunId, nats: Nats = None, as_json: AsJson = False) -> None:
    """End the samples at work with what they have read, and begin no other."""
    _steer(lambda client: client.interrupt(run, getuser()), "interrupted", nats, as_json=as_json)


def close(run: RunId, nats: Nats = None, as_json: AsJson = False) -> None:
    """Begin no other sample; those at work are finished."""
    _steer(lambda client: client.close(run, getuser()), "closed", nats, as_json=as_json)


def message(
    run: RunId,
    text: Annotated[str, typer.Argument(help="What to tell.")],
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Tell whoever decides, a model or an operator: it is shown once in each sample."""
    _steer(lambda client: client.message(run, text, getuser()), "told", nats, as_json=as_json)


def answer(
    run: RunId,
    key: Annotated[str, typer.Argument(help="Key of the questions, as `exhibit runs events` shows it.")],
    answers: Annotated[str, typer.Argument(help='JSON: [{"question": "...", "chosen": ["..."]}], or "text".')],
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Answer all questions of that key, in their order."""
    try:
        parsed = msgspec.json.decode(answers, type=tuple[QuestionAnswer, ...])
    except msgspec.MsgspecError as exc:
        exits.print_problems([Problem(where="ANSWERS", message=str(exc))], as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT) from None
    _steer(lambda client: client.answer(run, key, parsed, getuser()), "answered", nats, as_json=as_json)


def _steer(steer: Steer, done: str, nats: str | None, *, as_json: bool) -> None:
    settings = load_settings(nats)

    async def ask() -> RunControlled:
        async with open_client(require_bus(settings)) as client:
            return await steer(client)

    told = run_async(ask(), as_json=as_json)
    key = f" {told.paused_key}" if told.paused_key else ""
    if as_json:
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
    else:
        print_out(f"{told.run_id} {done}{key}\n")
