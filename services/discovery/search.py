"""Taking in what a list shows, page by page: each sample once, whatever is told twice, and none of them lost.

One record a sample says that it is known, and by which step it was found. It is written before the sample is
published, so a step that is told again after a crash knows which samples were its own, and publishes these again.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from services.discovery.deps import PUBLISH_LIMIT, Deps
from services.discovery.planning.search_plan import lists_only
from services.discovery.population.found_items import Find, Listing, find_template, same_item, samples_of_item
from shared.aio import map_concurrently
from shared.contracts.discovery import PopulationClosed, RunRecord, Sample, SampleFound
from shared.contracts.planner import SampleFinished, SamplesListed, WorkSample
from shared.contracts.steps import note_text
from shared.errors import PermanentError
from shared.hosts import host_of
from shared.streams import FOUND, INBOX, RUNS, SAMPLES
from shared.subjects import SAMPLE_FOUND, WORK_SAMPLE, message_id
from shared.task.spec import PLACEHOLDER, TaskSpec, check_spec

log = logging.getLogger(__name__)


async def open_listing(run_id: str, attempt_base: int, known: Sequence[Sample], deps: Deps) -> None:
    """From here on what is listed is taken in; ``known`` are samples of earlier rounds."""
    now = deps.now()
    await map_concurrently(
        lambda sample: deps.records.create(FOUND, _key(run_id, sample), Find(sample=sample, found_at=now)),
        known,
        PUBLISH_LIMIT,
    )
    found = max((sample.row for sample in known), default=0)
    await _put_listing(run_id, Listing(found=found, attempt_base=attempt_base), deps)


async def take_in(message: SamplesListed, deps: Deps) -> None:
    """Makes samples of what was not known, and puts them to work. Told again it changes nothing."""
    listing: Listing | None = await deps.records.read(FOUND, message.run_id, Listing)
    if listing is None or listing.closed or message.attempt <= listing.attempt_base:
        log.info("%s: what step %d of attempt %d listed is of no round", message.run_id, message.step, message.attempt)
        return
    record = await _record(message.run_id, deps)
    finds, found = await _own_finds(message, record, listing.found, deps)
    await map_concurrently(lambda find: _say_found(message.run_id, find, deps), finds, PUBLISH_LIMIT)
    if not lists_only(record.spec):
        await map_concurrently(
            lambda find: _put_to_work(message.run_id, find[0].sample, find[1], listing, deps), finds, PUBLISH_LIMIT
        )
    await _put_listing(message.run_id, msgspec.structs.replace(listing, found=found), deps)


async def closed(message: SampleFinished, deps: Deps) -> PopulationClosed | None:
    """The end of the search: how many samples there are, and whether these are all."""
    listing: Listing | None = await deps.records.read(FOUND, message.run_id, Listing)
    if listing is None or message.attempt <= listing.attempt_base:
        return None
    await _put_listing(message.run_id, msgspec.structs.replace(listing, closed=True), deps)
    return PopulationClosed(
        run_id=message.run_id,
        samples=listing.found,
        attempt_base=listing.attempt_base,
        complete=message.status == "done",
        note=_note(message, listing.found),
    )


def _note(message: SampleFinished, found: int) -> str:
    if message.status != "done":
        code = f"{message.status}, {message.reason}" if message.reason else message.status
        return f"finding the samples was cut short ({code}): {message.message}"
    empty = () if found else ("the list is empty: no page showed an item",)
    return "; ".join((*empty, *map(note_text, message.notes)))


async def _own_finds(
    message: SamplesListed, record: RunRecord, found: int, deps: Deps
) -> tuple[list[tuple[Find, bool]], int]:
    """The finds of this step, each with whether an earlier telling had made it; and how many the run has now."""
    spec, home = _spec_of(record), host_of(_start_of(record))
    own: list[tuple[Find, bool]] = []
    for item in message.items:
        named = find_template(spec, record.discovery_row, frozenset(item)) is not None
        samples = samples_of_item(spec, record.discovery_row, item, found + 1, home)
        find, standing = await _named_find(message, item, samples, named, deps)
        if standing is None:
            own.append((find, False))
            found += 1
        elif (standing.attempt, standing.step) == (message.attempt, message.step):
            own.append((standing, True))
            found = max(found, standing.sample.row)
    return own, found


async def _named_find(
    message: SamplesListed, item: dict[str, Any], samples: Sequence[Sample], named: bool, deps: Deps
) -> tuple[Find, Find | None]:
    """The find under the first name that no other item bears; and as it was known already, where it was."""
    for sample in samples:
        find = _find(message, sample, item, deps)
        standing = await _kept(find, message.run_id, deps)
        if standing is None or same_item(standing.sample, sample, named=named):
            return find, standing
    raise PermanentError(f"no name is left for {item!r}", code="no_name")


def _find(message: SamplesListed, sample: Sample, item: dict[str, Any], deps: Deps) -> Find:
    return Find(
        sample=sample,
        found_at=deps.now(),
        found_on=message.url,
        item=item,
        attempt=message.attempt,
        step=message.step,
    )


async def _kept(find: Find, run_id: str, deps: Deps) -> Find | None:
    """Writes it down; what stands under its name already, where something does."""
    if await deps.records.create(FOUND, _key(run_id, find.sample), find):
        return None
    standing: Find | None = await deps.records.read(FOUND, _key(run_id, find.sample), Find)
    return standing


async def _say_found(run_id: str, find: tuple[Find, bool], deps: Deps) -> None:
    one = find[0]
    event = SampleFound(
        run_id=run_id, sample_id=one.sample.sample_id, sample=one.sample, found_at=one.found_at,
        found_on=one.found_on, item=one.item,
    )  # fmt: skip
    await deps.publishes.publish(SAMPLE_FOUND, event)


async def _put_to_work(run_id: str, sample: Sample, again: bool, listing: Listing, deps: Deps) -> None:
    work = WorkSample(run_id=run_id, sample_id=sample.sample_id, sample=sample, attempt_base=listing.attempt_base)
    if again and await _at_work(work, deps):
        return
    await deps.publishes.publish(WORK_SAMPLE, work)


async def _at_work(work: WorkSample, deps: Deps) -> bool:
    """Whether it was published before: it stands in the queue, or was done. In this order, for it goes from one to
    the other; the stream's own memory of what was published is a short one."""
    if await deps.queues.is_queued(SAMPLES, WORK_SAMPLE, work):
        return True
    return await deps.records.read(INBOX, message_id(WORK_SAMPLE, work), bool) is not None


