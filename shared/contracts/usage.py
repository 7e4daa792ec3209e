"""What model calls used: a part of the messages of whoever asks a model."""

from __future__ import annotations

from shared.contracts.base import Part


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
