"""Values without a label: parts of the title, headings, tooltips, texts, form fields or link addresses that fit a
pattern, and the addresses of links with such a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from services.planner.page.labels.candidates import Candidate
from services.planner.page.text import is_filter, is_heading, title_element
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import TextPart
from shared.flows.page_elements import is_input, text_of
from shared.pages.boxes import is_on_one_line
from shared.task.output_field import OutputField, ShownIn
from shared.task.route import words
from shared.text.patterns import fits_pattern

MAX_TEXT_CHARS = 300
MAX_WORDS = 40
MAX_ELEMENTS = 400
_SEPARATORS = " \t\n·•|"
"""Between the texts of one line; no part of what stands before or after a value."""
_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


@dataclass(frozen=True)
class _TextInContext:
    """A text in which a value may stand. `before` and `after`: what stands around it. `is_tooltip`: around the words
    that have it, and not within the text."""

    element: Element
    text: str
    before: str = ""
    after: str = ""
    is_tooltip: bool = False


def unlabelled_candidates(field: OutputField, elements: Sequence[Element], page: PageObserved) -> list[Candidate]:
    """Return the longest parts that fit the field's pattern, at the first `MAX_ELEMENTS` elements of this kind.

    Where the field says what stands before or after the value, its patterns are tried in turn: those of the first one
    that is found count. Of `address`, return the addresses of the links with such a part.
    """
    if field.shown_in == "title":
        elements = (title_element(page),)
    if field.shown_in == "address":
        return [Candidate(link.url or "", link, link.row) for link in _links_saying(field.pattern, elements)]
    texts = list(islice((one for one in _texts_in_context(field, elements) if one.text), MAX_ELEMENTS))
    for around in product(words(field.preceded_by) or ("",), words(field.followed_by) or ("",)):
        found = [(one.element, part) for one in texts for part in _parts(one, field.pattern, *around)]
        if found:
            return [Candidate(part, element, element.row, part=TextPart(text=part)) for element, part in found]
    return []


def _links_saying(pattern: str, elements: Sequence[Element]) -> list[Element]:
    """Return the links of which all of the text fits; where there are none, those with a part that fits."""
    links = [element for element in elements if element.role == "link" and element.url][:MAX_ELEMENTS]
    whole = [link for link in links if fits_pattern(pattern, link.name)]
    return whole or [link for link in links if next(_parts(_TextInContext(link, link.name), pattern), None) is not None]


def _texts_in_context(field: OutputField, elements: Sequence[Element]) -> Iterator[_TextInContext]:
    asks_around = field.preceded_by is not None or field.followed_by is not None
    for at, element in enumerate(elements):
        before = _beside(elements[at - 1], element) if asks_around and at else ""
        after = _beside(elements[at + 1], element) if asks_around and at + 1 < len(elements) else ""
        if field.shown_in != "tooltip":
            yield _TextInContext(element, _text_in(element, field.shown_in), before, after)
            continue
        yield _TextInContext(element, element.title or "", before, after, is_tooltip=True)
        for hint in element.hints:
            left, _, right = element.name.partition(hint.text)
            yield _TextInContext(element, hint.title or "", left or before, right or after, is_tooltip=True)


def _beside(neighbour: Element, element: Element) -> str:
    """Return the text of the element before or after, if it is on the same line."""
    a, b = neighbour.box, element.box
    if neighbour.frame != element.frame or a is None or b is None:
        return ""
    return text_of(neighbour) if is_on_one_line(a, b) else ""


def _text_in(element: Element, shown_in: ShownIn | None) -> str:
    match shown_in:
        case "title":
            return element.name
        case "heading":
            return element.name if is_heading(element) and not element.in_dialog else ""
        case "link" | "address":
            return element.url or "" if element.role == "link" else ""
        case "input":
            return text_of(element) if is_input(element) and not is_filter(element) and not element.secret else ""
        case "text" | "tooltip" | None:
            return "" if is_input(element) or is_heading(element) else element.name


def _parts(written: _TextInContext, pattern: str, preceded_by: str = "", followed_by: str = "") -> Iterator[str]:
    """Yield the longest runs of words that fit; none of them lies within another."""
    text = written.text
    if len(text) > MAX_TEXT_CHARS:
        return
    spans = [match.span() for match in _WORD.finditer(text)][:MAX_WORDS]
    taken: list[tuple[int, int]] = []
    for length in range(len(spans), 0, -1):
        for first in range(len(spans) - length + 1):
            start, end = spans[first][0], spans[first + length - 1][1]
            if any(a <= start and end <= b for a, b in taken) or not fits_pattern(pattern, text[start:end]):
                continue
            left, right = text[:start].strip(_SEPARATORS), text[end:].strip(_SEPARATORS)
            if written.is_tooltip:
                left = right = ""
            if _fits_around(preceded_by, left, written.before, bool(followed_by)) and _fits_around(
                followed_by, right, written.after, bool(preceded_by)
            ):
                taken.append((start, end))
                yield text[start:end]


def _fits_around(pattern: str, own: str, beside: str, other_side: bool) -> bool:
    """Return whether what stands on one side fits. `own`: in the same text. `other_side`: a pattern is given there."""
    if not pattern:
        return not (other_side and own)
    return fits_pattern(pattern, own or beside.strip(_SEPARATORS))
