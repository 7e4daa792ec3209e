"""`exhibit runs pause`, `resume`, `interrupt`, `close`, `message` and `answer`: the controls of a run at work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from getpass import getuser
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from services.console import exits
from services.console.commands.runs.follow import require_bus
from services.console.event_loop import run_async
from services.console.options import AsJson, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from shared.contracts.questions import QuestionAnswer
from shared.contracts.sessions.control import RunControlled
from shared.host.connections import open_client

if TYPE_CHECKING:
    from shared.client import Client

    Steer = Callable[[Client], Awaitable[RunControlled]]

RunId = Annotated[str, typer.Argument(help="The id of the run.")]


def pause(run: RunId, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """Have every sample of a run wait before its next decision. Prints the key of the pause."""
    return _steer(lambda client: client.pause(run, getuser()), "paused", nats)


def resume(
    run: RunId,
    key: Annotated[str, typer.Option(help="Key of the pause that is meant; without it whichever there is.")] = "",
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """End a pause. (`exhibit run --resume` goes on with a run that was cut off.)"""
    return _steer(lambda client: client.resume(run, key, getuser()), "resumed", nats)


def interrupt(run: RunId, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """End the samples at work with what they have read, and begin no other."""
    return _steer(lambda client: client.interrupt(run, getuser()), "interrupted", nats)


def close(run: RunId, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """Begin no other sample; those at work are finished."""
    return _steer(lambda client: client.close(run, getuser()), "closed", nats)


def message(
    run: RunId,
    text: Annotated[str, typer.Argument(help="What to tell.")],
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Tell whoever decides, a model or an operator: it is shown once in each sample."""
    return _steer(lambda client: client.message(run, text, getuser()), "told", nats)


def answer(
    run: RunId,
    key: Annotated[str, typer.Argument(help="Key of the questions, as `exhibit runs events` shows it.")],
    answers: Annotated[str, typer.Argument(help='JSON: [{"question": "...", "chosen": ["..."]}], or "text".')],
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Answer all questions of that key, in their order."""
    try:
        parsed = msgspec.json.decode(answers, type=tuple[QuestionAnswer, ...])
    except msgspec.MsgspecError as exc:
        raise exits.refused("ANSWERS", str(exc)) from exc
    return _steer(lambda client: client.answer(run, key, parsed, getuser()), "answered", nats)


def _steer(steer: Steer, done: str, nats: str | None) -> CommandResult:
    settings = load_settings(nats)

    async def ask() -> RunControlled:
        async with open_client(require_bus(settings)) as client:
            return await steer(client)

    told = run_async(ask())
    key = f" {told.paused_key}" if told.paused_key else ""
    return CommandResult([f"{told.run_id} {done}{key}"], told)
