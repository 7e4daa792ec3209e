"""The reviews of runs, read from their files and kept in memory; and the evidence that decisions are about."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable
from contextlib import suppress

from services.evidence.ports import READ_LIMIT, Store
from services.evidence.run_lock.change_locks import ChangeLocks
from services.evidence.state.run_state import RunState
from shared.aio import map_concurrently
from shared.contracts.sessions.reviewing import Draw, LookedAt, ReviewTarget
from shared.errors import PermanentError
from shared.evidence_format import chain, layout
from shared.evidence_format.files.reconciliation import ReconciledRecord, parse_reconciliation
from shared.evidence_format.files.review import ReviewFile, parse_review
from shared.evidence_format.review.items import (
    DecidableItem,
    ReviewedSample,
    difference_item,
    population_item,
    unreadable_item,
)
from shared.evidence_format.review.policy import ReviewPolicy
from shared.evidence_format.review.review_log import ReviewLog, TargetKey, target_key
from shared.evidence_format.review.reviewed import RunReview, log_of, run_review
from shared.evidence_format.review.sampling import drawn_ids
from shared.evidence_format.signing import fingerprint_of
from shared.evidence_format.sources.source import Finding
from shared.evidence_format.verify.verify_review import find_problem
from shared.statuses import group_of

MOST_KEPT = 8
"""Reviews in memory at a time."""


class ReviewLogs:
    """A review is read again where its files are others than this process has written or read."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._logs: dict[str, ReviewLog] = {}
        self._items: dict[str, tuple[bytes, Draw | None, list[DecidableItem]]] = {}
        self.locks = ChangeLocks(store)
        """One of each run is held while a decision is filed."""

    async def log(self, state: RunState) -> ReviewLog:
        """Return the review of a run. Raises PermanentError (``run_unreadable``) if a decision cannot be read."""
        run_id = state.record.run_id
        paths = await self._paths(run_id)
        kept = self._logs.pop(run_id, None)
        if kept is None or len(kept.filed) != len(paths):
            kept = await self._read(state, paths)
        self._logs[run_id] = kept
        while len(self._logs) > MOST_KEPT:
            del self._logs[next(iter(self._logs))]
        return kept

    async def items(self, state: RunState, log: ReviewLog) -> list[DecidableItem]:
        """As `items_to_decide`, from memory while the seal of the run is the same: for showing them, not to decide
        by."""
        run_id = state.record.run_id
        seal = await self._store.read(layout.run_key(run_id, layout.SEAL)) or b""
        kept = self._items.get(run_id)
        if kept is None or not seal or kept[:2] != (seal, log.draw):
            kept = (seal, log.draw, await items_to_decide(self._store, state, log))
            self._items = {run_id: kept}
        return kept[2]

    async def _paths(self, run_id: str) -> list[str]:
        below = layout.run_key(run_id, layout.REVIEWS)
        rounds = sorted(int(name) for name in await self._store.names(below) if name.isdecimal())
        return [
            f"{below}/{round_}/{name}" for round_ in rounds for name in await self._store.names(f"{below}/{round_}")
        ]

    async def _read(self, state: RunState, paths: list[str]) -> ReviewLog:
        log = ReviewLog(state.record.run_id, ReviewPolicy.of(state.record))

        async def read(path: str) -> tuple[str, ReviewFile]:
            try:
                return path, parse_review(await self._store.read(path) or b"")
            except chain.NOT_JSON as exc:
                message = f"{self._store.location(path)} cannot be read ({exc}): put it back as it was"
                raise PermanentError(message, code="run_unreadable") from exc

        files = await map_concurrently(read, paths, READ_LIMIT)
        problem = await asyncio.to_thread(_add_checked, log, files)
        if problem is not None:
            path = self._store.location(layout.run_key(log.run_id, problem.path))
            message = f"{path} {problem.message}: put the review back as it was filed, `exhibit verify` tells more"
            raise PermanentError(message, code="run_unreadable")
        return log


def _add_checked(log: ReviewLog, files: Iterable[tuple[str, ReviewFile]]) -> Finding | None:
    """Add decisions as they are filed, each checked as `exhibit verify` does: what is sealed with the run is not
    written by whoever can write to its folder. Return the first problem. Blocks."""
    for path, file in sorted(files, key=lambda one: one[1].number):
        problem = find_problem(path.removeprefix(f"{log.run_id}/"), file, log)
        if problem is not None:
            return problem
        log.add(file, fingerprint_of(file.signed.public_key))
    return None


