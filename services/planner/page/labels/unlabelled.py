"""Values without a label: parts of headings, tooltips, texts, form fields or link addresses that fit a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.planner.page.labels.candidates import Candidate
from services.planner.page.text import is_filter, is_heading, is_input, text_of
from shared.contracts.browser_pool import Element
from shared.contracts.results import TextPart
from shared.task.spec import ShownIn
from shared.text.patterns import fits_pattern

MAX_TEXT_CHARS = 300
MAX_WORDS = 40
MAX_ELEMENTS = 400
_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


def unlabelled_candidates(shown_in: ShownIn, pattern: str, elements: Sequence[Element]) -> list[Candidate]:
    """Return the longest parts that fit the pattern, at the first `MAX_ELEMENTS` elements of this kind."""
    held = ((element, text) for element in elements if (text := _text_in(element, shown_in)))
    found: list[Candidate] = []
    for (element, text), _ in zip(held, range(MAX_ELEMENTS), strict=False):
        found.extend(Candidate(part, element, element.row, part=TextPart(text=part)) for part in _parts(text, pattern))
    return found


def _text_in(element: Element, shown_in: ShownIn) -> str:
    match shown_in:
        case "heading":
            return element.name if is_heading(element) and not element.in_dialog else ""
        case "tooltip":
            return element.title or ""
        case "link":
            return element.url or "" if element.role == "link" else ""
        case "input":
            return text_of(element) if is_input(element) and not is_filter(element) and not element.secret else ""
        case "text":
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
