"""Delivers the webhook of a round that has ended, at least once: each attempt is written down before it is made.

The command stays in its queue until the receiver has accepted, the delivery is given up, or it may not be sent; what a
process leaves that dies within an attempt, another takes up. The receiver knows a repetition by the delivery id.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import msgspec

from services.evidence.webhooks.attempts import ReceiverAnswer, answered, begun, pause_s
from shared.bus.ports import Records
from shared.client.webhooks import DELIVERY_HEADER, SIGNATURE_HEADER, webhook_signature
from shared.contracts.comparing import ComparisonTold
from shared.contracts.sessions.status import RunStatus
from shared.contracts.sessions.webhooks import DeliverWebhook, WebhookBody, WebhookDelivery, delivery_key
from shared.errors import PermanentError, Unavailable
from shared.hosts import Origin, parse_origin
from shared.streams import WEBHOOKS

log = logging.getLogger(__name__)
NO_SECRET = ReceiverAnswer("refused", message="there is no secret to sign webhooks with: set EXHIBIT_WEBHOOK_SECRET")


class WebhookSender(Protocol):
    async def post(self, url: str, headers: Mapping[str, str], body: bytes, /) -> ReceiverAnswer:
        """Make one attempt. Nothing that an address or a receiver causes is raised."""
        ...


@dataclass(frozen=True)
class Webhooks:
    """Where webhooks are sent, how they are signed, and how often they are tried. ``now`` is aware UTC."""

    url: str = field(repr=False)
    secret: str = field(repr=False)
    sender: WebhookSender
    records: Records
    now: Callable[[], datetime]
    most_attempts: int
    first_pause_s: float

    async def prepare(
        self, run_id: str, attempt_base: int, status: RunStatus, comparison: ComparisonTold | None = None
    ) -> DeliverWebhook:
        """Store the body of the webhook of a round, and return the command to deliver it. Idempotent: the body is made
        once and never again."""
        delivery = self._new(run_id, attempt_base, status, comparison)
        await self.records.create(WEBHOOKS, delivery_key(run_id, attempt_base), delivery)
        return DeliverWebhook(run_id=run_id, attempt_base=attempt_base)

    async def deliver(self, command: DeliverWebhook) -> None:
        """Make one attempt, unless the delivery has ended.

        Raises Unavailable (``webhook_failed``) if it is to be tried again, and PermanentError (``webhook_refused``,
        ``webhook_given_up``) if not.
        """
        key = delivery_key(command.run_id, command.attempt_base)
        delivery = await self.records.modify(
            WEBHOOKS, key, WebhookDelivery, lambda stored: stored and begun(stored, self.now())
        )
        if delivery is None:
            raise PermanentError(f"nothing is known of the webhook {key}", code="webhook_refused")
        if delivery.state != "pending":
            return
        number, answer = len(delivery.attempts), await self._attempt(delivery)
        ended = await self.records.modify(
            WEBHOOKS,
            key,
            WebhookDelivery,
            lambda stored: answered(stored or delivery, number, answer, self.most_attempts),
        )
        self._report(ended or delivery, number, answer)

    def _new(self, run_id: str, base: int, status: RunStatus, comparison: ComparisonTold | None) -> WebhookDelivery:
        delivery_id, origin = f"{run_id}.{base}", parse_origin(self.url)
        body = WebhookBody(
            delivery_id=delivery_id,
            run_id=run_id,
            attempt_base=base,
            created_at=self.now(),
            status=status,
            comparison=comparison,
        )
        return WebhookDelivery(
            delivery_id=delivery_id,
            run_id=run_id,
            attempt_base=base,
            receiver=f"{origin.scheme}://{origin.netloc}" if isinstance(origin, Origin) else "",
            body=msgspec.json.encode(body),
            state="pending",
        )

    async def _attempt(self, delivery: WebhookDelivery) -> ReceiverAnswer:
        if not self.secret:
            return NO_SECRET
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "exhibit",
            SIGNATURE_HEADER: webhook_signature(self.secret, delivery.body),
            DELIVERY_HEADER: delivery.delivery_id,
        }
        return await self.sender.post(self.url, headers, delivery.body)

    def _report(self, delivery: WebhookDelivery, number: int, answer: ReceiverAnswer) -> None:
        if delivery.state == "delivered":
            return
        told = f"webhook {delivery.delivery_id}, attempt {number}: {answer.message}"
        if delivery.state == "pending":
            pause = pause_s(number, self.first_pause_s)
            raise Unavailable(f"{told}; again in {pause:g} s", code="webhook_failed", retry_after_s=pause)
        log.warning("webhook %s, attempt %d: %s; it is not tried again", delivery.delivery_id, number, delivery.state)
        raise PermanentError(told, code="webhook_refused" if delivery.state == "refused" else "webhook_given_up")
