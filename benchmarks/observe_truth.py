"""What is known of a page because the benchmark wrote it.

A control is what a person could press, type into or choose with at this moment, without scripts and without
knowing the source; ``data-truth`` marks the elements that stand for it (a hidden check box and its styled label
are one control). Observers do not look at that attribute. What is not marked cannot be pressed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Note = Literal["", "covered", "disabled", "optional"]
"""``covered`` and ``disabled``: cannot be pressed now, so it need not be shown, and if it is, the reason must be
said. ``optional``: where people would not agree whether it can be pressed, either answer is right."""


@dataclass(frozen=True)
class Control:
    key: str
    name: str
    note: Note = ""


@dataclass(frozen=True)
class Page:
    """``html`` and ``parts`` (path to HTML, for frames) are served at ``/NAME`` and ``/NAME/PATH``. ``texts``: data
    that must be told, as often as it is listed. ``hidden_texts``: what nobody sees and must not be told."""

    name: str
    what: str
    html: str
    controls: tuple[Control, ...]
    texts: tuple[str, ...]
    hidden_texts: tuple[str, ...] = ()
    parts: dict[str, str] = field(default_factory=dict)
    aim_ms: float | None = None


class Truth:
    """Takes notes while a page is written."""

    def __init__(self) -> None:
        self.controls: list[Control] = []
        self.texts: list[str] = []
        self.hidden_texts: list[str] = []

    def control(self, name: str, note: Note = "") -> str:
        """The attribute that marks the elements of a new control."""
        key = str(len(self.controls) + 1)
        self.controls.append(Control(key, name, note))
        return f'data-truth="{key}"'

    def text(self, text: str) -> str:
        """Data that must be told."""
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
