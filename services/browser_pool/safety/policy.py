"""Pure: where a session may go. Names are not resolved here: their addresses come in as arguments.

How hosts and rules are read is decided in :mod:`shared.hosts`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shared.hosts import Origin, fits_any, parse_origin, private_address


@dataclass(frozen=True)
class HostPolicy:
    """``allowed``: where documents may come from. ``private``: which hosts may be private or link-local addresses."""

    allowed: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


def document_refusal(url: str, addresses: Iterable[str], bounds: HostPolicy) -> str | None:
    """Why the document at ``url`` may not be opened in a tab, or None. ``addresses`` are those its name stands for."""
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
    """Why a frame or another part of a page may not be loaded from ``url``: public hosts serve parts of many sites."""
    origin = parse_origin(url)
    if isinstance(origin, str):
        return origin if url.lower().startswith(("http", "ws")) else None
    return private_refusal(origin, addresses, bounds)


def private_refusal(origin: Origin, addresses: Iterable[str], bounds: HostPolicy) -> str | None:
    inside = private_address(origin.host, addresses)
    if inside is None or fits_any(origin, bounds.private):
        return None
    shown = "" if str(inside) == origin.host else f" ({inside})"
    return (
        f"{origin.netloc} is a private address{shown}; a task may open one only if its spec names it in allowed_hosts "
        "or start_url"
    )
