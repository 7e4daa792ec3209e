"""Widgets of third-party libraries: the value to set, the actions, and the expected page state."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.fetch_packages import packages
from shared.errors import ExhibitError
from tests.real.folder_site import FolderSite
from tests.real.player import Player, Stuck

PAGES = Path(__file__).parent / "pages"
CUSTOMERS = ["Acme Paper", "Acme Tools", "Northwind"]
PEOPLE = [{"id": "17", "name": "Acme Paper"}, {"id": "18", "name": "Acme Tools"}]
SHOWN_S = 30.0


@dataclass(frozen=True)
class Widget:
    """``key`` of the page's report must be ``wanted`` after ``play``."""

    library: str
    name: str
    page: str
    key: str
    wanted: Any
    play: Callable[[Player], Awaitable[object]]

    @property
    def told_as(self) -> str:
        """The name its page reports under; unique, because pages are open at the same time."""
        return f"{self.library}.{self.name}".replace(" ", "_")


@dataclass(frozen=True)
class Played:
    widget: Widget
    solved: bool
    why: str


def widget_site() -> FolderSite:
    folders = packages("npm")
    names = {"jquery": "jquery", "jquery-ui": "jquery-ui", "shoelace": "@shoelace-style/shoelace"}
    names |= {"flatpickr": "flatpickr", "choices": "choices.js", "tom-select": "tom-select"}
    served = {f"/{short}/": folders[name] / "package" for short, name in names.items()}
    site = FolderSite({**served, "/pages": PAGES, "/": PAGES})
    site.answers = {"/customers": CUSTOMERS, "/people": PEOPLE}
    site.pages["/late"] = "<p>What is older than ten years.</p>"
    return site


async def play(p: Player, site: FolderSite, widget: Widget) -> Played:
    """Play a widget. A failure of the player is returned, not raised."""
    name = widget.told_as
    site.forget(name)
    why = ""
    try:
        await p.goto(f"{site.url}/{widget.page}.html?name={name}")
        await widget.play(p)
    except Stuck as exc:
        why = str(exc)
    except ExhibitError as exc:
        why = f"{type(exc).__name__} {exc.code}: {exc}"

    def is_set(told: Any) -> bool:
        return told is not None and told.get(widget.key) == widget.wanted

    told = await site.comes_to(name, is_set, SHOWN_S)
    holds = None if told is None else told.get(widget.key)
    # What is set although the player was told that it is not, is no success: an agent would try again.
    if why or not is_set(told):
        return Played(widget, False, f"{why or 'it seemed done'}; the page holds {holds!r}")
    return Played(widget, True, "")


def report(played: Iterable[Played]) -> str:
    every = list(played)
    lines: list[str] = []
    for one in every:
        lines.append(f"{one.widget.library:<12} {one.widget.name:<28} {'solved' if one.solved else 'NOT SOLVED'}")
        lines += [f"    {one.why}"[:300]] if one.why else []
    for library in dict.fromkeys(one.widget.library for one in every):
        mine = [one for one in every if one.widget.library == library]
        lines.append(f"{library}, widgets solved / tried: {sum(one.solved for one in mine)} / {len(mine)}")
    return "\n".join(lines)
