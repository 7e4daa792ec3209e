"""`exhibit flows log`: what the compiler of a build session has done, and does."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import AsJson
from services.console.text.build_lines import log_text
from shared.flows.building.folder import CONVERSATION, read_log
from shared.text.normal import printable

POLL_S = 0.3


def log(
    folder: Annotated[Path, typer.Argument(help="The workspace of `exhibit build`.")],
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on showing what comes, until Ctrl-C.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what the compiler of a build session has done."""
    if not (folder / CONVERSATION).exists():
        raise exits.refused(str(folder), "no build session was here")
    run_async(_show(folder, follow=follow, as_json=as_json))


async def _show(folder: Path, *, follow: bool, as_json: bool) -> None:
    start = 0
    while True:
        lines, start = read_log(folder, start)
        for line in lines:
            text = msgspec.json.encode(line).decode() if as_json else printable(log_text(line))
            sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
        if not follow:
            return
        await asyncio.sleep(POLL_S)
