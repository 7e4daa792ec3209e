"""A value that a page leaves out with its label, learned from pages that a person, or a model, said have none of it.

A page that shows nothing where the value mostly stands may also be another page, or one that calls it by another word.
So that there is none is concluded only where the part of the page is there in which the value stands, and nothing on
the whole page looks like one of its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from shared.contracts.base import Part
from shared.contracts.browser_pool import Element
from shared.extraction.labels.layers import is_within
from shared.extraction.pages import ObservedPage, text_of
from shared.extraction.rules import AtPlace, ExtractionRule
from shared.extraction.values import TEXT_TYPES, FieldType, value_key
from shared.field_types import base_type
from shared.text.normal import fold, tidy

MAX_SHAPES = 4
LEAST_OF_A_SHAPE = 5
"""Values of which each has other letters."""
_LETTERS = re.compile(r"[\W\d_]+")
_RUNS = re.compile(r"[^\W\d_]+|\d+|[\W_]", re.UNICODE)


class LeftOut(Part, frozen=True, kw_only=True):
    """``container``: tag path of the part in which the value stands. ``shapes``: of its values, as `shape_of`.
    ``form``: no text of the page is another value of this type, such as a date."""

    container: str
    shapes: tuple[str, ...]
    form: FieldType


def shape_of(value: str) -> str:
    """Return the kinds of characters of a value, runs as one: ``TCK-1001`` is ``A-9``."""
    kinds = "".join("9" if one.isdigit() else "A" if one.isalpha() else one for one in tidy(value))
    return re.sub(r"(A|9)\1+", r"\1", kinds)


def common_shape(values: Iterable[str]) -> str:
    """Return the shape that all values have; empty: they differ, have no digits, or have it by chance.

    Few values that share no word, such as three addresses of people that end in a digit, have one by chance: what sets
    identifiers apart is the same letters before other digits, or digits alone."""
    listed = list(values)
    shapes, words = {shape_of(one) for one in listed}, {_LETTERS.sub("", fold(one)) for one in listed}
    shape = shapes.pop()
    by_chance = len(words) > 1 and len(listed) < LEAST_OF_A_SHAPE
    return shape if not shapes and "9" in shape and not by_chance else ""


def learn_left_out(
    shown: Sequence[ObservedPage], without: Sequence[ObservedPage], rules: Sequence[ExtractionRule], form: FieldType
) -> LeftOut | None:
    """Return what tells that the value is left out, if it is so on all pages ``without`` it and on none that shows it.

    None without such a page, for values without digits, and where no rule goes by the place in the markup."""
    place = next((rule.where.path for rule in rules if isinstance(rule.where, AtPlace)), "")
    texts = [{text for rule in rules if (text := page.extract(rule))} for page in shown]
    shapes = tuple(sorted({shape for text in set[str]().union(*texts) for shape in _shapes(text)}))
    if not without or not place or not shapes or len(shapes) > MAX_SHAPES or not all(texts):
        return None
    for container in _containers(place):
        found = LeftOut(container=container, shapes=shapes, form=form)
        if all(_is_exactly_in(found, page) and is_left_out(found, page) for page in without) and not any(
            is_left_out(found, page) for page in shown
        ):
            return found
    return None


def _is_exactly_in(rule: LeftOut, page: ObservedPage) -> bool:
    """Return whether the part of the page is there without more layers, as on pages of one version of a site."""
    return any(one.place.startswith(f"{rule.container}>") for one in page.elements)


def is_left_out(rule: LeftOut, page: ObservedPage) -> bool:
    """Return whether the part of the page is there, and no text of the page has the shape of a value."""
    if not any(is_within(one.place, rule.container) for one in page.elements):
        return False
    patterns = [re.compile(_pattern(shape)) for shape in rule.shapes]
    typed = base_type(rule.form.type) not in TEXT_TYPES
    texts = {text for one in page.elements for text in _texts(one)}
    if typed and any(value_key(rule.form, text) is not None for text in texts):
        return False
    return not any(pattern.search(text) for text in texts for pattern in patterns)


def _shapes(text: str) -> Iterator[str]:
    """Yield the shape of a value; of an address that of its last part, which a page may show without a link."""
    last = urlsplit(text).path.rsplit("/", 1)[-1] if "://" in text or text.startswith("/") else text
    if any(one.isdigit() for one in last):
        yield shape_of(last)


def _pattern(shape: str) -> str:
    kinds = {"A": r"[^\W\d_]+", "9": r"\d+"}
    parts = "".join(kinds.get(one, re.escape(one)) for one in map(str, _RUNS.findall(shape)))
    return rf"(?<!\w){parts}(?!\w|\.\w)"


def _containers(path: str) -> Iterator[str]:
    """Yield the tag paths around a place, the nearest first, down to the second below the page itself."""
    tags = path.split(">")
    for count in range(len(tags) - 1, 2, -1):
        yield ">".join(tags[:count])


def _texts(element: Element) -> Iterable[str]:
    found = (text_of(element, "name"), text_of(element, "value"), text_of(element, "title"), text_of(element, "url"))
    return [text for text in found if text]
