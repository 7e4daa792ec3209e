"""The registrable domain of an address, by the public suffix list that comes with its package: no network."""

from __future__ import annotations

import hashlib
import re
from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList

from shared.hosts import browser_form, literal_address, parse_origin

_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


@lru_cache(maxsize=4096)
def registrable_domain(url: str) -> str:
    """``example.co.uk`` of ``https://shop.example.co.uk/x``; an address of numbers, and a name without a domain, is
    its own. What comes back is fit to be a key of a record; empty where the address names no host."""
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
    """A host name comes from whoever wrote the row: wildcards and blanks must not reach the subject of a record."""
    return domain if _NAME.fullmatch(domain) else hashlib.sha256(domain.encode(errors="replace")).hexdigest()
