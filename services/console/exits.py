"""Exit codes, and the one place where errors become messages."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import msgspec
import typer

from services.console.terminal.plain_output import print_err
from shared.contracts.discovery import Problem
from shared.errors import ExhibitError, PermanentError, RunRejectedError, to_failure

OK = 0
NOT_ALL_DONE = 1
"""The command worked; some samples failed, need review or a login, or an action did not succeed."""
BAD_INPUT = 2
"""A spec, an input or an option is invalid; nothing was started."""
CANNOT_RUN = 3
"""No bus, no browser, or a service that does not run."""
INTERRUPTED = 130


class RefusedChange(RunRejectedError):
    """A change of a run that was rejected: nothing was to be started."""


def refused(where: str, message: str) -> RunRejectedError:
    """Return the error of a command with one problem."""
    return RunRejectedError([Problem(where=where, message=message)])


@contextmanager
def bad_input(where: str) -> Generator[None]:
    """Make each PermanentError of the block a problem of ``where``."""
    try:
        yield
    except PermanentError as exc:
        raise refused(where, str(exc)) from exc


@contextmanager
def errors_shown(*, as_json: bool = False) -> Generator[None]:
    """Print the error of the block and end the command: with all of its problems, or as what cannot be done now."""
    try:
        yield
    except RunRejectedError as exc:
        so = "nothing was changed" if isinstance(exc, RefusedChange) else "nothing was started"
        print_problems(exc.problems, as_json=as_json, so=so)
        raise typer.Exit(BAD_INPUT) from None
    except ExhibitError as exc:
        print_error(exc, as_json=as_json)
        raise typer.Exit(CANNOT_RUN) from None


def print_problems(problems: Sequence[Problem], *, as_json: bool, so: str = "nothing was started") -> None:
    """Print every problem, one per line, after what follows from them; with ``as_json`` one JSON object on standard
    output."""
    if as_json:
        sys.stdout.write(msgspec.json.encode({"problems": problems}).decode() + "\n")
        return
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    print_err(f"exhibit: {count}; {so}\n")
    for problem in problems:
        print_err(f"  {problem.where}: {problem.message}\n")


def print_error(error: ExhibitError, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(msgspec.json.encode(to_failure(error)).decode() + "\n")
    else:
        print_err(f"exhibit: {error}\n")
