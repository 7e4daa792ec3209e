"""The parts of a page that are the site's and no record's: what leads elsewhere, its footer, and a header that does not
name the record.

A text there stands on every page, so what it says under a label of the task is no value of a record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import text_of
from shared.text.record_words import find_mention

FOOTER, HEADER, CONTENT, NAVIGATION = "contentinfo", "banner", "main", "navigation"
_AFTER_CONTENT = frozenset({FOOTER, NAVIGATION, "complementary", "search", "pager"})


def site_refs(page: PageObserved, wanted: Mapping[str, str]) -> frozenset[int]:
    """Return the refs of the elements in these parts. `wanted`: what each identity field must show."""
    navigation = (e for e in page.elements if e.area == NAVIGATION and not e.in_dialog)
    return frozenset(e.ref for e in (*navigation, *_footer(page), *_header(page, wanted)))


def _footer(page: PageObserved) -> Iterable[Element]:
    """Yield the elements of the footer of each document: no content comes behind it. One with content behind it belongs
    to what is before."""
    ended: dict[str, bool] = {}
    for element in reversed(page.elements):
        if element.area == FOOTER and not ended.get(element.frame):
            yield element
        elif element.area not in _AFTER_CONTENT and not element.in_dialog:
            ended[element.frame] = True


def _header(page: PageObserved, wanted: Mapping[str, str]) -> list[Element]:
    """Return the elements of the header, where the content names the record and the header does not."""
    ids = [value for value in wanted.values() if value.strip()]
    header = [e for e in page.elements if e.area == HEADER and not e.in_dialog]
    content = [e for e in page.elements if e.area == CONTENT]
    if not ids or not header or _names(header, ids) or not _names(content, ids):
        return []
    return header


def _names(elements: Iterable[Element], ids: list[str]) -> bool:
    return any(find_mention(text_of(e), one) is not None for e in elements for one in ids)
