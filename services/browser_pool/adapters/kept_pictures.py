"""The last pictures of pages that a session has taken, to compare them with what its pages show later."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from services.browser_pool.adapters.pictures import to_picture
from services.browser_pool.page.ink import Picture
from services.browser_pool.ports import Capture
from shared.contracts.results import Box

MAX_KEPT_BYTES = 8 * 2**20
"""Of one session. What is left out is taken again where it is needed."""


@dataclass(frozen=True)
class KeptPicture:
    """A picture of a page whose observation had this hash."""

    sha256: str
    png: bytes
    area: Box
    observation_sha256: str

    async def pixels(self, bottom: float) -> Picture:
        """Return its pixels down to ``bottom`` in the document."""
        return await asyncio.to_thread(to_picture, self.png, self.area, bottom)


class KeptPictures:
    """The pictures that were taken last, up to a size."""

    def __init__(self) -> None:
        self._kept: list[KeptPicture] = []

    def keep(self, captures: Iterable[Capture], observation_sha256: str) -> None:
        for one in captures:
            if one.kind == "screenshot" and one.area is not None and isinstance(one.data, bytes):
                kept = KeptPicture(hashlib.sha256(one.data).hexdigest(), one.data, one.area, observation_sha256)
                self._kept = [*(other for other in self._kept if other != kept), kept]
        while sum(len(one.png) for one in self._kept) > MAX_KEPT_BYTES:
            del self._kept[0]

    def of_page(self, observation_sha256: str, hashes: Collection[str]) -> list[KeptPicture]:
        """Return those among ``hashes`` that were taken of a page with this observation."""
        return [one for one in self._kept if one.observation_sha256 == observation_sha256 and one.sha256 in hashes]
