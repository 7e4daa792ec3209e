"""Every stream, consumer and bucket, which `shared.bus.nats_bus` creates on the server; how large a message may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from shared.subjects import DEAD_LETTERS, DELIVER_WEBHOOK, PREFIX, RUN_STARTED, WORK_SAMPLE, Stored

DAY_S = 24 * 3600.0
GB = 1024**3
MAX_PAYLOAD_MB = 64
"""Of one message: the most that NATS allows. Other servers mostly allow 1: what grows with a run is sent in pages."""


@dataclass(frozen=True)
class Stream:
    """``work_queue``: a message is removed once a consumer has acknowledged it."""

    name: str
    subjects: tuple[str, ...]
    work_queue: bool = False
    max_age_s: float = 0.0
    duplicate_window_s: float = 120.0


@dataclass(frozen=True)
class Consumer:
    """A durable pull consumer. The runner counts deliveries, so the server sets no limit of its own."""

    stream: str
    name: str
    subjects: tuple[str, ...]
    ack_wait_s: float = 12.0
    max_ack_pending: int = 1000


QueueUse = Literal["samples", "webhooks"]


@dataclass(frozen=True)
class WorkQueues:
    """All consumers of a work-queue stream, which come and go; ``opened_by`` is the event that announces a new one.
    ``use``: what its messages are called where a process tells how many are at work."""

    stream: Stream
    opened_by: Stored[Any]
    use: QueueUse


@dataclass(frozen=True)
class Bucket:
    """``max_bytes``: of all that is in it; what is put into a full one is refused for now. 0: no limit of its own."""

    name: str
    max_age_s: float = 0.0
    max_bytes: int = 0


SAMPLES = Stream("SAMPLES", (f"{PREFIX}.cmd.planner.sample.>",), work_queue=True)
EVENTS_STREAM = Stream("EVENTS", (f"{PREFIX}.evt.>",), max_age_s=7 * DAY_S)
DEAD_LETTER_STREAM = Stream("DLQ", (f"{DEAD_LETTERS}.>",), max_age_s=30 * DAY_S)
DELIVERIES = Stream("DELIVERIES", (f"{PREFIX}.cmd.evidence.webhook.>",), work_queue=True)
STREAMS = (SAMPLES, EVENTS_STREAM, DEAD_LETTER_STREAM, DELIVERIES)

RUNS = Bucket("RUNS")
"""Key-value: run id to RunRecord."""
INBOX = Bucket("INBOX", max_age_s=DAY_S)
"""Key-value: message id of each command that has been handled."""
SITE_PACE = Bucket("SITE_PACE", max_age_s=3600.0)
"""Key-value: registrable domain to when the next document may be asked of it, where a limit is set."""
SITE_PAUSES = Bucket("SITE_PAUSES", max_age_s=3600.0)
"""Key-value: registrable domain to the end of its pause, after it answered 429 or 503."""
AUTH_PROFILES = Bucket("AUTH_PROFILES")
"""Key-value: name of a login state to PausedProfile, where a site did not accept it."""
AUTH_SESSIONS = Bucket("AUTH_SESSIONS", max_age_s=3600.0)
"""Key-value: name of a login state to ProfileSessions, the sessions of all pools that use it."""
SPENDING = Bucket("SPENDING")
"""Key-value: run id to Usage, the tokens and cost of its model calls so far."""
MEMORY = Bucket("MEMORY")
"""Key-value: run id, or task id where the task says so, to Memory: the lessons of its samples."""
FOUND = Bucket("FOUND", max_age_s=30 * DAY_S)
"""Key-value: run id to the Listing of its discovery; run id and sample id to one Find."""
WORKFLOWS = Bucket("WORKFLOWS")
"""Key-value: name of a workflow to its WorkflowHistory, where the library is kept on the bus."""
WORKFLOW_SOURCES = Bucket("WORKFLOW_SOURCES")
"""Key-value: hash of a workflow's version to its source."""
WORKFLOW_FILES = Bucket("WORKFLOW_FILES")
"""Key-value: hash of a workflow's version to its files, where it has any: their texts by their paths."""
WORKFLOW_CHOICES = Bucket("WORKFLOW_CHOICES", max_age_s=30 * DAY_S)
"""Key-value: run id to the WorkflowChoice of its samples; run id and ``.saved`` once a sample is made a workflow."""
RUN_FLOWS = Bucket("RUN_FLOWS", max_age_s=30 * DAY_S)
"""Key-value: run id to the RunFlow that is compiled of its first samples."""
FLOW_HEALS = Bucket("FLOW_HEALS", max_age_s=30 * DAY_S)
"""Key-value: hash of a flow's version to its FlowHealing."""
FLOW_USES = Bucket("FLOW_USES", max_age_s=30 * DAY_S)
"""Key-value: hash of a flow's version to its FlowUses."""
BUILDS = Bucket("BUILDS")
"""Key-value: id of a build session to its BuildRecord."""
BUILD_EVENTS = Bucket("BUILD_EVENTS")
"""Key-value: id of a build session and the number of a batch to the BuildBatch."""
SCHEDULES = Bucket("SCHEDULES")
"""Key-value: name of a schedule to its Schedule."""
WEBHOOKS = Bucket("WEBHOOKS", max_age_s=30 * DAY_S)
"""Key-value: run id and attempt base to its WebhookDelivery."""
RUN_CONTROL = Bucket("RUN_CONTROL")
"""Key-value: run id to its RunControl."""
OUTAGES = Bucket("OUTAGES", max_age_s=30 * DAY_S)
"""Key-value: run id to the OutageStreak of its samples."""
SUBMISSIONS = Bucket("SUBMISSIONS", max_age_s=7 * DAY_S)
"""Key-value: id of a request for a run to its Submission."""
KEY_VALUE_BUCKETS = (
    RUNS,
    INBOX,
    SITE_PACE,
    SITE_PAUSES,
    AUTH_PROFILES,
    AUTH_SESSIONS,
    SPENDING,
    MEMORY,
    FOUND,
    WORKFLOWS,
    WORKFLOW_SOURCES,
    WORKFLOW_FILES,
    WORKFLOW_CHOICES,
    RUN_FLOWS,
    FLOW_HEALS,
    FLOW_USES,
    BUILDS,
    BUILD_EVENTS,
    SCHEDULES,
    WEBHOOKS,
    RUN_CONTROL,
    OUTAGES,
    SUBMISSIONS,
)

