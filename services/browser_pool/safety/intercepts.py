"""Pure: which requests the browser has to ask about, as patterns of its own (``*`` and ``?`` are wildcards).

Documents always. Of all other requests only those to literal private addresses; and of these, what every session may
have passes unasked. A browser knows no "all but": what is left out is cut away character by character.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shared.hosts import DEFAULT_PORTS, bracketed, parse_host_rule

PRIVATE = (
    *("0.", "10.", "127.", "169.254.", "192.168.", "100.6?.", "100.7?.", "100.8?.", "100.9?.", "100.1??."),
    *("172.1?.", "172.2?.", "172.3?.", "192.0.", "198.18.", "198.19.", "198.51.100.", "203.0.113."),
    *("22?.", "23?.", "24?.", "25?.", "[", "localhost"),
)
NEXT, NEXT_V6 = "0123456789.:/", "0123456789abcdef.:/]"
"""What can follow within a literal address. Anything else makes it a name, which the browser itself looks after."""
MAX_NAMED = 8
"""Beyond these, what a session may have is asked about all the same: it costs a little, and nothing is let through."""


def patterns(allowed_private: Iterable[str]) -> list[dict[str, Any]]:
    """``passing``: private hosts (``host`` or ``host:port``) that every session may ask for parts of pages."""
    documents = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}
    allowed = sorted(allowed_private)[:MAX_NAMED]
    asked = [glob for scheme in ("http", "https") for glob in _globs(scheme, allowed)]
    # Rules for preloading that a header names come as this type, as hardly anything else does.
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
    """How the addresses begin that a rule for one private host fits."""
    known = parse_host_rule(rule)
    if known is None or known.below or not known.host:
        return []
    text = bracketed(known.host)
    if known.port is None:
        return [f"{text}/", f"{text}:"]
    return [f"{text}/" if known.port == DEFAULT_PORTS[scheme] else f"{text}:{known.port}/"]


def globs_except(prefix: str, allowed_prefixes: Iterable[str]) -> list[str]:
    """Globs for all that begins with ``prefix`` but with none of ``kept``."""
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
