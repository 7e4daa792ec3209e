"""The status record of a run: what is known of it now, in one message."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode, Status
from shared.contracts.error_codes import EndCode
from shared.contracts.evidence import DriversCount, OutcomeCount, RunUnknown
from shared.contracts.outages import Outage
from shared.contracts.sessions.control import AskUser

NO_SAMPLES = 1 << 40
"""As ``skip``: the record without what samples brought. More than any run has."""


class LoadStatus(Message, frozen=True, kw_only=True):
    """Request for the status record of a run, with one page of what its samples brought. ``skip``: samples of earlier
    pages."""

    run_id: str
    skip: int = 0


class FileMetadata(Part, frozen=True, kw_only=True):
    """A file that a sample brought. ``download_url``: where it is in the evidence, a path or an address in a bucket.
    ``file_size``: in bytes. ``download_timestamp``: of its capture; None in evidence of early versions."""

    filename: str
    download_url: str
    file_size: int
    download_timestamp: datetime | None
    sample_id: str
    kind: str
    sha256: str


class RunMetadata(Part, frozen=True, kw_only=True):
    """What a run was requested as. ``samples``: known so far; ``ended``: of them, have a result."""

    task_id: str
    requested_by: str
    planner: str
    created_at: datetime
    attempt_base: int
    samples: int
    ended: int
    location: str


class WorkflowMetadata(Part, frozen=True, kw_only=True):
    """``workflow``: the one that the spec names; empty: it names none. ``decided_by``: how many samples of the page
    were decided by whom (``flow``, ``rules``, the name of a model, ...)."""

    workflow: str
    decided_by: dict[str, int]


class SampleStatus(Part, frozen=True, kw_only=True):
    """How a sample of the page ended."""

    sample_id: str
    status: OpenCode[Status] | None
    reason: OpenCode[EndCode]
    message: str


class RunStatus(Message, frozen=True, kw_only=True):
    """The status record.

    ``in_progress``: the round has not ended. ``success``: None while it is in progress; True only if all samples were
    proven to be found, and every one is done. ``structured_output``: fields by sample id. ``scraper_outputs``: items
    of lists by sample id, of a run that finds its samples by navigating. ``final_message``: one sentence; empty while
    it is in progress. ``paused_key``: of what the run waits for: the pause, or the question; None if it waits for
    nothing.

    Samples are in row order, those with a result only. ``skip`` and ``next_skip``: of this page and of the next;
    ``next_skip`` is None on the last page.
    """

    run_id: str
    in_progress: bool
    success: bool | None
    structured_output: dict[str, dict[str, Any]]
    scraper_outputs: dict[str, dict[str, Any]]
    file_metadata: tuple[FileMetadata, ...]
    final_message: str
    metadata: RunMetadata
    workflow_metadata: WorkflowMetadata
    paused: bool = False
    paused_key: str | None = None
    open_questions: tuple[AskUser, ...] = ()
    """Questions to the user that nobody has answered yet, the oldest first."""
    outage: Outage | None = None
    """What the run is paused for; None: it is not paused, or a person has paused it."""
    samples: tuple[SampleStatus, ...] = ()
    outcomes: tuple[OutcomeCount, ...] = ()
    """Of all samples with a result, not only of the page; so are ``worked`` and ``cost_usd``."""
    worked: tuple[DriversCount, ...] = ()
    """As in :class:`shared.contracts.evidence.RunFinished`."""
    cost_usd: float = 0.0
    """Of the calls of models."""
    skip: int = 0
    next_skip: int | None = None


StatusReply = RunStatus | RunUnknown
