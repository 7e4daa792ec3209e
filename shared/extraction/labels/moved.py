"""A value whose label still says what it is, on a page where values have changed places.

Rules that go by order alone then lead to other values, which have labels of their own. They are left out of the
agreement where the page itself says so. Two labels that have only changed places with each other are no such page:
nothing there tells whether the values have moved, or the labels lie.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.extraction.addresses import AddressPart, is_named
from shared.extraction.labels.alternation import learn_paired_labels
from shared.extraction.labels.beside import (
    columns_on_page,
    columns_to_label,
    common_labels,
    is_own_label,
    label_of,
    labels_in_order,
    own_words,
)
from shared.extraction.labels.layers import is_layered
from shared.extraction.pages import ObservedPage, only
from shared.extraction.rules import (
    AfterText,
    AtHeading,
    AtPlace,
    ByTask,
    ExtractionRule,
    InGroup,
    InRegion,
    UnderHeader,
    is_called,
    kind_of,
)
from shared.text.normal import fold, label_form

LABELS_FOR_ONE_GONE = 10
"""Labels of the examples, for each that may be gone where a table has become a list of terms."""
MIN_SHAPE = 5
"""Kinds of characters of a value that is hardly another one: those of an address with an id."""
BY_ORDER = (AfterText, AtHeading, AtPlace, InGroup, InRegion)
"""Places that are found by counting."""
VALUE_ROLES = ("cell", "gridcell", "definition")
"""Of what shows a value beside its label, and nothing else."""


def has_own_label(rules: Sequence[ExtractionRule], labels: Collection[str]) -> bool:
    """Return whether one of the rules goes by what the field itself is called, beside its value."""
    return any(is_own_label(rule, labels) for rule in rules)


def learn_beside(
    rules: Sequence[ExtractionRule], labels: Collection[str], pages: Sequence[ObservedPage]
) -> tuple[str, ...]:
    """Return the labels of values on all pages: those that belong to values, or stand directly before them."""
    if has_own_label(rules, labels):
        return common_labels(pages, columns_to_label(rules, labels))
    return learn_paired_labels(rules, labels, pages)


def displaced_rules(
    rules: Sequence[ExtractionRule], homes: Sequence[int], labels: Collection[str], page: ObservedPage
) -> frozenset[ExtractionRule]:
    """Return the rules by order that lead to an element beside another label, where the examples had the field's own.

    What they find is another value, or the field's under a name that nobody knows: they tell nothing of it."""
    if len(homes) != len(rules):
        return frozenset()
    pairs = list(zip(rules, homes, strict=True))
    own = {home for rule, home in pairs if is_own_label(rule, labels)}
    words, columns = own_words(rules, labels), columns_to_label(rules, labels)
    found = [(rule, page.find(rule.where)) for rule, home in pairs if home in own and _is_by_order(rule, labels)]
    beside = [(rule, one, label_of(one, columns, page)) for rule, one in found if one is not None]
    return frozenset(rule for rule, one, label in beside if label and not {label, label_form(one.header or "")} & words)


def element_beside_label(
    rule: ExtractionRule,
    rules: Sequence[ExtractionRule],
    homes: Sequence[int],
    page: ObservedPage,
    address: AddressPart | None = None,
) -> Element | None:
    """Return what stands beside the label of this rule; where the page has that label several times, the only one that
    the page's address names, as on the examples; or the only one in the tag path of the examples, or, where nothing
    labelled is in this path any more, in that with more layers."""
    found = page.find(rule.where)
    if found is not None or not isinstance(rule.where, UnderHeader) or len(homes) != len(rules):
        return found
    pairs = list(zip(rules, homes, strict=True))
    home = next(at for one, at in pairs if one == rule)
    paths = {one.where.path for one, at in pairs if isinstance(one.where, AtPlace) and at == home}
    role = rule.where.role
    alike = [one for one in page.headed(rule.where.header) if role in ("", one.role)]
    url = page.itself.url or ""
    named = only(one for one in alike if address and is_named(address, page.extract_from(one, rule) or "", url))
    if named is not None:
        return named
    if any(one.header and one.place in paths for one in page.elements):
        return only(one for one in alike if one.place in paths)
    return only(one for one in alike if any(is_layered(one.place, path) for path in paths))


def contradicted_rules(
    rules: Sequence[ExtractionRule],
    homes: Sequence[int],
    labels: Collection[str],
    beside: Sequence[str],
    page: ObservedPage,
) -> frozenset[ExtractionRule]:
    """Return the rules that lead to a value of another label, since values have changed places: those of `misled_rules`
    and of `moved_rules`."""
    misled = misled_rules(rules, page)
    weak = outweighed_rules(rules, homes, labels, page)
    return misled | moved_rules(rules, homes, labels, beside, page, misled | weak)


