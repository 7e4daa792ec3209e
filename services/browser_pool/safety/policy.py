"""Where a session may go, and which requests the browser pauses so that this is decided.

Addresses of names are arguments; nothing is resolved here.

Hosts and host rules are read by :mod:`shared.hosts`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from shared.hosts import DEFAULT_PORTS, Origin, bracketed, fits_any, parse_host_rule, parse_origin, private_address


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
        f"{origin.netloc} is a private address{shown}; a task may open one only if its spec names it in allowed_hosts "
        "or start_url"
    )


# --- URL patterns of the requests that the browser pauses (``*`` and ``?`` are wildcards)

# Documents are always paused; other requests only when their host is a literal private address that not every session
# may reach. Patterns have no "all except", so exceptions are cut out character by character.

PRIVATE = (
    *("0.", "10.", "127.", "169.254.", "192.168.", "100.6?.", "100.7?.", "100.8?.", "100.9?.", "100.1??."),
    *("172.1?.", "172.2?.", "172.3?.", "192.0.", "198.18.", "198.19.", "198.51.100.", "203.0.113."),
    *("22?.", "23?.", "24?.", "25?.", "[", "localhost"),
)
NEXT, NEXT_V6 = "0123456789.:/", "0123456789abcdef.:/]"
"""Characters that can follow within a literal address. Any other makes it a name, which the browser checks itself."""
MAX_NAMED = 8
"""More hosts than this are paused and decided one by one: that costs time, not safety."""


def fetch_patterns(allowed_private: Iterable[str]) -> list[dict[str, Any]]:
    """Return the patterns of Fetch.enable. ``allowed_private``: private hosts (``host`` or ``host:port``) that every
    session may load parts of pages from."""
    documents = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}
    allowed = sorted(allowed_private)[:MAX_NAMED]
    asked = [glob for scheme in ("http", "https") for glob in _globs(scheme, allowed)]
    # Rules for preloading that a header names have this type, which is rare otherwise.
    rules = {"urlPattern": "*", "resourceType": "Other", "requestStage": "Response"}
    return [documents, rules, *({"urlPattern": glob, "requestStage": "Request"} for glob in asked)]


def _globs(scheme: str, allowed: list[str]) -> list[str]:
    start = f"{scheme}://"
    allowed_prefixes = [start + rest for rule in allowed for rest in _beginnings(scheme, rule)]
    found = [f"{start}*.localhost{end}*" for end in ":/"]
    for prefix in PRIVATE:
        inside = [one for one in allowed_prefixes if one.startswith(start + prefix)]
        found += globs_except(start + prefix, inside) if inside else [f"{start}{prefix}*"]
    return found


def _beginnings(scheme: str, rule: str) -> list[str]:
    """Return how the addresses start that a rule for one private host fits."""
    known = parse_host_rule(rule)
    if known is None or known.below or not known.host:
        return []
    text = bracketed(known.host)
    if known.port is None:
        return [f"{text}/", f"{text}:"]
    return [f"{text}/" if known.port == DEFAULT_PORTS[scheme] else f"{text}:{known.port}/"]


def globs_except(prefix: str, allowed_prefixes: Iterable[str]) -> list[str]:
    """Return globs for every address that starts with ``prefix``, except the ``allowed_prefixes``."""
    found: list[str] = []
    texts = [one for one in allowed_prefixes if one.startswith(prefix)]
    if not texts:
        return [f"{prefix}*"]
    if prefix in texts:
        return []
    usual = NEXT_V6 if "[" in prefix else NEXT
    for char in usual + "".join(sorted({one[len(prefix)] for one in texts} - set(usual))):
        found += globs_except(prefix + char, texts)
    return found
