"""The sub-commands of `exhibit flows`."""

from __future__ import annotations

import typer

from services.console.commands.flows.check import EXIT_CODES as CHECK_EXIT_CODES
from services.console.commands.flows.check import check
from services.console.commands.flows.drift import EXIT_CODES as APPROVE_EXIT_CODES
from services.console.commands.flows.drift import approve, drift
from services.console.commands.flows.log import log
from services.console.commands.flows.show import show
from services.console.commands.flows.versions import diff, history, rollback

flows = typer.Typer(
    name="flows",
    help="Flows: what they consist of, their versions, and the drift of their pages.",
    no_args_is_help=True,
)

flows.command()(show)
flows.command(epilog=CHECK_EXIT_CODES)(check)
flows.command()(history)
flows.command()(diff)
flows.command()(rollback)
flows.command()(drift)
flows.command(epilog=APPROVE_EXIT_CODES)(approve)
flows.command()(log)
