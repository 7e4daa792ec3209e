"""Base classes of all wire types. They are encoded as JSON by msgspec, so `nats sub` shows readable messages."""

from __future__ import annotations

import msgspec

from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import ErrorCode


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Base of messages sent on a subject: immutable, keyword-only, tagged with the class name."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Base of values inside messages. They are never sent alone, so they have no tag.

    Those of which a page has thousands are passed over by the garbage collector (``gc=False``)."""


class Failure(Message, frozen=True, kw_only=True):
    """Error reply to a request: a stable code, a message for people, and whether a retry may succeed."""

    code: OpenCode[ErrorCode]
    message: str
    retry: bool
    retry_after_s: float | None = None


class Usage(Part, frozen=True, kw_only=True):
    """Number of model calls, their tokens, and their price in US dollars."""

    llm_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0


def total_tokens(usage: Usage) -> int:
    """Return the sum of all kinds of tokens."""
    return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens


def add_usage(one: Usage, other: Usage) -> Usage:
    """Return the sum of both."""
    return Usage(
        llm_calls=one.llm_calls + other.llm_calls,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cache_read_tokens=one.cache_read_tokens + other.cache_read_tokens,
        cache_write_tokens=one.cache_write_tokens + other.cache_write_tokens,
        cost_usd=one.cost_usd + other.cost_usd,
    )
