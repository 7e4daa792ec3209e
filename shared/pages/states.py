"""The states of an element as a reader of the page is told them."""

from __future__ import annotations

from shared.contracts.browser_pool import Element

WITHOUT_VALUE = "blank"
"""State of a select whose chosen option has no value, or cannot be chosen. It is not told: the option's text says what
it stands for."""


def told_states(element: Element) -> tuple[str, ...]:
    """Return the states that a reader is told."""
    return tuple(state for state in element.states if state != WITHOUT_VALUE)
