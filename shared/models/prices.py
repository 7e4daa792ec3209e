"""The cost of model calls. Prices are in US dollars per million tokens, as published for October 2026."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import cast

from shared.contracts.base import Usage
from shared.errors import PermanentError

MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Per million tokens; ``cache_write`` is the five-minute cache."""

    input: float
    output: float
    cache_write: float
    cache_read: float


PRICES: dict[str, Price] = {
    "claude-fable-5-1": Price(10.0, 50.0, 12.5, 0.25),
    "claude-fable-5": Price(10.0, 50.0, 12.5, 1.0),
    "claude-opus-5-5": Price(4.0, 20.0, 5.0, 0.2),
    "claude-opus-5": Price(5.0, 25.0, 6.25, 0.5),
    "claude-opus-4-8": Price(5.0, 25.0, 6.25, 0.5),
    "claude-opus-4-7": Price(5.0, 25.0, 6.25, 0.5),
    "claude-opus-4-6": Price(5.0, 25.0, 6.25, 0.5),
    "claude-opus-4-5": Price(5.0, 25.0, 6.25, 0.5),
    "claude-sonnet-5-5": Price(2.0, 10.0, 2.5, 0.1),
    "claude-sonnet-5": Price(2.0, 10.0, 2.5, 0.2),
    "claude-sonnet-4-6": Price(3.0, 15.0, 3.75, 0.3),
    "claude-sonnet-4-5": Price(3.0, 15.0, 3.75, 0.3),
    "claude-haiku-5-5": Price(0.1, 0.5, 0.125, 0.01),
    "claude-haiku-4-5": Price(1.0, 5.0, 1.25, 0.1),
}
# This model costs more for a long prompt; cached tokens count as prompt.
LONG_PROMPT_TOKENS = 100_000
LONG_PROMPT: dict[str, Price] = {"claude-haiku-5-5": Price(0.5, 2.5, 0.625, 0.05)}
NONE_OF_OURS: Mapping[str, Price] = {}


def price_of(model: str, own: Mapping[str, Price] = NONE_OF_OURS) -> Price | None:
    """Return the price of a model, with or without a date behind its name, or None. ``own`` prices go first."""
    return own.get(model) or own.get(_undated(model)) or PRICES.get(_undated(model))


def cost_usd(model: str, usage: Usage, own: Mapping[str, Price] = NONE_OF_OURS) -> float | None:
    """Return the cost of one call, rounded to a millionth of a dollar; None where no price is known."""
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    long = LONG_PROMPT.get(_undated(model)) if prompt > LONG_PROMPT_TOKENS else None
    price = own.get(model) or own.get(_undated(model)) or long or price_of(model)
    if price is None:
        return None
    total = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_write_tokens * price.cache_write
        + usage.cache_read_tokens * price.cache_read
    )
    return round(total / MILLION, 6)


def own_prices(setting: str | None) -> dict[str, Price]:
    """Return the prices in ``EXHIBIT_PRICES``: JSON, or the path of a file with it.

    Raises PermanentError where they cannot be read: a cost that is silently wrong is worse than none.
    """
    if not setting or not setting.strip():
        return {}
    try:
        inline = setting.lstrip().startswith("{")
        return parse_prices(setting if inline else Path(setting.strip()).read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise PermanentError(f"EXHIBIT_PRICES: {exc}", code="invalid_settings") from exc


def parse_prices(text: str) -> dict[str, Price]:
    """Parse prices that a person wrote: ``{"model": {"input": 2, "output": 10}}``, per million tokens.

    A cache price that is missing is that of the input. Raises ValueError, with a message for people.
    """
    try:
        written: object = json.loads(text)
    except ValueError as exc:
        raise ValueError(f"prices: not JSON: {exc}") from exc
    if not isinstance(written, dict):
        raise ValueError('prices: an object is needed: {"model": {"input": 2, "output": 10}}')
    return {str(model): _price(str(model), price) for model, price in cast("dict[object, object]", written).items()}


def _price(model: str, written: object) -> Price:
    known = [field.name for field in fields(Price)]
    given = cast("dict[str, object]", written) if isinstance(written, dict) else {}
    unknown = sorted(set(given) - set(known))
    if unknown or "input" not in given or "output" not in given:
        raise ValueError(f"prices: {model}: input and output are needed, of {', '.join(known)}")
    numbers = {name: _dollars(model, name, given.get(name, given["input"])) for name in known}
    return Price(**numbers)


def _dollars(model: str, name: str, written: object) -> float:
    if isinstance(written, bool) or not isinstance(written, int | float) or not 0 <= written < float("inf"):
        raise ValueError(f"prices: {model}: {name} must be dollars per million tokens, 0 or more")
    return float(written)


def _undated(model: str) -> str:
    return re.sub(r"-\d{8}$", "", model)
