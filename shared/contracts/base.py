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
