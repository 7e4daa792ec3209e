"""The record of a delivery: what an attempt changes in it, when the next one is due, and when there is none. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from shared.contracts.sessions.webhooks import AttemptOutcome, DeliveryState, WebhookAttempt, WebhookDelivery

LONGEST_PAUSE_S = 3600.0


@dataclass(frozen=True)
class ReceiverAnswer:
    """What one attempt came to. ``message``: for people, without the address and the secret."""

    outcome: AttemptOutcome
    http_status: int = 0
    message: str = ""


def begun(delivery: WebhookDelivery, at: datetime) -> WebhookDelivery:
    """Return the record with one more attempt, before it is made. A delivery that has ended stays as it is."""
    if delivery.state != "pending":
        return delivery
    attempt = WebhookAttempt(number=len(delivery.attempts) + 1, at=at, outcome="begun")
    return replace(delivery, attempts=(*delivery.attempts, attempt))


def answered(delivery: WebhookDelivery, number: int, answer: ReceiverAnswer, most: int) -> WebhookDelivery:
    """Return the record with what the attempt of that number came to. ``most``: attempts before it is given up."""
    attempts = tuple(
        replace(one, outcome=answer.outcome, http_status=answer.http_status, message=answer.message)
        if one.number == number
        else one
        for one in delivery.attempts
    )
    return replace(delivery, attempts=attempts, state=_state_after(delivery, answer.outcome, number, most))


def _state_after(delivery: WebhookDelivery, outcome: AttemptOutcome, number: int, most: int) -> DeliveryState:
    if delivery.state != "pending":
        return delivery.state
    if outcome == "accepted":
        return "delivered"
    if outcome == "refused":
        return "refused"
    return "given_up" if number >= most else "pending"


def pause_s(number: int, first_s: float) -> float:
    """Seconds between the failed attempt of that number and the next: each twice as long, up to an hour."""
    return min(LONGEST_PAUSE_S, first_s * 2.0 ** min(number - 1, 30))
