"""Rules from examples: all that give the right value on every example page, not only the best one.

Several rules that found the same value in different ways are what tells later whether a page is still understood
(:mod:`shared.extraction.agreement`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from shared.contracts.base import Part
from shared.contracts.browser_pool import Element
from shared.extraction.pages import SELECTOR_KINDS, ObservedPage, part_of, text_of
from shared.extraction.rules import (
    AfterText,
    AtHeading,
    AtPlace,
    AtSelector,
    Attribute,
    Between,
    ExtractionRule,
    InRegion,
    TextRule,
    UnderHeader,
    Where,
    Whole,
)
from shared.text.normal import fold, tidy

ATTRIBUTES: tuple[Attribute, ...] = ("name", "value", "url", "title")
MAX_STEPS = 3
"""Elements between a label and its value."""
MAX_RULES = 40
MAX_OCCURRENCES = 40
"""Of a value on one page."""
MAX_CONSTANTS = 400
MIN_EXAMPLES = 2


@dataclass(frozen=True)
class Example:
    """A page, and the value as the page shows it."""

    page: ObservedPage
    value: str


class FieldRules(Part, frozen=True, kw_only=True):
    """What was learned of one field.

    ``labels``: what the field is called, folded. ``shape``: that of every example's value, where all have digits
    and one shape. ``constants``: texts that stand on every example page, folded; none of them is a value.
    """

    rules: tuple[ExtractionRule, ...]
    labels: frozenset[str] = frozenset()
    shape: str = ""
    constants: frozenset[str] = frozenset()


def learn_field(examples: Sequence[Example], labels: Iterable[str] = ()) -> FieldRules:
    """Return every rule that gives exactly the right value on all examples. None: the examples have nothing in common.

    ``labels``: what the field is called, as the task says it.

    Raises ValueError with fewer than two examples: one page does not tell a label from a value.
    """
    if len(examples) < MIN_EXAMPLES:
        raise ValueError(f"{len(examples)} example; {MIN_EXAMPLES} or more are needed")
    values = {fold(one.value) for one in examples}
    found: dict[ExtractionRule, None] = {}
    for where, attribute in _candidates(examples, values):
        for rule in _rules_at(where, attribute, examples):
            found.setdefault(rule)
    ordered = sorted(found, key=lambda rule: _ORDER.index(type(rule.where)))
    return FieldRules(
        rules=tuple(ordered[:MAX_RULES]),
        labels=frozenset(map(fold, labels)),
        shape=_common_shape(examples),
        constants=_constants(examples, values),
    )


_ORDER: tuple[type[Part], ...] = (UnderHeader, AfterText, InRegion, AtSelector, AtHeading, AtPlace)


# --- places


def _candidates(examples: Sequence[Example], values: set[str]) -> Iterator[tuple[Where, Attribute]]:
    """Yield the places where the first example's value is shown, whose own words are no example's value."""
    first = examples[0]
    for element, attribute in _occurrences(first):
        for where in _places_of(element, first.page):
            if not _names_value(where, values):
                yield where, attribute


def _occurrences(example: Example) -> Iterator[tuple[Element, Attribute]]:
    value, count = tidy(example.value), 0
    for element in example.page.elements:
        for attribute in ATTRIBUTES:
            if value in (text_of(element, attribute) or "") and count < MAX_OCCURRENCES:
                count += 1
                yield element, attribute


def _places_of(element: Element, page: ObservedPage) -> Iterator[Where]:
    if element.header:
        yield UnderHeader(header=tidy(element.header), role=element.role)
    at = page.elements.index(element)
    for steps in range(1, min(MAX_STEPS, at) + 1):
        before = page.elements[at - steps]
        if before.name:
            yield AfterText(text=tidy(before.name), steps=steps, role=element.role)
    for region in element.regions:
        inside = [one for one in page.elements if region in one.regions and one.role == element.role]
        yield InRegion(region=tidy(region), role=element.role, nth=inside.index(element))
    for locator in element.locators:
        if locator.kind in SELECTOR_KINDS and locator.matches == 1:
            yield AtSelector(selector=locator.value)
    if element.role == "heading" and element.level is not None:
        yield AtHeading(level=element.level)
    if element.place:
        same = [one for one in page.elements if one.place == element.place]
        yield AtPlace(path=element.place, nth=same.index(element), of=len(same))


def _names_value(where: Where, values: set[str]) -> bool:
    """Return whether the place is told by a value itself, which is another one on other pages."""
    match where:
        case UnderHeader():
            words = where.header
        case AfterText():
            words = where.text
        case InRegion():
            words = where.region
        case AtSelector():
            words = where.selector
        case _:
            return False
    return any(value in fold(words) for value in values)


# --- parts of a text


def _rules_at(where: Where, attribute: Attribute, examples: Sequence[Example]) -> Iterator[ExtractionRule]:
    """Yield the rules of this place that hold for all examples."""
    texts: list[tuple[str, str]] = []
    for one in examples:
        element = one.page.find(where)
        text = None if element is None or element.cut_chars else text_of(element, attribute)
        if text is None:
            return
        texts.append((text, tidy(one.value)))
    for part in _parts(texts):
        if all(part_of(text, part) == value for text, value in texts):
            told = replace(part, telling=_is_telling(part, attribute, examples)) if isinstance(part, Between) else part
            yield ExtractionRule(where=where, attribute=attribute, part=told)


def _is_telling(part: Between, attribute: Attribute, examples: Sequence[Example]) -> bool:
    """Return whether the words around the part stand around nothing else on any example page."""
    if not any(map(str.isalpha, part.before + part.after)):
        return False
    for one in examples:
        texts = {text for element in one.page.elements if (text := text_of(element, attribute)) is not None}
        if sum(part_of(text, part) is not None for text in texts) != 1:
            return False
    return True


def _parts(texts: Sequence[tuple[str, str]]) -> Iterator[TextRule]:
    """Yield the parts that may give each value of its text: the whole, or what stands between common words."""
    if all(text == value for text, value in texts):
        yield Whole()
        return
    if any(text.count(value) != 1 for text, value in texts):
        return
    lefts = [text[: text.index(value)] for text, value in texts]
    rights = [text[text.index(value) + len(value) :] for text, value in texts]
    before = _whole_words(_common_start([left[::-1] for left in lefts]), [left[::-1] for left in lefts])[::-1]
    after = _whole_words(_common_start(rights), rights)
    if (not before and any(lefts)) or (not after and any(rights)):
        return
    yield Between(before=before, after=after)
    shorter = Between(before=_last_word(before), after=_first_word(after))
    if shorter != Between(before=before, after=after):
        yield shorter


def _common_start(texts: Sequence[str]) -> str:
    """Return the longest text that all of them begin with."""
    shortest = min(texts, key=len)
    at = next((at for at, letter in enumerate(shortest) if any(text[at] != letter for text in texts)), len(shortest))
    return shortest[:at]


def _whole_words(start: str, texts: Sequence[str]) -> str:
    """Return the start of the texts without a word at its end that is cut off in some of them."""
    cut = any(start[-1:].isalnum() and text[len(start) : len(start) + 1].isalnum() for text in texts)
    return re.sub(r"\w+$", "", start) if cut else start


def _last_word(text: str) -> str:
    found = re.search(r"\S+\s*$", text)
    return found[0] if found is not None else text


def _first_word(text: str) -> str:
    found = re.match(r"\s*\S+", text)
    return found[0] if found is not None else text


# --- what the values and pages have in common


def shape_of(value: str) -> str:
    """Return the kinds of characters of a value, runs as one: ``TCK-1001`` is ``A-9``."""
    kinds = "".join("9" if one.isdigit() else "A" if one.isalpha() else one for one in tidy(value))
    return re.sub(r"(A|9)\1+", r"\1", kinds)


def _common_shape(examples: Iterable[Example]) -> str:
    shapes = {shape_of(one.value) for one in examples}
    shape = shapes.pop()
    return shape if not shapes and "9" in shape else ""


def _constants(examples: Sequence[Example], values: set[str]) -> frozenset[str]:
    texts = [{fold(element.name) for element in one.page.elements if element.name} for one in examples]
    common = set[str].intersection(*texts) - values
    return frozenset(sorted(common)[:MAX_CONSTANTS])
