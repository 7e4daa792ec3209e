"""Exit codes, and the one place where errors become messages."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import msgspec
import typer

from services.console.terminal.plain_output import print_err
from shared.contracts.discovery import Problem
from shared.errors import ExhibitError, PermanentError, to_failure

OK = 0
NOT_ALL_DONE = 1
"""The command worked; some samples failed, need review or a login, or an action did not succeed."""
BAD_INPUT = 2
"""A spec, an input or an option is invalid; nothing was started."""
CANNOT_RUN = 3
"""No bus, no browser, or a service that does not run."""
INTERRUPTED = 130


@contextmanager
def bad_input(where: str, *, as_json: bool = False) -> Generator[None]:
    """Print errors of the block and end the command: a PermanentError as a problem of ``where``, others as failures."""
    try:
        yield
    except PermanentError as exc:
        print_problems([Problem(where=where, message=str(exc))], as_json=as_json)
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
