"""`exhibit operate`: shows each question of a planner and answers with what is typed."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import msgspec
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from services.console.terminal.action_lines import HELP_WORDS, Wrong, action_of, help_of
from shared.bus.wire import flush
from shared.client import connect
from shared.contracts.operator import OPERATORS, DecisionAsked, DecisionDeclined, DecisionGiven
from shared.settings import Settings
from shared.subjects import DECIDE

HERE = "nats://127.0.0.1:4222"
SKIP = "skip"


class Lines:
    """Lines of a terminal or a pipe, without a thread: one that reads could not be ended by Ctrl-C."""

    def __init__(self, fd: int) -> None:
        self._fd, self._held, self._ended = fd, b"", False

    async def next(self) -> str | None:
        """None at the end."""
        while b"\n" not in self._held and not self._ended:
            chunk = await self._chunk()
            self._held, self._ended = self._held + chunk, not chunk
        if not self._held:
            return None
        line, _, self._held = self._held.partition(b"\n")
        return line.decode("utf-8", "replace")

    async def _chunk(self) -> bytes:
        ready, loop = asyncio.Event(), asyncio.get_running_loop()
        loop.add_reader(self._fd, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._fd)
        return os.read(self._fd, 65536)


async def operate_here(settings: Settings, name: str) -> None:
    """Answers until Ctrl-C, or until the input ends before an answer. Unavailable where no bus answers."""
    url = settings.nats_url or HERE
    console, lines = Console(), Lines(sys.stdin.fileno())
    async with connect(url) as client:
        console.print(Text(f"{name} decides at {url}; ? for help, Ctrl-C to end"), style="dim")
        while await _one(client.bus.nc, console, lines, name):
            pass


async def _one(nc: NatsClient, console: Console, lines: Lines, name: str) -> bool:
    """One question. Only who is free listens, so that it goes to somebody who is."""
    msg = await next_question(nc)
    reply: DecisionGiven | DecisionDeclined | None = None
    try:
        asked = msgspec.json.decode(msg.data, type=DecisionAsked)
        show(console, asked)
        reply = await _answer(console, lines, asked, name)
    finally:
        # However this ends, whoever asked is not left waiting.
        await msg.respond(msgspec.json.encode(reply or DecisionDeclined(reason=f"{name} has gone")))
        await flush(nc)
    return reply is not None


async def next_question(nc: NatsClient) -> Msg:
    arrived: asyncio.Future[Msg] = asyncio.get_running_loop().create_future()

    async def take(msg: Msg) -> None:
        arrived.set_result(msg)

    subscription = await nc.subscribe(DECIDE.pattern, queue=OPERATORS, cb=take)  # pyright: ignore[reportUnknownMemberType]
    await subscription.unsubscribe(limit=1)
    return await arrived


async def _answer(
    console: Console, lines: Lines, asked: DecisionAsked, name: str
) -> DecisionGiven | DecisionDeclined | None:
    """None where the input has ended."""
    while True:
        console.print("> ", end="")
        line = await lines.next()
        if line is None:
            return None
        if line.strip() == SKIP:
            return DecisionDeclined(reason=f"{name} skipped it")
        if line.strip() in HELP_WORDS:
            console.print(Text(help_of(asked)))
        elif line.strip():
            action: dict[str, Any] | Wrong = action_of(line, asked)
            if not isinstance(action, Wrong):
                return DecisionGiven(action=action, decided_by=name)
            console.print(Text(action.message), style="red")


def show(console: Console, asked: DecisionAsked) -> None:
    """What a page says is shown as text, never as markup."""
    status = f"HTTP {asked.http_status}" if asked.http_status else ""
    console.print(Panel(Text(asked.text), title=Text(f"{asked.title}  {asked.url}  {status}"), title_align="left"))
    told = Text()
    told.append(f"{asked.sample_id}", style="bold")
    told.append(f"  step {asked.step}, {asked.steps_left} left  {asked.run_id}\n{asked.goal}\n")
    facts = {
        "row": asked.row, "fields": list(asked.fields["properties"]), "known": asked.known,
        "missing": asked.missing_artifacts, "question": asked.judgment_question, "dialog": asked.dialog,
    }  # fmt: skip
    for label, fact in facts.items():
        if fact:
            told.append(f"{label}: ", style="dim")
            told.append(f"{fact if isinstance(fact, str) else msgspec.json.encode(fact).decode()}\n")
    told.append("\n".join(asked.history[-5:]), style="dim")
    console.print(told)
    for notice in asked.notices:
        console.print(Text(notice), style="yellow")