async def read_signed_off(store: Store, state: RunState, log: ReviewLog) -> RunReview | None:
    """Return what the review said when it was last signed off, of the evidence as it is now; None if it never was."""
    if not state.reviewed:
        return None
    files = [file for file in log.filed if file.number <= state.reviewed]
    signed = log_of(log.run_id, log.policy, files, fingerprint_of)
    targets = {target_key(one.target): one.target for file in signed.filed for one in file.signed.decision.targets}
    return run_review(signed, await evidence_of(store, state, targets.values()), fingerprint_of)


# --- the evidence


async def read_sample(store: Store, run_id: str, sample_id: str, *, drawn: bool = False) -> ReviewedSample | None:
    """Return a sample as it is now; None without a result and a manifest that can be read."""
    if not layout.is_safe(sample_id):
        return None
    result = await store.read(layout.sample_key(run_id, sample_id, layout.RESULT))
    manifest = await store.read(layout.sample_key(run_id, sample_id, layout.MANIFEST))
    if result is None or manifest is None:
        return None
    with suppress(*chain.NOT_JSON):
        return ReviewedSample(sample_id, result, manifest, drawn)
    return None


async def evidence_of(store: Store, state: RunState, targets: Iterable[ReviewTarget]) -> dict[TargetKey, LookedAt]:
    """Return what stands for each target now. Page and picture of a value are hashed as they are stored. A target that
    the run does not have is left out."""
    run_id, found = state.record.run_id, dict[TargetKey, LookedAt]()
    wanted = list(targets)
    by_sample: dict[str, list[ReviewTarget]] = {}
    for target in wanted:
        if target.sample_id in state.samples:
            by_sample.setdefault(target.sample_id, []).append(target)

    async def of_sample(pair: tuple[str, list[ReviewTarget]]) -> None:
        sample = await read_sample(store, run_id, pair[0])
        for target in pair[1]:
            item = _item_of(sample, target)
            if item is not None:
                found[target_key(target)] = await _stored_now(store, run_id, target.sample_id, item)

    if len(by_sample) == 1:  # most decisions are about one sample, and a task waits for all other work of the service
        await of_sample(next(iter(by_sample.items())))
    else:
        await map_concurrently(of_sample, list(by_sample.items()), READ_LIMIT)
    if any(target.kind in ("population", "difference") for target in wanted):
        for item in await run_items(store, state):
            found[target_key(item.target)] = item.looked_at
    return found


def _item_of(sample: ReviewedSample | None, target: ReviewTarget) -> DecidableItem | None:
    if sample is not None:
        return sample.bare(target)
    return unreadable_item(target.sample_id) if target.kind == "sample" else None


async def _stored_now(store: Store, run_id: str, sample_id: str, item: DecidableItem) -> LookedAt:
    folder, hashes = layout.sample_key(run_id, sample_id), dict[str, str]()
    for kind, name in (("page", item.page), ("picture", item.picture)):
        if name:
            hashes[kind] = hashlib.sha256(await store.read(f"{folder}/{name}") or b"").hexdigest()
    seen = item.looked_at
    return LookedAt(
        content_sha256=seen.content_sha256,
        page_sha256=hashes.get("page", seen.page_sha256),
        picture_sha256=hashes.get("picture", seen.picture_sha256),
    )


async def run_items(store: Store, state: RunState) -> list[DecidableItem]:
    """Return the population and the differences to the register, where there is one."""
    run_id = state.record.run_id
    name = layout.DISCOVERED if state.discovers else layout.SAMPLES
    listed = await store.read(layout.run_key(run_id, name)) or b""
    items = [population_item(listed, complete=state.population_complete, note=state.population_note)]
    compared = await store.read(layout.run_key(run_id, layout.RECONCILED))
    if compared is not None:
        records: Iterable[ReconciledRecord] = ()
        with suppress(*chain.NOT_JSON):
            records = list(parse_reconciliation(compared.splitlines(keepends=True))[1])
        items += [item for one in records if (item := difference_item(one)) is not None]
    return items


async def items_to_decide(store: Store, state: RunState, log: ReviewLog) -> list[DecidableItem]:
    """Return all that must be decided before a review is signed: samples for review and drawn ones, a population that
    is not complete, and differences to the register."""
    drawn = drawn_ids(log.draw) if log.draw is not None else frozenset[str]()
    ids = [
        one.sample_id for one in state.in_row_order if one.sample_id in drawn or _is_for_review(state, one.sample_id)
    ]

    async def read(sample_id: str) -> DecidableItem:
        sample = await read_sample(store, state.record.run_id, sample_id, drawn=sample_id in drawn)
        return sample.item if sample is not None else unreadable_item(sample_id)

    items = await map_concurrently(read, ids, READ_LIMIT)
    return [*items, *(item for item in await run_items(store, state) if item.why)]


def _is_for_review(state: RunState, sample_id: str) -> bool:
    end = state.ends.get(sample_id)
    return end is not None and (end.flagged or group_of(end.status) != "done")
