"""Text from elsewhere reaches the terminal as text, whatever it holds."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from services import console
from services.console import exits
from services.console.terminal.plain_console import PlainConsole
from services.console.terminal.plain_output import inert, print_err, print_out
from shared.contracts.discovery import Problem
from shared.errors import PermanentError

TITLE, CLEAR, LINK, CLIPBOARD = "\x1b]0;owned\x07", "\x1b[2J", "\x1b]8;;http://x\x1b\\", "\x1b]52;c;eA==\x07"
HOSTILE = f"number{TITLE}{CLEAR}{LINK}{CLIPBOARD}\x9b2J\x08\x08\r\u202e"
OWN_STYLE = re.compile(r"\x1b\[[0-9;]*m")


def obeyed(printed: str) -> set[str]:
    """Return what a terminal would obey, other than colours and ends of lines."""
    rest = OWN_STYLE.sub("", printed)
    return {one for one in rest if one != "\n" and (not one.isprintable())}


def test_what_people_read_stays_as_it_is():
    for text in ("Zürich\tand\n東京", "non\u00a0breaking, e\u0301, 👩\u200d👧", "ما", ""):
        assert inert(text) == text


def test_a_problem_that_quotes_the_header_of_an_input_is_only_text(capsys: pytest.CaptureFixture[str]):
    exits.print_problems([Problem(where=f"row 1, column {HOSTILE}", message=f"no {HOSTILE}")], as_json=False)
    exits.print_error(PermanentError(HOSTILE), as_json=False)
    print_out(HOSTILE)
    print_err(HOSTILE)
    printed = capsys.readouterr()
    assert obeyed(printed.out + printed.err) == set()
    assert "row 1, column number\\x1b]0;owned" in printed.err


@pytest.mark.parametrize("width", [20, 200])
def test_a_console_styles_its_own_and_prints_the_rest_as_text(width: int):
    file = io.StringIO()
    console = PlainConsole(file=file, force_terminal=True, color_system="standard", width=width)
    table = Table(HOSTILE, title=HOSTILE)
    table.add_row(Text(HOSTILE, style="red"))
    for shown in (Text(HOSTILE), Panel(HOSTILE, title=HOSTILE), table, HOSTILE):
        console.print(shown)
    assert obeyed(file.getvalue()) == set()
    assert OWN_STYLE.search(file.getvalue())


def test_a_live_view_still_moves_the_cursor_and_its_text_does_not():
    quiet, hostile = io.StringIO(), io.StringIO()
    for file, text in ((quiet, "number"), (hostile, HOSTILE)):
        with Live(Text(text), console=PlainConsole(file=file, force_terminal=True), auto_refresh=False) as live:
            live.refresh()
    moves = re.compile(r"\x1b\[\??[0-9]*[A-Za-z]")
    assert moves.findall(hostile.getvalue()) == moves.findall(quiet.getvalue()) != []


def test_the_console_has_no_other_consoles():
    folder = Path(console.__file__).parent
    others = [path.name for path in folder.rglob("*.py") if re.search(r"(?<![\w.])Console\(\w*[=)]?", path.read_text())]
    assert [name for name in others if name != "plain_output.py"] == []
