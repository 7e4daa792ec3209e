"""200 samples of each task family on a flow, while browser pools and planners are killed by SIGKILL in mid-run.

    make bench-flows-kills

Each service is a process of its own, planners and pools are two. The flow is compiled from recorded samples and
published; its run is then scored field by field. A process is killed once as many samples have finished, and then as
many steps have been taken, as a seed says.
FAMILIES (names with commas between), SAMPLES and KILLS change what is run.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.flow_families import FAMILIES, FlowFamily
from benchmarks.flow_fleet import CONCURRENCY, OTHERS, WORKERS, running_fleet
from benchmarks.report import Row, at_most, least, report
from practice.comparing import equal, rows_of
from shared.client import Client
from shared.contracts.evidence import RunFinished
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import StepTaken
from tests.drift.flows import compile_on_plain_site
from tests.end_to_end.family_runs import submissions, written
from tests.end_to_end.fleet import Fleet

SAMPLES, KILLS = int(os.environ.get("SAMPLES", "200")), int(os.environ.get("KILLS", "8"))
SEED = 17
FURTHER_STEPS = 20
"""A process is killed at one of so many steps, of all samples, after the sample of the plan has finished."""


@dataclass(frozen=True)
class Killed:
    """What became of a run. ``results``: samples with exactly one row and one result. ``ended``: of them, those that
    ended as they should; ``right``, ``wrong``: fields of these. ``twice``, ``unsent``: requests that the site has more
    than once, and those of ended samples that it does not have once."""

    name: str
    samples: int
    results: int
    ended: int
    fields: int
    right: int
    wrong: tuple[str, ...]
    reasons: dict[str, int]
    begun_again: int
    twice: int
    unsent: int
    llm_calls: int
    kills: int
    seconds: float


def main() -> None:
    names = [name for name in os.environ.get("FAMILIES", ",".join(FAMILIES)).split(",") if name]
    done = [asyncio.run(measure(name)) for name in names]
    setup: dict[str, object] = {
        "processes": f"{len(WORKERS)} planners and browser pools, {', '.join(OTHERS)}",
        "concurrency": CONCURRENCY,
        "cores": os.cpu_count(),
        "load before": f"{os.getloadavg()[0]:.1f}",
    }
    for one in done:
        setup[one.name] = (
            f"{one.kills} kills, {one.seconds:.0f} s, samples begun again {one.begun_again}; {one.reasons}"
        )
    report(
        "flow_kills", f"{SAMPLES} samples of each family on a flow, with processes killed in mid-run", rows(done), setup
    )


def rows(done: Sequence[Killed]) -> list[Row]:
    found: list[Row] = []
    for one in done:
        found += [
            least(one.samples, f"{one.name}: samples with exactly one result", "samples", one.results),
            Row(f"{one.name}: ended by the flow, the others are left for a person", "samples", one.ended),
            least(one.fields, f"{one.name}: fields right of those samples", f"of {one.fields}", one.right),
        ]
    return [
        *found,
        at_most(0, "requests that a site was sent twice", "requests", sum(one.twice for one in done)),
        at_most(0, "samples that ended well and were not sent once", "requests", sum(one.unsent for one in done)),
        at_most(0, "model calls", "calls", sum(one.llm_calls for one in done)),
        Row("processes killed", "processes", sum(one.kills for one in done)),
    ]


async def measure(name: str) -> Killed:
    """Bring a flow of the family into a library, and run it while processes are killed."""
    async with FAMILIES[name]() as every, running_fleet() as (client, fleet):
        return await run_and_kill(name, every.first(SAMPLES), client, fleet)


async def run_and_kill(name: str, family: FlowFamily, client: Client, fleet: Fleet) -> Killed:
    subject = family.subject
    await compile_on_plain_site(client, subject)
    file = ("rows.csv", written([dict(row) for row in subject.rows]))
    begin_s = time.perf_counter()
    accepted = await client.submit(subject.spec, file=file, concurrency=CONCURRENCY, mode="flow")
    killing = asyncio.create_task(kill_in_mid_run(client, accepted.run_id, fleet, len(subject.rows)))
    finished = await client.result(accepted.run_id)
    kills = await killing
    seconds = time.perf_counter() - begin_s
    sent = await asyncio.to_thread(submissions, family.sent) if family.sent else []
    return score(name, family, finished, Counter(str(one["number"]) for one in sent), kills, seconds)


async def kill_in_mid_run(client: Client, run_id: str, fleet: Fleet, samples: int) -> int:
    """Kill processes, each at another moment of the run, and start a new one for each. Returns how many."""
    rng = random.Random(SEED)
    moments = sorted(rng.sample(range(2, max(samples - 10, 2 + KILLS)), KILLS))
    plan = [(moment, rng.randint(1, FURTHER_STEPS), rng.choice(WORKERS)) for moment in moments]
    finished = steps = kills = 0
    async with aclosing(client.watch(run_id)) as events:
        async for event in events:
            if isinstance(event, SampleFinished):
                finished += 1
            if not plan or finished >= samples:
                return kills
            moment, step, victim = plan[0]
            steps += finished >= moment and isinstance(event, StepTaken)
            if steps == step:
                await asyncio.to_thread(fleet.kill, victim)
                await asyncio.to_thread(fleet.start, victim)
                plan, steps, kills = plan[1:], 0, kills + 1
    return kills


def score(
    name: str, family: FlowFamily, finished: RunFinished, sent: Counter[str], kills: int, seconds: float
) -> Killed:
    subject = family.subject
    table = rows_of(Path(finished.table))
    times = Counter(int(row["row"]) for row in table)
    results = [json.loads(path.read_text()) for path in Path(finished.location).glob("*/result.json")]
    stored = Counter(int(result["row"]) for result in results)
    every = range(1, len(subject.rows) + 1)
    ended = right = fields = unsent = 0
    wrong: list[str] = []
    for row in table:
        number = int(row["row"])
        if " ".join(filter(None, (row["status"], row["reason"]))) not in subject.ended:
            continue
        ended += 1
        for column, wanted in subject.truth[number - 1].items():
            fields += 1
            good = family.same.get(column, equal)(wanted, row.get(column, "(no column)"))
            right += good
            wrong += (
                []
                if good or column in row["not_found"].split(";")
                else [f"{row['sample_id']} {column}: {row.get(column)!r}, not {wanted!r}"]
            )
        unsent += bool(family.sent) and sent[family.requests[number - 1]] != 1
    print(f"{name}: {finished.outcomes}", *wrong[:20], sep="\n  ")
    for row in table:
        if " ".join(filter(None, (row["status"], row["reason"]))) not in subject.ended:
            print("  ", row["sample_id"], row["status"], row["reason"], row.get("message", "")[:200])
    return Killed(
        name,
        len(subject.rows),
        sum(times[number] == 1 == stored[number] for number in every),
        ended,
        fields,
        right,
        tuple(wrong),
        {f"{one.status} {one.reason}".strip(): one.samples for one in finished.outcomes},
        sum(result["attempt"] > 1 for result in results),
        sum(number.count("-") > 1 for number in sent),
        unsent,
        finished.llm_calls,
        kills,
        seconds,
    )


if __name__ == "__main__":
    main()
