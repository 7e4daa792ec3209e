"""Add the items of listed pages to the population: each once, even when an event is delivered twice, and none lost.

One record per sample says that it is known and which step found it. It is written before the sample is published, so a
redelivered event recognises its own samples after a crash, and publishes them again.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from services.discovery.deps import PUBLISH_LIMIT, DiscoveryDeps
from services.discovery.found_items import (
    FoundItem,
    SearchProgress,
    candidate_samples,
    is_same_item,
    item_key_template,
)
from shared.aio import map_concurrently
from shared.contracts.discovery import PopulationClosed, RunRecord, Sample, SampleFound
from shared.contracts.planner import SampleFinished, SamplesListed, WorkSample
from shared.contracts.steps import note_text
from shared.errors import PermanentError
from shared.hosts import host_of
from shared.streams import FOUND, INBOX, RUNS, SAMPLES
from shared.subjects import SAMPLE_FOUND, WORK_SAMPLE, work_id
from shared.submission.search import is_list_only
from shared.task.spec import PLACEHOLDER, TaskSpec, check_spec

log = logging.getLogger(__name__)


async def open_search(run_id: str, attempt_base: int, known: Sequence[Sample], deps: DiscoveryDeps) -> None:
    """Start accepting listed items; a search of this round that is open stays as it is. ``known`` are the samples of
    earlier rounds."""
    progress: SearchProgress | None = await deps.records.read(FOUND, run_id, SearchProgress)
    if progress is not None and progress.attempt_base == attempt_base:
        return
    now = deps.now()
    await map_concurrently(
        lambda sample: deps.records.create(FOUND, _record_key(run_id, sample), FoundItem(sample=sample, found_at=now)),
        known,
        PUBLISH_LIMIT,
    )
    found = max((sample.row for sample in known), default=0)
    await _save_progress(run_id, SearchProgress(found=found, attempt_base=attempt_base), deps)


async def add_listed_samples(message: SamplesListed, deps: DiscoveryDeps) -> None:
    """Publish and queue a sample for each new item of the page. Idempotent."""
    progress: SearchProgress | None = await deps.records.read(FOUND, message.run_id, SearchProgress)
    if progress is None or progress.closed or message.attempt <= progress.attempt_base:
        log.info("%s: what step %d of attempt %d listed is of no round", message.run_id, message.step, message.attempt)
        return
    record = await _load_record(message.run_id, deps)
    items, added = await _record_items(message, record, progress, deps)
    await map_concurrently(lambda item: _publish_found(message.run_id, item[0], deps), items, PUBLISH_LIMIT)
    if not is_list_only(record.spec):
        await map_concurrently(
            lambda item: _publish_work(message.run_id, item[0].sample, item[1], progress, deps), items, PUBLISH_LIMIT
        )
    await _save_progress(message.run_id, added, deps)


async def close_search(message: SampleFinished, deps: DiscoveryDeps) -> PopulationClosed | None:
    """Close the search. Return the size of the population and whether it is complete; None for an earlier round."""
    progress: SearchProgress | None = await deps.records.read(FOUND, message.run_id, SearchProgress)
    if progress is None or message.attempt <= progress.attempt_base:
        return None
    await _save_progress(message.run_id, msgspec.structs.replace(progress, closed=True), deps)
    done = message.status == "done"
    lost = _lost_note(message, progress) if done else ""
    return PopulationClosed(
        run_id=message.run_id,
        samples=progress.found,
        attempt_base=progress.attempt_base,
        complete=done and not lost,
        reason="uncertain_list" if lost else "" if done else message.reason,
        counted=message.counted,
        note=lost or _note(message, progress.found),
    )


def _lost_note(message: SampleFinished, progress: SearchProgress) -> str:
    """Return why not every item of the list is a sample; empty if each is."""
    if message.listed_pages > len(progress.taken):
        missing = message.listed_pages - len(progress.taken)
        return f"the items of {missing} of {message.listed_pages} pages of the list were not added: list it again"
    if progress.unnamed:
        return (
            f"nothing names {progress.unnamed} of the items that the list shows: say in `sample_id`, `list.columns` or"
            " `pattern` what an item has"
        )
    return _folded_note(progress) if progress.shared_name and message.counted != progress.found else ""


def _folded_note(progress: SearchProgress) -> str:
    return (
        f"different items of the list became one sample, such as {progress.shared_name}, since they have one name or"
        " one address: say in `sample_id` what tells them apart, or in `list.link` which link of an item is its own"
    )


def _note(message: SampleFinished, found: int) -> str:
    if message.status != "done":
        code = f"{message.status}, {message.reason}" if message.reason else message.status
        return f"the list was not proven to be complete ({code}): {message.message}"
    empty = () if found else ("the list is empty: no page showed an item",)
    return "; ".join((*empty, *map(note_text, message.notes)))


async def _record_items(
    message: SamplesListed, record: RunRecord, progress: SearchProgress, deps: DiscoveryDeps
) -> tuple[list[tuple[FoundItem, bool]], SearchProgress]:
    """Record the items of this step. Return those it found, with whether they existed before, and the new progress."""
    spec, home = _load_spec(record), host_of(_start_url(record))
    found_here: list[tuple[FoundItem, bool]] = []
    found, shared_name, unnamed = progress.found, progress.shared_name, 0
    addresses = (*message.addresses, *("" for _ in message.items))
    for item, address in zip(message.items, addresses, strict=False):
        named = item_key_template(spec, record.discovery_row, frozenset(item)) is not None
        samples = candidate_samples(spec, record.discovery_row, item, found + 1, home, address)
        recorded = await _record_item(message, item, samples, named, deps)
        if recorded is None:
            unnamed += 1
            log.warning("run %s: no name is left for the item %r", message.run_id, item)
            continue
        item_record, existing = recorded
        if existing is not None and existing.attempt == message.attempt and existing.item != item:
            shared_name = shared_name or existing.sample.sample_id
        if existing is None:
            found_here.append((item_record, False))
            found += 1
        elif (existing.attempt, existing.step) == (message.attempt, message.step):
            found_here.append((existing, True))
            found = max(found, existing.sample.row)
    step = (message.attempt, message.step)
    unnamed = progress.unnamed if step in progress.taken else progress.unnamed + unnamed
    return found_here, msgspec.structs.replace(
        progress, found=found, shared_name=shared_name, unnamed=unnamed, taken=progress.taken | {step}
    )


async def _record_item(
    message: SamplesListed, item: dict[str, Any], samples: Sequence[Sample], named: bool, deps: DiscoveryDeps
) -> tuple[FoundItem, FoundItem | None] | None:
    """Record the item under the first name that no other item has. Return the record, and the existing one if any;
    None if no name is left."""
    for sample in samples:
        item_record = _to_found_item(message, sample, item, deps)
        existing = await _create_or_read(item_record, message.run_id, deps)
        if existing is None or is_same_item(existing.sample, sample, named=named):
            return item_record, existing
    return None


def _to_found_item(message: SamplesListed, sample: Sample, item: dict[str, Any], deps: DiscoveryDeps) -> FoundItem:
    return FoundItem(
        sample=sample,
        found_at=deps.now(),
        found_on=message.url,
        item=item,
        attempt=message.attempt,
        step=message.step,
    )


async def _create_or_read(item_record: FoundItem, run_id: str, deps: DiscoveryDeps) -> FoundItem | None:
    """Create the record. Return None, or the record that exists under its key already."""
    if await deps.records.create(FOUND, _record_key(run_id, item_record.sample), item_record):
        return None
    existing: FoundItem | None = await deps.records.read(FOUND, _record_key(run_id, item_record.sample), FoundItem)
    return existing


async def _publish_found(run_id: str, found: FoundItem, deps: DiscoveryDeps) -> None:
    event = SampleFound(
        run_id=run_id, sample_id=found.sample.sample_id, sample=found.sample, found_at=found.found_at,
        found_on=found.found_on, item=found.item,
    )  # fmt: skip
    await deps.publishes.publish(SAMPLE_FOUND, event)


async def _publish_work(
    run_id: str, sample: Sample, again: bool, progress: SearchProgress, deps: DiscoveryDeps
) -> None:
    work = WorkSample(run_id=run_id, sample_id=sample.sample_id, sample=sample, attempt_base=progress.attempt_base)
    await publish_work(work, deps, again=again)


async def publish_work(work: WorkSample, deps: DiscoveryDeps, *, again: bool) -> None:
    """Queue the work. ``again``: unless it was before."""
    if again and await _is_published(work, deps):
        return
    await deps.publishes.publish(WORK_SAMPLE, work)


async def _is_published(work: WorkSample, deps: DiscoveryDeps) -> bool:
    """Return whether the work was published before: it is queued, or it is done.

    Check in this order, because work moves from the queue to the inbox. The deduplication window of the stream is too
    short for this.
    """
    if await deps.queues.is_queued(SAMPLES, WORK_SAMPLE, work):
        return True
    identity = work_id(work.run_id, work.sample, work.attempt_base)
    return await deps.records.read(INBOX, identity, bool) is not None


async def _save_progress(run_id: str, progress: SearchProgress, deps: DiscoveryDeps) -> None:
    """Overwrite the progress: events are handled one at a time, so the last one is the newest."""
    await deps.records.modify(FOUND, run_id, SearchProgress, lambda _: progress)


async def _load_record(run_id: str, deps: DiscoveryDeps) -> RunRecord:
    record: RunRecord | None = await deps.records.read(RUNS, run_id, RunRecord)
    if record is None:
        raise PermanentError(f"there is no record of run {run_id!r}", code="unknown_run")
    return record


def _load_spec(record: RunRecord) -> TaskSpec:
    spec, problems = check_spec(record.spec)
    if spec is None:
        listed = "; ".join(f"{problem.where}: {problem.message}" for problem in problems)
        raise PermanentError(f"the task spec of run {record.run_id!r} is not valid: {listed}", code="invalid_spec")
    return spec


def _start_url(record: RunRecord) -> str:
    """Return the first address of the discovery, with the placeholders that the row fills."""
    template = str((record.discovery_spec or {}).get("start_url", "{url}"))
    return PLACEHOLDER.sub(lambda match: record.discovery_row.get(match[1], ""), template)


def _record_key(run_id: str, sample: Sample) -> str:
    """Return the key in lower case, so that ids that differ in case only collide: see `safe_id`."""
    return f"{run_id}.{sample.sample_id.lower()}"
