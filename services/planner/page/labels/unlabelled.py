"""Values without a label: parts of the title, headings, tooltips, texts, form fields or link addresses that fit a
pattern, and the addresses of links with such a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.planner.page.labels.candidates import Candidate
from services.planner.page.text import is_filter, is_heading, is_input, text_of, title_element
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import TextPart
from shared.task.output_field import ShownIn
from shared.text.patterns import fits_pattern

MAX_TEXT_CHARS = 300
MAX_WORDS = 40
MAX_ELEMENTS = 400
_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


def unlabelled_candidates(
    shown_in: ShownIn, pattern: str, elements: Sequence[Element], page: PageObserved
) -> list[Candidate]:
    """Return the longest parts that fit the pattern, at the first `MAX_ELEMENTS` elements of this kind.

    Of `address`, return the addresses of the links with such a part.
    """
    if shown_in == "title":
        elements = (title_element(page),)
    if shown_in == "address":
        return [Candidate(link.url or "", link, link.row) for link in _links_saying(pattern, elements)]
    held = ((element, text) for element in elements for text in _texts_in(element, shown_in) if text)
    found: list[Candidate] = []
    for (element, text), _ in zip(held, range(MAX_ELEMENTS), strict=False):
        found.extend(Candidate(part, element, element.row, part=TextPart(text=part)) for part in _parts(text, pattern))
    return found


def _links_saying(pattern: str, elements: Sequence[Element]) -> list[Element]:
    """Return the links of which all of the text fits; where there are none, those with a part that fits."""
    links = [element for element in elements if element.role == "link" and element.url][:MAX_ELEMENTS]
    whole = [link for link in links if fits_pattern(pattern, link.name)]
    return whole or [link for link in links if next(_parts(link.name, pattern), None) is not None]


def _texts_in(element: Element, shown_in: ShownIn) -> Sequence[str]:
    if shown_in == "tooltip":
        return [said for said in (element.title, *(hint.title for hint in element.hints)) if said is not None]
    return [_text_in(element, shown_in)]


def _text_in(element: Element, shown_in: ShownIn) -> str:
    match shown_in:
        case "title":
            return element.name
        case "heading":
            return element.name if is_heading(element) and not element.in_dialog else ""
        case "link" | "address":
            return element.url or "" if element.role == "link" else ""
        case "input":
            return text_of(element) if is_input(element) and not is_filter(element) and not element.secret else ""
        case "text" | "tooltip":
            return "" if is_input(element) or is_heading(element) else element.name


def _parts(text: str, pattern: str) -> Iterator[str]:
    """Yield the longest runs of words that fit; none of them lies within another."""
    if len(text) > MAX_TEXT_CHARS:
        return
    words = [match.span() for match in _WORD.finditer(text)][:MAX_WORDS]
    taken: list[tuple[int, int]] = []
    for length in range(len(words), 0, -1):
        for first in range(len(words) - length + 1):
            start, end = words[first][0], words[first + length - 1][1]
            within = any(a <= start and end <= b for a, b in taken)
            if not within and fits_pattern(pattern, text[start:end]):
                taken.append((start, end))
                yield text[start:end]
