"""The planner's prompts: time to build, length, cached share.

    make bench-planner

Compared with a prompt without a budget, and with the usual estimate of a quarter of the characters. The planner's real
loop and its anthropic driver run against a Messages endpoint on this machine; no model is called.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.planner_families import family_rows
from benchmarks.planner_naive import naive
from benchmarks.planner_world import (
    NOW,
    TRUE_SCALE,
    Asked,
    Model,
    World,
    page,
    pool,
    reads_on,
    reads_the_ticket,
    sample,
    serving,
    task,
)
from benchmarks.report import Row, at_most, beside, report, under
from services.planner.deps import PlannerDeps
from services.planner.drivers.model.model_driver import AnthropicDriver
from services.planner.handlers import work_sample
from services.planner.prompt.assembly import Prompt, assemble_prompt
from services.planner.prompt.tokens import MAX_TOKENS, Ruler, calibrated_ruler, weight
from services.planner.state.attempt_state import AttemptState, SampleView
from services.planner.state.transitions import replayed_state
from shared.contracts.actions import Done
from shared.contracts.base import Usage
from shared.contracts.discovery import RunRecord
from shared.contracts.planner import WorkSample
from shared.contracts.steps import StepTaken
from shared.streams import RUNS
from shared.task.spec import TaskSpec
from shared.testing.bus import MemoryBus
from shared.testing.settings import isolated_settings

SAMPLES = 1000
TIMES = 60
COUNTED = Path(__file__).parents[1] / "tests" / "unit" / "planner" / "token_counts.json"
RUN = "bench"


class Teaches:
    """A distiller with a different lesson per sample, so the lessons keep changing."""

    def __init__(self) -> None:
        self.times = 0

    async def distil(self, transcript: Any, /) -> tuple[object, Usage]:
        self.times += 1
        words = f"Page kind {self.times} shows its fields below the {self.times}th heading and nowhere else."
        return {"patterns": [words], "failures": []}, Usage()


async def run_samples(numbers: Iterable[int], elements: int, spec: TaskSpec, model: Model) -> list[list[StepTaken]]:
    """Run the samples in sequence through the planner's own handler; return the steps of each."""
    settings = isolated_settings(ANTHROPIC_API_KEY="k", ANTHROPIC_BASE_URL=model.url, fast_model="")
    driver = AnthropicDriver(settings)
    bus = MemoryBus()
    bus.host(pool, World(elements))
    written = spec.model_dump(mode="json", by_alias=True)
    record = RunRecord(run_id=RUN, spec=written, planner="anthropic", concurrency=1, created_at=NOW)
    await bus.create(RUNS, RUN, record)
    deps = PlannerDeps(
        bus, bus, bus, lambda _: driver, "anthropic",
        now=lambda: NOW, elapsed_s=time.perf_counter, wait=asyncio.sleep, teacher=Teaches(),
    )  # fmt: skip
    for number in numbers:
        drawn = sample(number)
        await work_sample(WorkSample(run_id=RUN, sample_id=drawn.sample_id, sample=drawn), deps, 1)
    await driver.aclose()
    taken: dict[str, list[StepTaken]] = {}
    for step in bus.events(StepTaken):
        taken.setdefault(step.sample_id, []).append(step)
    return list(taken.values())


async def a_run() -> tuple[list[Asked], list[list[StepTaken]]]:
    async with serving(Model(reads_the_ticket)) as model:
        return model.asked, await run_samples(range(1, SAMPLES + 1), 120, task(), model)


async def a_long_sample(elements: int, steps: int) -> tuple[list[Asked], list[StepTaken]]:
    async with serving(Model(reads_on)) as model:
        spec = task(max_steps=steps, max_time_s=0)
        return model.asked, (await run_samples([1], elements, spec, model))[0]


