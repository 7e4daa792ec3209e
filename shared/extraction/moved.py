"""A value whose label still says what it is, on a page where values have changed places.

Rules that go by order alone then lead to other values, which have labels of their own. They are left out of the
agreement where the page itself says so. Two labels that have only changed places with each other are no such page:
nothing there tells whether the values have moved, or the labels lie.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from shared.extraction.pages import ObservedPage
from shared.extraction.rules import (
    AfterText,
    AtHeading,
    AtPlace,
    ExtractionRule,
    InGroup,
    InLabelledRow,
    InRegion,
    UnderHeader,
    is_called,
    kind_of,
)
from shared.text.normal import fold

MAX_LABELS = 80
MIN_SHAPE = 5
"""Kinds of characters of a value that is hardly another one: those of an address with an id."""
BY_ORDER = (AfterText, AtHeading, AtPlace, InGroup, InRegion)
"""Places that are found by counting."""


def labels_in_order(page: ObservedPage) -> tuple[str, ...]:
    """Return the labels of the page's values, each once, folded."""
    headers = (_bare(one.header) for one in page.elements if one.header)
    return tuple(dict.fromkeys(headers))[:MAX_LABELS]


def common_labels(pages: Sequence[ObservedPage]) -> tuple[str, ...]:
    """Return the labels that all pages have, in the order of the first one; empty where the order differs."""
    listed = [labels_in_order(page) for page in pages]
    common = set[str].intersection(*(set(labels) for labels in listed))
    orders = {tuple(label for label in labels if label in common) for labels in listed}
    return orders.pop() if len(orders) == 1 else ()


def has_own_label(rules: Sequence[ExtractionRule], labels: Collection[str]) -> bool:
    """Return whether one of the rules goes by what the field itself is called, beside its value."""
    return any(_is_own_label(rule, labels) for rule in rules)


def misled_rules(
    rules: Sequence[ExtractionRule],
    homes: Sequence[int],
    labels: Collection[str],
    beside: Sequence[str],
    page: ObservedPage,
) -> frozenset[ExtractionRule]:
    """Return the rules that lead to a value of another label, since values have changed places.

    Empty unless the field's own label is beside one element, and all that lead elsewhere found the same element as it
    on the examples, go by order, and lead to an element that has another label."""
    if not beside or len(homes) != len(rules):
        return frozenset()
    own = [
        (page.find(rule.where), home) for rule, home in zip(rules, homes, strict=True) if _is_own_label(rule, labels)
    ]
    if not own or len({(None if one is None else one.ref, home) for one, home in own}) != 1 or own[0][0] is None:
        return frozenset()
    element, home = own[0]
    misled: set[ExtractionRule] = set()
    for rule, at in zip(rules, homes, strict=True):
        found = page.find(rule.where)
        if found is None or found is element:
            continue
        by_order = isinstance(rule.where, BY_ORDER) and not is_called(rule, labels)
        if not by_order or at != home or not found.header or _bare(found.header) in labels:
            return frozenset()
        misled.add(rule)
    return frozenset() if misled and are_two_exchanged(beside, labels_in_order(page), labels) else frozenset(misled)


def are_two_exchanged(then: Sequence[str], now: Sequence[str], labels: Collection[str]) -> bool:
    """Return whether, of the labels of both, just two have changed places, and one of them is the field's own."""
    before = [label for label in then if label in now]
    after = [label for label in now if label in then]
    differing = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    return len(differing) == 2 and any(before[at] in labels for at in differing)


def narrowed_place(
    rules: Sequence[ExtractionRule], homes: Sequence[int], labels: Collection[str], page: ObservedPage
) -> frozenset[ExtractionRule]:
    """Return the rules by order that lead to one of several elements beside the field's own label.

    A part of the page that is new may show another record under the same labels. The place is the one of the examples
    where its tag path has none but it, all rules by order lead to it, and they found the labelled element then."""
    if len(homes) != len(rules):
        return frozenset()
    pairs = list(zip(rules, homes, strict=True))
    own = [(rule, home) for rule, home in pairs if isinstance(rule.where, UnderHeader) and _is_own_label(rule, labels)]
    if len({home for _, home in own}) != 1:
        return frozenset()
    rule, home = own[0]
    assert isinstance(rule.where, UnderHeader)
    role = rule.where.role
    alike = [one for one in page.headed[fold(rule.where.header)] if role in ("", one.role)]
    counted = [one for one, at in pairs if isinstance(one.where, BY_ORDER) and at == home and page.find(one.where)]
    found = {element.ref: element for one in counted if (element := page.find(one.where)) is not None}
    placed = any(isinstance(one.where, AtPlace) for one in counted)
    if len(alike) <= 1 or len(found) != 1 or not placed:
        return frozenset()
    element = next(iter(found.values()))
    same_place = [one for one in alike if one.place == element.place]
    return frozenset(counted) if same_place == [element] else frozenset()


def is_apart(
    rules: Sequence[ExtractionRule], homes: Sequence[int], labels: Collection[str], page: ObservedPage
) -> bool:
    """Return whether the field's own label is in another part of the page, and the part that had it on the examples is
    there still, with other labels: it may leave the value out, and what is labelled so be another record's."""
    if len(homes) != len(rules):
        return False
    pairs = list(zip(rules, homes, strict=True))
    own = [(page.find(rule.where), home) for rule, home in pairs if _is_own_label(rule, labels)]
    paths = {(rule.where.path, home) for rule, home in pairs if isinstance(rule.where, AtPlace)}
    labelled = {one.place for one in page.elements if one.header}
    return any(
        one is not None and at == home and one.place != path and path in labelled
        for one, home in own
        for path, at in paths
    )


def is_close_and_shaped(rule: ExtractionRule, labels: Collection[str], shape: str) -> bool:
    """Return whether the rule finds what directly follows the field's own label, and the field's values have a shape
    of letters and digits that no label and hardly another value has."""
    close = isinstance(rule.where, AfterText) and rule.where.steps == 1 and kind_of(rule, labels) == "near"
    return close and "A" in shape and "9" in shape and len(shape) >= MIN_SHAPE


def _is_own_label(rule: ExtractionRule, labels: Collection[str]) -> bool:
    return isinstance(rule.where, UnderHeader | InLabelledRow) and is_called(rule, labels)


def _bare(text: str | None) -> str:
    return fold(text or "").rstrip(":")
