"""Where a task may go: which documents it may open, and which private addresses it may reach. Pure.

Addresses of names are arguments; nothing is resolved here. Hosts and host rules are read by :mod:`shared.hosts`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shared.hosts import Origin, fits_any, parse_origin, private_address


@dataclass(frozen=True)
class HostPolicy:
    """``allowed``: hosts that documents may come from. ``private``: hosts that may have private or link-local
    addresses."""

    allowed: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


def document_refusal(url: str, addresses: Iterable[str], bounds: HostPolicy) -> str | None:
    """Return why the document at ``url`` may not be opened in a tab, or None. ``addresses`` are those of its host."""
    if url == "about:blank":
        return None
    origin = parse_origin(url)
    if isinstance(origin, str):
        return origin
    if origin.scheme not in ("http", "https"):
        return f"{origin.scheme}: addresses are not opened, only http and https"
    if not fits_any(origin, bounds.allowed):
        hosts = ", ".join(bounds.allowed) or "none yet"
        told = f"{origin.netloc} is none of the hosts this task may open ({hosts})"
        return f"{told}; should it be one, add it to allowed_hosts"
    return private_refusal(origin, addresses, bounds)


def part_refusal(url: str, addresses: Iterable[str], bounds: HostPolicy) -> str | None:
    """Return why a frame or resource may not be loaded from ``url``, or None. Any public host may."""
    origin = parse_origin(url)
    if isinstance(origin, str):
        return origin if url.lower().startswith(("http", "ws")) else None
    return private_refusal(origin, addresses, bounds)


def private_refusal(origin: Origin, addresses: Iterable[str], bounds: HostPolicy) -> str | None:
    """Return why a private address may not be reached, or None."""
    inside = private_address(origin.host, addresses)
    if inside is None or fits_any(origin, bounds.private):
        return None
    shown = "" if str(inside) == origin.host else f" ({inside})"
    return (
        f"{origin.netloc} is a private address{shown}; a task may open one only if its spec names it, in start_url or "
        f'as "allowed_hosts": ["{origin.netloc}"]'
    )
