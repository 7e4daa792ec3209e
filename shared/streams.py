"""Every stream, consumer and bucket, once. Pure data; `shared.bus.nats_bus` makes them on the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shared.subjects import DEAD_LETTERS, PREFIX, RUN_STARTED, WORK_SAMPLE, Stored

DAY_S = 24 * 3600.0


@dataclass(frozen=True)
class Stream:
    """``work_queue``: a message goes away once one consumer has acknowledged it."""

    name: str
    subjects: tuple[str, ...]
    work_queue: bool = False
    max_age_s: float = 0.0
    duplicate_window_s: float = 120.0


@dataclass(frozen=True)
class Consumer:
    """A durable pull consumer. Deliveries are counted by the runner, so the server never gives up first."""

    stream: str
    name: str
    subjects: tuple[str, ...]
    ack_wait_s: float = 12.0
    max_ack_pending: int = 1000


@dataclass(frozen=True)
class WorkQueues:
    """All consumers of a work-queue stream, which come and go; ``opened_by`` is the event that announces a new one."""

    stream: Stream
    opened_by: Stored[Any]


@dataclass(frozen=True)
class Bucket:
    name: str
    max_age_s: float = 0.0


SAMPLES = Stream("SAMPLES", (f"{PREFIX}.cmd.planner.sample.>",), work_queue=True)
EVENTS_STREAM = Stream("EVENTS", (f"{PREFIX}.evt.>",), max_age_s=7 * DAY_S)
DEAD_LETTER_STREAM = Stream("DLQ", (f"{DEAD_LETTERS}.>",), max_age_s=30 * DAY_S)
STREAMS = (SAMPLES, EVENTS_STREAM, DEAD_LETTER_STREAM)

RUNS = Bucket("RUNS")
"""Key-value: run id to RunRecord."""
INBOX = Bucket("INBOX", max_age_s=DAY_S)
"""Key-value: which deliveries have been handled, with what they produced."""
SITE_PACE = Bucket("SITE_PACE", max_age_s=3600.0)
"""Key-value: registrable domain to when the next document may be asked of it, where a limit is set."""
SITE_PAUSES = Bucket("SITE_PAUSES", max_age_s=3600.0)
"""Key-value: registrable domain to until when it is left alone, because it answered 429 or 503."""
AUTH_PROFILES = Bucket("AUTH_PROFILES")
"""Key-value: login state to PausedProfile, where it has met a login wall."""
SPENDING = Bucket("SPENDING")
"""Key-value: run id to Usage, what its model calls have cost so far."""
MEMORY = Bucket("MEMORY")
"""Key-value: run id, or task id where the task says so, to Memory: what samples have taught."""
FOUND = Bucket("FOUND", max_age_s=30 * DAY_S)
"""Key-value: run id to how far finding its samples has come; run id and sample id to one sample that was found."""
KEY_VALUE_BUCKETS = (RUNS, INBOX, SITE_PACE, SITE_PAUSES, AUTH_PROFILES, SPENDING, MEMORY, FOUND)

ARTIFACTS = Bucket("ARTIFACTS", max_age_s=7 * DAY_S)
"""Objects: captured bytes on their way from the browser pool to evidence, which removes them."""
INPUTS = Bucket("INPUTS", max_age_s=7 * DAY_S)
"""Objects: input files on their way from a client to discovery."""
ANSWERS = Bucket("ANSWERS", max_age_s=3600.0)
"""Objects: what was asked of evidence and is too large for a reply: results of queries, artifacts that are lent."""
OBJECT_BUCKETS = (ARTIFACTS, INPUTS, ANSWERS)


SAMPLE_QUEUES = WorkQueues(SAMPLES, RUN_STARTED)
"""One queue for each round of a run."""


def samples_of(run_id: str, concurrency: int, attempt_base: int = 0) -> Consumer:
    """The queue of one round of a run. The server hands out at most ``concurrency`` of its samples at a time,
    to however many planner processes there are."""
    return Consumer(
        SAMPLES.name,
        f"samples_{run_id}_{attempt_base}",
        (f"{WORK_SAMPLE.pattern}.{run_id}.*",),
        max_ack_pending=concurrency,
    )


def listener(service: str, patterns: tuple[str, ...]) -> Consumer:
    """The events one service follows, strictly in the order in which they happened.

    One at a time: the next is handed out when the last is settled, so that neither a crash nor a
    second try (a full disk, say) lets a later event overtake an earlier one.
    """
    return Consumer(EVENTS_STREAM.name, service, tuple(f"{pattern}.>" for pattern in patterns), max_ack_pending=1)