def misled_rules(rules: Sequence[ExtractionRule], page: ObservedPage) -> frozenset[ExtractionRule]:
    """Return the rules that count from a text and lead to what the task's labels tell as the value of another field,
    while they tell this one elsewhere: what stands behind a label in the order of the page is the next label's value
    where labels have become the heads of columns."""
    own = next((rule.where for rule in rules if isinstance(rule.where, ByTask)), None)
    if own is None or own.field not in page.task_values:
        return frozenset()
    others = {one.ref for one in page.task_values.values()} - {page.task_values[own.field].ref}
    counted = ((rule, page.find(rule.where)) for rule in rules if isinstance(rule.where, AfterText))
    return frozenset(rule for rule, found in counted if found is not None and found.ref in others)


def outweighed_rules(
    rules: Sequence[ExtractionRule], homes: Sequence[int], labels: Collection[str], page: ObservedPage
) -> frozenset[ExtractionRule]:
    """Return the rules that found another element on the examples than the task's label leads to, by no label and no
    name of their own: that both showed one value then says nothing where this page tells the field by its label."""
    by_task = next(((rule.where, home) for rule, home in zip(rules, homes, strict=False) if _is_by_task(rule)), None)
    if by_task is None or len(homes) != len(rules):
        return frozenset()
    where, home = by_task
    assert isinstance(where, ByTask)
    found = page.task_values.get(where.field)
    if found is None or not found.proven:
        return frozenset()
    return frozenset(
        rule
        for rule, at in zip(rules, homes, strict=True)
        if at != home and kind_of(rule, labels) not in ("labelled", "named")
    )


def _is_by_task(rule: ExtractionRule) -> bool:
    return isinstance(rule.where, ByTask)


def moved_rules(
    rules: Sequence[ExtractionRule],
    homes: Sequence[int],
    labels: Collection[str],
    beside: Sequence[str],
    page: ObservedPage,
    left_out: Collection[ExtractionRule],
) -> frozenset[ExtractionRule]:
    """Return the rules by order that lead to a value of another label, without those that are ``left_out``.

    Empty unless the field's own label is beside one element, and all that lead elsewhere found the same element as it
    on the examples, go by order, and lead to an element that has another label in the way this one has its own."""
    words = own_words(rules, labels)
    if len(homes) != len(rules) or not words & set(beside):
        return frozenset()
    own = [
        (element_beside_label(rule, rules, homes, page), home)
        for rule, home in zip(rules, homes, strict=True)
        if is_own_label(rule, labels) or (isinstance(rule.where, ByTask) and page.find(rule.where) is not None)
    ]
    if not own or len({(None if one is None else one.ref, home) for one, home in own}) != 1:
        return frozenset()
    element, home = own[0]
    columns = None if element is None else columns_on_page(element, words, page)
    if element is None or columns is None:
        return frozenset()
    contradicted: set[ExtractionRule] = set()
    for rule, at in zip(rules, homes, strict=True):
        found = page.find(rule.where)
        if found is None or found is element or rule in left_out:
            continue
        label = label_of(found, columns, page)
        if not _is_by_order(rule, labels) or at != home or not label or label in words:
            return frozenset()
        contradicted.add(rule)
    label = label_of(element, columns, page)
    several = sum(label_of(one, columns, page) == label for one in page.elements) > 1
    now = labels_in_order(page, columns, element.place if several else None)
    return frozenset() if contradicted and are_two_exchanged(beside, now, words) else frozenset(contradicted)


def are_two_exchanged(then: Sequence[str], now: Sequence[str], labels: Collection[str]) -> bool:
    """Return whether, of the labels of both, just two have changed places, and one of them is the field's own."""
    before = [label for label in then if label in now]
    after = [label for label in now if label in then]
    differing = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    return len(differing) == 2 and any(before[at] in labels for at in differing)


def unique_place(
    rules: Sequence[ExtractionRule], homes: Sequence[int], labels: Collection[str], page: ObservedPage
) -> frozenset[ExtractionRule]:
    """Return the rules by order that lead to one of several elements beside the field's own label.

    A part of the page that is new may show another record under the same labels. The place is the one of the examples
    where its tag path has none but it, all rules by order lead to it, and they found the labelled element then."""
    if len(homes) != len(rules):
        return frozenset()
    pairs = list(zip(rules, homes, strict=True))
    own = [(rule, home) for rule, home in pairs if isinstance(rule.where, UnderHeader) and is_own_label(rule, labels)]
    if len({home for _, home in own}) != 1:
        return frozenset()
    rule, home = own[0]
    assert isinstance(rule.where, UnderHeader)
    role = rule.where.role
    alike = [one for one in page.headed(rule.where.header) if role in ("", one.role)]
    counted = [one for one, at in pairs if isinstance(one.where, BY_ORDER) and at == home and page.find(one.where)]
    found = {element.ref: element for one in counted if (element := page.find(one.where)) is not None}
    placed = any(isinstance(one.where, AtPlace) for one in counted)
    if len(alike) <= 1 or len(found) != 1 or not placed:
        return frozenset()
    element = next(iter(found.values()))
    same_place = [one for one in alike if one.place == element.place]
    return frozenset(counted) if same_place == [element] else frozenset()