async def _put_listing(run_id: str, listing: Listing, deps: Deps) -> None:
    """Store the listing over the one that is there: events are handled one at a time, so the last is the newest."""
    await deps.records.modify(FOUND, run_id, Listing, lambda _: listing)


async def _record(run_id: str, deps: Deps) -> RunRecord:
    record: RunRecord | None = await deps.records.read(RUNS, run_id, RunRecord)
    if record is None:
        raise PermanentError(f"there is no record of run {run_id!r}", code="unknown_run")
    return record


def _spec_of(record: RunRecord) -> TaskSpec:
    spec, problems = check_spec(record.spec)
    if spec is None:
        told = "; ".join(f"{problem.where}: {problem.message}" for problem in problems)
        raise PermanentError(f"the task spec of run {record.run_id!r} is not valid: {told}", code="invalid_spec")
    return spec


def _start_of(record: RunRecord) -> str:
    """The first address of the discovery, as far as the row fills it."""
    template = str((record.discovery_spec or {}).get("start_url", "{url}"))
    return PLACEHOLDER.sub(lambda match: record.discovery_row.get(match[1], ""), template)


def _key(run_id: str, sample: Sample) -> str:
    """Of names that differ in capitals alone one has to give way: see `safe_id`."""
    return f"{run_id}.{sample.sample_id.lower()}"
