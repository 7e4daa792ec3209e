"""Where a text stands on a page, in words of the page: the label beside it, and the part that it is in."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from shared.contracts.browser_pool import Element
from shared.pages.elements import PRESSED_ROLES, is_header, is_heading, is_input, text_of, words_of_name
from shared.task.spec import FIELD_NAME, PLACEHOLDER
from shared.text.names import safe_label
from shared.text.normal import WIDE_COLONS, label_form, tidy
from shared.text.record_words import find_mention

MOST_BEFORE = 40
"""Elements before a text among which its label is looked for."""
MAX_NAME_CHARS = 80
MAX_LABEL_CHARS, MOST_LABEL_WORDS = 40, 5
"""A longer text before a colon is a sentence."""
_LABELLED = re.compile(
    rf"(?P<label>[^:{WIDE_COLONS}]*[^\W\d_][^:{WIDE_COLONS}]*?)\s?(?::\s|[{WIDE_COLONS}])\s*(?P<value>\S.*)", re.S
)
"""A time, an address and a name with a scheme have no white space behind their colon."""
_IN_ASCII = str.maketrans(
    {
        "ł": "l",
        "Ł": "L",
        "ø": "o",
        "Ø": "O",
        "đ": "d",
        "Đ": "D",
        "ß": "ss",
        "æ": "ae",
        "Æ": "Ae",
        "œ": "oe",
        "ı": "i",
        "þ": "th",
    }
)
"""Letters that are no other one with a mark, in names of fields."""
LEAST_COLUMN_CHARS = 3
"""A shorter value of a row may be part of any word."""


def label_beside(elements: Sequence[Element], element: Element, labels: Collection[str]) -> str:
    """Return the label of a text as the page writes it; empty where none of these stands there."""
    own = (element.header or "", element.name if is_input(element) else "", *(one.text for one in element.parts[:1]))
    for text in (*own, tidy(element.name).partition(":")[0]):
        if text and label_form(text) in labels:
            return tidy(text).rstrip(":").rstrip()
    if element not in elements:  # the title of the page
        return ""
    at = elements.index(element)
    before = reversed(elements[max(0, at - MOST_BEFORE) : at])
    return next((tidy(one.name).rstrip(":").rstrip() for one in before if label_form(one.name) in labels), "")


def texts_behind_label(elements: Sequence[Element], names: Sequence[str]) -> Iterator[tuple[Element, str, str]]:
    """Yield the texts that begin with one of these names and go on: the element, the name as it stands there with its
    colon, and the rest."""
    begins = [
        re.compile(rf"{re.escape(tidy(words_of_name(name)))}(?!\w)\s*[:：]?\s*", re.I) for name in names if name.strip()
    ]
    for element in elements:
        if is_input(element) or is_heading(element) or is_header(element) or element.role in PRESSED_ROLES:
            continue
        name = tidy(element.name)
        found = next((match for one in begins if (match := one.match(name)) is not None), None)
        rest = "" if found is None else name[found.end() :]
        # A small letter goes on with the label: "Owner of record".
        if found is not None and rest and (not rest[0].islower() or found[0].rstrip().endswith((":", "："))):
            yield element, found[0].strip(), rest


def label_and_value(text: str) -> tuple[str, str] | None:
    """Return the label and the value of a text that has both, as ``Due back: May 13``; None where it does not."""
    found = _LABELLED.fullmatch(tidy(text))
    if found is None:
        return None
    label = found["label"].strip()
    is_short = 0 < len(label) <= MAX_LABEL_CHARS and len(label.split()) <= MOST_LABEL_WORDS
    return (label, found["value"]) if is_short else None


def section_of(elements: Sequence[Element], element: Element) -> str:
    """Return the name of the part of the page that the element is in; empty where it has none."""
    return next(parts_around(elements, element), "")


def parts_around(elements: Sequence[Element], element: Element) -> Iterator[str]:
    """Yield the names of the parts that contain an element, the innermost first: regions, the headings above it, and
    the first cell of its row."""
    yield from (tidy(name) for name in element.regions if name.strip())
    if element not in elements:
        return
    at, level = elements.index(element), 7
    for one in reversed(elements[:at]):
        if is_heading(one) and one.frame == element.frame and (one.level or 2) < level and one.name.strip():
            level = one.level or 2
            yield tidy(one.name)
    if element.row is not None:
        row = (one for one in elements if (one.frame, one.row) == (element.frame, element.row))
        yield from (tidy(text_of(one)) for one in row if one.column == 0 and one is not element and text_of(one))


def field_name_of(text: str, taken: Collection[str]) -> str:
    """Return a name for a field that is called so on the page, which no other field has."""
    name = safe_label(text.translate(_IN_ASCII), max_length=40).replace("-", "_")
    name = name if FIELD_NAME.fullmatch(name) and text else "value"
    name = f"{name}_of_page" if name in ("sample_id", "url", "key") else name
    return name if name not in taken else next(f"{name}_{n}" for n in range(2, 1000) if f"{name}_{n}" not in taken)


def as_template(name: str, row: Mapping[str, str]) -> str:
    """Return the name of a part of a page with ``{column}`` where it says what the row says: that differs by record."""
    written = PLACEHOLDER.sub(lambda found: found[0].strip("{}"), name)
    for column, value in sorted(row.items(), key=lambda one: -len(one[1])):
        said = find_mention(written, value) if len(value.strip()) >= LEAST_COLUMN_CHARS else None
        if said is not None and column.isidentifier() and "{" not in written:
            written = written.replace(said, f"{{{column}}}")
    return written
