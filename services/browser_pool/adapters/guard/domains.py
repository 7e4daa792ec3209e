"""The registrable domain of an address, by the public suffix list of its package, without network."""

from __future__ import annotations

import hashlib
import re
from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList

from shared.hosts import browser_form, literal_address, parse_origin

_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


@lru_cache(maxsize=4096)
def registrable_domain(url: str) -> str:
    """Return ``example.co.uk`` for ``https://shop.example.co.uk/x``.

    Numeric addresses and names without a domain are returned as they are. The result is fit for a record's key; it is
    empty when the address has no host.
    """
    origin = parse_origin(browser_form(url))
    if isinstance(origin, str):
        return ""
    if literal_address(origin.host) is not None:
        return origin.host.replace(":", "-")
    return _as_key(_suffixes().privatesuffix(origin.host) or origin.host)


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _as_key(domain: str) -> str:
    """Return the domain, or its hash when it has characters that a subject must not contain: rows of a sample source
    choose host names."""
    return domain if _NAME.fullmatch(domain) else hashlib.sha256(domain.encode(errors="replace")).hexdigest()
