"""What traces and metrics tell of an event that this process publishes: of a step, and of a sample's end."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from shared.contracts.base import Message
from shared.contracts.discovery import SampleFound
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import StepTaken
from shared.telemetry.metrics import is_measured, record_sample, record_step, step_code
from shared.telemetry.tracing import is_traced, record_span, sent_about

NS = 1_000_000_000


@contextmanager
def publishing(subject: str, message: Message) -> Generator[None]:
    """Tell of a message that is published within the block; its headers are to be made there."""
    if not is_traced() and not is_measured():
        yield
        return
    _tell(message)
    run, sample = getattr(message, "run_id", ""), getattr(message, "sample_id", "")
    if not run or not sample:
        yield
        return
    with sent_about(run, sample, f"publish {subject}", begins=isinstance(message, SampleFound)):
        yield


def _tell(message: Message) -> None:
    if isinstance(message, StepTaken):
        record_step(message)
        code = step_code(message)
        end_ns = round(message.ended_at.timestamp() * NS)
        record_span(
            "planner.step",
            end_ns - round(message.total_ms * 1_000_000),
            end_ns,
            "" if code == "ok" else code,
            step=message.step,
            attempt=message.attempt,
            action=str(type(message.action).__struct_config__.tag) if message.action is not None else "none",
            browser_ms=message.browser_ms,
            decide_ms=message.decide_ms,
            llm_calls=message.usage.llm_calls,
        )
    elif isinstance(message, SampleFinished):
        record_sample(message)
