"""How a delivery is acknowledged once its handler has finished."""

from __future__ import annotations

from dataclasses import dataclass

from shared.errors import PermanentError, TransientError


@dataclass(frozen=True)
class Ack: ...


@dataclass(frozen=True)
class Nak:
    """Deliver again after ``delay_s`` seconds."""

    delay_s: float


@dataclass(frozen=True)
class Term:
    """Never deliver again; ``code`` says why."""

    code: str


Verdict = Ack | Nak | Term


BUG_ATTEMPTS = 5


def backoff_s(attempt: int, *, base_s: float = 0.5, cap_s: float = 30.0) -> float:
    """Seconds to wait after the ``attempt``-th failure (from 1): doubled each time, up to ``cap_s``."""
    return min(cap_s, base_s * 2.0 ** min(attempt - 1, 30))


def verdict(error: Exception | None, *, attempt: int, max_attempts: int | None) -> Verdict:
    """Return how to acknowledge the ``attempt``-th delivery, given the error of its handler.

    ``max_attempts`` None retries transient errors for ever. A bug has a bound in any case: it would block all messages
    behind it.
    """
    if error is None:
        return Ack()
    if isinstance(error, PermanentError):
        return Term(error.code)
    for_ever = max_attempts is None and isinstance(error, TransientError)
    if not for_ever and attempt >= (max_attempts or BUG_ATTEMPTS):
        return Term("retries_exhausted")
    if isinstance(error, TransientError) and error.retry_after_s is not None:
        return Nak(error.retry_after_s)
    return Nak(backoff_s(attempt))
