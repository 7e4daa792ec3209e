"""Which requests the browser pauses, so that :mod:`shared.network.host_policy` decides about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shared.hosts import DEFAULT_PORTS, bracketed, parse_host_rule

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
