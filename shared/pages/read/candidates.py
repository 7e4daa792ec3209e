"""What stands in the place of a value: one text of one element, or several that compete."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from shared.contracts.browser_pool import Element
from shared.contracts.results import Box, TextPart
from shared.pages.boxes import box_around, is_on_one_line
from shared.pages.elements import cut_chars_in, is_input, may_show_no_choice, text_of, title_of
from shared.pages.touching import touches
from shared.text.normal import fold

SEPARATORS = frozenset(",;\n")
"""What a text is split at where a list is asked for."""
_INITIALS = re.compile(r"[^\W\d_]{1,3}")
_MORE = re.compile(r"(?:\+|and |& )\s?\d{1,4}(?: more| others?)?|\d{1,4} more", re.I)
"""What says beside a value how many others are not shown."""
NEAR_PX = 8.0
"""Texts on one line that are not farther apart are one text."""


CandidateDoubt = Literal[
    "second_label",
    "under_heading",
    "next_item",
    "like_label",
    "next_box",
    "shared_label",
    "more_hidden",
    "inside_word",
]
"""What the place of a text says against it; rows of :data:`shared.pages.read.doubts.DOUBTS`."""


@dataclass(frozen=True)
class Candidate:
    """One value in the place of a field's value; `shown` may be empty."""

    shown: str
    element: Element
    row: int | None = None
    last: Element | None = None
    """The element that shows the end of the text, if it is another one."""
    part: TextPart | None = None
    """The part of the element that `shown` comes from, if it is not all of its text."""
    doubt: CandidateDoubt | None = None
    """Why it may speak against another candidate, but is no value by itself."""
    written: bool = False
    """Its label stands in the same text."""

    @property
    def doubtful(self) -> bool:
        return self.doubt is not None

    @property
    def cut_chars(self) -> int:
        """How many characters the observation left out at the end."""
        return cut_chars_in(self.shown, [self.last or self.element])

    @property
    def title(self) -> str | None:
        """The title of exactly this text."""
        return title_of(self.element, self.shown) if self.last is None else None

    @property
    def box(self) -> Box | None:
        """The box around all that is shown."""
        first, last = self.element.box, self.last.box if self.last is not None else None
        return first if first is None or last is None else box_around([first, last])


def texts_in(element: Element, row: int | None = None) -> tuple[Candidate, ...]:
    """Return the texts of an element that may be its value.

    A text before its badges is the value; a struck-out text never is. All others compete, as do several choices. The
    text of a list may stand for no choice.
    """
    if may_show_no_choice(element):
        return (Candidate(text_of(element), element, row), Candidate("", element, row))
    if not element.parts:
        return (Candidate(text_of(element), element, row),)
    current = [part for part in element.parts if part.kind != "old"]
    has_more = any(_MORE.fullmatch(part.text.strip()) for part in current[1:])
    doubt = "more_hidden" if has_more else None
    return tuple(Candidate(part.text, element, row, part=part, doubt=doubt) for part in value_parts(current))


def value_parts(parts: Sequence[TextPart]) -> Sequence[TextPart]:
    """Return the text before its badges, else all texts."""
    plain = [part for part in parts if part.kind == ""]
    return plain if len(plain) == 1 and plain[0] is parts[0] else parts


def whole_text(candidate: Candidate) -> Candidate:
    """Return the candidate with all of its element's text."""
    return replace(candidate, shown=text_of(candidate.element), part=None)


def listed(place: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the texts of one place as one list of items. The texts stay apart if one holds a separator itself."""
    first = place[0]
    parts = (
        [one for one in first.element.parts if one.kind != "old"] if len({c.element.ref for c in place}) == 1 else []
    )
    texts = [part.text for part in parts] or [one.shown for one in place]
    if len(texts) < 2 or any(SEPARATORS & set(text) for text in texts):
        return tuple(place)
    last = place[-1].element
    return (Candidate(", ".join(texts), first.element, first.row, last if last is not first.element else None),)


def joined_texts(elements: Sequence[Element], row: int | None) -> tuple[Candidate, ...]:
    """Return the texts of one cell: paragraphs, and pieces that follow each other on a line, are one text."""
    runs: list[list[Element]] = []
    for element in without_initials(elements):
        if runs and continues_text(runs[-1][-1], element):
            runs[-1].append(element)
        else:
            runs.append([element])
    return tuple(candidate for run in runs for candidate in _run_candidates(run, row))


def without_initials(elements: Sequence[Element]) -> Sequence[Element]:
    """Return the elements of one place without the letters that stand for the picture of a person who is named next."""
    return [
        one
        for at, one in enumerate(elements)
        if at + 1 == len(elements) or not is_initials_of(text_of(one), elements[at + 1])
    ]


def is_initials_of(text: str, element: Element) -> bool:
    """Return whether the text is the first letters of what the element says: of several words, or of one that is a
    heading or link."""
    words = text_of(element).split()
    if _INITIALS.fullmatch(text) is None or len(words) < (1 if element.role in ("heading", "link") else 2):
        return False
    first, last = words[0][0], words[-1][0]
    pictures = {first, first + last, "".join(word[0] for word in words)}
    return text_of(element) != text and fold(text) in set(map(fold, pictures))


def _run_candidates(run: Sequence[Element], row: int | None) -> tuple[Candidate, ...]:
    if len(run) == 1:
        return texts_in(run[0], row)
    return (joined_run(run, row),)


def joined_run(run: Sequence[Element], row: int | None) -> Candidate:
    """Return the texts of several elements as one. Between those that touch each other there is no space."""
    shown = text_of(run[0])
    for before, after in pairwise(run):
        shown += ("" if touches(before, after) else " ") + text_of(after)
    return Candidate(shown, run[0], row, run[-1])


def continues_text(before: Element, after: Element) -> bool:
    """Return whether two texts are one: paragraphs, or pieces that follow each other on a line."""
    if before.parts or after.parts or is_input(before) or is_input(after):
        return False
    if before.tag == after.tag == "p":
        return True
    return before.box is None or after.box is None or follows_on_line(before, after)


def follows_on_line(before: Element, after: Element) -> bool:
    """Return whether an element begins where another ends, on the same line, with a space between them at most."""
    if before.box is None or after.box is None or before.frame != after.frame:
        return False
    a, b = before.box, after.box
    return is_on_one_line(a, b) and -1.0 <= b.x - (a.x + a.width) <= NEAR_PX


def follows_icon(icon: Element, text: Element) -> bool:
    """Return whether a text stands on the line of an icon, right behind it."""
    if icon.box is None or text.box is None or icon.frame != text.frame:
        return False
    gap_px = text.box.x - (icon.box.x + icon.box.width)
    return is_on_one_line(icon.box, text.box) and -1.0 <= gap_px <= 2 * NEAR_PX
