"""The known controls and texts of the pages that the benchmark writes.

A control is what a person can click, type into or choose with now, without scripts and without the source;
``data-truth`` marks its elements (a hidden check box and its styled label are one control). Observers do not read that
attribute. Unmarked elements are not controls.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Note = Literal["", "covered", "disabled", "optional"]
"""``covered`` and ``disabled``: not usable now; may be omitted, and if reported then with the reason.

``optional``: people would disagree whether it is a control, so both answers are correct.
"""


@dataclass(frozen=True)
class Control:
    key: str
    name: str
    note: Note = ""


@dataclass(frozen=True)
class Page:
    """One page.

    ``html`` and ``parts`` (path to HTML, for frames) are served at ``/NAME`` and ``/NAME/PATH``. ``texts`` has the data
    that must be reported, with duplicates; ``hidden_texts`` is invisible and must not be reported.
    """

    name: str
    what: str
    html: str
    controls: tuple[Control, ...]
    texts: tuple[str, ...]
    hidden_texts: tuple[str, ...] = ()
    parts: dict[str, str] = field(default_factory=dict)
    aim_ms: float | None = None


class Truth:
    """Records the controls and texts while a page is written."""

    def __init__(self) -> None:
        self.controls: list[Control] = []
        self.texts: list[str] = []
        self.hidden_texts: list[str] = []

    def control(self, name: str, note: Note = "") -> str:
        """Return the attribute that marks the elements of a new control."""
        key = str(len(self.controls) + 1)
        self.controls.append(Control(key, name, note))
        return f'data-truth="{key}"'

    def text(self, text: str) -> str:
        """Record and return data that must be reported."""
        self.texts.append(text)
        return text

    def hidden(self, text: str) -> str:
        self.hidden_texts.append(text)
        return text

    def page(
        self, name: str, what: str, html: str, *, parts: dict[str, str] | None = None, aim_ms: float | None = None
    ) -> Page:
        return Page(
            name,
            what,
            f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{what}</title></head>{html}</html>",
            tuple(self.controls),
            tuple(self.texts),
            tuple(self.hidden_texts),
            parts or {},
            aim_ms,
        )
