"""Answers how the review of a run stands, and shows each person the decisions that the person may see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.ports import READ_LIMIT
from services.evidence.reviews.drawing import drawables
from services.evidence.reviews.review_logs import read_sample, run_items
from services.evidence.state.run_state import RunState
from shared.aio import map_concurrently
from shared.contracts.sessions.reviewing import (
    MOST_TOLD_CHARS,
    MOST_TOLD_SAMPLES,
    Agreement,
    Draw,
    DrawWish,
    LoadReview,
    ReviewItem,
    ReviewLoaded,
    ReviewReply,
    ReviewUnknown,
    ShownDecision,
    ShownWhere,
)
from shared.evidence_format import layout
from shared.evidence_format.review.decisions import reading_bytes
from shared.evidence_format.review.items import DecidableItem
from shared.evidence_format.review.review_log import ReviewLog, StandingDecision, target_key
from shared.evidence_format.review.reviewed import decided_samples
from shared.evidence_format.review.sampling import Rates, agreement, draw, drawn_ids, drawn_size_for
from shared.evidence_format.signing import PublicKey, fingerprint_of

PAGE_ITEMS = 200
MOST_PAGE_BYTES = 400_000
"""Of the items of a page, which ends before it: a message has a limit. One item is always sent."""
VALID_FOR = timedelta(minutes=15)
"""How far the time in a signed request may be from the service's own: a request that was overheard is soon worth
nothing."""


async def load_review_state(deps: EvidenceDeps, request: LoadReview) -> ReviewReply:
    """Return how the review stands, with a page of items."""
    run_id = request.run_id
    state = await deps.ledger.find(run_id)
    if state is None:
        return ReviewUnknown(run_id=run_id, message=layout.no_run(run_id, deps.store.location("")))
    if state.current_summary is None:
        return ReviewUnknown(run_id=run_id, message=f"{run_id} is not finished: review it when it is")
    log = await deps.reviews.log(state)
    asker = request.by if _is_asker(deps, log, request) else ""
    needed = await deps.reviews.items(state, log)
    items = await _wanted(deps, state, log, request, needed)
    number, previous = log.next_of(request.by)
    wished = await _wished(deps, state, request.wish) if request.wish is not None else None
    return ReviewLoaded(
        run_id=run_id,
        round=log.round,
        state=log.state,
        decisions=len(log.filed),
        next_number=number,
        previous_sha256=previous,
        items=_page(log, asker, items[request.skip : request.skip + PAGE_ITEMS], parts=request.parts),
        total=len(items),
        open_items=sum(not _is_done(log, asker, item) for item in needed),
        signatures=tuple(log.signatures.values()),
        missing=log.missing(),
        signed_off_at=log.signed_off_at,
        reopened=log.reopened,
        draw=log.draw,
        agreement=await _agreement(deps, state, log, asker),
        wished=wished if isinstance(wished, Draw) else None,
        problem=wished if isinstance(wished, str) else "",
        files=await _files(deps, state, request.sample_id),
        of_kind=dict(Counter(item.target.kind for item in items)),
    )


def _is_asker(deps: EvidenceDeps, log: ReviewLog, request: LoadReview) -> bool:
    """Whether a request is signed by whom it names, with the key that is known of the person, and just now."""
    key = PublicKey.parse(request.public_key) if request.by and request.at is not None else None
    if key is None or request.at is None or abs(deps.now() - request.at) > VALID_FOR:
        return False
    if not key.is_signed(reading_bytes(request), request.signature):
        return False
    known = log.policy.person(request.by)
    bound = (
        known.key if known is not None else log.people[request.by].key if request.by in log.people else key.fingerprint
    )
    return bound == fingerprint_of(request.public_key)


async def _wanted(
    deps: EvidenceDeps, state: RunState, log: ReviewLog, request: LoadReview, needed: Sequence[DecidableItem]
) -> Sequence[DecidableItem]:
    if request.sample_id:
        sample = await read_sample(deps.store, request.run_id, request.sample_id)
        return sample.items if sample is not None and request.sample_id in state.samples else ()
    if request.sample_ids:
        known = [one for one in request.sample_ids[:MOST_TOLD_SAMPLES] if one in state.samples]
        return await _told_of(deps, log, request.run_id, known)
    if request.decided:
        of_run = [one for one in await run_items(deps.store, state) if log.standing.get(target_key(one.target))]
        ids = set(decided_samples(log))
        known = [one.sample_id for one in state.in_row_order if one.sample_id in ids]
        of_samples = await _told_of(deps, log, request.run_id, known)
        return [*(one for one in of_samples if log.standing.get(target_key(one.target))), *of_run]
    if request.drawn:
        drawn = drawn_ids(log.draw) if log.draw is not None else frozenset[str]()
        return [item for item in needed if item.target.sample_id in drawn]
    return needed


async def _told_of(
    deps: EvidenceDeps, log: ReviewLog, run_id: str, sample_ids: Sequence[str]
) -> Sequence[DecidableItem]:
    """Return what of these samples is for review or has decisions, in their order. What cannot be read is left out."""

    async def told(sample_id: str) -> list[DecidableItem]:
        sample = await read_sample(deps.store, run_id, sample_id)
        return [one for one in sample.items if one.why or _has_decisions(log, one)] if sample is not None else []

    return [one for items in await map_concurrently(told, sample_ids, READ_LIMIT) for one in items]


def _has_decisions(log: ReviewLog, item: DecidableItem) -> bool:
    key = target_key(item.target)
    return bool(log.standing.get(key) or log.comments.get(key))


async def _files(deps: EvidenceDeps, state: RunState, sample_id: str) -> tuple[ShownWhere, ...]:
    sample = await read_sample(deps.store, state.record.run_id, sample_id) if sample_id in state.samples else None
    files = sample.result.artifacts if sample is not None else ()
    return tuple(ShownWhere(file=one.filename, sha256=one.sha256) for one in files)


def _is_done(log: ReviewLog, asker: str, item: DecidableItem) -> bool:
    """Whether an item needs nothing more: of a reviewer, by himself. Who has not proven who he is is not told."""
    if not asker and log.policy.people and log.state != "signed_off":
        return False
    if asker and log.policy.role_of(asker) == "reviewer":
        return log.has_decided(asker, item)
    return log.standing_of(item) == "decided"


def _page(log: ReviewLog, asker: str, items: Sequence[DecidableItem], *, parts: bool) -> tuple[ReviewItem, ...]:
    """Return as many of the items, as they are shown, as fit a message."""
    page: list[ReviewItem] = []
    size = 0
    for item in items:
        shown = _shown(log, asker, item)
        if parts:
            shown = msgspec.structs.replace(shown, parts=tuple(_shown(log, asker, part) for part in item.parts))
        size += len(msgspec.json.encode(shown))
        if page and size > MOST_PAGE_BYTES:
            break
        page.append(shown)
    return tuple(page)


def _shown(log: ReviewLog, asker: str, item: DecidableItem) -> ReviewItem:
    key = target_key(item.target)
    all_ = sorted([*log.standing.get(key, {}).values(), *log.comments.get(key, ())], key=lambda one: one.number)
    seen = [one for one in all_ if log.sees(asker, one.decision.by, item.target, item.looked_at)]
    hidden = len(all_) - len(seen)
    return ReviewItem(
        target=item.target,
        looked_at=item.looked_at,
        why=item.why,
        value=item.value[:MOST_TOLD_CHARS],
        page=item.page,
        picture=item.picture,
        standing=log.standing_for(asker, item),
        decisions=tuple(_shown_decision(one, item) for one in seen),
        hidden=hidden,
        key=item.key[:MOST_TOLD_CHARS],
    )


def _shown_decision(one: StandingDecision, item: DecidableItem) -> ShownDecision:
    said = one.decision
    return ShownDecision(
        number=one.number,
        by=said.by,
        act=said.act,
        reason=said.reason,
        value=said.value,
        where=said.where.file if said.where is not None else "",
        at=said.at,
        stale=one.looked_at != item.looked_at,
    )


# --- what was drawn


async def _wished(deps: EvidenceDeps, state: RunState, wish: DrawWish) -> Draw | str:
    """Return what a wish draws; for people why it draws nothing."""
    rates = Rates(wish.confidence, wish.expected, wish.tolerable)
    problem = rates.problem()
    if problem:
        return problem
    samples = await drawables(deps.store, state, wish.by)
    if isinstance(samples, str):
        return samples
    try:
        return draw(samples, wish.size or drawn_size_for(samples, rates), wish.seed, wish.by, rates)
    except ValueError as exc:
        return str(exc)


async def _agreement(deps: EvidenceDeps, state: RunState, log: ReviewLog, asker: str) -> Agreement | None:
    if log.draw is None:
        return None

    async def agrees(sample_id: str) -> tuple[str, bool | None]:
        sample = await read_sample(deps.store, state.record.run_id, sample_id, drawn=True)
        return sample_id, agrees_with_run(log, asker, sample.items) if sample is not None else None

    return agreement(log.draw, dict(await map_concurrently(agrees, sorted(drawn_ids(log.draw)), 16)))


def agrees_with_run(log: ReviewLog, asker: str, items: Sequence[DecidableItem]) -> bool | None:
    """Return whether people agree with a sample, whose items come with itself first; None while that is not decided, or
    rests on decisions that the asker is not shown: a rate would tell them."""
    if any(
        not log.sees(asker, by, one.target, one.looked_at)
        for one in items
        for by in log.fresh(one.target, one.looked_at)
    ):
        return None
    counts = [log.outcome(item.target, item.looked_at) for item in items]
    if any(one is not None and one.decision.act in ("correct", "reject") for one in counts):
        return False
    return True if counts and counts[0] is not None else None
