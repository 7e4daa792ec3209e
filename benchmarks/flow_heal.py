"""From a site that changes in mid-run to a fleet of processes that runs on the healed version of its flow."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.batch import steps_of_samples
from benchmarks.flow_families import FlowFamily, tickets
from benchmarks.flow_fleet import CONCURRENCY, running_fleet
from practice.drift import VARIABLE
from shared.client import Client
from shared.contracts.planner import SampleFinished
from tests.drift.flows import compile_on_plain_site
from tests.end_to_end.family_runs import written

CHANGED = "reorder"
CHANGES_AFTER, SAMPLES = 10, 80
"""Samples that have finished when the site changes, and all of the run."""


@dataclass(frozen=True)
class Begun:
    """A sample as it was done: the version of the flow, and when its first step began and its last one ended."""

    version: str
    began: datetime
    ended: datetime


@dataclass(frozen=True)
class HealTimes:
    """Times in seconds from the change of the site. ``first``: until a sample began on the healed version. ``whole``:
    until no sample was at work on the old one. ``on_old``: samples that began on the old one after the change.
    ``versions``: how many were published. ``done``: samples that ended well."""

    first_s: float
    whole_s: float
    on_old: int
    versions: int
    done: int


async def measure_heal() -> HealTimes:
    async with tickets() as every, running_fleet() as (client, _):
        family = with_all_fields(every).first(SAMPLES)
        with plain_site():
            await compile_on_plain_site(client, every.subject)
            rows = [dict(row) for row in family.subject.rows]
            accepted = await client.submit(
                family.subject.spec, file=("rows.csv", written(rows)), concurrency=CONCURRENCY, mode="flow"
            )
            await finished_samples(client, accepted.run_id, CHANGES_AFTER)
            os.environ[VARIABLE] = CHANGED
            changed = datetime.now(UTC)
            finished = await client.result(accepted.run_id)
        begun = samples_begun(Path(finished.location))
        return heal_times(begun, changed, sum(one.samples for one in finished.outcomes if one.status == "done"))


def with_all_fields(family: FlowFamily) -> FlowFamily:
    """Return the family without records that lack a field, so that each sample finds the same in another way."""
    subject = family.subject
    kept = [(row, truth) for row, truth in zip(subject.rows, subject.truth, strict=True) if all(truth.values())]
    return replace(family, subject=replace(subject, rows=[row for row, _ in kept], truth=[truth for _, truth in kept]))


@contextmanager
def plain_site() -> Generator[None]:
    """Serve the sites of this process as they were learned, until the variable is set; it is removed at the end."""
    os.environ.pop(VARIABLE, None)
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)


async def finished_samples(client: Client, run_id: str, wanted: int) -> None:
    """Return once so many samples have finished."""
    async with aclosing(client.watch(run_id)) as events:
        async for event in events:
            wanted -= isinstance(event, SampleFinished)
            if wanted == 0:
                return


def samples_begun(folder: Path) -> list[Begun]:
    found: list[Begun] = []
    for steps in steps_of_samples(folder):
        version = next((step["flow"]["hash"] for step in steps if step.get("flow")), "")
        began, ended = (datetime.fromisoformat(text) for text in (steps[0]["started_at"], steps[-1]["ended_at"]))
        found.append(Begun(version, began, ended))
    return sorted(found, key=lambda one: one.began)


def heal_times(begun: Sequence[Begun], changed: datetime, done: int) -> HealTimes:
    """Raises ValueError where no version was published."""
    old = begun[0].version
    healed = [one for one in begun if one.version not in ("", old)]
    if not healed:
        raise ValueError("no sample ran on a healed version")
    last = max(one.ended for one in begun if one.version == old)
    return HealTimes(
        (healed[0].began - changed).total_seconds(),
        (last - changed).total_seconds(),
        sum(one.version == old and one.began > changed for one in begun),
        len({one.version for one in healed}),
        done,
    )


if __name__ == "__main__":
    print(asyncio.run(measure_heal()))
