"""The part of a page that a task names: under a heading, in a region or table, or in a row, by its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import is_heading, text_of
from shared.text.normal import label_form
from shared.text.record_words import find_mention

HEADS = frozenset({"term", "caption"})
_NAMED_LISTS = frozenset({"table", "grid", "treegrid", "list", "region", "caption"})


def find_section(page: PageObserved, words: Sequence[str]) -> tuple[Element, ...] | None:
    """Return the elements of the one part of the page with this name; None if there is no such part or more than one.

    A part is what stands under a heading or term, in a region or table of that name, or in the row in which a cell says
    so. Exact names count before names that contain the words.
    """
    labels = frozenset(label_form(word) for word in words)
    heads = [e for e in page.elements if is_heading(e) or e.role in HEADS]
    exact = [e for e in heads if label_form(e.name) in labels]
    return (
        _region(page.elements, labels, exact)
        or _section_of(page, exact)
        or (_row(page.elements, labels) if not exact else None)
        or (_section_of(page, [e for e in heads if _mentions_any(e.name, words)]) if not exact else None)
    )


def find_list(page: PageObserved, words: Sequence[str]) -> Sequence[Element] | None:
    """Return the elements under the heading, region or caption with this name; None if there is not exactly one.

    Without words that is the whole page.
    """
    if not words:
        return page.elements
    section = find_section(page, words)
    if section:
        return section
    labels = {label_form(word) for word in words}
    heads = [e for e in page.elements if e.role in _NAMED_LISTS and label_form(e.name) in labels]
    if len(heads) != 1:
        return None
    after = page.elements[page.elements.index(heads[0]) + 1 :]
    end = next((at for at, e in enumerate(after) if at and e.row is None), len(after))
    return after[:end]


def _region(
    elements: Sequence[Element], labels: frozenset[str], heads: Sequence[Element]
) -> tuple[Element, ...] | None:
    """Return what is in the region of this name. Two regions of one name, or one beside a heading, are none."""
    inside = [any(label_form(name) in labels for name in e.regions) for e in elements]
    starts = sum(now and not before for before, now in zip((False, *inside), inside, strict=False))
    if starts != 1 or any(not inside[at] for at, e in enumerate(elements) if e in heads and not _begins(inside, at)):
        return None
    return tuple(e for e, now in zip(elements, inside, strict=True) if now)


def _begins(inside: Sequence[bool], at: int) -> bool:
    """Return whether the element is right before the region, as the heading that names it may be."""
    return at + 1 < len(inside) and inside[at + 1]


def _section_of(page: PageObserved, heads: Sequence[Element]) -> tuple[Element, ...] | None:
    if len(heads) != 1:
        return None
    head = heads[0]
    if head.role == "term":
        return tuple(e for e in page.elements if e.header is not None and label_form(e.header) == label_form(head.name))
    return tuple(elements_under(page.elements, head))


def elements_under(elements: Sequence[Element], head: Element) -> Iterable[Element]:
    """Yield the elements up to the next heading of the same rank, or above the rank of the items."""
    level, inner = head.level or 2, None
    for element in elements[elements.index(head) + 1 :]:
        if element.frame != head.frame:
            return
        if is_heading(element):
            at = element.level or 2
            if at <= level or (inner is not None and at < inner):
                return
            inner = inner or at
        yield element


def _row(elements: Sequence[Element], labels: frozenset[str]) -> tuple[Element, ...] | None:
    rows = {(e.frame, e.row) for e in elements if e.row is not None and label_form(text_of(e)) in labels}
    if len(rows) != 1:
        return None
    return tuple(e for e in elements if (e.frame, e.row) in rows)


def _mentions_any(text: str, words: Sequence[str]) -> bool:
    return any(find_mention(text, word) is not None for word in words)
