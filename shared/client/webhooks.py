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
    """Return what the header of a webhook holds.

    Args:
        secret: that of the settings of who sends it.
        body: the bytes as they arrived.

    Returns:
        The hex digest of HMAC-SHA256 over the body.

    Example:
        headers = {SIGNATURE_HEADER: webhook_signature(SECRET, body)}
    """
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def verify_webhook(secret: str, body: bytes, signature: str | None) -> bool:
    """Return whether the body was signed with the secret. The comparison takes the same time wherever the two differ.

    Args:
        secret: that of the settings of who sends it.
        body: the bytes as they arrived.
        signature: the header; None: there is none.

    Returns:
        Whether it was; False without a header.

    Raises:
        ValueError: the secret is empty, so that anyone could sign.

    Example:
        if not verify_webhook(SECRET, body, request.headers.get(SIGNATURE_HEADER)): ...
    """
    if not secret:
        raise ValueError("a webhook is not verified with an empty secret")
    given = (signature or "").strip().encode("utf-8", "surrogateescape")
    return hmac.compare_digest(webhook_signature(secret, body).encode(), given)


def read_webhook(secret: str, body: bytes, signature: str | None) -> WebhookBody | None:
    """Return what a signed body says. Nothing unsigned is parsed.

    Args:
        secret: that of the settings of who sends it.
        body: the bytes as they arrived.
        signature: the header; None: there is none.

    Returns:
        What it says; None if it was not signed with the secret.

    Raises:
        ValueError: the secret is empty, so that anyone could sign.
        msgspec.DecodeError: a signed body is no webhook of this version.

    Example:
        notice = read_webhook(SECRET, body, request.headers.get(SIGNATURE_HEADER))
    """
    return msgspec.json.decode(body, type=WebhookBody) if verify_webhook(secret, body, signature) else None
