"""Reviewing a run: what people decide on what a run has brought. Each decision is signed by the person's own key."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode
from shared.contracts.discovery import Problem

MOST_TOLD_SAMPLES = 200
"""In one request."""
MOST_TOLD_CHARS = 500
"""Of a value and of a key in `ReviewItem`; the rest is cut off."""
ReviewRole = Literal["preparer", "reviewer", "approver"]
ReviewAct = Literal["accept", "correct", "reject", "not_applicable", "withdraw", "comment", "draw", "sign", "reopen"]
"""What a person does. The first four settle what they are about; ``withdraw`` takes back what the same person has
decided of it, so that it is open again, and both stay on record; ``draw`` takes a sample to look at again; ``sign``
says that the person stands for the whole review; ``reopen`` begins another round of a review that is signed off."""
SETTLING_ACTS: frozenset[str] = frozenset({"accept", "correct", "reject", "not_applicable"})
TargetKind = Literal["value", "sample", "judgment", "population", "difference"]
ReviewState = Literal["open", "in_review", "signed_off"]
ItemStanding = Literal["open", "decided", "disagreed", "stale"]
ReviewCode = Literal[
    "no_such_run",
    "run_at_work",
    "not_sealed",
    "other_run",
    "other_round",
    "bad_signature",
    "unknown_person",
    "other_key",
    "own_work",
    "not_allowed",
    "number_taken",
    "out_of_order",
    "no_such_target",
    "stale",
    "not_valid",
    "undecided",
    "disagreed",
    "signed_off",
    "not_signed_off",
    "review_full",
]
"""Why a decision is refused:

- ``no_such_run``, ``run_at_work``, ``not_sealed``: there is no finished and sealed run of that name.
- ``other_run``, ``other_round``: it was signed for another run, or another round of the review.
- ``bad_signature``: the signature is not that of the decision by the key beside it.
- ``unknown_person``: the task names who reviews, and this person is none of them.
- ``other_key``: it is not the key of the person, or it is that of another one.
- ``own_work``: who has prepared the run does not review it.
- ``not_allowed``: the role of the person does not go with the act.
- ``number_taken``: another decision of the person is filed under its number.
- ``out_of_order``: it is not the next decision of the person, or does not follow from the one before it.
- ``no_such_target``: the run has no such sample, field, judgment or difference.
- ``stale``: the evidence is not what the person has looked at.
- ``not_valid``: something of it is missing or does not fit.
- ``undecided``, ``disagreed``: it signs, and something for review is not decided, or not in one way.
- ``signed_off``, ``not_signed_off``: the review is signed off, so that it is to be reopened first; or it is not.
- ``review_full``: the run has as many decisions as the settings allow.
"""


class ReviewTarget(Part, frozen=True, kw_only=True, gc=False):
    """What a decision is about: a value (``sample_id``, ``field``), a sample or its judgment (``sample_id``), the
    population, or a difference to the register (``key``: of the record, as in reconciliation.json)."""

    kind: TargetKind
    sample_id: str = ""
    field: str = ""
    key: str = ""


class LookedAt(Part, frozen=True, kw_only=True, gc=False):
    """The evidence that a person has looked at, by its hashes (SHA-256 in hex); empty: there is none of the kind.

    ``content_sha256``: of a value or judgment, as canonical JSON of result.json; of a sample, its manifest; of the
    population, its file; of a difference, its record. ``page_sha256``, ``picture_sha256``: the stored page and the
    picture that show it.
    """

    content_sha256: str
    page_sha256: str = ""
    picture_sha256: str = ""


class DecidedTarget(Part, frozen=True, kw_only=True, gc=False):
    target: ReviewTarget
    looked_at: LookedAt


class ShownWhere(Part, frozen=True, kw_only=True):
    """Where a corrected value stands: a stored page or another file of the sample, by its name and its hash."""

    file: str
    sha256: str


class DrawnStratum(Part, frozen=True, kw_only=True):
    """A part of the population that samples were drawn of. ``size``: how many it has."""

    name: str
    size: int
    sample_ids: tuple[str, ...]


class Draw(Part, frozen=True, kw_only=True):
    """A sample that was drawn to be looked at again; the same seed draws the same samples of the same population.

    ``method`` names how. ``expected``, ``tolerable``: rates of deviations, and ``confidence``, between 0 and 1.
    """

    method: str
    seed: str
    size: int
    by: tuple[str, ...]
    confidence: float
    expected: float
    tolerable: float
    population: int
    strata: tuple[DrawnStratum, ...]


class ReviewDecision(Part, frozen=True, kw_only=True):
    """What a person signs.

    ``number``: of the decisions of this person in this run, from 1. ``previous_sha256``: the hash of the one before it
    (`shared.evidence_format.review.decisions.decision_hash`), so that the person vouches for their order. ``round``:
    of the review, from 1. ``value``: the right text of a value, as the site shows it, with ``correct``.
    """

    run_id: str
    round: int
    by: str
    number: int
    previous_sha256: str
    act: ReviewAct
    targets: tuple[DecidedTarget, ...] = ()
    reason: str = ""
    value: str = ""
    where: ShownWhere | None = None
    draw: Draw | None = None
    at: datetime


class SignedDecision(Part, frozen=True, kw_only=True):
    """``signature``: base64, Ed25519, over the bytes that are signed of the decision. ``public_key``: PEM."""

    decision: ReviewDecision
    signature: str
    public_key: str


class DecideReview(Message, frozen=True, kw_only=True):
    """Request to file a decision. The same decision again changes nothing, and is answered as the first time."""

    run_id: str
    signed: SignedDecision


class DecisionFiled(Message, frozen=True, kw_only=True):
    """``number`` and ``sha256``: of the decision among all of the run. ``state``: of the review after it.
    ``sealed``: whether the run is sealed with it: True once a review that is signed off is closed."""

    run_id: str
    number: int
    sha256: str
    state: ReviewState
    sealed: bool = False


class DecisionRefused(Message, frozen=True, kw_only=True):
    """Nothing was filed; ``problems`` has all that is wrong."""

    run_id: str
    code: OpenCode[ReviewCode]
    problems: tuple[Problem, ...]


DecideReply = DecisionFiled | DecisionRefused


class DrawWish(Part, frozen=True, kw_only=True):
    """What is to be drawn. ``size`` 0: as many as the rates need. ``by``: what strata are made by: ``decider``,
    ``doubt``,
    ``amount:FIELD``."""

    seed: str
    size: int = 0
    by: tuple[str, ...] = ("decider", "doubt")
    confidence: float = 0.95
    expected: float = 0.0
    tolerable: float = 0.1


class LoadReview(Message, frozen=True, kw_only=True):
    """Request for how the review of a run stands, with a page of what is for review, or all of one sample.

    ``sample_ids``: only what is for review or has decisions of these samples, of the first `MOST_TOLD_SAMPLES` of them.
    ``by``, ``at``, ``public_key`` and ``signature`` prove who asks: a reviewer is shown the decisions of others on
    what he has decided himself. Without them no decision of an open round is shown. ``drawn``: what was drawn only.
    ``decided``: all that has decisions, also what need not be decided, and nothing else.
    ``parts``: with those values of each sample that are not certain and for which it is for review.
    """

    run_id: str
    sample_id: str = ""
    drawn: bool = False
    parts: bool = False
    skip: int = 0
    wish: DrawWish | None = None
    by: str = ""
    at: datetime | None = None
    public_key: str = ""
    signature: str = ""
    sample_ids: tuple[str, ...] = ()
    decided: bool = False


class ShownDecision(Part, frozen=True, kw_only=True):
    """A decision on an item, as it is shown. ``stale``: the evidence is not what it was made on any more."""

    number: int
    by: str
    act: OpenCode[ReviewAct]
    reason: str = ""
    value: str = ""
    where: str = ""
    at: datetime
    stale: bool = False


class ReviewItem(Part, frozen=True, kw_only=True):
    """Something that can be decided. ``why``: why it is for review; empty: it need not be decided. ``value``: what the
    run has. ``page``, ``picture``: names of files of the sample. ``hidden``: decisions of others that are not shown.
    ``parts``: of a sample that is for review because of its values, where they are asked for: those that are not
    certain. Whoever has decided each of them has decided the sample. ``key``: of its sample, as the input has it; empty
    where it is not known."""

    target: ReviewTarget
    looked_at: LookedAt
    why: str = ""
    value: str = ""
    page: str = ""
    picture: str = ""
    standing: ItemStanding = "open"
    decisions: tuple[ShownDecision, ...] = ()
    hidden: int = 0
    parts: tuple[ReviewItem, ...] = ()
    key: str = ""


class ReviewSignature(Part, frozen=True, kw_only=True):
    """``key``: fingerprint of the person's key."""

    by: str
    role: OpenCode[ReviewRole]
    at: datetime
    key: str
    number: int


