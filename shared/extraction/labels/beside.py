"""The label that an element has: the one that the markup ties to it, or the cell that names its row of a table.

The columns of a table may have heads, such as "Property" and "Value", and its rows labels of their own. Which of them
is a field's label says the rule that goes by it. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from shared.contracts.browser_pool import Element
from shared.extraction.pages import ObservedPage
from shared.extraction.rules import ExtractionRule, InLabelledRow, UnderHeader, is_called, words_of_place
from shared.text.normal import label_form

MAX_LABELS = 80
BY_MARKUP = 0
"""Columns between a value and its label where the markup ties the two together."""
CELL_ROLES = ("cell", "gridcell", "rowheader")


def is_own_label(rule: ExtractionRule, labels: Collection[str]) -> bool:
    """Return whether the rule goes by what the field itself is called, beside its value."""
    return isinstance(rule.where, UnderHeader | InLabelledRow) and is_called(rule, labels)


def own_words(rules: Sequence[ExtractionRule], labels: Collection[str]) -> frozenset[str]:
    """Return what the field is called, and the labels by which its own rules go, in their form."""
    return frozenset(
        (*labels, *(label_form(words_of_place(rule.where)) for rule in rules if is_own_label(rule, labels)))
    )


def columns_to_label(rules: Sequence[ExtractionRule], labels: Collection[str]) -> int:
    """Return how many columns before its value the field's own label stood on the examples, or `BY_MARKUP`."""
    own = [rule.where for rule in rules if is_own_label(rule, labels)]
    if any(isinstance(where, UnderHeader) for where in own):
        return BY_MARKUP
    return next((where.columns for where in own if isinstance(where, InLabelledRow)), BY_MARKUP)


def columns_on_page(element: Element, words: Collection[str], page: ObservedPage) -> int | None:
    """Return how many columns before the element its label stands, or `BY_MARKUP`; None where none of ``words`` is its
    label."""
    if label_form(element.header or "") in words:
        return BY_MARKUP
    before = range(1, (element.column or 0) + 1)
    return next((columns for columns in before if row_label(element, columns, page) in words), None)


def label_of(element: Element, columns: int, page: ObservedPage) -> str:
    """Return the label of an element, in its form; empty where it has none."""
    in_row = row_label(element, columns, page) if columns else ""
    return in_row or label_form(element.header or "")


def row_label(element: Element, columns: int, page: ObservedPage) -> str:
    """Return the text that stands so many columns before the element in its row, in the form of a label."""
    if element.row is None or element.column is None:
        return ""
    inside = page.cell(element.frame, element.row, element.column - columns)
    cells = [one for one in inside if one.role in CELL_ROLES] or inside
    names = {label_form(one.name) for one in cells if one.name and one.role != "columnheader"}
    return names.pop() if len(names) == 1 else ""


def labels_in_order(page: ObservedPage, columns: int = BY_MARKUP, place: str | None = None) -> tuple[str, ...]:
    """Return the labels of the page's values, each once, in their form. ``place``: only of values in this tag path."""
    found: dict[str, None] = {}
    for one in page.elements:
        if place is None or one.place == place:
            found.setdefault(_label_in_table(one, columns, page) if columns else label_form(one.header or ""))
    return tuple(label for label in found if label)[:MAX_LABELS]


def _label_in_table(element: Element, columns: int, page: ObservedPage) -> str:
    """Return the label of a cell, or the label that the cell is where nothing stands beside it."""
    blank = columns == 1 and element.row is not None and element.before_blank and element.role in CELL_ROLES
    return label_form(element.name) if blank else row_label(element, columns, page)


def common_labels(pages: Sequence[ObservedPage], columns: int = BY_MARKUP) -> tuple[str, ...]:
    """Return the labels that all pages have, in the order of the first one; empty where the order differs."""
    listed = [labels_in_order(page, columns) for page in pages]
    common = set[str].intersection(*(set(labels) for labels in listed))
    orders = {tuple(label for label in labels if label in common) for labels in listed}
    return orders.pop() if len(orders) == 1 else ()
