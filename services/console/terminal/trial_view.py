"""How a tried row looks in a terminal."""

from __future__ import annotations

from services.console.terminal.plain_console import UnbrokenText
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


def trial_texts(story: TrialStory, width: int) -> list[UnbrokenText]:
    """Return the screen. A line that is pasted is copied whole."""
    return [_styled(line) for line in trial_lines(story, width)]


def _styled(line: Line) -> UnbrokenText:
    text = UnbrokenText()
    for piece in line:
        text.append(piece.text, STYLES[piece.style])
    return text
