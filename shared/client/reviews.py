"""Review a run: see what is for review, decide, and sign. Each decision is signed by the person's own key."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import msgspec

from shared.bus.ports import Asks
from shared.client.person_keys import PersonKey
from shared.contracts.sessions.reviewing import (
    DecidedTarget,
    DecideReview,
    DecisionFiled,
    DecisionRefused,
    Draw,
    DrawWish,
    LoadReview,
    ReviewAct,
    ReviewDecision,
    ReviewItem,
    ReviewLoaded,
    ReviewUnknown,
    ShownWhere,
    SignedDecision,
)
from shared.errors import PermanentError
from shared.evidence_format.review.decisions import decision_bytes, decision_hash, reading_bytes
from shared.subjects import DECIDE_REVIEW, LOAD_REVIEW

REVIEW_BOUND_S = 120.0
CLOSED_POLL_S = 0.2
MOST_TARGETS = 1000
"""In one decision: a default server allows messages of 1 MB."""


class ReviewRefusedError(PermanentError):
    """Nothing was filed; ``refused`` has all that is wrong."""

    code = "review_refused"

    def __init__(self, refused: DecisionRefused) -> None:
        super().__init__("\n".join(f"{problem.where}: {problem.message}" for problem in refused.problems))
        self.refused = refused


async def load_review(asks: Asks, request: LoadReview) -> ReviewLoaded:
    """Return how a review stands; no decision of an open round to a request without a signature.

    Raises:
        PermanentError: there is no finished run of that name (``no_run``).
    """
    reply = await asks.ask(LOAD_REVIEW, request, timeout_s=REVIEW_BOUND_S)
    if isinstance(reply, ReviewUnknown):
        raise PermanentError(reply.message, code="no_run")
    return reply


class Reviewer:
    """Somebody who reviews a run.

    Args:
        asks: the bus, such as ``client.bus``.
        run_id: of the run.
        by: the name of the person.
        key: signs what the person decides.

    Example:
        ann = Reviewer(client.bus, run_id, "ann", load_person_key("ann", settings))
        for item in await ann.items():
            await ann.decide("accept", [item])
        await ann.decide("sign")
    """

    def __init__(self, asks: Asks, run_id: str, by: str, key: PersonKey) -> None:
        self._asks, self.run_id, self.by, self._key = asks, run_id, by, key
        self._next: tuple[int, int, str] | None = None
        """Round, number and previous hash of the next decision, as the last one has left them."""

    async def load(
        self,
        sample_id: str = "",
        *,
        skip: int = 0,
        drawn: bool = False,
        parts: bool = False,
        wish: DrawWish | None = None,
        sample_ids: Sequence[str] = (),
        decided: bool = False,
    ) -> ReviewLoaded:
        """Return how the review stands, with a page of what is for review.

        Args:
            sample_id: all of one sample, also what need not be decided.
            sample_ids: what of these samples is for review or has decisions.
            skip: items of earlier pages.
            drawn: only what was drawn.
            parts: each sample with its values that are not certain.
            decided: only what has decisions, also what need not be decided.
            wish: what is to be drawn; the answer has it as ``wished``, and `decide` signs it.

        Returns:
            The state and the items, with the decisions that this person may see.

        Raises:
            PermanentError: there is no finished run of that name (``no_run``).
        """
        request = LoadReview(
            run_id=self.run_id,
            sample_id=sample_id,
            drawn=drawn,
            parts=parts,
            skip=skip,
            wish=wish,
            sample_ids=tuple(sample_ids),
            decided=decided,
            by=self.by,
            at=datetime.now(UTC),
            public_key=self._key.public.pem,
        )
        signed = msgspec.structs.replace(request, signature=self._key.sign(reading_bytes(request)))
        return await load_review(self._asks, signed)

    async def items(self, sample_id: str = "", *, drawn: bool = False) -> list[ReviewItem]:
        """Return all that is for review, or all of one sample.

        Args:
            sample_id: as in `load`.
            drawn: as in `load`.

        Returns:
            The items of all pages.
        """
        items: list[ReviewItem] = []
        while True:
            page = await self.load(sample_id, skip=len(items), drawn=drawn)
            items += page.items
            if not page.items or len(items) >= page.total:
                return items

    async def decide(
        self,
        act: ReviewAct,
        items: Sequence[ReviewItem] = (),
        *,
        reason: str = "",
        value: str = "",
        where: ShownWhere | None = None,
        draw: Draw | None = None,
    ) -> list[DecisionFiled]:
        """Decide on items, in one signed decision for each thousand. Waits until a run that is signed off is sealed.

        Args:
            act: what is decided.
            items: what it is about, as it was looked at; none for ``sign``, ``reopen`` and ``draw``.
            reason: why; needed unless something is accepted or signed.
            value: the right value, with ``correct``.
            where: the stored page or file that shows it.
            draw: what was drawn.

        Returns:
            The receipts.

        Raises:
            ReviewRefusedError: with all that is wrong; nothing was filed of this decision.
        """
        receipts: list[DecisionFiled] = []
        for start in range(0, max(len(items), 1), MOST_TARGETS):
            targets = tuple(_targets(items[start : start + MOST_TARGETS]))
            decision = ReviewDecision(
                run_id=self.run_id,
                round=0,
                by=self.by,
                number=0,
                previous_sha256="",
                act=act,
                targets=targets,
                reason=reason.strip(),
                value=value.strip(),
                where=where,
                draw=draw,
                at=datetime.now(UTC),
            )
            receipts.append(await self._send_next(decision))
        return receipts

    async def _send_next(self, decision: ReviewDecision) -> DecisionFiled:
        """Send a decision as the next one. Where somebody else has begun another round, or this person has decided
        elsewhere meanwhile, how the review stands is asked again."""
        known = self._next
        try:
            return await self._send(await self._placed(decision))
        except ReviewRefusedError as exc:
            self._next = None
            if known is None or exc.refused.code not in ("out_of_order", "number_taken", "other_round"):
                raise
        return await self._send(await self._placed(decision))

    async def _placed(self, decision: ReviewDecision) -> ReviewDecision:
        if self._next is None:
            stands = await self.load()
            self._next = stands.round, stands.next_number, stands.previous_sha256
        round_, number, previous = self._next
        return msgspec.structs.replace(decision, round=round_, number=number, previous_sha256=previous)

    async def _send(self, decision: ReviewDecision) -> DecisionFiled:
        signature = self._key.sign(decision_bytes(decision))
        signed = SignedDecision(decision=decision, signature=signature, public_key=self._key.public.pem)
        while True:
            request = DecideReview(run_id=self.run_id, signed=signed)
            reply = await self._asks.ask(DECIDE_REVIEW, request, timeout_s=REVIEW_BOUND_S)
            if isinstance(reply, DecisionRefused):
                raise ReviewRefusedError(reply)
            ended = decision.act in ("sign", "reopen")
            self._next = None if ended else (decision.round, decision.number + 1, decision_hash(decision))
            if decision.act != "sign" or reply.state != "signed_off" or reply.sealed:
                return reply
            await asyncio.sleep(CLOSED_POLL_S)


def _targets(items: Iterable[ReviewItem]) -> Iterable[DecidedTarget]:
    return (DecidedTarget(target=one.target, looked_at=one.looked_at) for one in items)
