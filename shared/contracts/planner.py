"""Owned by planner: the work on one sample, its step log and its result."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from shared.contracts.actions import (
    Action,
    ActionResult,
    Artifact,
    Box,
    BrowserAction,
)
from shared.contracts.base import Message, Part
from shared.contracts.discovery import Sample
from shared.contracts.usage import Usage
from shared.contracts.usage import add_usage as add_usage

# --- the three actions that end in the planner, not in a browser


class SaveProgress(Action, frozen=True, kw_only=True, tag="save_progress"):
    """Keeps what has been found so far; the work goes on."""

    values: dict[str, Any]


class Done(Action, frozen=True, kw_only=True, tag="done"):
    """The sample is finished, if the gates agree.

    ``values`` holds what was read, as shown on the page. ``not_present`` names the fields of which
    the page itself says that there is nothing (an unassigned ticket), mapped to the words it uses;
    a field in neither was not found. ``refs`` maps a field to the element it was read from.
    """

    values: dict[str, Any]
    not_present: dict[str, str] = {}
    refs: dict[str, int] = {}


class Fail(Action, frozen=True, kw_only=True, tag="fail"):
    """The sample cannot be worked on.

    ``code``: not_found, auth_required, blocked or other; by rule also missing_column, identity_mismatch,
    ambiguous, http_error, unreachable, policy_denied.
    """

    code: str = "other"
    note: str = ""


AnyAction = BrowserAction | SaveProgress | Done | Fail

# --- work


class WorkSample(Message, frozen=True, kw_only=True):
    run_id: str
    sample_id: str
    sample: Sample
    attempt_base: int = 0


# --- what a step leaves behind


class ValueSource(Part, frozen=True, kw_only=True):
    """Where on which page a value stood."""

    snapshot_id: str
    observation_sha256: str
    url: str
    ref: int
    role: str
    label: str | None
    box: Box | None
    frame: str


class FieldValue(Part, frozen=True, kw_only=True):
    """One field of the output.

    ``state`` tells three things apart: ``value`` (it is there), ``not_present`` (the page says that
    there is none; ``shown`` has its words) and ``not_found`` (we could not find it).
    """

    field: str
    state: Literal["value", "not_present", "not_found"]
    value: Any = None
    shown: str | None = None
    """The text on the page before normalisation."""
    source: ValueSource | None = None


class FiledArtifact(Part, frozen=True, kw_only=True):
    """An artifact under the name it bears in the sample's folder, such as ``01_ticket.png``."""

    filename: str
    artifact: Artifact


class ObservationRef(Part, frozen=True, kw_only=True):
    snapshot_id: str
    sha256: str
    url: str
    title: str
    http_status: int | None
    dom_confidence: float
    page_sha256: str | None = None
    """Hash of the stored page, where one was stored."""


class StepTaken(Message, frozen=True, kw_only=True):
    """One turn of observe, decide, act. Steps count from 1 within an attempt.

    ``observation`` is None where nothing had been seen yet (the first step), ``action`` where the decider
    gave none that could be used; ``message`` then says why.
    """

    run_id: str
    sample_id: str
    attempt: int
    step: int
    started_at: datetime
    ended_at: datetime
    observation: ObservationRef | None
    decided_by: str
    """``rules``, or the name of the model."""
    action: AnyAction | None
    result: ActionResult | None = None
    """None for the actions that end in the planner."""
    message: str = ""
    """What the decider is told came of it."""
    artifacts: tuple[FiledArtifact, ...] = ()
    values: tuple[FieldValue, ...] = ()
    usage: Usage = Usage()
    browser_ms: float = 0.0
    decide_ms: float = 0.0
    total_ms: float = 0.0


Status = Literal["done", "partial_success", "needs_review", "failed", "auth_required"]


class SampleFinished(Message, frozen=True, kw_only=True):
    """The end of a sample: exactly one counts, that of the highest attempt.

    ``reason`` is empty for done, else a stable code: not_found, identity_mismatch, ambiguous_value,
    missing_fields, invalid_values, missing_artifacts, unconfirmed_values, contradicted_values,
    disputed_not_found, missing_column, http_error, unreachable, policy_denied,
    login_required, blocked, gave_up, bad_replies, too_many_failures, max_steps_exceeded, time_exceeded,
    retries_exhausted, artifact_mismatch, artifact_missing, or the code of the error that ended the last try.
    ``fault``: ``record`` when the sample itself is the reason, ``site``, or ``us``.
    """

    run_id: str
    sample_id: str
    attempt: int
    status: Status
    reason: str = ""
    message: str = ""
    fault: Literal["", "record", "site", "us"] = ""
    sample: Sample
    values: tuple[FieldValue, ...] = ()
    judgment: dict[str, Any] | None = None
    artifacts: tuple[FiledArtifact, ...] = ()
    steps: int = 0
    usage: Usage = Usage()
    decided_by: str = ""
    flagged: bool = False
    notes: tuple[str, ...] = ()
    started_at: datetime
    finished_at: datetime
