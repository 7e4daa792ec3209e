"""Pages of headings, texts and labelled values, as they are observed."""

from __future__ import annotations

from typing import Any

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
