"""The Messages API as its SDK presents it: messages, their usage, and errors as ours.

With :mod:`shared.models.client` the only module that imports the anthropic SDK.
"""

from __future__ import annotations

from collections.abc import Mapping

import anthropic
from anthropic.types import Message
from anthropic.types import Usage as Tokens
from msgspec.structs import replace

from shared.contracts.base import Usage
from shared.contracts.error_codes import PermanentCode
from shared.errors import ExhibitError, PermanentError, RateLimited, Unavailable
from shared.models.prices import NONE_OF_OURS, Price, cost_usd
from shared.models.sanitize import valid_unicode

REFUSALS: dict[int, tuple[PermanentCode, str]] = {
    400: ("model_rejected", "the model's API rejects our request"),
    401: ("model_key_refused", "the model refused our key (ANTHROPIC_API_KEY)"),
    402: ("model_unpaid", "the model's account cannot pay"),
    403: ("model_forbidden", "our key may not use this model"),
    404: ("model_unknown", "the model's API does not know the model, or the address is wrong"),
    422: ("model_rejected", "the model's API rejects our request"),
}

TOO_LONG = ("prompt is too long", "exceed context limit", "maximum context length")
MOST_TOKENS = 10**12
"""Of one call; a larger count is taken for an error, and for 0."""
OVERLOADED = (503, 529)
"""HTTP statuses of an overloaded model, for which neither the request nor the rate limit is the reason."""


def parse_message(reply: object) -> Message:
    """Return the reply if it is a message, which the SDK does not check. Raises Unavailable if not."""
    content: object = getattr(reply, "content", None)
    if isinstance(reply, Message) and isinstance(content, list) and isinstance(getattr(reply, "usage", None), Tokens):
        return reply
    raise Unavailable("what the model's API answers is no message", code="model_unreadable")


def usage_of(model: str, reply: Message, own: Mapping[str, Price] = NONE_OF_OURS) -> Usage:
    """Return tokens and cost of one call; the cost is 0 where no price is known. ``own`` prices go first."""
    usage = Usage(
        llm_calls=1,
        input_tokens=_count(reply, "input_tokens"),
        output_tokens=_count(reply, "output_tokens"),
        cache_read_tokens=_count(reply, "cache_read_input_tokens"),
        cache_write_tokens=_count(reply, "cache_creation_input_tokens"),
    )
    return replace(usage, cost_usd=cost_usd(model, usage, own) or 0.0)


def _count(reply: Message, name: str) -> int:
    count: object = getattr(reply.usage, name, None)
    return count if isinstance(count, int) and 0 < count < MOST_TOKENS else 0


API_ERRORS = (anthropic.AnthropicError, ValueError, RecursionError)
"""What the SDK raises; the last two for an answer that is no JSON, or JSON that Python cannot parse: numbers of
thousands of digits, unlimited nesting."""


def to_exhibit_error(error: anthropic.AnthropicError | ValueError | RecursionError) -> ExhibitError:
    """Return the SDK's error as one of ours. The message is for people, and never holds the key."""
    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error)
    if isinstance(error, anthropic.APITimeoutError):
        return Unavailable("the model did not answer in time", code="model_timeout")
    if isinstance(error, anthropic.APIConnectionError):
        return Unavailable(f"the model cannot be reached at {error.request.url.host}", code="model_unreachable")
    return Unavailable(f"the model's answer could not be read ({type(error).__name__})", code="model_unreadable")


def _of_status(error: anthropic.APIStatusError) -> ExhibitError:
    said = valid_unicode((error.api_message or "").strip()[:300])
    detail = f": {said}" if said else ""
    if error.status_code == 429:
        after_s = retry_after_s(error.response.headers)
        return RateLimited(
            f"the model's API tells us to slow down{detail}", code="model_rate_limited", retry_after_s=after_s
        )
    if _too_long(error):
        return PermanentError(f"the prompt is too long for the model{detail}", code="prompt_too_long")
    if error.status_code in OVERLOADED:
        return Unavailable(f"the model is overloaded (HTTP {error.status_code}){detail}", code="model_overloaded")
    if error.status_code in REFUSALS:
        code, words = REFUSALS[error.status_code]
        return PermanentError(f"{words}{detail}", code=code)
    return Unavailable(f"the model's API answers with HTTP {error.status_code}{detail}", code="model_unavailable")


def _too_long(error: anthropic.APIStatusError) -> bool:
    """Whether the prompt is too long; in a 400 only the message tells."""
    said = str(error).casefold()
    return error.status_code == 413 or (error.status_code == 400 and any(words in said for words in TOO_LONG))


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None
