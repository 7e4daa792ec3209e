"""How a label and the element after it stand to each other on the page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Sequence

from shared.contracts.browser_pool import Element
from shared.contracts.results import Box
from shared.pages.boxes import is_on_one_line
from shared.pages.elements import is_heading
from shared.text.normal import label_form

LABELLED = re.compile(r"[^\W\d_][^:\n]{0,58}:\s+\S")
SAME_COLUMN_PX = 3.0
LEAST_ALIKE = 2
MOST_UNDER_HEADING = 1.5
"""Room below a heading, in heights of it, before what it names: browsers leave as much below a small one."""


def takes_turns(elements: Sequence[Element], at: int, known: Container[str]) -> bool:
    """Return whether another label that the task knows (in comparable form) stands in one column with the label at
    ``at``, so that labels and values take turns there. A text beside a label speaks against a value below it."""
    label, following = elements[at], elements[at + 1]
    if label.box is None or following.box is None:
        return True
    below = not is_on_one_line(label.box, following.box)
    others = [
        (one, one.box) for one in elements if one is not label and one.frame == label.frame and one.box is not None
    ]
    if below and any(one.name and _is_right_of(label.box, box) for one, box in others):
        return False
    return any(label_form(one.name) in known and abs(box.x - label.box.x) <= SAME_COLUMN_PX for one, box in others)


def places_of_labels(elements: Sequence[Element], known: Container[str]) -> frozenset[str]:
    """Return the places, such as ``dl>dd>span``, that only labels have: at least two different ones that the task knows
    stand there, each before a text that stands elsewhere. What else stands there is a label too."""
    labels: dict[str, set[str]] = defaultdict(set)
    for at, one in enumerate(elements[:-1]):
        following = elements[at + 1]
        if one.place and one.role == "text" and following.role == "text" and following.place != one.place:
            labels[one.place].add(label_form(one.name))
    return frozenset(place for place, names in labels.items() if sum(name in known for name in names) >= LEAST_ALIKE)


def places_of_items(elements: Sequence[Element], known: Container[str]) -> frozenset[str]:
    """Return the places where `Label: value` stands for at least two different labels that the task knows."""
    labels: dict[str, set[str]] = defaultdict(set)
    for one in elements:
        if one.place and LABELLED.match(one.name):
            labels[one.place].add(label_form(one.name.partition(":")[0]))
    return frozenset(place for place, names in labels.items() if sum(name in known for name in names) >= LEAST_ALIKE)


def is_item_of_its_own(label: Element, element: Element) -> bool:
    """Return whether a text below a label has a label of its own, or is the next item of a list."""
    if label.role == element.role == "listitem":
        return True
    return label.name.rstrip().endswith(":") and LABELLED.match(element.name) is not None


def _is_right_of(label: Box, box: Box) -> bool:
    return is_on_one_line(label, box) and box.x >= label.x + label.width


def is_past_next_cell(label: Element, element: Element) -> bool:
    """Return whether a cell without a text stands between the two in their row."""
    if label.row is None or element.row != label.row or label.column is None or element.column is None:
        return False
    return element.column > label.column + 1


def is_on_next_line(label: Element, element: Element) -> bool:
    a, b = label.box, element.box
    return a is not None and b is not None and b.y >= a.y + 0.5 * a.height


def is_in_box_of(label: Element, element: Element) -> bool:
    """Return whether the element stands in the box that begins with `Label:`, on its line, such as a link."""
    around = element.place.rpartition(">")[0]
    if not label.name.rstrip().endswith(":") or not label.place.endswith(around) or around.count(">") < LEAST_ALIKE:
        return False
    a, b = label.box, element.box
    return a is not None and b is not None and is_on_one_line(a, b) and b.x >= a.x


def may_be_empty(label: Element) -> bool:
    return label.tag == "dt" or label.role in ("term", "rowheader") or label.before_blank


def is_adjacent(label: Element, element: Element) -> bool:
    """Return whether the element is on one line with the label or right below it. Without boxes, document order
    decides."""
    if label.box is None or element.box is None:
        return True
    a, b = label.box, element.box
    if is_on_one_line(a, b):
        return b.x >= a.x
    gap = b.y - (a.y + a.height)
    if is_heading(label) and 0 <= gap <= MOST_UNDER_HEADING * a.height:
        return a.x < b.x + b.width and b.x < a.x + a.width
    # In a grid, what is right of a label may begin a little lower.
    beneath_or_right = a.x < b.x + b.width and (b.x < a.x + a.width or gap <= 0.8 * a.height)
    return beneath_or_right and -0.5 * a.height <= gap <= a.height