class Agreement(Part, frozen=True, kw_only=True):
    """How often the people agree with the run in what was drawn. ``rate``, ``low``, ``high``: of agreement, with the
    interval of ``method``; in a draw of several strata each counts by its size. ``decided``: of those drawn; rates are
    of these. ``within``: whether deviations are, with
    that confidence, not more than the tolerable rate; None until all are decided."""

    method: str
    drawn: int
    decided: int
    agreed: int
    rate: float
    low: float
    high: float
    confidence: float
    within: bool | None = None


class ReviewLoaded(Message, frozen=True, kw_only=True):
    """How a review stands.

    ``next_number``, ``previous_sha256``: of the next decision of whoever asks. ``items``: a page; ``total``: of all,
    ``of_kind``: of each kind of target; empty: that is not told.
    ``missing``: who has still to sign, for people. ``agreement``: of what was drawn; None: nothing was.
    ``wished``: what the wish draws, to be signed by whoever asks; ``problem``: why it draws nothing. ``files``: of the
    one sample that was asked for, which a corrected value may stand on.
    """

    run_id: str
    round: int
    state: ReviewState
    decisions: int
    next_number: int
    previous_sha256: str
    items: tuple[ReviewItem, ...]
    total: int
    open_items: int
    signatures: tuple[ReviewSignature, ...]
    missing: tuple[str, ...]
    signed_off_at: datetime | None = None
    reopened: str = ""
    draw: Draw | None = None
    agreement: Agreement | None = None
    wished: Draw | None = None
    problem: str = ""
    files: tuple[ShownWhere, ...] = ()
    of_kind: dict[str, int] = {}


class ReviewUnknown(Message, frozen=True, kw_only=True):
    """There is no finished and sealed run of that name."""

    run_id: str
    message: str


ReviewReply = ReviewLoaded | ReviewUnknown


class ReviewSignedOff(Message, frozen=True, kw_only=True):
    """All who must sign have signed; evidence makes tables and report with the decisions, and seals the run again."""

    run_id: str
    round: int
    number: int
