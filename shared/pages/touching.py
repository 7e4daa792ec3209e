"""Texts that touch each other: parts of one word or number that its page lays out in several boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.pages.boxes import box_around, is_on_one_line

TOUCHING_PX = 1.5
"""Texts on one line that are not farther apart have no space between them."""
OVERLAPPING_PX = -1.0


def touches(before: Element, after: Element) -> bool:
    """Return whether an element begins, on the same line, where another ends."""
    a, b = before.box, after.box
    if a is None or b is None or before.frame != after.frame or not is_on_one_line(a, b):
        return False
    return OVERLAPPING_PX <= b.x - (a.x + a.width) <= TOUCHING_PX


def with_touching_joined(elements: Sequence[Element]) -> tuple[Element, ...]:
    """Return the elements with one text in place of several plain ones that touch each other."""
    return tuple(_joined(elements))


def _joined(elements: Sequence[Element]) -> Iterator[Element]:
    whole: Element | None = None
    for element in elements:
        if whole is not None and _is_plain(whole) and _is_plain(element) and touches(whole, element):
            assert whole.box is not None
            assert element.box is not None
            whole = replace(whole, name=whole.name + element.name, box=box_around([whole.box, element.box]))
            continue
        if whole is not None:
            yield whole
        whole = element
    if whole is not None:
        yield whole


def _is_plain(element: Element) -> bool:
    return element.role == "text" and not element.parts and not element.cut_chars and element.title is None
