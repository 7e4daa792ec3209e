"""The sub-commands of `exhibit flows`."""

from __future__ import annotations

import typer

from services.console.commands.flows.log import log
from services.console.commands.flows.show import show

flows = typer.Typer(name="flows", help="Flows: what they consist of.", no_args_is_help=True)

flows.command()(show)
flows.command()(log)
