"""Labels and values that alternate in plain boxes: what a table or a list of terms has become on a page with cards.

Nothing in the markup ties a value to its label there. All labels of the examples together do: each is followed by one
value or by none, labels have one tag path, values have one, and each value stands at its label in the same way.

The same holds where the examples had such boxes already, and only the tags around them are others now: a value is told
by its own label where all labels of the examples are still there, in their order, each followed by a value of one kind.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal
from urllib.parse import urlsplit

from shared.contracts.browser_pool import Element
from shared.contracts.results import Box
from shared.extraction.labels.layers import LAYERS, are_akin
from shared.extraction.pages import ObservedPage, only
from shared.extraction.rules import AfterText, ExtractionRule, UnderHeader, is_called, words_of_place
from shared.text.normal import fold, label_form

LEAST_LABELS = 3
"""Fewer may alternate with other texts by chance."""
MOST_GAP = 1.5
"""Between a label and its value, in heights of the label; to the right, in widths of the widest label."""
COLUMN_PX = 2.0
"""By which the distances of values from their labels differ where both stand in columns."""
TEXT, LINK = "text", "link"
Side = Literal["below", "right"]


@dataclass(frozen=True)
class LabelText:
    """A text of the page that is a field's label. ``rule``: finds what stands after it. ``is_blank``: nothing does."""

    rule: ExtractionRule
    is_blank: bool


def label_text_of(
    rules: Sequence[ExtractionRule], labels: Collection[str], beside: Sequence[str], page: ObservedPage
) -> LabelText | None:
    """Return the text that is the field's label on a page where labels alternate with values; None where they do not,
    or the examples had no value beside that label. ``labels``: of the field; ``beside``: of the examples."""
    own = [rule for rule in rules if isinstance(rule.where, UnderHeader) and rule.attribute == "name"]
    known = {label for rule in own if (label := label_form(words_of_place(rule.where))) in labels}
    values = find_alternation(beside, page) if len(known) == 1 else {}
    found = [(label, value) for label, value in values.items() if label_form(label.name) in known]
    if len(found) != 1:
        return None
    label, value = found[0]
    part = next(rule.part for rule in own if label_form(words_of_place(rule.where)) in known)
    where = AfterText(text=label.name, steps=1, role=TEXT)
    return LabelText(ExtractionRule(where=where, attribute="name", part=part), value is None)


def find_alternation(beside: Collection[str], page: ObservedPage) -> dict[Element, Element | None]:
    """Return the texts that are labels, with what stands after each, None for a blank; empty unless they alternate, all
    labels of the examples that are beside no value any more. ``beside``: these labels, in their form."""
    wanted = set(beside) - _headed(page)
    labels = [one for one in page.elements if label_form(one.name) in wanted]
    if len(wanted) < LEAST_LABELS or sorted(label_form(one.name) for one in labels) != sorted(wanted):
        return {}
    if any(not _is_lone(one) for one in labels) or len({(one.place, one.frame) for one in labels}) != 1:
        return {}
    values = _values(labels, page)
    if values is None:
        return {}
    shown = [one for one in values if one is not None]
    sides = {_side(label, value, labels) for label, value in zip(labels, values, strict=True) if value is not None}
    if not shown or len({(one.place, one.frame) for one in shown}) != 1 or len(sides) != 1 or None in sides:
        return {}
    return dict(zip(labels, values, strict=True))


def learn_paired_labels(
    rules: Sequence[ExtractionRule], labels: Collection[str], pages: Sequence[ObservedPage]
) -> tuple[str, ...]:
    """Return the labels of all pages that stand like the field's own directly before its value, in their form;
    empty where their order differs, or there are too few."""
    own = _rule_after_label(rules, labels)
    listed = [() if own is None else _labels_like(words_of_place(own.where), page) for page in pages]
    common = set[str].intersection(*map(set, listed)) if listed else set[str]()
    orders = {tuple(label for label in one if label in common) for one in listed}
    return orders.pop() if len(orders) == 1 and len(common) >= LEAST_LABELS else ()


def paired_text_of(
    rules: Sequence[ExtractionRule], labels: Collection[str], beside: Sequence[str], page: ObservedPage
) -> LabelText | None:
    """Return the text that is the field's label on a page whose labels are paired with values; None where they are not.

    All labels of the examples are there, each once and in their order, and all values that are texts or links stand in
    tag paths of one kind, at the same side of their labels. ``beside``: as of `learn_paired_labels`."""
    own = _rule_after_label(rules, labels)
    if own is None or len(beside) < LEAST_LABELS or _headed(page) & set(beside):
        return None
    found = [one for one in page.elements if one.row is None and label_form(one.name) in beside]
    mine = only(one for one in found if label_form(one.name) == label_form(words_of_place(own.where)))
    if mine is None or [label_form(one.name) for one in found] != list(beside) or not all(map(_is_lone, found)):
        return None
    values = {one: None if one.before_blank else _next(one, page) for one in found}
    pairs = [(label, value) for label, value in values.items() if value is not None and value.role in (TEXT, LINK)]
    value = values[mine]
    where = AfterText(text=mine.name, steps=1, role=TEXT if value is None else value.role)
    if not _are_pairs(pairs) or any(value is None and not label.before_blank for label, value in values.items()):
        return None
    if value is not None and ((mine, value) not in pairs or not _may_be_value(value, page)):
        return None
    return LabelText(ExtractionRule(where=where, attribute="name", part=own.part), value is None)


