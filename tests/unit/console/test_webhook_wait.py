"""A command with a bus of its own waits for the webhook of its run, and says what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr

from services.console.commands.run.webhook_wait import WAIT_S, has_webhook, wait_for_webhook, webhook_text
from shared.contracts.evidence import RunFinished
from shared.contracts.sessions.webhooks import DeliveryState, WebhookAttempt, WebhookDelivery, delivery_key
from shared.settings import Settings
from shared.streams import WEBHOOKS
from shared.testing.bus import MemoryBus

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FINISHED = RunFinished(
    run_id="r1",
    attempt_base=0,
    samples=1,
    outcomes=(),
    flagged=0,
    llm_calls=0,
    cost_usd=0.0,
    started_at=NOW,
    finished_at=NOW,
    location="",
    table="",
    report="",
)


def delivery(state: DeliveryState, *messages: str) -> WebhookDelivery:
    attempts = tuple(
        WebhookAttempt(number=number, at=NOW, outcome="rejected" if message else "accepted", message=message)
        for number, message in enumerate(messages, 1)
    )
    return WebhookDelivery(
        delivery_id="r1.0", run_id="r1", attempt_base=0, receiver="https://a.example", body=b"{}", state=state,
        attempts=attempts,
    )  # fmt: skip


@dataclass
class Clock:
    """`sleep` passes the time, and does what is due at its end."""

    records: MemoryBus
    then: dict[int, WebhookDelivery] = field(default_factory=dict[int, WebhookDelivery])
    now_s: float = 0.0
    slept: int = 0

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        self.slept += 1
        due = self.then.get(self.slept)
        if due is not None:
            await self.records.modify(WEBHOOKS, delivery_key("r1", 0), WebhookDelivery, lambda _: due)


async def waited(clock: Clock) -> WebhookDelivery | None:
    return await wait_for_webhook(clock.records, FINISHED, sleep=clock.sleep, elapsed_s=lambda: clock.now_s)


@pytest.mark.parametrize("state", ["delivered", "given_up", "refused"])
async def test_it_waits_until_the_delivery_has_ended(state: Any):
    ended = delivery(state, "503", "")
    clock = Clock(MemoryBus(), {2: delivery("pending", "503"), 4: ended})
    assert await waited(clock) == ended
    assert clock.slept == 4


async def test_it_waits_no_longer_than_its_limit():
    clock = Clock(MemoryBus(), {1: delivery("pending", "a.example answered 503")})
    assert await waited(clock) == delivery("pending", "a.example answered 503")
    assert WAIT_S <= clock.now_s < WAIT_S + 1
    assert await waited(Clock(MemoryBus())) is None


def test_what_became_of_it_is_told():
    assert webhook_text(delivery("delivered", "503", "")) == "webhook: https://a.example accepted it after 2 attempts"
    for ending in (delivery("pending", "a.example answered 503"), delivery("given_up", "a.example answered 503")):
        assert "a.example answered 503" in webhook_text(ending)
        assert "1 attempt" in webhook_text(ending)
    assert "none was sent" in webhook_text(None)


def test_only_a_bus_of_its_own_is_waited_for():
    url = SecretStr("https://a.example/hook")
    assert has_webhook(Settings(webhook_url=url, nats_url=None))
    assert not has_webhook(Settings(webhook_url=url, nats_url="nats://127.0.0.1:4222"))
    assert not has_webhook(Settings(webhook_url=None, nats_url=None))
