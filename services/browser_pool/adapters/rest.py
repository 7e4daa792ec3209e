"""Waits until a page is at rest, within a time limit.

A page is at rest when nothing that it is drawn from is in flight, its document has not changed for a short while, and
it does not say that more is coming. A page without scripts needs no such while. Pages that poll, tick or stream are
read when the time limit is over, and reported as not settled.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from playwright.async_api import Error, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.network import Network
from services.browser_pool.adapters.observe.engine import DocumentState, ask
from services.browser_pool.adapters.tabs import Tabs

QUIET_MS = 100.0
"""Required time without a change; a chain of timers or renders rarely pauses longer."""
STILL_MS = 50.0
"""Enough for a page with scripts that has neither changed nor fetched anything since it was loaded."""
ACTED_MS = 60.0
"""Enough after an action that requested nothing: its changes are complete."""
AFTER_ACTION_MS = 25.0
"""A page without scripts may still start to navigate just after a click."""
UNFINISHED_S = 3.0
"""Maximum wait for a page that shows nothing or says that it is loading."""
POLL_S = 0.05
IMAGES_S = 2.0
RENDER_MS, RENDERS_WITHIN_MS = 15.0, 150.0
"""A page that has just received data is about to draw it, so it is polled more often for a while."""


@dataclass(frozen=True)
class RestState:
    settled: bool
    state: DocumentState | None
    read_s: float = field(default_factory=time.monotonic)
    """When the state was read."""

    def needs_quiet(self, network: Network, patience: float) -> bool:
        """Return whether the document cannot have been quiet for long enough yet, even if nothing has changed since."""
        if self.state is None or not self.settled:
            return False
        quiet = self.state.since_ms + (time.monotonic() - self.read_s) * 1000
        return quiet < wanted_quiet_ms(self.state, network.data_asked, False, patience)


async def wait_for_rest(
    tabs: Tabs, network: Network, *, bound_s: float, navigation_s: float, acted: bool, patience: float
) -> RestState:
    """Wait until the page is at rest and return its state.

    A page that does not answer is reported as not settled. ``navigation_s`` bounds the loading of a document;
    ``patience``: see SessionLimits.
    """
    began_s = time.monotonic()
    state: DocumentState | None = None
    # The first query starts to observe the document's changes; it is sent while data is still coming.
    watched = False
    while True:
        waited_s = time.monotonic() - began_s
        limit_s = navigation_s if network.loading_document() else bound_s
        if waited_s >= limit_s:
            return RestState(False, state)
        if watched and network.has_pending():
            await _wait_for_request(network, POLL_S)
            continue
        state = await document_state(tabs, max(0.2, limit_s - waited_s))
        if state is None:
            await asyncio.sleep(POLL_S / 5)
            continue
        watched = True
        rest_ms = _missing_ms(state, network, waited_s, acted, patience)
        if rest_ms <= 0 and not network.has_pending():
            return RestState(not state.unfinished, state)
        # Wait for the missing quiet time; changes in between are seen then.
        await _wait_for_request(network, max(rest_ms / 1000, 0.004))


def _missing_ms(state: DocumentState, network: Network, waited_s: float, acted: bool, patience: float) -> float:
    if state.loading or (state.unfinished and waited_s < UNFINISHED_S * patience):
        return RENDER_MS if network.quiet_for_ms() < RENDERS_WITHIN_MS else POLL_S * 1000
    wanted_ms = wanted_quiet_ms(state, network.data_asked, acted, patience)
    quiet = min(state.since_ms, network.quiet_for_ms()) if state.scripts else waited_s * 1000
    return wanted_ms - (min(quiet, waited_s * 1000) if acted else quiet)


def wanted_quiet_ms(state: DocumentState, data_asked: bool, acted: bool, patience: float) -> float:
    """Return how long a page like this one has to be quiet to count as settled. ``data_asked``: it has fetched data."""
    if not state.scripts:
        usual_ms = AFTER_ACTION_MS if acted else 0.0
    elif data_asked or (state.stirred and not acted):
        usual_ms = QUIET_MS
    else:
        usual_ms = ACTED_MS if acted else STILL_MS
    return usual_ms * patience


async def document_state(tabs: Tabs, timeout_s: float, verb: str = "state") -> DocumentState | None:
    """Return the state of the document, or None between two documents."""
    try:
        return await ask(tabs.page.main_frame, DocumentState, timeout_s, verb)
    except PlaywrightTimeout:
        return None
    except Error as error:
        tabs.raise_if_lost(error)
        tabs.follow()
        return None


async def wait_for_images(page: Page, timeout_s: float) -> DocumentState:
    """Wait until no image is loading, for a moment at most, and return the state then. Raises Playwright's errors."""
    until_s = time.monotonic() + IMAGES_S
    while True:
        state = await ask(page.main_frame, DocumentState, timeout_s, "state")
        if not state.pictures or time.monotonic() >= until_s:
            return state
        await asyncio.sleep(POLL_S)


async def _wait_for_request(network: Network, timeout_s: float) -> None:
    """Wait until a request starts or ends, at most ``timeout_s``."""
    network.changed.clear()
    try:
        async with asyncio.timeout(timeout_s):
            await network.changed.wait()
    except TimeoutError:
        return
