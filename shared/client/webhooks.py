"""Webhooks for those who receive them: whether a body is ours, and what it says.

body = await request.body()  # the bytes as they arrived, before anything parses them
notice = read_webhook(SECRET, body, request.headers.get(SIGNATURE_HEADER))
if notice is None:
    return 401
"""

from __future__ import annotations

import hashlib
import hmac

import msgspec

from shared.contracts.sessions.webhooks import DELIVERY_HEADER, SIGNATURE_HEADER, WebhookBody

__all__ = ["DELIVERY_HEADER", "SIGNATURE_HEADER", "WebhookBody", "read_webhook", "verify_webhook", "webhook_signature"]


def webhook_signature(secret: str, body: bytes) -> str:
    """Return what the header holds: the hex digest of HMAC-SHA256 over the raw body."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def verify_webhook(secret: str, body: bytes, signature: str | None) -> bool:
    """Whether the body was signed with the secret. The comparison takes the same time wherever the two differ.

    False for a missing header. Raises ValueError for an empty secret, with which anyone could sign.
    """
    if not secret:
        raise ValueError("a webhook is not verified with an empty secret")
    given = (signature or "").strip().encode("utf-8", "surrogateescape")
    return hmac.compare_digest(webhook_signature(secret, body).encode(), given)


def read_webhook(secret: str, body: bytes, signature: str | None) -> WebhookBody | None:
    """Return what a signed body says; None if it was not signed with the secret. Nothing unsigned is parsed.

    Raises msgspec.DecodeError for a signed body that is no webhook of this version.
    """
    return msgspec.json.decode(body, type=WebhookBody) if verify_webhook(secret, body, signature) else None
