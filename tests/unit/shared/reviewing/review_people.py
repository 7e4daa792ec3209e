"""People who review a run, each with a key, and the review that they decide in: pure, without a service."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.contracts.sessions.reviewing import (
    DecidedTarget,
    LookedAt,
    ReviewDecision,
    ReviewTarget,
    SignedDecision,
)
from shared.evidence_format.files.review import ReviewFile
from shared.evidence_format.review.decisions import decision_bytes
from shared.evidence_format.review.items import DecidableItem
from shared.evidence_format.review.policy import ReviewPerson, ReviewPolicy
from shared.evidence_format.review.review_log import ReviewLog, ReviewRefusal
from shared.evidence_format.signing import PublicKey

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)


class Signatory:
    """Somebody with a key of his own."""

    def __init__(self, name: str, role: Any = "reviewer") -> None:
        self.name, self.role = name, role
        self.private = Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32, b".")[:32])
        self.public = PublicKey(self.private.public_key())

    @property
    def key(self) -> str:
        return self.public.fingerprint

    def sign(self, decision: ReviewDecision) -> SignedDecision:
        signature = base64.b64encode(self.private.sign(decision_bytes(decision))).decode()
        return SignedDecision(decision=decision, signature=signature, public_key=self.public.pem)


ANN, BEN, EVA = Signatory("ann"), Signatory("ben"), Signatory("eva")
CLEO, DAN = Signatory("cleo", "approver"), Signatory("dan", "preparer")


def policy(*people: Signatory, reviewers: int = 1) -> ReviewPolicy:
    named = tuple(ReviewPerson(one.name, one.role, one.key) for one in people)
    return ReviewPolicy(reviewers, named, "dan")


def item(sample_id: str = "A-1", content: str = "c1", why: str = "needs_review") -> DecidableItem:
    target = ReviewTarget(kind="sample", sample_id=sample_id)
    return DecidableItem(target=target, looked_at=LookedAt(content_sha256=content), why=why)


class Review:
    """A review of items whose evidence can change; decisions are filed as they are taken."""

    def __init__(self, policy: ReviewPolicy, *items: DecidableItem) -> None:
        self.log = ReviewLog("run_1", policy)
        self.items: Sequence[DecidableItem] = items or (item(),)

    def said(self, who: Signatory, act: Any, *about: DecidableItem, **more: Any) -> ReviewDecision:
        """Return the next decision of a person, by default on the first item, with a reason."""
        number, previous = self.log.next_of(who.name)
        aimed = about or (() if act in ("sign", "reopen", "draw") else self.items[:1])
        given: dict[str, Any] = {
            "run_id": "run_1",
            "round": self.log.round,
            "by": who.name,
            "number": number,
            "previous_sha256": previous,
            "act": act,
            "targets": tuple(DecidedTarget(target=one.target, looked_at=one.looked_at) for one in aimed),
            "reason": "as the page says",
            "at": NOW,
        }
        return ReviewDecision(**{**given, **more})

    def refusal(self, decision: ReviewDecision, key: str) -> ReviewRefusal | None:
        now = {one.target: one.looked_at for whole in self.items for one in (whole, *whole.parts)}
        return self.log.find_refusal(decision, key, now.get, lambda: self.items)

    def code(self, who: Signatory, act: Any, *about: DecidableItem, **more: Any) -> str:
        """Return why the next decision of a person is refused; empty if it is filed."""
        return self.take(who, self.said(who, act, *about, **more))

    def take(self, who: Signatory, decision: ReviewDecision) -> str:
        refused = self.refusal(decision, who.key)
        if refused is not None:
            return refused.code
        file = ReviewFile(
            run_id="run_1",
            round=decision.round,
            number=len(self.log.filed) + 1,
            manifest_sha256="m",
            previous_sha256=self.log.head,
            filed_at=NOW,
            signed=who.sign(decision),
        )
        self.log.add(file, who.key)
        return ""