def _rule_after_label(rules: Sequence[ExtractionRule], labels: Collection[str]) -> ExtractionRule | None:
    """Return the rule that finds what directly follows the field's own label; None where a label belongs to it."""
    called = [rule for rule in rules if is_called(rule, labels) and label_form(words_of_place(rule.where)) in labels]
    if any(not isinstance(rule.where, AfterText) for rule in called):
        return None
    after = [rule for rule in called if isinstance(rule.where, AfterText) and rule.where.steps == 1]
    return next((rule for rule in after if rule.attribute == "name"), None)


def _labels_like(text: str, page: ObservedPage) -> tuple[str, ...]:
    lone = [one for one in page.elements if _is_lone(one) and one.name]
    own = only(one for one in lone if fold(one.name) == fold(text))
    if own is None:
        return ()
    alike = [one for one in lone if _has_colon(one) == _has_colon(own) and are_akin(one.place, own.place)]
    return tuple(dict.fromkeys(label_form(one.name) for one in alike))


def _next(label: Element, page: ObservedPage) -> Element | None:
    at = page.order[label.ref] + 1
    return page.elements[at] if at < len(page.elements) else None


def _are_pairs(pairs: Sequence[tuple[Element, Element]]) -> bool:
    """Return whether the labels stand in one kind of tag path, the values in another, and each at its label's side."""
    if len(pairs) < LEAST_LABELS:
        return False
    labels = [label for label, _ in pairs]
    values = [value for _, value in pairs]
    plain = all(one.row is None and not one.header and not one.parts and one not in labels for one in values)
    alike = all(are_akin(one.place, labels[0].place) and one.frame == labels[0].frame for one in labels)
    paths = [_path_of(one) for one in values]
    return plain and alike and _stand_alike(pairs) and all(are_akin(one, paths[0]) for one in paths)


def _path_of(value: Element) -> str:
    """Return the tag path of a value, of a link that of what it stands in.

    A layer makes up for the tag of the link, so that a path that was cut when it was observed is still known to be."""
    path = value.place.removesuffix(">a") if value.role == LINK else value.place
    return path if path == value.place else f"{LAYERS[0]}>{path}"


def _stand_alike(pairs: Sequence[tuple[Element, Element]]) -> bool:
    """Return whether each value stands at its label in the same way: close to it, or in a column at the right."""
    labels = [label for label, _ in pairs]
    sides = {_side(label, value, labels) for label, value in pairs}
    boxes = [(label.box, value.box) for label, value in pairs]
    columns = [b.x - a.x for a, b in boxes if a and b and b.x >= a.x + a.width and _overlap(a, b) >= a.height / 2]
    in_columns = len(columns) == len(pairs) and max(columns) - min(columns) <= COLUMN_PX
    return in_columns or (len(sides) == 1 and None not in sides)


def _may_be_value(value: Element, page: ObservedPage) -> bool:
    """Return whether a link may be the value itself: it leads to something else than the record that the page shows.

    What leads on within that record, or asks for something, is a way to change the value where there is none."""
    if value.role != LINK:
        return True
    url, own = urlsplit(value.url or ""), urlsplit(page.itself.url or "")
    steps = own.path.rstrip("/").split("/")
    named = max((at for at, step in enumerate(steps) if any(map(str.isdigit, step))), default=len(steps) - 1)
    record = "/".join(steps[: named + 1])
    is_own = url.path.rstrip("/") == record or url.path.startswith(f"{record}/")
    return url.scheme in ("http", "https") and not url.query and not url.fragment and not is_own


def _has_colon(element: Element) -> bool:
    return element.name.rstrip().endswith(":")


def _headed(page: ObservedPage) -> set[str]:
    """Return the labels that values belong to."""
    return {label_form(one.header) for one in page.elements if one.header}


def _is_lone(element: Element) -> bool:
    return element.role == TEXT and element.row is None and not element.header and not element.parts


def _values(labels: Sequence[Element], page: ObservedPage) -> list[Element | None] | None:
    """Return what stands after each label before the next one; None where that is anything but one text, or a blank
    that the page is known to have."""
    values: list[Element | None] = []
    places = [page.order[one.ref] for one in labels]
    for label, (at, following) in zip(labels, pairwise([*places, None]), strict=True):
        assert at is not None
        end = following if following is not None else at + 1 + (not label.before_blank)
        between = page.elements[at + 1 : end]
        if len(between) != (0 if label.before_blank else 1) or not all(_is_lone(one) for one in between):
            return None
        values.append(between[0] if between else None)
    return values


def _side(label: Element, value: Element, labels: Sequence[Element]) -> Side | None:
    """Return where the value stands, close to its label; None where it is elsewhere."""
    a, b = label.box, value.box
    if a is None or b is None:
        return None
    if abs(a.x - b.x) <= a.height and 0 <= b.y - (a.y + a.height) + 1 <= MOST_GAP * a.height:
        return "below"
    widest = max(one.box.width if one.box else 0.0 for one in labels)
    is_right = 0 <= b.x - (a.x + a.width) + 1 <= MOST_GAP * widest
    return "right" if is_right and _overlap(a, b) >= a.height / 2 else None


def _overlap(a: Box, b: Box) -> float:
    return min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
