"""Who reviews on the pages: the user who has started the server, by a key of his own. No page is shown the key."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException

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

    async def load_decided(self, asks: Asks, run_id: str) -> tuple[list[ReviewItem], int]:
        """Return all that has decisions, also what need not be decided, `MOST_ITEMS` of it at most, and how much there
        is; nothing to somebody without a key. Others' decisions are among them as this person may see them."""
        if self.key is None:
            return [], 0
        reviewer = Reviewer(asks, run_id, self.name, self.key)
        items: list[ReviewItem] = []
        while True:
            stands = await reviewer.load(skip=len(items), decided=True)
            items += stands.items
            if not stands.items or len(items) >= min(stands.total, MOST_ITEMS):
                return items[:MOST_ITEMS], stands.total

    async def load_of(
        self, asks: Asks, run_id: str, sample_ids: Sequence[str]
    ) -> tuple[ReviewLoaded, list[ReviewItem]]:
        """Return how the review stands, and what of these samples is for review or has decisions. Raises PermanentError
        without a finished run."""
        items: list[ReviewItem] = []
        while True:
            if self.key is None:
                request = LoadReview(run_id=run_id, sample_ids=tuple(sample_ids), skip=len(items))
                stands = await load_review(asks, request)
            else:
                reviewer = Reviewer(asks, run_id, self.name, self.key)
                stands = await reviewer.load(sample_ids=sample_ids, skip=len(items))
            items += stands.items
            if not stands.items or len(items) >= stands.total:
                return stands, items


async def make_key(desk: Desk) -> DeskReviewer:
    """Return who reviews, with a key of his own: the one that he has, else a new one, as `exhibit review key` makes it.

    Raises:
        HTTPException: 403 behind a proxy. Whoever looks there is not the user of this machine, who keeps its keys.
        Unavailable: the key cannot be read or made.
    """
    if desk.behind_proxy:
        raise HTTPException(403, no_key(desk))
    return DeskReviewer(desk.person, await asyncio.to_thread(load_person_key, desk.person, desk.settings))


def no_key(desk: Desk) -> str:
    """Return what to do for a person who has no key."""
    told = f"{desk.person} has no key on this machine, and each decision is signed by the key of a person."
    if desk.behind_proxy:
        return f"{told} Who keeps this server makes it there: exhibit review key --by NAME"
    return f"{told} The page of the review makes one; so does exhibit review key in a terminal."


async def reviewer_of(desk: Desk) -> DeskReviewer:
    """Return who reviews. A key is read where there is one, and none is made.

    Raises:
        Unavailable: the key cannot be read.
    """

    def read() -> PersonKey | None:
        path = person_key_path(desk.person, desk.settings)
        return load_person_key(desk.person, desk.settings, path) if path.exists() else None

    return DeskReviewer(desk.person, await asyncio.to_thread(read))
