"""Pages of headings, texts and labelled values, as they are observed."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.contracts.results import Locator
from shared.extraction.pages import ObservedPage


def page(*elements: dict[str, Any]) -> ObservedPage:
    return ObservedPage([Element(ref=at, **one) for at, one in enumerate(elements, 1)])


def text(name: str, **changes: Any) -> dict[str, Any]:
    return {"role": "text", "name": name, "tag": "p", "place": "main>p", **changes}


def heading(name: str, level: int = 1) -> dict[str, Any]:
    return {"role": "heading", "name": name, "level": level, "tag": f"h{level}", "place": f"main>h{level}"}


def row(label: str, value: str, id_: str = "") -> list[dict[str, Any]]:
    locators = (Locator(kind="id", value=f"#{id_}", matches=1),) if id_ else ()
    term = {"role": "term", "name": label, "tag": "dt", "place": "dl>dt"}
    found = {"role": "definition", "name": value, "tag": "dd", "header": label, "place": "dl>dd", "locators": locators}
    return [term, found]


PEOPLE = ("Ann Lee", "Søren Kjær", "Mateus Gonçalves")
Pair = tuple[str, str]


def record(
    pairs: list[Pair], *, before: tuple[Pair, ...] = (), place: str = "aside>dl", at: str = "section>dl"
) -> ObservedPage:
    """Return a page with labelled values; ``before``: those of another part, above them, ``at`` this place."""
    elements: list[dict[str, Any]] = [heading("A ticket")]
    for path, values in ((at, before), (place, pairs)):
        for label, value in values:
            term, found = row(label, value)
            elements += [{**term, "place": f"{path}>dt"}, {**found, "place": f"{path}>dd"}]
    return page(*elements)


def pairs(person: str, reporter: str = "Vera Novak") -> list[Pair]:
    return [("Number", "TCK-1"), ("Reporter", reporter), ("Assignee", person), ("Status", "Open"), ("Team", "Red")]


def properties(values: list[Pair]) -> ObservedPage:
    """Return a page whose labelled values are in a named part, so that a place in it has a name too."""
    found = record(values)
    return ObservedPage([replace(one, regions=("Properties",)) for one in found.elements])


def part(values: list[Pair], place: str = "aside>dl") -> list[dict[str, Any]]:
    """Return labelled values in the part of the page that is called Properties."""
    elements: list[dict[str, Any]] = []
    for label, value in values:
        term, found = row(label, value)
        elements += [{**term, "place": f"{place}>dt"}, {**found, "place": f"{place}>dd", "regions": ("Properties",)}]
    return elements
