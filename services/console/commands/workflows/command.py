"""The sub-commands of `exhibit workflows`."""

from __future__ import annotations

import typer

from services.console.commands.workflows.library import create, delete, export, history, import_, list_, search, show
from services.console.commands.workflows.lint import LINT_EXIT_CODES, lint
from services.console.commands.workflows.run import EXIT_CODES, run

workflows = typer.Typer(
    name="workflows", help="The library of workflows: write, find, run and keep them.", no_args_is_help=True
)

workflows.command()(create)
workflows.command("list")(list_)
workflows.command()(search)
workflows.command()(show)
workflows.command(epilog=EXIT_CODES)(run)
workflows.command(epilog=LINT_EXIT_CODES)(lint)
workflows.command()(history)
workflows.command()(delete)
workflows.command()(export)
workflows.command("import")(import_)
