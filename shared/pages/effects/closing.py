"""Which button closes what lies over a page, a dialog or a banner. Pure.

The words are in :mod:`shared.text.dismissals`. Who may agree to something, and which dialogs belong to the task, is for
those to say who ask.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from shared.contracts.browser_pool import Element, PageObserved
from shared.text.dismissals import AGREEING, ALL, CLOSING, OF_CONSENT, REFUSING, names_that_close
from shared.text.normal import fold

Ranked = Iterable[Iterable[str]]
NO_NAMES: Collection[str] = ()


def closing_button(
    elements: Sequence[Element], ranked: Ranked = ALL, *, withheld: Collection[str] = NO_NAMES, may_lead: bool = True
) -> Element | None:
    """Return the button that best closes what lies over the page; None where none does, or nothing lies over it.

    ``ranked``: the names that may be pressed, best first. ``withheld``: those of them that may not, folded.
    ``may_lead``: whether a link to an address counts too."""
    names = _closing_names(elements, ranked)
    ways = [
        one
        for one in _pressed(elements)
        if fold(one.name) in names.keys() - set(withheld)
        and "disabled" not in one.states
        and (may_lead or not (one.url or "").startswith("http"))
    ]
    return min(ways, key=lambda one: (names[fold(one.name)], one.ref), default=None)


def find_dismissal(page: PageObserved, agreed: Iterable[str] = ()) -> Element | None:
    """Return the button that best closes a dialog or banner over the page. ``agreed``: names of buttons that may be
    pressed although they agree to something."""
    return closing_button(page.elements, withheld=set(AGREEING) - {*map(fold, agreed)})


def only_closes(element: Element, elements: Sequence[Element]) -> bool:
    """Return whether the element is a button that closes what lies over the page, and decides nothing else there."""
    return element.in_dialog and fold(element.name) in _closing_names(elements, ALL)


def closes_by_name(name: str) -> bool:
    """Return whether a button of this name closes a dialog whatever else is in it. It agrees to cookies at most."""
    return fold(name) in CLOSING or fold(name) in names_that_close((), (), (REFUSING,)) or fold(name) in OF_CONSENT


def _pressed(elements: Sequence[Element]) -> list[Element]:
    return [one for one in elements if one.in_dialog and one.role in ("button", "link")]


def _closing_names(elements: Sequence[Element], ranked: Ranked) -> dict[str, int]:
    over = (one.name for one in elements if one.in_dialog)
    return names_that_close(over, [one.name for one in _pressed(elements) if one.role == "button"], ranked)
