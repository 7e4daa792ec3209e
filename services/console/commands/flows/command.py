"""The sub-commands of `exhibit flows`."""

from __future__ import annotations

import typer

from services.console.commands.flows.check import EXIT_CODES as CHECK_EXIT_CODES
from services.console.commands.flows.check import check
from services.console.commands.flows.log import log
from services.console.commands.flows.show import show

flows = typer.Typer(name="flows", help="Flows: what they consist of.", no_args_is_help=True)

flows.command()(show)
flows.command(epilog=CHECK_EXIT_CODES)(check)
flows.command()(log)
