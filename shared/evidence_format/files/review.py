"""reviews/ROUND/NUMBER.json: a decision of a person, as it is filed. docs/adr/0039 describes the format.

Each file is sealed by itself, by the key that seals the run, and chained to the one before it, over all rounds.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from shared.contracts.base import Part
from shared.contracts.sessions.reviewing import SignedDecision
from shared.evidence_format import chain
from shared.evidence_format.files.manifest import Seal


class ReviewFile(Part, frozen=True, kw_only=True):
    """``number``: of all decisions of the run, from 1. ``manifest_sha256``: of the run's manifest that was sealed when
    the decision was filed. ``previous_sha256``: the ``manifest_sha256`` of the seal before, see `chain_start`.
    ``seal``: over the canonical JSON of all other keys; None while it is not sealed yet."""

    version: int = 1
    run_id: str
    round: int
    number: int
    manifest_sha256: str
    previous_sha256: str
    filed_at: datetime
    signed: SignedDecision
    seal: Seal | None = None

    @property
    def sha256(self) -> str:
        """The hash that the next one is chained to."""
        return chain.sha256(sealed_bytes(self))


def chain_start(run_id: str) -> str:
    """Return what the first decision of a run is chained to."""
    return chain.start_hash(review_of=run_id)


def sealed_bytes(file: ReviewFile) -> bytes:
    """Return the bytes that the seal of a decision signs."""
    return chain.canonical_json(msgspec.structs.replace(file, seal=None))


def parse_review(data: bytes) -> ReviewFile:
    """Return a filed decision. Raises one of `chain.NOT_JSON`."""
    return msgspec.json.decode(data, type=ReviewFile)
