"""Values without a label: parts of the title, headings, tooltips, texts, form fields or link addresses that fit a
pattern, and the addresses of links with such a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import TextPart
from shared.pages.boxes import is_on_one_line
from shared.pages.elements import is_filter, is_heading, is_input, text_of, title_element
from shared.pages.read.candidates import Candidate
from shared.task.output_field import OutputField, ShownIn
from shared.task.route import words
from shared.text.patterns import fits_pattern

MAX_TEXT_CHARS = 300
MAX_WORDS = 40
MAX_ELEMENTS = 400
_SEPARATORS = " \t\n·•|"
"""Between the texts of one line; no part of what stands before or after a value."""
_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")
_PIECE = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
"""Words with their letters and digits apart: the pieces of ``v17`` are ``v`` and ``17``."""
_MIXED = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")


@dataclass(frozen=True)
class FittingPart:
    """A part of a text that fits a pattern. `before` and `after`: what else is in its first and last word; empty where
    it begins and ends with a word. `doubtful`: more of the text fits, but begins or ends within a word."""

    text: str
    start: int
    end: int
    before: str = ""
    after: str = ""
    doubtful: bool = False


@dataclass(frozen=True)
class TextInContext:
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
    that is found count. Of `address`, return the addresses of the links with such a part. A part begins and ends with a
    word, unless the field writes out what else is in that word; where more of the text fits within a word, such as
    `1.9` of `v1.9`, it is doubtful.
    """
    if field.shown_in == "address":
        return [Candidate(link.url or "", link, link.row) for link in _links_saying(field.pattern, elements)]
    texts = texts_in_context(field, elements, page)
    doubtful: list[Candidate] = []
    for around in product(words(field.preceded_by) or ("",), words(field.followed_by) or ("",)):
        found = [_candidate(one.element, part) for one in texts for part in _parts(one, field.pattern, *around)]
        if not all(one.doubtful for one in found):
            return found
        doubtful = doubtful or found
    return doubtful


def _candidate(element: Element, part: FittingPart) -> Candidate:
    doubt = "inside_word" if part.doubtful else None
    return Candidate(part.text, element, element.row, part=TextPart(text=part.text), doubt=doubt)


def _links_saying(pattern: str, elements: Sequence[Element]) -> list[Element]:
    """Return the links of which all of the text fits; where there are none, those with a part that fits."""
    links = [element for element in elements if element.role == "link" and element.url][:MAX_ELEMENTS]
    whole = [link for link in links if fits_pattern(pattern, link.name)]
    return whole or [
        link for link in links if any(not one.doubtful for one in _parts(TextInContext(link, link.name), pattern))
    ]


def texts_in_context(field: OutputField, elements: Sequence[Element], page: PageObserved) -> list[TextInContext]:
    """Return the first `MAX_ELEMENTS` texts in which the value of such a field may stand."""
    if field.shown_in == "title":
        elements = (title_element(page),)
    return list(islice((one for one in _all_in_context(field, elements) if one.text), MAX_ELEMENTS))


def _all_in_context(field: OutputField, elements: Sequence[Element]) -> Iterator[TextInContext]:
    asks_around = field.preceded_by is not None or field.followed_by is not None
    for at, element in enumerate(elements):
        before = _beside(elements[at - 1], element) if asks_around and at else ""
        after = _beside(elements[at + 1], element) if asks_around and at + 1 < len(elements) else ""
        if field.shown_in != "tooltip":
            yield TextInContext(element, _text_in(element, field.shown_in), before, after)
            continue
        yield TextInContext(element, element.title or "", before, after, is_tooltip=True)
        for hint in element.hints:
            left, _, right = element.name.partition(hint.text)
            yield TextInContext(element, hint.title or "", left or before, right or after, is_tooltip=True)


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


