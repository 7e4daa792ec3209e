"""The sub-commands of `exhibit runs`."""

from __future__ import annotations

import typer

from services.console import exits
from services.console.commands.runs.follow import events, status
from services.console.commands.runs.steer import answer, close, interrupt, message, pause, resume

runs = typer.Typer(name="runs", help="Runs: how they stand, what happened, their controls.", no_args_is_help=True)

for command in (status, events):
    runs.command(epilog=exits.HELP)(command)
for command in (pause, resume, interrupt, close, message, answer):
    runs.command()(command)
