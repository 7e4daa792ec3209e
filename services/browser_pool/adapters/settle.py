"""Waiting until a page has come to rest, for as long as that is worth it.

A page is at rest when nothing it is drawn from is in flight, its document has not changed for a short while,
and it does not itself say that more is coming. A page without scripts needs no such while. What polls,
ticks or streams holds nobody up beyond the bound, and that it did not settle is told.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.network import Network
from services.browser_pool.adapters.observe.engine import DocumentState, ask
from services.browser_pool.adapters.tabs import Tabs

QUIET_MS = 100.0
"""Without a change for this long; a chain of timers or renders rarely pauses longer."""
STILL_MS = 50.0
"""Enough for a page that has scripts but has neither changed nor fetched anything since it was loaded."""
ACTED_MS = 60.0
"""After an action that asked the network for nothing: what it changes, it has changed."""
AFTER_ACTION_MS = 25.0
"""A page without scripts may still start to navigate just after a click."""
UNFINISHED_S = 3.0
"""How long a page that shows nothing, or says that it is loading, is believed."""
POLL_S = 0.05
RENDER_MS, RENDERS_WITHIN_MS = 15.0, 150.0
"""A page whose data has just come is about to show it, so it is looked at more often for a while."""


@dataclass(frozen=True)
class RestState:
    settled: bool
    state: DocumentState | None


async def settle(tabs: Tabs, network: Network, *, bound_s: float, navigation_s: float, acted: bool) -> RestState:
    """Never raises for a page that does not answer; that one did not settle. ``navigation_s`` bounds the loading
    of a document."""
    began_s = time.monotonic()
    state: DocumentState | None = None
    # The first look makes the document's changes be watched from here on; it is taken while data is still coming.
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
        rest_ms = _missing_ms(state, network, waited_s, acted)
        if rest_ms <= 0 and not network.has_pending():
            return RestState(not state.unfinished, state)
        # Until the quiet that is missing would be there; what changes meanwhile is seen then.
        await _wait_for_request(network, max(rest_ms / 1000, 0.004))


def _missing_ms(state: DocumentState, network: Network, waited_s: float, acted: bool) -> float:
    """How much quiet is still missing."""
    if state.loading or (state.unfinished and waited_s < UNFINISHED_S):
        return RENDER_MS if network.quiet_for_ms() < RENDERS_WITHIN_MS else POLL_S * 1000
    wanted_ms = quiet_ms(state, network, acted)
    quiet = min(state.since_ms, network.quiet_for_ms()) if state.scripts else waited_s * 1000
    return wanted_ms - (min(quiet, waited_s * 1000) if acted else quiet)


def quiet_ms(state: DocumentState, network: Network, acted: bool) -> float:
    """How long a page like this one has to be quiet to be taken for settled."""
    if not state.scripts:
        return AFTER_ACTION_MS if acted else 0.0
    if network.data_asked or (state.stirred and not acted):
        return QUIET_MS
    return ACTED_MS if acted else STILL_MS


async def document_state(tabs: Tabs, timeout_s: float, verb: str = "state") -> DocumentState | None:
    """The state of the page, or None while it is between two documents."""
    try:
        return await ask(tabs.page.main_frame, DocumentState, timeout_s, verb)
    except PlaywrightTimeout:
        return None
    except Error as error:
        tabs.raise_if_lost(error)
        tabs.follow()
        return None


async def _wait_for_request(network: Network, timeout_s: float) -> None:
    """Until a request starts or ends, and no longer than ``timeout_s``."""
    network.changed.clear()
    try:
        async with asyncio.timeout(timeout_s):
            await network.changed.wait()
    except TimeoutError:
        return
