"""`make bench-flows`: flows beside a hand-written Playwright script, beside an agent, and on a site that changes.

The script does the same job for one site: a fresh context for each sample, as many at a time, and the same evidence.
Both are run in turns, each in a process of its own. What flows do on changed sites is taken from `make bench-drift`,
which takes an hour; what becomes of them when processes are killed is `make bench-flows-kills`.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.batch import Measured, measure, median, must_agree
from benchmarks.flow_costs import Beside, PerSample, beside_agent, recorded
from benchmarks.flow_families import FlowFamily, requests, tickets
from benchmarks.flow_heal import HealTimes, measure_heal
from benchmarks.report import RESULTS, Row, at_least, at_most, beside, report
from exhibit.demo import SPEC, practice_site
from practice.tickets.data import ground_truth
from practice.tickets.demo import write_input
from shared.host.services import run_embedded
from shared.testing.settings import library_settings
from tests.drift.flows import publish_compiled, record_on_plain_site, run

ROUNDS = int(os.environ.get("ROUNDS", "2"))
CONCURRENCY = 5
DRIFT = RESULTS / "drift.json"
TOLD = ("false heals", "the same page for a person: done right by the flow", "of these, where not all")
"""How the rows of drift.json begin that are told here too."""
SLOW_MS = 1500
"""Longest time that a page of the slow site takes to fill; each ticket takes a fifth to the whole of it."""
TIMED = 3
"""Requests of the HR portal that are timed, one at a time."""


def main() -> None:
    setup: dict[str, object] = {
        "samples": 60,
        "rounds": ROUNDS,
        "concurrency": CONCURRENCY,
        "cores": os.cpu_count(),
        "load before": f"{os.getloadavg()[0]:.1f}",
        "seconds, calls and cost of models": "computed: recorded calls and tokens of a sample, list prices, 1 s to the "
        "first token and 70 tokens/s (assumed), and measured times of browsers; the recorded tokens are a quarter of "
        "the characters",
    }
    with tempfile.TemporaryDirectory(prefix="exhibit-flows-") as temporary:
        folder = Path(temporary)
        long = asyncio.run(_long_times(folder / "long"))
        rows = [*_speed_and_costs(folder / "short"), *_costs("hr requests", recorded("hr_requests"), *long)]
    healed = asyncio.run(measure_heal())
    report("flows", "Flows beside a hand-written Playwright script and beside an agent", [
        *rows, *_heal_rows(healed), *_drift_rows(setup)
    ], setup)  # fmt: skip


# --- samples a second, and what they cost


def _speed_and_costs(folder: Path) -> list[Row]:
    every = ground_truth()
    samples, library = folder / "tickets.csv", {"EXHIBIT_WORKFLOWS_DIR": str(folder / "workflows")}
    compile_s = asyncio.run(publish_tickets_flow(folder))
    with practice_site() as url:
        write_input(samples, url, every)
        flows: list[Measured] = []
        scripts: list[Measured] = []
        for turn in range(ROUNDS):
            scripts.append(_script(samples, folder / f"script{turn}", CONCURRENCY))
            flows.append(_system(samples, folder / f"flow{turn}", CONCURRENCY, "flow", library))
            must_agree(flows[-1], every)
        script_alone = _script(samples, folder / "script alone", 1)
        flow_alone = _system(samples, folder / "flow alone", 1, "flow", library)
        agent_alone = _system(samples, folder / "agent alone", 1, "agent", library)
    with practice_site("--latency-ms", str(SLOW_MS)) as url:
        write_input(samples, url, every)
        slow_script = _script(samples, folder / "slow script", CONCURRENCY)
        slow_flow = _system(samples, folder / "slow flow", CONCURRENCY, "flow", library)
        must_agree(slow_flow, every)
    slow = f"{CONCURRENCY} at a time, where a page takes {SLOW_MS // 5} to {SLOW_MS} ms to fill"
    times = (1 / agent_alone.samples_per_s, 1 / flow_alone.samples_per_s, compile_s)
    return [
        at_least(1.0, f"a flow, {CONCURRENCY} at a time", "samples/s", median(flows), median(scripts)),
        at_least(1.0, "a flow, 1 at a time", "samples/s", flow_alone.samples_per_s, script_alone.samples_per_s),
        Row(slow, "samples/s", slow_flow.samples_per_s, slow_script.samples_per_s),
        *_costs("tickets", recorded("tickets"), *times),
    ]


def _script(samples: Path, out: Path, concurrency: int) -> Measured:
    out.mkdir()
    return measure("benchmarks.peer_playwright", str(samples), str(out), str(concurrency), "store-page")


def _system(samples: Path, out: Path, concurrency: int, mode: str, variables: dict[str, str]) -> Measured:
    arguments = (str(SPEC), str(samples), str(out), str(concurrency), mode)
    return measure("benchmarks.system", *arguments, variables=variables)


async def publish_tickets_flow(folder: Path) -> float:
    """Record tickets, compile their flow and publish it in ``folder``. Returns the seconds after the recording."""
    folder.mkdir()
    async with tickets() as family, run_embedded(library_settings(folder, planner="rules")) as client:
        samples = await record_on_plain_site(client, family.subject)
        begin_s = time.perf_counter()
        await publish_compiled(client, family.subject, samples)
        return time.perf_counter() - begin_s


async def _long_times(folder: Path) -> tuple[float, float, float]:
    """Return the seconds of a request to the HR portal without a model: by the rules, by the flow, and of compiling."""
    folder.mkdir()
    async with requests() as family, run_embedded(library_settings(folder, planner="rules")) as client:
        begin_s = time.perf_counter()
        samples = await record_on_plain_site(client, _one_at_a_time(family).subject)
        recorded_s = time.perf_counter()
        await publish_compiled(client, family.subject, samples)
        compiled_s = time.perf_counter()
        subject = _one_at_a_time(family.first(TIMED)).subject
        await run(client, subject.spec, subject.rows)
        agent_s = (recorded_s - begin_s) / len(family.subject.recorded)
        return agent_s, (time.perf_counter() - compiled_s) / TIMED, compiled_s - recorded_s


def _one_at_a_time(family: FlowFamily) -> FlowFamily:
    return replace(family, subject=replace(family.subject, spec={**family.subject.spec, "concurrency": 1}))


def _costs(family: str, model: PerSample, agent_s: float, flow_s: float, compile_s: float) -> list[Row]:
    return [row for one in beside_agent(model, agent_s, flow_s, compile_s) for row in _cost_rows(family, one)]


def _cost_rows(family: str, one: Beside) -> Sequence[Row]:
    what = f"{family}, run of {one.samples}: a sample in mode auto, beside the agent"
    pairs = (
        ("s", one.auto.seconds, one.agent.seconds),
        ("model calls", one.auto.calls, one.agent.calls),
        ("US cents", one.auto.usd * 100, one.agent.usd * 100),
    )
    if one.samples == 1:
        return [Row(what, unit, figure, peer) for unit, figure, peer in pairs]
    return [beside(what, unit, figure, peer) for unit, figure, peer in pairs]


# --- sites that change


def _heal_rows(healed: HealTimes) -> list[Row]:
    return [
        Row("from a changed site to the first sample on the healed version", "s", healed.first_s),
        Row("from a changed site to the whole fleet on the healed version", "s", healed.whole_s),
        Row("samples that began on the old version meanwhile", "samples", healed.on_old),
        at_most(1, "versions published by a fleet of two planners", "versions", healed.versions),
    ]


def _drift_rows(setup: dict[str, object]) -> list[Row]:
    """Return what `make bench-drift` has measured, if it has."""
    if not DRIFT.exists():
        setup["changed sites"] = "not measured yet: make bench-drift"
        return []
    drift = json.loads(DRIFT.read_text(encoding="utf-8"))
    setup["changed sites"] = f"make bench-drift at {drift['at']}"
    told = [row for row in drift["rows"] if row["what"].startswith(TOLD)]
    return [Row(row["what"], row["unit"], row["figure"], row["peer"], row["aim"], row["met"]) for row in told]


if __name__ == "__main__":
    main()
