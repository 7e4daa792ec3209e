"""Messages of the operator: a person or a program that decides steps of samples instead of a model."""

from __future__ import annotations

from typing import Any

from shared.contracts.base import Message

OPERATORS = "operators"
"""The queue group: each question goes to one of the operators that listen."""


class DecisionAsked(Message, frozen=True, kw_only=True):
    """Request to decide the next step.

    Only ``tools``, ``goal``, ``instructions`` and ``fields`` come from the task. All other fields are data from pages
    and input rows, never instructions. ``text``: the page, each element with its number in brackets; numbers are valid
    for this page only. ``fields``: JSON Schema of the values that ``done`` reports. ``history``: a line for each of
    the last steps.
    """

    run_id: str
    sample_id: str
    attempt: int
    step: int
    task_id: str
    goal: str
    instructions: str = ""
    row: dict[str, str] = {}
    fields: dict[str, Any]
    judgment_question: str = ""
    url: str
    title: str
    http_status: int | None
    text: str
    dialog: str | None = None
    """The open JavaScript dialog, which must be answered first."""
    history: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    """Problems of the last answer, and messages about progress."""
    known: dict[str, Any] = {}
    """Output fields with a known state, by name."""
    missing_artifacts: tuple[str, ...] = ()
    steps_left: int
    tools: tuple[dict[str, Any], ...]
    """The possible answers, each with ``name``, ``description`` and the ``input_schema`` of its arguments."""


class DecisionGiven(Message, frozen=True, kw_only=True):
    """The decision. ``action``: in the format of `exhibit drive`, such as
    ``{"action": "click", "target": "12", "reason": "..."}``; it passes the same checks as a model's answer.
    ``decided_by``: name of the person or the program."""

    action: dict[str, Any]
    decided_by: str


class DecisionDeclined(Message, frozen=True, kw_only=True):
    """The operator does not decide this step. The request is sent again, to any operator that listens then."""

    reason: str = ""


DecisionReply = DecisionGiven | DecisionDeclined
