"""Fields that a page does not show, and that stop no flow: those that records may be done without. Pure.

The rules of a task read such a field as not found, and the sample is done. So does a flow, where nothing else of the
page speaks for a change: a field whose label was renamed looks the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.contracts.browser_pool import Element, PageObserved
from shared.extraction.rules import AtSelector
from shared.flows.files import FieldsFile
from shared.flows.reading import LocatedReading
from shared.pages.elements import text_of
from shared.text.normal import label_form


def lacking_fields(readings: Sequence[LocatedReading], file: FieldsFile, page: PageObserved) -> frozenset[str]:
    """Return the fields of one call that are not there, and that do not stop the flow: what they come to is None.

    A field that was given up is one of them wherever it is not certain. An optional one is where the page shows
    nothing that may be its value, nor one of its labels, and every other field of the call was found as recorded.
    """
    given_up = {one.field for one in readings if one.field in file.given_up and one.state in ("uncertain", "missing")}
    lacking = {one.field for one in readings if one.field in file.optional and _is_nowhere(one, file, page)}
    others = [one for one in readings if one.field not in lacking | given_up]
    as_recorded = bool(others) and all(one.state in ("value", "empty") and not _is_healed(one, page) for one in others)
    return frozenset(given_up | (lacking if as_recorded else set[str]()))


def vanished_fields(readings: Sequence[LocatedReading], file: FieldsFile, page: PageObserved) -> frozenset[str]:
    """Return the fields of one call that are not there though every recorded page showed them, on a page of which more
    is not as recorded: whether its record lacks them, or the page shows them otherwise now, is not known."""
    changed = {one.field for one in readings if one.state not in ("value", "empty") or _is_healed(one, page)}
    known = {*file.optional, *file.given_up}
    gone = (one.field for one in readings if one.state == "missing" and not one.candidates and one.field not in known)
    return frozenset(name for name in gone if changed - {name})


def _is_healed(reading: LocatedReading, page: PageObserved) -> bool:
    """Return whether some rules find nothing now. On a page that was stored without locators no selector finds
    anything."""
    has_locators = any(one.locators for one in page.elements)
    return reading.healed and (has_locators or any(not isinstance(one.where, AtSelector) for one in reading.lost))


def _is_nowhere(reading: LocatedReading, file: FieldsFile, page: PageObserved) -> bool:
    rules = file.fields.get(reading.field)
    if rules is None or reading.state != "missing" or reading.candidates:
        return False
    return not any(label in rules.labels for one in page.elements for label in _labels(one))


def _labels(element: Element) -> tuple[str, ...]:
    return (label_form(text_of(element)), label_form(element.header or ""), label_form(element.name.partition(":")[0]))
