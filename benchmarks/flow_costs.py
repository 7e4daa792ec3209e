"""What a sample costs by an agent alone, and by a run that compiles its own flow: computed from recorded answers.

Calls and tokens a sample are those of the recorded run of each family (`tests/recordings/planner/families`), prices
those of `shared/models/prices.py`. The recordings have no times of a model: that of a call is computed from its tokens.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.contracts.base import Usage
from shared.models.prices import cost_usd

RECORDINGS = Path(__file__).parents[1] / "tests" / "recordings" / "planner" / "families"
FIRST_TOKEN_S, OUTPUT_TOKENS_PER_S = 1.0, 70.0
"""Assumed of every model: time to the first token, and speed of the others. They are not measured here."""
LEARNERS = 2
"""Samples that are worked out by the agent before there is a flow."""
SIZES = (1, 100, 1000)


@dataclass(frozen=True)
class PerSample:
    """Work on one sample, one at a time: seconds, calls of models, and dollars."""

    seconds: float
    calls: float
    usd: float


@dataclass(frozen=True)
class Beside:
    """The mean of a sample in a run of ``samples``: by the agent alone, and in the mode `auto`."""

    samples: int
    agent: PerSample
    auto: PerSample


def recorded(family: str) -> PerSample:
    """Return what models took for a sample on average: answers about steps, questions, summaries and lessons."""
    exchanges: list[dict[str, Any]] = json.loads((RECORDINGS / f"{family}.json").read_text(encoding="utf-8"))[
        "exchanges"
    ]
    samples = len({one["key"] for one in exchanges if one["key"].startswith("decide ")})
    usages = [(one["answer"]["model"], _usage(one["answer"]["usage"])) for one in exchanges]
    seconds = sum(FIRST_TOKEN_S + usage.output_tokens / OUTPUT_TOKENS_PER_S for _, usage in usages)
    usd = sum(cost_usd(model, usage) or 0.0 for model, usage in usages)
    return PerSample(seconds / samples, len(usages) / samples, usd / samples)


def _usage(written: dict[str, int]) -> Usage:
    return Usage(
        llm_calls=1,
        input_tokens=written["input_tokens"],
        output_tokens=written["output_tokens"],
        cache_read_tokens=written["cache_read_input_tokens"],
        cache_write_tokens=written["cache_creation_input_tokens"],
    )


def beside_agent(model: PerSample, agent_s: float, flow_s: float, compile_s: float) -> list[Beside]:
    """Return what a sample takes in runs of each size. ``agent_s``, ``flow_s``: measured seconds of a sample without a
    model's time, ``compile_s``: of making the flow."""
    agent = PerSample(model.seconds + agent_s, model.calls, model.usd)
    return [Beside(samples, agent, _auto(agent, samples, flow_s, compile_s)) for samples in SIZES]


def _auto(agent: PerSample, samples: int, flow_s: float, compile_s: float) -> PerSample:
    by_agent = min(samples, LEARNERS)
    by_flow = samples - by_agent
    seconds = agent.seconds * by_agent + (compile_s + flow_s * by_flow if by_flow else 0.0)
    return PerSample(seconds / samples, agent.calls * by_agent / samples, agent.usd * by_agent / samples)
