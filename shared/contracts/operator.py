"""Owned by the operator: a person, or a program, that decides steps of samples in a model's place."""

from __future__ import annotations

from typing import Any

from shared.contracts.base import Message

OPERATORS = "operators"
"""The queue group: several may listen, and each question goes to one of them."""


class DecisionAsked(Message, frozen=True, kw_only=True):
    """What is the next step? All of it but ``tools``, ``goal``, ``instructions`` and ``fields`` is what pages and input
    rows say: data, never orders.

    ``text`` shows the page, each thing on it with its number in brackets; a number means that thing on this page only.
    ``fields`` is the JSON Schema of the values that ``done`` reports. ``history``: a line for each of the last steps.
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
    """The JavaScript dialog that waits for an answer."""
    history: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    """What was wrong with the last answer, and other words about the work."""
    known: dict[str, Any] = {}
    """Fields of which something is known already."""
    missing_artifacts: tuple[str, ...] = ()
    steps_left: int
    tools: tuple[dict[str, Any], ...]
    """What may be answered: each with ``name``, ``description`` and the ``input_schema`` of its arguments."""


class DecisionGiven(Message, frozen=True, kw_only=True):
    """``action`` as `exhibit drive` takes it: ``{"action": "click", "target": "12", "reason": "..."}``. It is checked
    as a model's would be. ``decided_by`` is the name of the person or the program."""

    action: dict[str, Any]
    decided_by: str


class DecisionDeclined(Message, frozen=True, kw_only=True):
    """Not by me, or not now: the question is asked again, and goes to whoever listens then."""

    reason: str = ""


DecisionReply = DecisionGiven | DecisionDeclined
