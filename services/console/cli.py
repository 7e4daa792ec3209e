"""The `exhibit` command: registers the commands of `commands/`. Nothing is decided here."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from services.console import exits
from services.console.commands.ask import ask
from services.console.commands.build.command import build
from services.console.commands.bus_config.command import bus_config
from services.console.commands.demo.command import demo
from services.console.commands.doctor.command import EXIT_CODES as DOCTOR_EXIT_CODES
from services.console.commands.doctor.command import doctor
from services.console.commands.drive import drive
from services.console.commands.explain.command import EXIT_CODES as EXPLAIN_EXIT_CODES
from services.console.commands.explain.command import explain
from services.console.commands.export import export
from services.console.commands.flows.command import flows
from services.console.commands.flows.compile import EXIT_CODES as COMPILE_EXIT_CODES
from services.console.commands.flows.compile import compile_
from services.console.commands.health.command import EXIT_CODES as HEALTH_EXIT_CODES
from services.console.commands.health.command import health
from services.console.commands.key import key
from services.console.commands.learn.command import EXIT_CODES as LEARN_EXIT_CODES
from services.console.commands.learn.command import learn
from services.console.commands.login import login
from services.console.commands.observe import observe
from services.console.commands.operate import operate
from services.console.commands.reperform.command import reperform
from services.console.commands.replay import replay
from services.console.commands.run.command import run
from services.console.commands.runs.command import runs
from services.console.commands.settle import settle
from services.console.commands.sql import sql
from services.console.commands.trial.command import EXIT_CODES as TRY_EXIT_CODES
from services.console.commands.trial.command import try_
from services.console.commands.up import serve, up
from services.console.commands.validate import validate
from services.console.commands.verify import EXIT_CODES, verify
from services.console.commands.workflows.command import workflows

app = typer.Typer(
    name="exhibit",
    help="Browser agents that bring back evidence.",
    epilog=exits.HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"exhibit {version('exhibit')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None: ...


for command in (run, demo, settle, replay, reperform, operate, ask, sql):
    app.command(epilog=exits.HELP)(command)
for command in (up, serve, bus_config, validate, observe, drive):
    app.command()(command)
app.command(epilog=exits.HELP)(login)
for command in (verify, export):
    app.command(epilog=EXIT_CODES)(command)
app.command(epilog=DOCTOR_EXIT_CODES)(doctor)
app.command(epilog=HEALTH_EXIT_CODES)(health)
app.command(epilog=EXPLAIN_EXIT_CODES)(explain)
app.command("try", epilog=TRY_EXIT_CODES)(try_)
app.command()(key)
app.command()(build)
app.command("compile", epilog=COMPILE_EXIT_CODES)(compile_)
app.command(epilog=LEARN_EXIT_CODES)(learn)
app.add_typer(flows)
app.add_typer(runs)
app.add_typer(workflows)
