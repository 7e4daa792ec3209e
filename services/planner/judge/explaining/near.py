"""What nearly was the value of a field, and why it is not.

All texts under the field's labels are looked at once more, without what the rules leave out; the rule that has left a
text out is why it is not the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from services.planner.judge.explaining.doubt import Doubt
from services.planner.judge.explaining.page_labels import likeness
from shared.contracts.browser_pool import Element
from shared.contracts.explained import NearCode, NearValue
from shared.contracts.results import Box
from shared.pages.elements import is_filter, is_heading, is_input, text_of, words_of_name
from shared.pages.entries.value_places import label_beside, section_of, texts_behind_label
from shared.pages.identity.identity import parts_of
from shared.pages.read.candidates import Candidate
from shared.pages.read.doubts import TextInPlace, why_no_value
from shared.pages.read.fields import FieldAmbiguous, FieldFound, FieldMissing
from shared.pages.read.label_places import Places
from shared.pages.read.unlabelled import FittingPart, TextInContext, parts_that_fit, texts_in_context
from shared.task.route import words
from shared.text.normal import fold, label_form, tidy
from shared.text.patterns import fits_pattern

MOST_NEAR = 6
MOST_SHOWN_CHARS = 200
_TITLES = frozenset({"title", "name", "summary", "subject", "headline", "heading", "topic"})


def near_values(doubt: Doubt) -> tuple[NearValue, ...]:
    """Return what nearly was the value, in the order of the page. What competes for it as a value of its own is told by
    the reading."""
    known = {(ref, fold(text)) for ref, text in _told(doubt)}
    found: dict[str, NearValue] = {}
    for element, shown, why, box in _left_out(doubt):
        if (element.ref, fold(shown)) not in known:
            found.setdefault(fold(shown), near_value(doubt, element, shown, why, box))
    return tuple(found.values())[:MOST_NEAR]


def near_value(
    doubt: Doubt, element: Element, shown: str, why: NearCode, box: Box | None = None, label: str = ""
) -> NearValue:
    elements = doubt.page.elements
    return NearValue(
        shown=tidy(shown)[:MOST_SHOWN_CHARS],
        why=why,
        label=label or label_beside(elements, element, doubt.labels),
        role=element.role,
        section=section_of(elements, element),
        box=box or element.box,
        frame=element.frame,
    )


def _told(doubt: Doubt) -> Iterator[tuple[int, str]]:
    reading = doubt.reading
    if isinstance(reading, FieldFound):
        yield reading.candidate.element.ref, reading.candidate.shown
    for one in reading.candidates if isinstance(reading, FieldAmbiguous) else ():
        if not one.doubtful:
            yield one.element.ref, one.shown


_Left = tuple[Element, str, NearCode, Box | None]


def _left_out(doubt: Doubt) -> Iterator[_Left]:
    if doubt.field.shown_in is not None:
        yield from _unlabelled(doubt)
        return
    elements = doubt.page.elements
    places = Places(elements, doubt.labels | doubt.other_labels, key=doubt.row_key)
    in_place = _in_place(doubt)
    for place in places.of(doubt.labels):
        for one in place:
            if one.shown:
                yield one.element, one.shown, why_no_value(in_place(one)), one.box
            for part in one.element.parts:
                if part.kind == "old":
                    yield one.element, part.text, "struck_out", one.box
    for one in elements:
        if is_input(one) and is_filter(one) and label_form(one.name) in doubt.labels:
            yield one, text_of(one), "control", None
    if isinstance(doubt.reading, FieldMissing):
        yield from _beside(doubt)
        if has_title_name(doubt):
            for one in elements:
                if is_heading(one) and one.level == 1:
                    yield one, one.name, "heading", None
    for icon in doubt.reading.icons if isinstance(doubt.reading, FieldMissing) else ():
        yield icon, icon.name, "icon", None


def has_title_name(doubt: Doubt) -> bool:
    """Return whether the value may be the heading of the page, by the words of the field."""
    return bool(_TITLES & {word for name in doubt.names for word in fold(words_of_name(name)).split()})


def _beside(doubt: Doubt) -> Iterator[_Left]:
    """Yield what stands behind a label in its text, or next to one, and is no value by itself."""
    elements = doubt.page.elements
    for element, _, rest in texts_behind_label(elements, doubt.names):
        yield element, rest, "unsure", None
    for label, following in pairwise(elements):
        if label_form(label.name) in doubt.labels and not is_input(label) and text_of(following):
            yield following, text_of(following), "unsure", None


def _in_place(doubt: Doubt) -> Callable[[Candidate], TextInPlace]:
    """Return how a text under a label of the field is looked at."""
    part = parts_of(doubt.view.spec, doubt.view.sample, doubt.page).get(doubt.name)
    inside = None if part is None else frozenset(one.ref for one in part)
    return lambda one: TextInPlace(one, doubt.field, inside, doubt.past, doubt.others, doubt.site, doubt.order)


def _unlabelled(doubt: Doubt) -> Iterator[_Left]:
    parts = unlabelled_parts(doubt)
    fits_any = _fits_any(doubt)
    for text, part in parts:
        if fits_any and not _has_a_side(doubt, text):
            continue
        within = bool(part.before or part.after)
        why: NearCode = "past" if text.element.ref in doubt.past else "inside_word" if within else "around"
        shown = f"{part.before}{part.text}{part.after}" if within else part.text
        if within or why == "past" or doubt.field.preceded_by or doubt.field.followed_by:
            yield text.element, shown, why, None


def _fits_any(doubt: Doubt) -> bool:
    """Return whether the pattern fits most texts of the page as they are, so that to fit it says nothing of a text."""
    texts = texts_in_context(doubt.field, doubt.page.elements, doubt.page)
    return 2 * sum(fits_pattern(doubt.field.pattern, one.text) for one in texts) > len(texts)


def _has_a_side(doubt: Doubt, text: TextInContext) -> bool:
    """Return whether what is to stand before the value, or what is to stand after it, does so here."""
    field = doubt.field
    sides = [(one, "") for one in words(field.preceded_by)] + [("", one) for one in words(field.followed_by)]
    return not sides or any(any(parts_that_fit(text, field.pattern, *side)) for side in sides)


def unlabelled_parts(doubt: Doubt) -> list[tuple[TextInContext, FittingPart]]:
    """Return the parts of texts that fit the field's pattern, whatever stands around them, also within a word; first
    those whose text is like the names of the field."""
    found: list[tuple[TextInContext, FittingPart]] = []
    if doubt.field.shown_in == "address":
        return found
    for text in texts_in_context(doubt.field, doubt.page.elements, doubt.page):
        whole, within = parts_that_fit(text, doubt.field.pattern)
        kept = [one for one in whole if not any(_overlap(one, other) for other in within)]
        found += [(text, part) for part in (*within, *kept)]
    return sorted(found, key=lambda one: -likeness(one[0].text, doubt.names))


def _overlap(one: FittingPart, other: FittingPart) -> bool:
    return one.start < other.end and other.start < one.end


def shown_texts(reading: FieldAmbiguous) -> Sequence[Candidate]:
    """Return the rivals, each text at its first place."""
    first = {fold(one.shown): one for one in reversed(reading.candidates)}
    return [first[text] for text in dict.fromkeys(fold(one.shown) for one in reading.candidates)]
