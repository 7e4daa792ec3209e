"""The `exhibit` command: makes the commands of the table callable. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from services.console.command_table import COMMANDS, TOP, USUAL_CODES, CommandRow, GroupRow

if TYPE_CHECKING:
    from services.console.outcomes import CommandOutcome


class LoadedCommand(TyperCommand):
    """A command whose function returns an outcome, or its exit code; None is 0. Its errors are shown here."""

    def invoke(self, ctx: Any) -> None:
        from services.console import exits  # only here: lists of commands are shown without them
        from services.console.outcomes import show

        as_json = bool(ctx.params.get("as_json"))
        with exits.errors_shown(as_json=as_json):
            came: CommandOutcome | int | None = super().invoke(ctx)
            if came is not None and not isinstance(came, int):
                show(came, as_json=as_json)
                came = came.exit_code
        raise typer.Exit(came or exits.OK)


class LazyCommand(TyperCommand):
    """A command that is listed by its row; its module is imported when it is called, or asked for its options."""

    def __init__(self, row: CommandRow) -> None:
        super().__init__(row.name, help=row.line, epilog=row.exit_codes, hidden=row.hidden)
        self._row = row

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Return the context of the loaded command: that one is told its options, run and completed."""
        besides = next((one for one in self._row.besides if args[:1] == [one.name]), None)
        if besides is not None:
            return LazyCommand(besides).make_context(f"{info_name} {besides.name}", args[1:], parent, **extra)
        return self.load().make_context(info_name, args, parent, **extra)

    def load(self) -> TyperCommand:
        """Import the function of the command, and return the command with its options."""
        module, _, function = self._row.function.partition(":")
        alone = typer.Typer(add_completion=False)
        row = self._row
        asked = {"ignore_unknown_options": True} if row.takes_minus else None
        alone.command(row.name, cls=LoadedCommand, epilog=row.exit_codes, hidden=row.hidden, context_settings=asked)(
            getattr(import_module(f"{COMMANDS}.{module}"), function)
        )
        loaded = get_command(alone)
        assert isinstance(loaded, TyperCommand)
        return loaded


class TopGroup(TyperGroup):
    """`exhibit` itself, with the commands of the table."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands.update(_made(TOP))


def _made(rows: Iterable[CommandRow | GroupRow]) -> dict[str, TyperCommand | TyperGroup]:
    return {
        row.name: LazyCommand(row)
        if isinstance(row, CommandRow)
        else TyperGroup(name=row.name, help=row.line, commands={**_made(row.commands)}, no_args_is_help=True)
        for row in rows
    }


app = typer.Typer(
    name="exhibit",
    cls=TopGroup,
    help="Browser agents that bring back evidence.",
    epilog=USUAL_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _tell_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"exhibit {version('exhibit')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None: ...
