"""Waits at the end of a run for its webhook: a bus of the command's own ends with it, and so do further attempts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from shared.bus.ports import Records
from shared.contracts.evidence import RunFinished
from shared.contracts.sessions.webhooks import WebhookDelivery, delivery_key
from shared.settings import Settings
from shared.streams import WEBHOOKS

WAIT_S = 30.0
"""As long as one attempt may take; within it a delivery that fails is tried again."""
POLL_S = 0.1


def has_webhook(settings: Settings) -> bool:
    """Return whether the command has to wait: it has a bus of its own, and the settings name a receiver."""
    return settings.nats_url is None and settings.webhook_url is not None


async def wait_for_webhook(
    records: Records,
    finished: RunFinished,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    elapsed_s: Callable[[], float],
) -> WebhookDelivery | None:
    """Return the record of the delivery once it has ended, or as it is after `WAIT_S`. None: none was begun."""
    until_s, key = elapsed_s() + WAIT_S, delivery_key(finished.run_id, finished.attempt_base)
    while True:
        delivery = await records.read(WEBHOOKS, key, WebhookDelivery)
        if (delivery is not None and delivery.state != "pending") or elapsed_s() >= until_s:
            return delivery
        await sleep(POLL_S)


def webhook_text(delivery: WebhookDelivery | None) -> str:
    """Return what became of the delivery, for the terminal."""
    if delivery is None:
        return f"webhook: none was sent within {WAIT_S:g} s, and the bus of this command ends here"
    attempts = len(delivery.attempts)
    tried = f"{attempts} attempt" + ("" if attempts == 1 else "s")
    if delivery.state == "delivered":
        return f"webhook: {delivery.receiver} accepted it after {tried}"
    why = next((one.message for one in reversed(delivery.attempts) if one.message), "no answer yet")
    if delivery.state == "pending":
        return f"webhook: not accepted within {WAIT_S:g} s, after {tried} ({why}); the bus of this command ends here"
    return f"webhook: not delivered, after {tried}: {why}"