def _parts(written: TextInContext, pattern: str, preceded_by: str = "", followed_by: str = "") -> Iterator[FittingPart]:
    """Yield the longest runs of words that fit, then those that begin or end within a word where the patterns of what
    stands around them write out the rest of it."""
    whole, within = parts_that_fit(written, pattern, preceded_by, followed_by)
    for part in whole:
        wider = any(one.start < part.end and part.start < one.end for one in within)
        yield replace(part, doubtful=True) if wider else part
    for part in within:
        escaped = part.before and preceded_by.removesuffix(part.before).endswith("\\")
        if preceded_by.endswith(part.before) and followed_by.startswith(part.after) and not escaped:
            yield part


def parts_that_fit(
    written: TextInContext, pattern: str, preceded_by: str = "", followed_by: str = ""
) -> tuple[list[FittingPart], list[FittingPart]]:
    """Return the longest runs of words that fit, none of them within another; and those that begin or end within a
    word, and lie in none of these."""
    text = written.text
    if len(text) > MAX_TEXT_CHARS:
        return [], []

    def fits(start: int, end: int) -> bool:
        return fits_pattern(pattern, text[start:end]) and _stands_so(written, start, end, preceded_by, followed_by)

    words_at = [match.span() for match in _WORD.finditer(text)]
    first = [start for start, _ in words_at if not text[:start].strip(_SEPARATORS)]
    last = [end for _, end in words_at if not text[end:].strip(_SEPARATORS)]
    if written.is_tooltip or bool(preceded_by) == bool(followed_by):
        words_at = words_at[:MAX_WORDS]
        whole = _longest(words_at, fits)
    else:  # on the other side the text begins or ends with it, so that there are few runs of however many words
        starts = [start for start, _ in words_at] if preceded_by else first
        ends = last if preceded_by else [end for _, end in words_at]
        runs = sorted(product(starts, ends), key=lambda run: run[0] - run[1])
        whole = _apart((run for run in runs if run[0] < run[1]), fits)
        words_at = words_at[:MAX_WORDS]
    cut: list[tuple[int, int]] = []
    if words_at and _MIXED.search(text) is not None:
        cut = _longest([match.span() for match in _PIECE.finditer(text, 0, words_at[-1][1])], fits, whole)
    starts, ends = [start for start, _ in words_at], [end for _, end in words_at]
    return [FittingPart(text[a:b], a, b) for a, b in whole], [
        FittingPart(
            text[a:b],
            a,
            b,
            before=text[max(start for start in starts if start <= a) : a],
            after=text[b : min(end for end in ends if end >= b)],
        )
        for a, b in cut
    ]


def _longest(
    spans: Sequence[tuple[int, int]], fits: Callable[[int, int], bool], known: Sequence[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """Return the longest runs of these spans that fit, none within another or within one that is known."""
    count = len(spans)
    runs = (
        (spans[first][0], spans[first + length - 1][1])
        for length in range(count, 0, -1)
        for first in range(count - length + 1)
    )
    return _apart(runs, fits, known)


def _apart(
    runs: Iterable[tuple[int, int]], fits: Callable[[int, int], bool], known: Sequence[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """Return the runs that fit, without those within an earlier or a known one."""
    taken: list[tuple[int, int]] = []
    for start, end in runs:
        if not any(a <= start and end <= b for a, b in (*known, *taken)) and fits(start, end):
            taken.append((start, end))
    return taken


def _stands_so(written: TextInContext, start: int, end: int, preceded_by: str, followed_by: str) -> bool:
    """Return whether what stands before and after a part is as asked for."""
    left, right = written.text[:start].strip(_SEPARATORS), written.text[end:].strip(_SEPARATORS)
    if written.is_tooltip:
        left = right = ""
    return _fits_around(preceded_by, left, written.before, bool(followed_by)) and _fits_around(
        followed_by, right, written.after, bool(preceded_by)
    )


def _fits_around(pattern: str, own: str, beside: str, other_side: bool) -> bool:
    """Return whether what stands on one side fits. `own`: in the same text. `other_side`: a pattern is given there."""
    if not pattern:
        return not (other_side and own)
    return fits_pattern(pattern, own or beside.strip(_SEPARATORS))
