"""A value that the page tells by the field's own name within a text: the author in "Ann Lee authored 2 days ago".

The word need not be the name itself, only a form of it: "authored" for an author, "committed" for a committer. It says
what the value is where nothing but the order on the page does, and on a page of which there is one example only. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from shared.contracts.browser_pool import Element
from shared.extraction.pages import text_of, words_beside, words_beside_hint
from shared.extraction.rules import BesideOwnWord, Between, ExtractionRule, Whole
from shared.extraction.values import FieldType, find_spans
from shared.text.normal import fold, tidy

LEAST_STEM = 4
"""Letters that two forms of one word have in common."""
ENDINGS = frozenset({"", "d", "ed", "r", "er", "or", "s", "ing", "ion"})
MOST_OF_SMALL_WORD = 3
"""Letters of "at", "by", "on", "the"."""


def is_own_word(word: str, labels: Collection[str]) -> bool:
    """Return whether the word is a form of what the field is called, but for small words: "committed" of "committer"
    and of "committed at", and not "date" of "due date"."""
    return any(_is_form_of(fold(word), label.split()) for label in labels)


def _is_form_of(word: str, label: list[str]) -> bool:
    named, rest = "".join(label[:1]), label[1:]
    if any(len(one) > MOST_OF_SMALL_WORD for one in rest):
        return False
    alike = next((at for at, (one, other) in enumerate(zip(word, named, strict=False)) if one != other), None)
    stem = min(len(word), len(named)) if alike is None else alike
    return stem >= LEAST_STEM and {word[stem:], named[stem:]} <= ENDINGS


def rules_by_own_word(
    element: Element, written: str, form: FieldType, labels: Collection[str]
) -> Iterator[ExtractionRule]:
    """Yield the rules that lead to the value in this element by a form of the field's own name right beside it.

    In a text the value is all that stands before or behind that word, so that one example tells where it ends."""
    text = text_of(element, "name") or ""
    if not element.place or element.cut_chars:
        return
    for begin, end in find_spans(form, text, written):
        before, after = words_beside(text, begin, end)
        if before is not None and end == len(text) and is_own_word(before[1], labels):
            yield _rule(element, before[1], Between(before=before[0], after=""))
        if after is not None and begin == 0 and is_own_word(after[1], labels):
            yield _rule(element, after[1], Between(before="", after=after[0]))
    count, parts = len(element.hints), len(element.parts)
    for nth, hint in enumerate(element.hints):
        shown = tidy(hint.title or "")
        if find_spans(form, shown, written) != [(0, len(shown))]:
            continue
        for word in words_beside_hint(element, nth):
            if is_own_word(word, labels):
                where = BesideOwnWord(word=word, path=element.place, parts=parts, hints=count, beside=nth)
                yield ExtractionRule(where=where, attribute="hint", part=Whole(), nth=nth, of=count)


def _rule(element: Element, word: str, part: Between) -> ExtractionRule:
    parts, hints = len(element.parts), len(element.hints)
    where = BesideOwnWord(word=fold(word), path=element.place, parts=parts, hints=hints)
    return ExtractionRule(where=where, attribute="name", part=part)
