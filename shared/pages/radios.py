"""Groups of radio buttons as fields: what is chosen is their value. A radio button by itself is no value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.pages.boxes import box_around


def with_chosen_radios(elements: Sequence[Element]) -> tuple[Element, ...]:
    """Return the elements with one field in place of each group of radio buttons.

    It has the name of the group, where the page gives one, and the name of the chosen button as its value: empty where
    none is chosen. A group in which several are chosen is several groups that nothing tells apart; it is left out.
    """
    if not any(one.role == "radio" for one in elements):
        return tuple(elements)
    return tuple(_merged(elements))


def _merged(elements: Sequence[Element]) -> Iterator[Element]:
    named: Element | None = None
    run: list[Element] = []
    for element in elements:
        if element.role == "radio" and (not run or _is_same_group(run[-1], element)):
            run.append(element)
            continue
        yield from _field(named, run)
        named, run = None, [element] if element.role == "radio" else []
        if element.role == "radiogroup":
            named = element
        elif not run:
            yield element
    yield from _field(named, run)


def _is_same_group(one: Element, other: Element) -> bool:
    return (one.frame, one.row, one.column, one.header) == (other.frame, other.row, other.column, other.header)


def _field(named: Element | None, run: Sequence[Element]) -> Iterator[Element]:
    if not run:
        if named is not None:
            yield named
        return
    chosen = [one for one in run if "checked" in one.states]
    if len(chosen) > 1:
        return
    shown = chosen[0] if chosen else run[0]
    boxes = [one.box for one in run if one.box is not None]
    yield replace(
        shown,
        role="combobox",
        name=named.name if named is not None else "",
        value=chosen[0].name if chosen else "",
        box=box_around(boxes) if boxes else None,
    )
