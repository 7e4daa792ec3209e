"""Whether a page says that there is no such record, for the rules and for a flow that has stopped. Pure."""

from __future__ import annotations

from services.planner.state.asked_for import site_asked
from services.planner.state.attempt_state import Act, ObserveAgain, SampleView
from services.planner.state.common_decisions import fail_with_screenshot, observe_later
from shared.contracts.actions import Fail
from shared.contracts.browser_pool import PageObserved
from shared.pages.elements import is_input, says_not_found
from shared.pages.identity.identity import PageRead
from shared.pages.loading import find_loading_sign
from shared.pages.read.fields import FieldAmbiguous, FieldFound, Reading
from shared.task.spec import placeholders

ABSENCE_LOOKS = 2
"""Extra observations of a page that says so: some say it for a moment, while the record is loading."""


def is_asked(view: SampleView) -> bool:
    """Return whether the page may be the answer to what the row asks for: nothing was done since but to send it. A task
    that begins at the page of its record asks by that address."""
    question = site_asked(view)
    return question.is_sent if question is not None else bool(placeholders(view.spec.start_url))


def no_such_record(view: SampleView, page: PageObserved, read: PageRead) -> Act | ObserveAgain | None:
    """Fail if the page says that there is no such record and shows none, not another one either."""
    words = says_not_found(page, tuple(view.spec.not_found_texts))
    if words is None or read.proof.state == "mismatch" or shows_something(view, read):
        return None
    if observe_later(view, looks=ABSENCE_LOOKS) is None and find_loading_sign(page):
        return None
    return absence_decision(view, f"the page says: {words}")


def absence_decision(view: SampleView, told: str) -> Act | ObserveAgain:
    """Return another look at a page that says so, then its picture as evidence, then the failure."""
    later = observe_later(view, looks=ABSENCE_LOOKS)
    return later or fail_with_screenshot(view, Fail(code="not_found", note=told))


def shows_something(view: SampleView, read: PageRead) -> bool:
    """Return whether the page shows a record in spite of words that it does not exist.

    The site's own words outweigh all but the record itself; general words, any value. Inputs do not count: they may
    belong to a search.
    """
    if read.proof.state == "proven" and view.spec.identity:
        return True
    if view.spec.identity and view.spec.not_found_texts:
        return False
    return shows_values(view, read)


def shows_values(view: SampleView, read: PageRead) -> bool:
    """Return whether the page shows a value of the task, or several, that does not name the record."""
    others = [reading for name, reading in read.readings.items() if name not in view.spec.identity]
    return any(isinstance(r, FieldAmbiguous) or _found_in_text(r) for r in others)


def _found_in_text(reading: Reading) -> bool:
    return isinstance(reading, FieldFound) and not is_input(reading.candidate.element)