def median_ms(what: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(TIMES):
        before = time.perf_counter()
        what()
        taken.append((time.perf_counter() - before) * 1000)
    return statistics.median(taken)


def at_step(steps: list[StepTaken], count: int, elements: int) -> SampleView:
    """Return a sample after a number of steps, from its step log."""
    spec, drawn = task(max_steps=60), sample(1)
    state: AttemptState = replayed_state(spec, steps[:count])
    return SampleView(spec, drawn, state, page(drawn.url or "", elements))


def prompt_of(view: SampleView) -> Prompt:
    prompt = assemble_prompt(view)
    if not isinstance(prompt, Prompt):
        raise SystemExit(prompt.message)
    return prompt


def assembly_rows(steps: list[StepTaken]) -> list[Row]:
    usual, huge = at_step(steps, 25, 250), at_step(steps, 30, 20_000)
    peer = sum(map(weight, naive(huge))) * TRUE_SCALE
    tokens = TRUE_SCALE * sum(map(weight, prompt_of(huge).parts))
    ours_ms, peer_ms = (median_ms(lambda: prompt_of(usual)), median_ms(lambda: naive(usual)))
    huge_ms, huge_peer_ms = (median_ms(lambda: prompt_of(huge)), median_ms(lambda: naive(huge)))
    return [
        under(5.0, "prompt assembly at 25 steps, median", "ms", ours_ms, peer_ms),
        under(20.0, "the same at 30 steps of a page of 20,000 elements", "ms", huge_ms, huge_peer_ms),
        at_most(MAX_TOKENS, "prompt at step 30 of that page", "tokens", tokens, peer),
    ]


def long_rows(asked: list[Asked]) -> list[Row]:
    most = max(request.tokens for request in asked)
    return [at_most(MAX_TOKENS, f"longest prompt of a sample of {len(asked)} model steps on it", "tokens", most)]


def run_rows(asked: list[Asked], samples: list[list[StepTaken]]) -> list[Row]:
    calls = [[step for step in steps if step.usage.llm_calls] for steps in samples]
    first, last = per_step(calls[:100]), per_step(calls[-100:])
    prefixes = len({request.run_prefix for request in asked})
    what = f"cached prefixes in {len(asked):,} requests of a run of {SAMPLES:,} samples"
    return [
        at_most(1, what, "different", prefixes),
        at_most(1, "cached blocks of one sample, the most", "different", most_blocks(asked, calls)),
        at_most(1.02 * first, "tokens per step, samples 901 to 1,000 beside 1 to 100", "tokens", last, first),
    ]


def most_blocks(asked: list[Asked], calls: list[list[StepTaken]]) -> int:
    most, at = 0, 0
    for steps in calls:
        most = max(most, len({request.sample_prefix for request in asked[at : at + len(steps)]}))
        at += len(steps)
    return most


def per_step(samples: list[list[StepTaken]]) -> float:
    return statistics.mean(step.usage.input_tokens for steps in samples for step in steps)


def reckoning_rows() -> list[Row]:
    """Compare the estimate with a published tokenizer; below 1 a prompt is longer than estimated."""
    texts = json.loads(COUNTED.read_text(encoding="utf-8"))["texts"].values()
    first = [entry["tokens"] / Ruler().tokens(entry["text"]) for entry in texts]
    known = [
        entry["tokens"] / calibrated_ruler(entry["tokens"] / weight(entry["text"])).tokens(entry["text"])
        for entry in texts
    ]
    usual = [entry["tokens"] / (len(entry["text"]) // 4) for entry in texts]
    return [
        beside("tokens for each that was reckoned, first call, worst script", "times", max(first), max(usual)),
        beside("the same once a call was counted", "times", max(known), max(usual)),
        beside("mean error of a reckoning once a call was counted", "share", mean_error(known), mean_error(usual)),
    ]


def mean_error(ratios: list[float]) -> float:
    return statistics.mean(abs(1 / ratio - 1) for ratio in ratios)


def main() -> None:
    asked, samples = asyncio.run(a_run())
    long_asked, long_steps = asyncio.run(a_long_sample(20_000, 31))
    _, steps = asyncio.run(a_long_sample(250, 40))
    rows = [
        *assembly_rows(steps),
        *long_rows(long_asked),
        *run_rows(asked, samples),
        *reckoning_rows(),
        *family_rows(),
    ]
    setup = {
        "samples": SAMPLES,
        "done": sum(isinstance(steps[-1].action, Done) and not steps[-1].refused for steps in samples),
        "long sample, steps": len(long_steps),
        "model": "a Messages endpoint on this machine that answers from what it is shown; no model was asked",
        "tokens": f"letters, signs and bytes beyond ASCII by the weights of prompting/tokens.py, times {TRUE_SCALE}",
        "counts of the reckoning": json.loads(COUNTED.read_text(encoding="utf-8"))["counted_by"],
        "peer": "whole page and whole history in every prompt; a quarter of the characters; first samples; the rules",
    }  # fmt: skip
    report("planner", "What the planner shows a model", rows, setup)


if __name__ == "__main__":
    main()
