"""What looking for one element of a page comes to, whatever it is looked for by."""

from __future__ import annotations

from dataclasses import dataclass

from shared.contracts.browser_pool import Element


@dataclass(frozen=True)
class Found:
    """The element.

    ``found_by``: what leads to it: selectors, or kinds of locators. ``unchanged``: its fingerprint, and so its words,
    are the recorded ones, where that was compared. Of an element that a selector names: ``lost``: selectors that do not
    find it any more, or not only it; ``healed``: the selector itself is one of them; ``moved``: selectors by order
    alone that lead to other elements, which the page tells by names of their own; ``others``: how many further elements
    the selector itself finds."""

    element: Element
    found_by: tuple[str, ...] = ()
    unchanged: bool = False
    lost: tuple[str, ...] = ()
    healed: bool = False
    moved: tuple[str, ...] = ()
    others: int = 0


@dataclass(frozen=True)
class NotFound:
    """``message``: what was looked for, and what is there instead."""

    message: str


@dataclass(frozen=True)
class Ambiguous:
    """``message``: what was looked for, and between which elements it is not decided."""

    message: str


@dataclass(frozen=True)
class Undecidable:
    """The observation does not tell which element this CSS finds; the browser does."""

    css: str


Located = Found | NotFound | Ambiguous
