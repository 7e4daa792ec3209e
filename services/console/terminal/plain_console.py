"""A console of Rich in which text from elsewhere is only text. `plain_output` is apart: Rich takes long to load."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from services.console.terminal.plain_output import inert


class PlainConsole(Console):
    """A console that styles what we print, and prints what it was given as text. All consoles are of this class."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=inert(segment.text))


class UnbrokenText(Text):
    """A line that is not broken, however long it is: a terminal wraps it, and copies it whole."""
