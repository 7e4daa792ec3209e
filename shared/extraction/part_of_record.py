"""Which of several like parts of a page is the record's own: the one where the identity's label has the asked id.

Two records under the same labels, in the same kind of place, are told apart by nothing else. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from shared.contracts.browser_pool import Element
from shared.extraction.absence import shape_of
from shared.extraction.field_rules import FieldRules
from shared.extraction.labels.beside import columns_on_page
from shared.extraction.pages import ObservedPage
from shared.pages.elements import is_input, text_of
from shared.text.normal import label_form, tidy
from shared.text.record_words import is_same_id

LEAST_LABELS = 2
"""Of a part: the identity's and one more."""


def part_of_record(
    named: Mapping[str, str], rules: Mapping[str, FieldRules], beside: Sequence[str], page: ObservedPage
) -> ObservedPage | None:
    """Return the part of the page that shows the asked record, as a page of its own; None where parts are not alike.

    ``named``: fields that name the record, and their texts; ``rules``: theirs, by field. ``beside``: the labels of the
    examples, in order. All parts have the same labels once each, in this order, and one of them alone the asked id."""
    for name, wanted in named.items():
        ids = _ids_of(name, rules, page)
        if not wanted or len(ids) < 2 or len({(one.place, one.frame) for one in ids}) != 1:
            continue
        parts = _parts_like(ids[0], page)
        shown = [[one for one in part if one in ids] for part in parts]
        own = [part for part, found in zip(parts, shown, strict=True) if found and is_same_id(found[0].name, wanted)]
        if len(own) == 1 and all(len(one) == 1 and one[0].name for one in shown) and _are_alike(parts, beside):
            return _page_of(own[0], page)
    return None


def may_be_of_another(
    element: Element,
    named: Mapping[str, str],
    rules: Mapping[str, FieldRules],
    beside: Sequence[str],
    page: ObservedPage,
) -> bool:
    """Return whether an element stands in the same place as several ids of the identity, and in no part that is known
    to be the record's own."""
    place = (element.place, element.frame)
    several = any(
        len({label_form(one.name) for one in _ids_of(name, rules, page) if (one.place, one.frame) == place}) > 1
        for name in named
    )
    part = part_of_record(named, rules, beside, page) if several else None
    return several and (part is None or element not in part.elements)


def is_beside_another_id(
    element: Element, named: Mapping[str, str], rules: Mapping[str, FieldRules], page: ObservedPage
) -> bool:
    """Return whether the last id before the element, in the same kind of place and under the identity's own label, is
    that of another record: what follows it there is of that record, whatever its label is.

    What has not the digits and letters of the asked id is none: a label such as "Ticket" may stand beside a count."""
    at = page.order.get(element.ref, -1)
    for name, wanted in named.items():
        labels = rules[name].labels if name in rules else ()
        before = [one for one in page.elements[: at + 1] if (one.place, one.frame) == (element.place, element.frame)]
        ids = [one for one in before if tidy(text_of(one)) and _is_labelled(one, labels, page)]
        if not ids or not any(map(str.isdigit, wanted)) or is_same_id(text_of(ids[-1]), wanted):
            continue
        if shape_of(text_of(ids[-1])) == shape_of(wanted):
            return True
    return False


def _is_labelled(element: Element, labels: Collection[str], page: ObservedPage) -> bool:
    """Return whether one of the labels stands beside the element, or before it; the head of a column, under which many
    records stand, is none."""
    header = label_form(element.header or "")
    if is_input(element):
        return label_form(element.name) in labels
    if header in labels:
        return not any(one.role == "columnheader" and label_form(one.name) == header for one in page.elements)
    at = page.order[element.ref]
    before = page.elements[at - 1] if at else element
    is_label = before.role != "columnheader" and not before.before_blank and not is_input(before)
    return (is_label and label_form(before.name) in labels) or columns_on_page(element, labels, page) is not None


def _ids_of(name: str, rules: Mapping[str, FieldRules], page: ObservedPage) -> list[Element]:
    labels = rules[name].labels if name in rules else ()
    return [one for one in page.elements if one.header and label_form(one.header) in labels]


def _parts_like(element: Element, page: ObservedPage) -> list[list[Element]]:
    """Return the labelled elements in the place of this one, a part up to where one of its labels comes again."""
    parts: list[list[Element]] = [[]]
    for one in page.elements:
        if not one.header or (one.place, one.frame) != (element.place, element.frame):
            continue
        if label_form(one.header or "") in {label_form(other.header or "") for other in parts[-1]}:
            parts.append([])
        parts[-1].append(one)
    return parts


def _are_alike(parts: Sequence[Sequence[Element]], beside: Sequence[str]) -> bool:
    """Return whether all parts have the same labels in the order of the examples, and each stands in one region."""
    orders = {tuple(label_form(one.header or "") for one in part) for part in parts}
    order = orders.pop()
    places = [beside.index(label) for label in order if label in beside]
    is_known = len(places) == len(order) >= LEAST_LABELS and places == sorted(places)
    return not orders and is_known and all(len({one.regions for one in part}) == 1 for part in parts)


def _page_of(part: Sequence[Element], page: ObservedPage) -> ObservedPage:
    """Return the values of a part with their labels before them."""
    first, last = page.order[part[0].ref], page.order[part[-1].ref]
    before = page.elements[first - 1] if first else part[0]
    begin = first - 1 if label_form(before.name) == label_form(part[0].header or "") else first
    return ObservedPage(page.elements[begin : last + 1], page.itself.name, page.itself.url or "", over=page.over)
