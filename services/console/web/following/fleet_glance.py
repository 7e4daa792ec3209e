"""The fleet in one line, for the pages of runs at work: looked at beside them, so that no page waits for it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from services.console.text.fleet_lines import fleet_sentence
from shared.bus.access.credentials import access_of
from shared.client.bus_use import OPERATOR
from shared.errors import ExhibitError
from shared.settings import Settings
from shared.setup.fleet_look import look_at_fleet

GLANCE_S = 10.0
"""How old a look at the fleet is at most before it is looked at again. One look takes half a second."""


@dataclass
class FleetGlance:
    """What was seen of the fleet last, in words; empty: nothing yet, or nothing can be seen."""

    words: str = ""
    looked_s: float = -GLANCE_S
    _looking: asyncio.Task[None] | None = field(default=None, repr=False)

    def glance(self, settings: Settings) -> str:
        """Return what was seen last, and look again beside it where that is old."""
        is_old = time.monotonic() - self.looked_s >= GLANCE_S
        if settings.nats_url is not None and is_old and (self._looking is None or self._looking.done()):
            self.looked_s = time.monotonic()
            self._looking = asyncio.create_task(self._look(settings.nats_url, settings))
        return self.words

    async def _look(self, url: str, settings: Settings) -> None:
        try:
            self.words = fleet_sentence(await look_at_fleet(url, OPERATOR, access_of(settings)))
        except (ExhibitError, OSError, TimeoutError):
            self.words = ""  # what is away is told by the page itself
