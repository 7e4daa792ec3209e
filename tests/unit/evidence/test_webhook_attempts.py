"""The record of a delivery: attempts are counted before they are made, and what has ended stays as it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from services.evidence.webhooks.attempts import LONGEST_PAUSE_S, ReceiverAnswer, answered, begun, pause_s
from shared.client.webhooks import read_webhook, verify_webhook, webhook_signature
from shared.contracts.sessions.webhooks import WebhookDelivery

NOW = datetime(2026, 11, 23, 14, tzinfo=UTC)
PENDING = WebhookDelivery(
    delivery_id="run_1.0", run_id="run_1", attempt_base=0, receiver="https://r.test", body=b"{}", state="pending"
)


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        ("accepted", "delivered"),
        ("rejected", "pending"),
        ("timeout", "pending"),
        ("unreachable", "pending"),
        ("refused", "refused"),
    ],
)
def test_an_attempt_is_counted_before_it_is_made_and_its_answer_says_what_follows(outcome, state):
    first = begun(PENDING, NOW)
    assert [one.outcome for one in first.attempts] == ["begun"]
    after = answered(first, 1, ReceiverAnswer(outcome, 200), most=3)
    assert (after.state, after.attempts[0].outcome, after.attempts[0].at) == (state, outcome, NOW)


def test_the_last_failed_attempt_gives_it_up():
    once = answered(begun(PENDING, NOW), 1, ReceiverAnswer("rejected", 500), most=2)
    assert once.state == "pending"
    assert answered(begun(once, NOW), 2, ReceiverAnswer("timeout"), most=2).state == "given_up"


def test_what_was_delivered_is_neither_begun_again_nor_given_up_by_a_late_answer():
    done = answered(begun(PENDING, NOW), 1, ReceiverAnswer("accepted", 204), most=1)
    assert begun(done, NOW) == done
    assert answered(done, 1, ReceiverAnswer("timeout"), most=1).state == "delivered"


def test_pauses_double_up_to_an_hour():
    assert [pause_s(number, 1.0) for number in (1, 2, 3, 10)] == [1.0, 2.0, 4.0, 512.0]
    assert pause_s(500, 1.0) == LONGEST_PAUSE_S


def test_the_signature_is_hmac_sha256_over_the_raw_body():
    # RFC 4231, test case 2
    assert webhook_signature("Jefe", b"what do ya want for nothing?") == (
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )


@pytest.mark.parametrize("given", [None, "", "0" * 64, "ä", "\udcff", "5bdcc146"])
def test_what_is_not_signed_is_neither_believed_nor_parsed(given):
    assert not verify_webhook("Jefe", b"no json", given)
    assert read_webhook("Jefe", b"no json", given) is None


def test_one_changed_byte_is_noticed():
    signed = webhook_signature("key", b'{"success":true}')
    assert verify_webhook("key", b'{"success":true}', f" {signed} ")
    assert not verify_webhook("key", b'{"success": true}', signed)


def test_an_empty_secret_verifies_nothing():
    with pytest.raises(ValueError, match="empty secret"):
        verify_webhook("", b"", webhook_signature("", b""))
