"""Messages of browser_pool about the response of an API: it is fetched under the rules of a session, and stored."""

from __future__ import annotations

from typing import Literal

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode
from shared.contracts.results import Artifact


class ApiHeader(Part, frozen=True, kw_only=True):
    """A header to send. ``value``: all of it or, with a ``secret``, what stands before the value of that secret."""

    name: str
    value: str = ""
    secret: str = ""


class FetchResponse(Message, frozen=True, kw_only=True):
    """Request to ask an API with GET, under the rules that hold for the documents of this session. No cookie of the
    session is sent, and no redirect is followed."""

    session_id: str
    instance_id: str
    url: str
    headers: tuple[ApiHeader, ...] = ()
    timeout_s: float = 20.0


class ResponseFetched(Message, frozen=True, kw_only=True):
    """A complete response. ``artifact``: its body, stored in the ARTIFACTS bucket."""

    status: int
    content_type: str
    """As the header has it; empty: there is none."""
    artifact: Artifact
    browser_ms: float = 0.0


FetchCode = Literal[
    "policy_denied", "no_secret", "redirected", "unreachable", "timeout", "too_large", "encoded", "shows_secret"
]
"""``encoded``: compressed although that was not asked for. ``shows_secret``: a secret of the session stands in it, so
it is not stored."""


class ResponseNotFetched(Message, frozen=True, kw_only=True):
    """Why there is no response. Nothing is stored."""

    code: OpenCode[FetchCode]
    message: str
    browser_ms: float = 0.0


def is_json_type(media_type: str) -> bool:
    """Return whether this media type, in lower case and without parameters, is that of a JSON text."""
    return media_type == "application/json" or media_type.endswith("+json")


FetchReply = ResponseFetched | ResponseNotFetched
