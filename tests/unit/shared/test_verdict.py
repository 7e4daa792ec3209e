from __future__ import annotations

from shared.bus.verdict import Ack, Nak, Term, backoff_s, verdict
from shared.errors import InvalidMessage, PermanentError, RateLimited, TransientError, Unavailable
from tests.cases import cases


@cases(
    ("error", "attempt", "max_attempts", "want"),
    [
        (None, 1, 5, Ack()), (None, 9, 5, Ack()), (PermanentError("x"), 1, 5, Term("permanent")),
        (InvalidMessage("x"), 1, None, Term("invalid_message")), (RateLimited("x", retry_after_s=7), 1, 5, Nak(7)),
        (Unavailable("x"), 3, 5, Nak(2.0)), (Unavailable("x"), 5, 5, Term("retries_exhausted")),
        (Unavailable("x"), 500, None, Nak(30.0)), (TransientError("x", retry_after_s=0.0), 1, 5, Nak(0.0)),
        (KeyError("a bug"), 1, 5, Nak(0.5)), (KeyError("a bug"), 5, 5, Term("retries_exhausted")),
        (KeyError("a bug"), 4, None, Nak(4.0)), (KeyError("a bug"), 5, None, Term("retries_exhausted")),
    ],
)  # fmt: skip
def test_the_error_says_what_becomes_of_a_delivery(error, attempt, max_attempts, want):
    assert verdict(error, attempt=attempt, max_attempts=max_attempts) == want


def test_waiting_doubles_up_to_the_cap():
    assert [backoff_s(attempt, base_s=1, cap_s=5) for attempt in (1, 2, 3, 4, 100)] == [1, 2, 4, 5, 5]
