"""What comes of a command, and the one place where it is shown: as lines for people, or as JSON for scripts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import msgspec

from services.console import exits
from services.console.terminal.plain_output import print_err, print_out
from shared.text.normal import printable

if TYPE_CHECKING:
    from rich.console import RenderableType


class ErrorLine(str):
    """A line for standard error."""

    __slots__ = ()


class CommandOutcome(Protocol):
    """A command returns it. Commands that show what they do on the way return their exit code instead."""

    @property
    def exit_code(self) -> int: ...

    def to_json(self) -> object:
        """Return what ``--json`` shows, as one object."""
        ...

    def lines(self) -> Iterable[str | RenderableType]:
        """Return what people read: lines as they are, and what Rich lays out."""
        ...


@dataclass(frozen=True)
class CommandResult:
    """An outcome that is made at once."""

    shown: Sequence[str | RenderableType] = ()
    data: object = None
    exit_code: int = exits.OK

    def to_json(self) -> object:
        return self.data

    def lines(self) -> Sequence[str | RenderableType]:
        return self.shown


@dataclass(frozen=True)
class RunRefused:
    """A run that cannot be checked at all, or that no key is there for."""

    message: str
    exit_code: int = exits.BAD_INPUT

    def to_json(self) -> object:
        return {"stands": False, "refused": self.message}

    def lines(self) -> Iterable[str]:
        yield ErrorLine(f"exhibit: {printable(self.message)}")


def show(outcome: CommandOutcome, *, as_json: bool) -> None:
    """Write the outcome to standard output, and its error lines to standard error."""
    if as_json:
        sys.stdout.write(msgspec.json.encode(outcome.to_json()).decode() + "\n")
        return
    for line in outcome.lines():
        if isinstance(line, ErrorLine):
            print_err(f"{line}\n")
        elif isinstance(line, str):
            print_out(f"{line}\n")
        else:
            from services.console.terminal.plain_console import PlainConsole, UnbrokenText  # Rich takes long to load

            PlainConsole(highlight=False).print(line, soft_wrap=isinstance(line, UnbrokenText))
