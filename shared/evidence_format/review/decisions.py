"""What a person signs of a decision, and the chain of the decisions of one person."""

from __future__ import annotations

from datetime import datetime

from shared.contracts.sessions.reviewing import LoadReview, ReviewDecision
from shared.evidence_format import chain

_DECISION, _READING = b"exhibit review decision, 1\n", b"exhibit review reading, 1\n"
"""What is signed begins with what it is, so that no signature counts as one of something else."""


def person_start(run_id: str, by: str) -> str:
    """Return what the first decision of a person in a run follows from."""
    return chain.start_hash(decisions_of=by, run_id=run_id)


def decision_bytes(decision: ReviewDecision) -> bytes:
    """Return the bytes that the person signs."""
    return _DECISION + chain.canonical_json(decision)


def entries_text(number: int) -> str:
    """Return so many entries of a review in words: decisions, draws and signatures, each signed by its person."""
    return f"{number} signed {'entry' if number == 1 else 'entries'}"


def decision_hash(decision: ReviewDecision) -> str:
    """Return the hash that the next decision of the same person follows from."""
    return chain.sha256(decision_bytes(decision))


def reading_bytes(request: LoadReview) -> bytes:
    """Return the bytes by which a person proves to be the one who asks."""
    return _READING + reading_claim(request.run_id, request.by, request.at)


def reading_claim(run_id: str, by: str, at: datetime | None) -> bytes:
    """Return who asks for the review of which run, and when."""
    return chain.canonical_json({"run_id": run_id, "by": by, "at": at})