ARTIFACTS = Bucket("ARTIFACTS", max_age_s=7 * DAY_S)
"""Objects: captured bytes between the browser pool and evidence, which removes them."""
INPUTS = Bucket("INPUTS", max_age_s=DAY_S / 4, max_bytes=8 * GB)
"""Objects: input files between a client and discovery; recorded samples between a client and the workflow library."""
ANSWERS = Bucket("ANSWERS", max_age_s=3600.0, max_bytes=4 * GB)
"""Objects: replies that are too large for a message: results of queries, artifacts, recorded samples."""
WORKFLOW_SAMPLES = Bucket("WORKFLOW_SAMPLES")
"""Objects: SHA-256 of a recorded sample of a flow, or of a set of them, to its bytes."""
BUILD_FILES = Bucket("BUILD_FILES")
"""Objects: id of a build session and the SHA-256 of a file of its workspace to its bytes."""
SCHEDULE_FILES = Bucket("SCHEDULE_FILES")
"""Objects: name of a schedule and the SHA-256 of a file of its request to its bytes."""
OBJECT_BUCKETS = (ARTIFACTS, INPUTS, ANSWERS, WORKFLOW_SAMPLES, BUILD_FILES, SCHEDULE_FILES)


SAMPLE_QUEUES = WorkQueues(SAMPLES, RUN_STARTED, "samples")
"""One queue for each round of a run."""
DELIVERY_QUEUE = Consumer(DELIVERIES.name, "deliveries", (f"{DELIVER_WEBHOOK.pattern}.*",))
DELIVERY_QUEUES = WorkQueues(DELIVERIES, RUN_STARTED, "webhooks")
"""One queue for all runs: the webhooks at their ends. A slow receiver holds up no event of evidence."""


def key_value_stream(bucket: str) -> str:
    """Return the name of the stream in which a server keeps a key-value bucket."""
    return f"KV_{bucket}"


def object_stream(bucket: str) -> str:
    """Return the name of the stream in which a server keeps an object bucket."""
    return f"OBJ_{bucket}"


def samples_of(run_id: str, concurrency: int, attempt_base: int = 0) -> Consumer:
    """Return the queue of one round of a run.

    The server delivers at most ``concurrency`` of its samples at a time, over all planner processes.
    """
    return Consumer(
        SAMPLES.name,
        f"samples_{run_id}_{attempt_base}",
        (f"{WORK_SAMPLE.pattern}.{run_id}.*",),
        max_ack_pending=concurrency,
    )


def listener(service: str, patterns: tuple[str, ...]) -> Consumer:
    """Return the consumer of the events that a service follows, in the order in which they happened.

    One at a time: the next is delivered when the last is settled, so that no event overtakes one that is retried.
    """
    return Consumer(EVENTS_STREAM.name, service, tuple(f"{pattern}.>" for pattern in patterns), max_ack_pending=1)
