"""The webhook at the end of a run: what is sent, and what is stored of each delivery."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.base import Message, Part
from shared.contracts.comparing import ComparisonTold
from shared.contracts.sessions.status import RunStatus

SIGNATURE_HEADER = "X-Exhibit-Signature"
"""Hex digest of HMAC-SHA256 over the raw body."""
DELIVERY_HEADER = "X-Exhibit-Delivery"
"""The delivery id, equal in all attempts: a receiver that knows it already has been told before."""

DeliveryState = Literal["pending", "delivered", "refused", "given_up"]
"""``refused``: it may not be sent, and is not tried again. ``given_up``: every attempt failed."""
AttemptOutcome = Literal["begun", "accepted", "rejected", "timeout", "unreachable", "refused"]
"""``begun``: the process ended within the attempt, so it is not known whether it arrived. ``rejected``: an answer other
than 2xx."""


class DeliverWebhook(Message, frozen=True, kw_only=True):
    """Command to deliver the webhook of a round that has ended."""

    run_id: str
    attempt_base: int


class WebhookBody(Message, frozen=True, kw_only=True):
    """The body of a webhook. ``delivery_id``: as in the header. ``status``: the first page of the status record.
    ``comparison``: with the run that this one follows; None: it follows none."""

    event: Literal["run.completed"] = "run.completed"
    delivery_id: str
    run_id: str
    attempt_base: int
    created_at: datetime
    status: RunStatus
    comparison: ComparisonTold | None = None


class WebhookAttempt(Part, frozen=True, kw_only=True):
    """One attempt. ``http_status``: 0 without an answer."""

    number: int
    at: datetime
    outcome: AttemptOutcome
    http_status: int = 0
    message: str = ""


class WebhookDelivery(Part, frozen=True, kw_only=True):
    """The record of a delivery, in the bucket WEBHOOKS. ``body``: the bytes that are signed and sent in each attempt.
    ``receiver``: scheme, host and port; the rest of the address may hold a secret."""

    delivery_id: str
    run_id: str
    attempt_base: int
    receiver: str
    body: bytes
    state: DeliveryState
    attempts: tuple[WebhookAttempt, ...] = ()


def delivery_key(run_id: str, attempt_base: int) -> str:
    """Return the key of a delivery in the bucket WEBHOOKS."""
    return f"{run_id}/{attempt_base}"
