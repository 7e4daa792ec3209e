"""Elements with locators, and what a selector of a flow finds among them."""

from __future__ import annotations

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.contracts.results import Locator
from shared.flows.files import ElementFacts
from shared.pages.locate.by_selector import find_element
from tests.unit.planner.planner_pages import page


def located(element: Element, **kinds: str) -> Element:
    return replace(element, locators=tuple(Locator(kind=k, value=v, matches=1) for k, v in kinds.items()))  # type: ignore[arg-type]


def found(selector: str, *elements: Element, facts: ElementFacts | None = None, **variables: str):
    locators = {} if facts is None else {selector: facts}
    return find_element(selector, page(*elements), locators, variables)
