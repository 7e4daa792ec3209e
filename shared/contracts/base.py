"""The two bases every wire type inherits. JSON by msgspec, so that `nats sub` is readable."""

from __future__ import annotations

import msgspec

from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import ErrorCode


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """What travels on a subject: immutable, keyword-only, tagged with its class name."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A value inside messages; it never travels alone, so it needs no tag."""


class Failure(Message, frozen=True, kw_only=True):
    """Why an ask was not answered: a stable code, words for people, and whether to try again."""

    code: OpenCode[ErrorCode]
    message: str
    retry: bool
    retry_after_s: float | None = None


class Usage(Part, frozen=True, kw_only=True):
    """Tokens of model calls, and their price in US dollars (0 where none was made)."""

    llm_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0


def total_tokens(usage: Usage) -> int:
    """Of all kinds."""
    return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens


def add_usage(one: Usage, other: Usage) -> Usage:
    """The two together."""
    return Usage(
        llm_calls=one.llm_calls + other.llm_calls,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cache_read_tokens=one.cache_read_tokens + other.cache_read_tokens,
        cache_write_tokens=one.cache_write_tokens + other.cache_write_tokens,
        cost_usd=one.cost_usd + other.cost_usd,
    )
