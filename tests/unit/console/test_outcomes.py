"""What a command returns or raises is shown in one place: as lines or as JSON, with its exit code."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import typer
from rich.text import Text
from typer.testing import CliRunner

from services.console.cli import LoadedCommand
from services.console.exits import RefusedChange, refused
from services.console.options import AsJson
from services.console.outcomes import CommandOutcome, CommandResult, ErrorLine
from services.console.terminal.plain_console import UnbrokenText
from shared.contracts.discovery import Problem
from shared.errors import ExhibitError, PermanentError, Unavailable

HOSTILE = "\x1b[2J[bold]"


def run(work: Callable[[], CommandOutcome | int | None], *words: str) -> tuple[int, str, str]:
    app = typer.Typer(add_completion=False)

    @app.command(cls=LoadedCommand)
    def command(as_json: AsJson = False) -> CommandOutcome | int | None:
        return work()

    ended = CliRunner().invoke(app, list(words), env={"COLUMNS": "40"}, catch_exceptions=False)
    return ended.exit_code, ended.stdout, ended.stderr


def test_lines_are_for_people_and_the_object_for_scripts():
    outcome = CommandResult(["one", ErrorLine("two"), Text("three")], {"told": [1]}, 1)
    assert run(lambda: outcome) == (1, "one\nthree\n", "two\n")
    code, out, err = run(lambda: outcome, "--json")
    assert (code, json.loads(out), err) == (1, {"told": [1]}, "")


def test_text_from_elsewhere_is_only_text():
    code, out, err = run(lambda: CommandResult([HOSTILE, Text(HOSTILE), ErrorLine(HOSTILE)]))
    assert (code, out, err) == (0, "\\x1b[2J[bold]\n" * 2, "\\x1b[2J[bold]\n")


def test_a_line_that_is_pasted_is_not_broken():
    words = "word " * 20
    _, out, _ = run(lambda: CommandResult([UnbrokenText(words), Text(words)]))
    assert words in out.splitlines()
    assert len(out.splitlines()) > 3


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (3, 3)])
def test_a_command_that_has_shown_what_it_did_returns_its_exit_code(returned: int | None, code: int):
    assert run(lambda: returned) == (code, "", "")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (refused("row 1", "no url"), 2, "exhibit: 1 problem; nothing was started\n  row 1: no url\n"),
        (
            RefusedChange([Problem(where="a", message="b"), Problem(where="c", message="d")]),
            2,
            "exhibit: 2 problems; nothing was changed\n  a: b\n  c: d\n",
        ),
        (PermanentError("no such page"), 3, "exhibit: no such page\n"),
        (Unavailable("no bus"), 3, "exhibit: no bus\n"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_become_messages_and_exit_codes(error: ExhibitError, code: int, said: str):
    def fail() -> None:
        raise error

    assert run(fail) == (code, "", said)
    ended, out, err = run(fail, "--json")
    assert (ended, err) == (code, "")
    assert set(json.loads(out)) >= ({"problems"} if code == 2 else {"code", "message", "retry"})
