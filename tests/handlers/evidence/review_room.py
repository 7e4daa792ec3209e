"""A finished run on a desk, and people who review it: each decision is asked of the handler and filed."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import msgspec

from services.evidence.handlers import decide_review, load_review
from shared.contracts.sessions.reviewing import (
    DecidedTarget,
    DecideReview,
    DecisionFiled,
    DecisionRefused,
    LoadReview,
    ReviewDecision,
    ReviewItem,
    ReviewLoaded,
    ReviewSignedOff,
    SignedDecision,
)
from shared.contracts.steps import FieldValue
from shared.evidence_format.review.decisions import reading_bytes
from tests.handlers.evidence.evidence_desk import NOW, Desk, closed, ended, found, sample, started, took
from tests.typed import expect
from tests.unit.shared.reviewing.review_people import Signatory

DOUBTFUL: dict[str, Any] = {"status": "needs_review", "reason": "missing_fields"}


def reviewing(*people: Signatory, reviewers: int = 1) -> dict[str, Any]:
    """Return the key ``review`` of a task."""
    named = [{"name": one.name, "role": one.role, "key": one.key} for one in people]
    return {"reviewers": reviewers, "people": named}


async def for_review(desk: Desk, review: dict[str, Any] | None = None) -> None:
    """File a run of two samples: A-1 with a picture, for review; A-2 done."""
    spec = {"output_schema": {"number": "string", "owner": "string | null"}, **({"review": review} if review else {})}
    await desk.tell(started(spec=spec, requested_by="dan"))
    one, other = sample("A-1"), sample("A-2", row=2)
    await desk.tell(found(one), found(other), closed(2))
    picture = await desk.capture(one)
    await desk.tell(took(one, picture), ended(one, picture, **DOUBTFUL), ended(other))


async def with_open_values(desk: Desk, **record: Any) -> None:
    """File a run of A-1 and A-2, of which nobody knows the owner, and A-3, which is done."""
    await desk.tell(started(**record))
    samples = [sample(f"A-{n}", row=n) for n in (1, 2, 3)]
    await desk.tell(*map(found, samples), closed(3))
    known = FieldValue(field="number", state="value", value="7")
    values = known, FieldValue(field="owner", state="not_found")
    for one in samples[:2]:
        step, end = took(one), ended(one, **DOUBTFUL)
        await desk.tell(msgspec.structs.replace(step, values=values), msgspec.structs.replace(end, values=values))
    await desk.tell(ended(samples[2]))


class ReviewRoom:
    """What people do to `run_1` of a desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    async def load(self, who: Signatory | None = None, **more: Any) -> ReviewLoaded:
        by = who.name if who is not None else ""
        return expect(await load_review(LoadReview(run_id="run_1", by=by, **more), self.desk.deps), ReviewLoaded)

    async def load_as(self, who: Signatory, signer: Signatory | None) -> ReviewLoaded:
        """Ask as a person, with the signature of that person or of another; None: with none."""
        request = LoadReview(run_id="run_1", by=who.name, at=NOW)
        if signer is not None:
            signature = base64.b64encode(signer.private.sign(reading_bytes(request))).decode()
            request = msgspec.structs.replace(request, public_key=signer.public.pem, signature=signature)
        return expect(await load_review(request, self.desk.deps), ReviewLoaded)

    async def items(self, sample_id: str = "A-1") -> Sequence[ReviewItem]:
        return (await self.load(sample_id=sample_id)).items

    async def said(self, who: Signatory, act: Any, *about: ReviewItem, **more: Any) -> ReviewDecision:
        """Return the next decision of a person; by default on all that is for review, with a reason."""
        stands = await self.load(who)
        aimed = about or (() if act in ("sign", "reopen", "draw") else stands.items)
        given: dict[str, Any] = {
            "run_id": "run_1",
            "round": stands.round,
            "by": who.name,
            "number": stands.next_number,
            "previous_sha256": stands.previous_sha256,
            "act": act,
            "targets": tuple(DecidedTarget(target=one.target, looked_at=one.looked_at) for one in aimed),
            "reason": "as the page says",
            "at": NOW,
        }
        return ReviewDecision(**{**given, **more})

    async def send(self, signed: SignedDecision) -> DecisionFiled | DecisionRefused:
        return await decide_review(DecideReview(run_id="run_1", signed=signed), self.desk.deps)

    async def code(self, who: Signatory, act: Any, *about: ReviewItem, **more: Any) -> str:
        """Return why the next decision of a person is refused; empty if it is filed."""
        replied = await self.send(who.sign(await self.said(who, act, *about, **more)))
        return replied.code if isinstance(replied, DecisionRefused) else ""

    async def close(self) -> Any:
        """Handle what was published of the sign-off."""
        return await self.desk.tell(self.desk.bus.events(ReviewSignedOff)[-1])
