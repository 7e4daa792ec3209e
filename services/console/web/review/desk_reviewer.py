"""Who reviews on the pages: the user who has started the server, by a key of his own. No page is shown the key."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from services.console.web.desk import Desk
from shared.bus.ports import Asks
from shared.client.person_keys import PersonKey, load_person_key, person_key_path
from shared.client.reviews import Reviewer, load_review
from shared.contracts.sessions.reviewing import LoadReview, ReviewItem, ReviewLoaded

MOST_ITEMS = 2000
"""Of a review, on its pages. More of them are for the command."""


@dataclass(frozen=True)
class DeskReviewer:
    """``key``: None where the person has none, so that nothing can be decided and no decision of others is shown."""

    name: str
    key: PersonKey | None

    @property
    def fingerprint(self) -> str:
        return self.key.public.fingerprint if self.key is not None else ""

    async def load(self, asks: Asks, run_id: str, sample_id: str = "", *, skip: int = 0) -> ReviewLoaded:
        """Return how the review stands, as this person may see it. Raises PermanentError without a finished run."""
        if self.key is None:
            return await load_review(asks, LoadReview(run_id=run_id, sample_id=sample_id, skip=skip, parts=True))
        return await Reviewer(asks, run_id, self.name, self.key).load(sample_id, skip=skip, parts=True)

    async def load_all(self, asks: Asks, run_id: str) -> tuple[ReviewLoaded, list[ReviewItem]]:
        """Return how the review stands, and what is for review, `MOST_ITEMS` of it at most."""
        stands = await self.load(asks, run_id)
        items = list(stands.items)
        while len(items) < min(stands.total, MOST_ITEMS):
            more = await self.load(asks, run_id, skip=len(items))
            if not more.items:
                break
            items += more.items
        return stands, items[:MOST_ITEMS]


async def reviewer_of(desk: Desk) -> DeskReviewer:
    """Return who reviews. A key is read where there is one, and none is made.

    Raises:
        Unavailable: the key cannot be read.
    """

    def read() -> PersonKey | None:
        path = person_key_path(desk.person, desk.settings)
        return load_person_key(desk.person, desk.settings, path) if path.exists() else None

    return DeskReviewer(desk.person, await asyncio.to_thread(read))
