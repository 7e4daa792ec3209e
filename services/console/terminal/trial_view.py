"""How a tried row looks in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from services.console.text.trial_story import Line, Style, TrialStory, trial_lines
from shared.statuses import colour_of

STYLES: dict[Style, str] = {
    "": "",
    "name": "bold",
    "value": "",
    "good": colour_of("done"),
    "bad": colour_of("needs_review"),
    "dim": "dim",
    "paste": "cyan",
}


def print_trial(console: Console, story: TrialStory) -> None:
    """Print the screen. A line that is pasted is not broken: the terminal wraps it, and copies it whole."""
    for line in trial_lines(story, console.width):
        console.print(_styled(line), soft_wrap=True, highlight=False)


def _styled(line: Line) -> Text:
    return Text.assemble(*((piece.text, STYLES[piece.style]) for piece in line))
