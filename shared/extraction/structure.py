"""Small groups of a page that are built like no other part of it, so that a text without a label has its own place.

A group is what stands in one container of the page: its tags, in order, which of them are links and which have a title,
without any text. In a group of two texts of which one has a title, each of them can be told from the other by more than
its order; in a group of equal paragraphs none can.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from shared.contracts.browser_pool import Element

MAX_LEVELS = 3
"""Containers around an element, from the innermost on."""
MAX_GROUP = 12
_NUMBER = re.compile(r":nth-of-type\(\d+\)")

Steps = tuple[str, ...]
Group = tuple[Element, ...]


def groups_of(elements: Sequence[Element]) -> dict[str, list[Group]]:
    """Return the groups of the page by their form."""
    inside: dict[tuple[str, Steps], list[tuple[Steps, Element]]] = defaultdict(list)
    for one in elements:
        steps = steps_of(one)
        for level in range(min(MAX_LEVELS, len(steps) - 1) + 1 if steps else 0):
            inside[one.frame, steps[: len(steps) - level]].append((steps, one))
    found: dict[str, list[Group]] = defaultdict(list)
    for (_, container), members in inside.items():
        if 2 <= len(members) <= MAX_GROUP:
            found[_form(container, members)].append(tuple(one for _, one in members))
    return found


def is_told_apart(group: Group, nth: int) -> bool:
    """Return whether no other member of the group has the same form."""
    forms = [_own_form(one) for one in group]
    return forms.count(forms[nth]) == 1


def steps_of(element: Element) -> Steps:
    """Return the path of tags from the nearest id, or none where it was not recorded."""
    path = next((one.value for one in element.locators if one.kind == "css" and one.matches == 1), "")
    return tuple(path.split(" > ")) if path else ()


def _form(container: Steps, members: Sequence[tuple[Steps, Element]]) -> str:
    tags = ">".join(_tag(step) for step in container[-2:])
    return f"{tags}: " + ", ".join(_member_form(steps, one, len(container)) for steps, one in members)


def _own_form(element: Element) -> str:
    return _member_form(steps_of(element), element, 0)


def _member_form(steps: Steps, element: Element, depth: int) -> str:
    path = ">".join(_tag(step) for step in steps[depth:]) or "text"
    marks = [element.role] if element.role != "text" else []
    marks += ["title"] if element.title else []
    return path + "".join(f"+{mark}" for mark in marks)


def _tag(step: str) -> str:
    return _NUMBER.sub("", step)
