"""Values whose text is typed by what the markup adds to it, such as the moment that "3 days ago" stands for. Pure.

Examples have the text alone. A run types it with its markup, and so do these checks.
"""

from __future__ import annotations

from typing import Any

from shared.contracts.browser_pool import Element, PageObserved
from shared.extraction.agreement import is_same_value
from shared.extraction.values import form_of
from shared.flows.reading import LocatedReading
from shared.pages.elements import text_of
from shared.pages.read.fields import value_source
from shared.task.output_field import OutputField
from shared.task.typed_values import recorded_hints, typed_value
from shared.text.normal import Invalid, Normal, fold, quoted

WRITE_VALUE = "write in the examples the value itself, as the markup of the page says it"


def doubt_of_text(reading: LocatedReading, written: str, field: OutputField, page: PageObserved) -> str:
    """Return why what was read is not what is written, in words that tell the two apart; empty: it is."""
    if is_same_value(form_of(field), reading.text, written):
        return ""
    read = None if reading.element is None else _typed(reading.element, reading.text, field, page)
    if fold(reading.text) == fold(written):
        if isinstance(read, Normal):
            return ""
        why = f": {read.message}" if read is not None else ""
        return f"{quoted(written)} is read as it is written, and is no {field.type}{why}"
    meant = typed_value(field, written)
    if isinstance(read, Normal) and isinstance(meant, Normal) and read.value == meant.value:
        return ""
    return f"{_told(reading.text, read)} is read where {_told(written, meant)} is written"


def meanings_of(written: str, field: OutputField, page: PageObserved) -> tuple[Any, ...]:
    """Return the values for which this text stands on the page, by the markup of each place, if they are several. Other
    capitals are no other value."""
    found: dict[str, Any] = {}
    for element in page.elements:
        texts = {text_of(element), *(part.text for part in (*element.parts, *element.hints))}
        for text in texts:
            value = _typed(element, text, field, page) if fold(text) == fold(written) else None
            if isinstance(value, Normal):
                found.setdefault(fold(str(value.value)), value.value)
    return tuple(found.values()) if len(found) > 1 else ()


def _typed(element: Element, text: str, field: OutputField, page: PageObserved) -> Normal | Invalid:
    """Return the text as a run types it that has read it off this element."""
    source = value_source(element, page, text, field)
    return typed_value(field, text, title=source.title, order=recorded_hints(source))


def _told(text: str, value: Normal | Invalid | None) -> str:
    """Return a text, with its value where that says more."""
    said = str(value.value) if isinstance(value, Normal) else text
    return quoted(text) if fold(said) == fold(text) else f"{quoted(text)}, which is {said},"
