"""`exhibit operate`: show each question of a planner and answer with what is typed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from getpass import getuser
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from services.console.event_loop import run_async
from services.console.line_reader import LineReader
from services.console.options import Nats, load_settings
from services.console.terminal.plain_console import PlainConsole
from services.console.text.action_lines import (
    HELP_WORDS,
    InvalidLine,
    Verb,
    help_lines,
    parse_line,
    verb_of_tool,
    words_as_written,
)
from shared.bus.access.credentials import access_of
from shared.bus.decoding import decode
from shared.client.bus_use import OPERATOR
from shared.contracts.operator import OPERATORS, DecisionAsked, DecisionDeclined, DecisionGiven
from shared.errors import InvalidMessage
from shared.subjects import DECIDE

if TYPE_CHECKING:
    from nats.aio.client import Client as NatsClient
    from nats.aio.msg import Msg

    from shared.settings import Settings

DEFAULT_NATS_URL = "nats://127.0.0.1:4222"
SKIP = "skip"


def operate(
    name: Annotated[str | None, typer.Option(help="Who decides, as the step log records it. Else the user's.")] = None,
    nats: Nats = None,
) -> None:
    """Decide the steps of samples whose planner is operator, one question at a time, until Ctrl-C."""
    run_async(answer_questions(load_settings(nats), name or getuser()))


async def answer_questions(settings: Settings, name: str) -> None:
    """Answer questions until Ctrl-C or the end of the input. Raises Unavailable when the bus does not answer."""
    from shared.client import connect  # only here: `operate` is told its options without it

    url = settings.nats_url or DEFAULT_NATS_URL
    console, lines = PlainConsole(), LineReader(sys.stdin.fileno())
    async with connect(url, access_of(settings), OPERATOR) as client:
        console.print(Text(f"{name} decides at {url}; ? for help, Ctrl-C to end"), style="dim")
        while await _answer_next(client.bus.nc, console, lines, name):
            pass


async def _answer_next(nc: NatsClient, console: Console, lines: LineReader, name: str) -> bool:
    """Answer one question. Return False at the end of the input. What is no question is declined.

    The subscription ends with the first question, so that others go to an operator who is free.
    """
    from shared.bus.wire import flush

    msg = await next_question(nc)
    reply: DecisionGiven | DecisionDeclined | None = None
    try:
        asked: DecisionAsked = decode(msg.data, DecisionAsked)
    except InvalidMessage as exc:
        await msg.respond(msgspec.json.encode(DecisionDeclined(reason=str(exc))))
        return True
    try:
        print_question(console, asked)
        reply = await _read_answer(console, lines, asked, name)
    finally:
        # Always reply, so that the planner does not wait for its timeout.
        await msg.respond(msgspec.json.encode(reply or DecisionDeclined(reason=f"{name} has gone")))
        await flush(nc)
    return reply is not None


async def next_question(nc: NatsClient) -> Msg:
    """Wait for one question of the operators' queue group."""
    from shared.bus.wire import is_ask

    while True:
        msg = await _next_message(nc)
        if msg.reply and is_ask(msg, DECIDE.pattern):
            return msg


async def _next_message(nc: NatsClient) -> Msg:
    arrived: asyncio.Future[Msg] = asyncio.get_running_loop().create_future()

    async def take(msg: Msg) -> None:
        arrived.set_result(msg)

    subscription = await nc.subscribe(DECIDE.pattern, queue=OPERATORS, cb=take)  # pyright: ignore[reportUnknownMemberType]
    await subscription.unsubscribe(limit=1)
    return await arrived


async def _read_answer(
    console: Console, lines: LineReader, asked: DecisionAsked, name: str
) -> DecisionGiven | DecisionDeclined | None:
    """Read lines until one is an answer. Return None at the end of the input."""
    verbs = {verb.name: verb for verb in map(verb_of_tool, asked.tools)}
    while True:
        console.print("> ", end="")
        line = await lines.next()
        if line is None:
            return None
        if line.strip() == SKIP:
            return DecisionDeclined(reason=f"{name} skipped it")
        if line.strip() in HELP_WORDS:
            console.print(Text(operator_help(verbs)))
        elif line.strip():
            action: dict[str, Any] | InvalidLine = parse_line(line, verbs, words_as_written)
            if not isinstance(action, InvalidLine):
                return DecisionGiven(action=action, decided_by=name)
            console.print(Text(action.message), style="red")


def operator_help(verbs: Mapping[str, Verb]) -> str:
    """Return one line per action, and the other ways to answer."""
    json_form = 'or JSON: {"action": "click", "target": "12", "reason": "why"}'
    return "\n".join((*help_lines(verbs.values()), json_form, f"{SKIP}: leave it to another operator"))


def print_question(console: Console, asked: DecisionAsked) -> None:
    """Print the question. Text of a page is printed as plain text, never as markup."""
    status = f"HTTP {asked.http_status}" if asked.http_status else ""
    console.print(Panel(Text(asked.text), title=Text(f"{asked.title}  {asked.url}  {status}"), title_align="left"))
    facts_text = Text()
    facts_text.append(f"{asked.sample_id}", style="bold")
    facts_text.append(f"  step {asked.step}, {asked.steps_left} left  {asked.run_id}\n{asked.goal}\n")
    facts = {
        "row": asked.row, "fields": list(asked.fields["properties"]), "known": asked.known,
        "missing": asked.missing_artifacts, "question": asked.judgment_question, "dialog": asked.dialog,
    }  # fmt: skip
    for label, fact in facts.items():
        if fact:
            facts_text.append(f"{label}: ", style="dim")
            facts_text.append(f"{fact if isinstance(fact, str) else msgspec.json.encode(fact).decode()}\n")
    facts_text.append("\n".join(asked.history[-5:]), style="dim")
    console.print(facts_text)
    for notice in asked.notices:
        console.print(Text(notice), style="yellow")