def is_labelled_elsewhere(
    rules: Sequence[ExtractionRule], homes: Sequence[int], labels: Collection[str], page: ObservedPage
) -> bool:
    """Return whether the field's own label is in another part of the page, and the part that had it on the examples is
    there still, with other labels: it may leave the value out, and what is labelled so be another record's."""
    if len(homes) != len(rules):
        return False
    pairs = list(zip(rules, homes, strict=True))
    columns = columns_to_label(rules, labels)
    own = [(page.find(rule.where), home) for rule, home in pairs if is_own_label(rule, labels)]
    paths = {(rule.where.path, home) for rule, home in pairs if isinstance(rule.where, AtPlace)}
    labelled = {one.place for one in page.elements if label_of(one, columns, page)}
    return any(
        one is not None and at == home and one.place != path and path in labelled
        for one, home in own
        for path, at in paths
    )


def is_of_another_label(
    found: Sequence[ExtractionRule],
    rules: Sequence[ExtractionRule],
    labels: Collection[str],
    beside: Sequence[str],
    page: ObservedPage,
) -> bool:
    """Return whether what the rules found has the label of another value of the examples, and none of them goes by the
    field's own: values have moved, and the field's own label is not there, or not once."""
    if any(is_called(rule, labels) for rule in found):
        return False
    others = {label for label in beside if label not in labels}
    columns = columns_to_label(rules, labels)
    elements = [one for rule in found if (one := page.find(rule.where)) is not None]
    return any({label_of(one, columns, page), label_form(one.header or "")} & others for one in elements)


def is_one_of_several(found: Sequence[ExtractionRule], labels: Collection[str], page: ObservedPage) -> bool:
    """Return whether another element in a place of the same kind has the same label of the field, and another text:
    order alone would choose between them."""
    elements = {one.ref: one for rule in found if (one := page.find(rule.where)) is not None}
    return any(
        other.ref != one.ref and other.place == one.place and fold(other.name) != fold(one.name)
        for one in elements.values()
        if one.header and label_form(one.header) in labels and one.row is None
        for other in page.headed(one.header)
    )


def restyled_rules(
    rules: Sequence[ExtractionRule], labels: Collection[str], beside: Sequence[str], page: ObservedPage
) -> tuple[ExtractionRule, ...]:
    """Return rules by the field's own label for a page whose table is a list of terms now, or the other way round.

    None unless the label is beside one element that shows a value, the labels of the examples are there, and no
    labelled value is left where they had this one: what is labelled so might be another record's. Of ten labels one
    may be gone with its value, if the page does not have its words anywhere."""
    paths = {rule.where.path for rule in rules if isinstance(rule.where, AtPlace)}
    left = any(one.header and is_layered(one.place, path) for one in page.elements for path in paths)
    own = [rule for rule in rules if isinstance(rule.where, UnderHeader) and is_own_label(rule, labels)]
    if left or not paths or not beside or not _has_labels(beside, page):
        return ()
    found: list[ExtractionRule] = []
    for rule in own:
        assert isinstance(rule.where, UnderHeader)
        reshaped = replace(rule, where=replace(rule.where, role=""))
        element = page.find(reshaped.where)
        if rule.where.role in VALUE_ROLES and element is not None and element.role in VALUE_ROLES:
            found.append(reshaped)
    return tuple(dict.fromkeys(found))


def _has_labels(beside: Sequence[str], page: ObservedPage) -> bool:
    gone = set(beside) - set(labels_in_order(page))
    return len(gone) * LABELS_FOR_ONE_GONE <= len(beside) and not any(
        label_form(one.name) in gone for one in page.elements
    )


def is_close_and_shaped(rule: ExtractionRule, labels: Collection[str], shape: str) -> bool:
    """Return whether the rule finds what directly follows the field's own label, and the field's values have a shape
    of letters and digits that no label and hardly another value has."""
    close = isinstance(rule.where, AfterText) and rule.where.steps == 1 and kind_of(rule, labels) == "near"
    return close and "A" in shape and "9" in shape and len(shape) >= MIN_SHAPE


def _is_by_order(rule: ExtractionRule, labels: Collection[str]) -> bool:
    return isinstance(rule.where, BY_ORDER) and not is_called(rule, labels)
