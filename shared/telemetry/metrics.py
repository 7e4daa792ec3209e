"""What is counted and measured, with its unit (UCUM). Nothing is, unless `shared.telemetry.exporting` is told to.

Attributes have few values: names of services, subjects, actions and codes that this program knows. No run, sample, host
or model is one, nor is anything of a page.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import get_args

from opentelemetry.metrics import MeterProvider

from shared.contracts.base import Usage
from shared.contracts.codes import REASONS, Status
from shared.contracts.error_codes import ACTION_CODES, ERRORS
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import StepTaken
from shared.telemetry.about import about_now

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper bounds of the classes of durations."""
KNOWN_CODES = frozenset({"", "ok", "refused", *ERRORS, *ACTION_CODES, *REASONS})
KNOWN_STATUSES = frozenset(get_args(Status))
OTHER = "other"
"""In place of a code that this version does not know: a client of the bus could send any number of them."""


@dataclass(frozen=True)
class QueueDepth:
    """Of all queues of one stream. ``demand``: how many of its messages would be handed out at once if there were
    workers enough, those at work included: a queue hands out so many at a time and no more."""

    waiting: int
    at_work: int
    demand: int


class Meters:
    """The instruments of this process."""

    def __init__(self, provider: MeterProvider) -> None:
        meter = provider.get_meter("exhibit")
        self.queue = meter.create_gauge("exhibit.queue.depth", "{message}", "commands, by state, on the whole bus")
        self.demand = meter.create_gauge(
            "exhibit.queue.demand", "{message}", "commands that could be worked on at once"
        )
        self.slots = meter.create_gauge("exhibit.slots", "{slot}", "commands this process takes at a time, by state")
        self.sessions = meter.create_gauge("exhibit.sessions", "{session}", "browser sessions of a pool, by state")
        self.full = meter.create_gauge("exhibit.pool.full", "{pool}", "1 where this pool leases no session now, else 0")
        self.steps = meter.create_histogram(
            "exhibit.step.duration", "s", "steps of samples", explicit_bucket_boundaries_advisory=SECONDS
        )
        self.asks = meter.create_histogram(
            "exhibit.ask.duration", "s", "answering questions", explicit_bucket_boundaries_advisory=SECONDS
        )
        self.samples = meter.create_counter("exhibit.samples", "{sample}", "attempts that ended, by status")
        self.failures = meter.create_counter("exhibit.failures", "{failure}", "what failed, by code")
        self.tokens = meter.create_counter("exhibit.model.tokens", "{token}", "tokens of model calls, by kind")
        self.calls = meter.create_counter("exhibit.model.calls", "{call}", "calls of models")
        self.cost = meter.create_counter("exhibit.model.cost", "{USD}", "price of model calls")


class _Measured:
    meters: Meters | None = None


@contextmanager
def measure_with(provider: MeterProvider) -> Generator[None]:
    """Measure what happens in this process within the block."""
    before, _Measured.meters = _Measured.meters, Meters(provider)
    try:
        yield
    finally:
        _Measured.meters = before


def is_measured() -> bool:
    return _Measured.meters is not None


def record_ask(subject: str, duration_s: float, code: str) -> None:
    """``code``: of the failure that was answered; empty for an answer."""
    if (meters := _Measured.meters) is not None:
        meters.asks.record(duration_s, _about(subject=subject, code=known_code(code)))
        if code:
            meters.failures.add(1, _about(of="ask", code=known_code(code)))


def record_failure(of: str, code: str) -> None:
    if (meters := _Measured.meters) is not None:
        meters.failures.add(1, _about(of=of, code=known_code(code)))


def record_queue(stream: str, depth: QueueDepth) -> None:
    if (meters := _Measured.meters) is not None:
        meters.queue.set(depth.waiting, _about(queue=stream, state="waiting"))
        meters.queue.set(depth.at_work, _about(queue=stream, state="at_work"))
        meters.demand.set(depth.demand, _about(queue=stream))


def record_slots(stream: str, in_use: int, free: int) -> None:
    if (meters := _Measured.meters) is not None:
        meters.slots.set(in_use, _about(queue=stream, state="in_use"))
        meters.slots.set(free, _about(queue=stream, state="free"))


def record_sessions(in_use: int, free: int, *, full: bool) -> None:
    """``full``: also a pool that has places and too little memory is."""
    if (meters := _Measured.meters) is not None:
        meters.sessions.set(in_use, _about(state="in_use"))
        meters.sessions.set(free, _about(state="free"))
        meters.full.set(int(full), _about())


def record_step(step: StepTaken) -> None:
    if (meters := _Measured.meters) is None:
        return
    code = step_code(step)
    action = type(step.action).__struct_config__.tag if step.action is not None else "none"
    meters.steps.record(step.total_ms / 1000, _about(action=str(action), code=code))
    if code != "ok":
        meters.failures.add(1, _about(of="step", code=code))
    _record_usage(meters, step.usage)


def record_sample(finished: SampleFinished) -> None:
    if (meters := _Measured.meters) is None:
        return
    status = finished.status if finished.status in KNOWN_STATUSES else OTHER
    meters.samples.add(1, _about(status=status))
    if finished.reason:
        meters.failures.add(1, _about(of="sample", code=known_code(finished.reason)))


def step_code(step: StepTaken) -> str:
    """Return ``ok``, ``refused`` for what the planner did not do, or the code of what the browser answered."""
    if step.refused or step.action is None:
        return "refused"
    return "ok" if step.result is None else known_code("ok" if step.result.ok else step.result.code)


def known_code(code: str) -> str:
    return code if code in KNOWN_CODES else OTHER


def _record_usage(meters: Meters, usage: Usage) -> None:
    kinds = {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cache_read": usage.cache_read_tokens,
        "cache_write": usage.cache_write_tokens,
    }
    for kind, tokens in kinds.items():
        if tokens:
            meters.tokens.add(tokens, _about(kind=kind))
    if usage.llm_calls:
        meters.calls.add(usage.llm_calls, _about())
        meters.cost.add(usage.cost_usd, _about())


def _about(**attributes: str) -> Mapping[str, str]:
    return {"exhibit.service": about_now().service, **{f"exhibit.{key}": value for key, value in attributes.items()}}
