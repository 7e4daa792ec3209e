"""The registrable domain of an address, by the public suffix list that comes with its package: no network."""

from __future__ import annotations

import hashlib
import re
from functools import cache, lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList

_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


@lru_cache(maxsize=4096)
def registrable_domain(url: str) -> str:
    """``example.co.uk`` of ``https://shop.example.co.uk/x``; an address of numbers, and a name without a domain, is
    its own. What comes back is fit to be a key of a record; empty where the address names no host."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""
    if not host or _is_number(host):
        return host.replace(":", "-")
    return _as_key(_suffixes().privatesuffix(_ascii(host)) or _ascii(host))


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _is_number(host: str) -> bool:
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def _ascii(host: str) -> str:
    """As browsers write it; what they could not write stays as it is."""
    try:
        return host.encode("idna").decode().lower()
    except UnicodeError:
        return host.lower()


def _as_key(domain: str) -> str:
    """A host name comes from whoever wrote the row: wildcards and blanks must not reach the subject of a record."""
    return domain if _NAME.fullmatch(domain) else hashlib.sha256(domain.encode(errors="replace")).hexdigest()
