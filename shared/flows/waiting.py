"""How long a page that lacks something is waited for."""

from __future__ import annotations

from shared.contracts.browser_pool import PageObserved

PAUSES_S = (0.3, 0.7, 1.5, 3.0)
"""Pauses between observations of a page that may still be rendering."""
ALL_LOOKS = len(PAUSES_S)
IDLE_LOOKS = 1
"""Extra observations of a page that nothing pending may change; one, because not all that scripts wait for is known."""


def next_pause_s(page: PageObserved | None, looks: int, most: int = ALL_LOOKS) -> float | None:
    """Return the pause before the next observation, or None after ``most`` of them, or once nothing more can come.

    ``looks``: extra observations so far."""
    most = min(most, IDLE_LOOKS if page is not None and page.idle else ALL_LOOKS)
    return PAUSES_S[looks] if looks < most else None
