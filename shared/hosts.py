"""Hosts as browsers read them, and the rules by which tasks name them. Names are not resolved here.

A rule is ``host`` (any port), ``host:port``, ``*.domain`` (every name below it) or ``*`` (every host); ``www.`` of a
host is the same host. Internationalised names are compared in their ASCII form, and addresses as browsers read them:
``0x7f.1``, ``2130706433`` and ``[::ffff:127.0.0.1]`` are loopback.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

import idna

Address = IPv4Address | IPv6Address

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
MAX_PORT = 65535
EVERY_HOST = "*"
"""The rule of a person who sees the window; no task spec may hold it."""
WRITTEN_RULE = r"^(\*\.)?([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$"
"""How a rule is written in a task spec, internationalised names in their ASCII form."""
LOOPBACK = IPv4Address("127.0.0.1")
_NAT64 = IPv6Network("64:ff9b::/96")
_IPV4_COMPATIBLE = IPv6Network("::/96")
_UNFIT = re.compile(r"[\x00-\x20\\\x7f]")
"""Browsers drop or replace these, so an address that holds one could be read in two ways."""
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")


@dataclass(frozen=True)
class Origin:
    """Scheme, canonical host and the port that is really asked."""

    scheme: str
    host: str
    port: int

    @property
    def netloc(self) -> str:
        """Host and port as in an address: the port only where it is not that of the scheme."""
        host = bracketed(self.host)
        return host if self.port == DEFAULT_PORTS.get(self.scheme) else f"{host}:{self.port}"

    @property
    def rule(self) -> str:
        """The rule that fits this host at this port only."""
        return f"{bracketed(self.host)}:{self.port}"


@dataclass(frozen=True)
class HostRule:
    """``below``: every name below ``host``, but not ``host`` itself. Without a host: every host."""

    host: str = ""
    port: int | None = None
    below: bool = False

    def fits(self, origin: Origin) -> bool:
        if not self.host:
            return True
        if self.port is not None and self.port != origin.port:
            return False
        if self.below:
            return origin.host.endswith(f".{self.host}")
        return origin.host.removeprefix("www.") == self.host.removeprefix("www.")


# --- rules


@lru_cache(maxsize=4096)
def parse_host_rule(text: str) -> HostRule | None:
    """Return the rule, or None where the text names no host that a browser could ask."""
    written = text.strip()
    if written == EVERY_HOST:
        return HostRule()
    below = written.startswith("*.")
    name, port = split_port(written.removeprefix("*."))
    host = canonical_host(name)
    if host is None or (port or 0) > MAX_PORT or (below and literal_address(host) is not None):
        return None
    return HostRule(host, port, below)


def is_spec_rule(text: str) -> bool:
    """Whether a task spec may hold this rule: as in :data:`WRITTEN_RULE`, or with letters beyond ASCII in the name."""
    name, port = split_port(text)
    rule = text if text.isascii() else (to_ascii(name) or "") + ("" if port is None else f":{port}")
    return re.fullmatch(WRITTEN_RULE, rule) is not None and parse_host_rule(text) is not None


def fits_any(origin: Origin, rules: Iterable[str]) -> bool:
    """Whether one of the rules names this origin. A rule that names no host fits none."""
    parsed = map(parse_host_rule, rules)
    return any(rule.fits(origin) for rule in parsed if rule is not None)


def share_a_host(rules: Iterable[str], others: Iterable[str]) -> bool:
    """Whether there is a host at a port that rules of both lists name."""
    parsed, compared = _parsed(rules), _parsed(others)
    return any(_overlap(one, other) for one in parsed for other in compared)


def _parsed(rules: Iterable[str]) -> list[HostRule]:
    return [rule for rule in map(parse_host_rule, rules) if rule is not None]


def _overlap(one: HostRule, other: HostRule) -> bool:
    if not one.host or not other.host:
        return True
    if one.port is not None and other.port is not None and one.port != other.port:
        return False
    if one.below and other.below:
        return f".{one.host}".endswith(f".{other.host}") or f".{other.host}".endswith(f".{one.host}")
    named, fitting = (other, one) if one.below else (one, other)
    bare, anywhere = named.host.removeprefix("www."), replace(fitting, port=None)
    return any(anywhere.fits(Origin("https", host, DEFAULT_PORTS["https"])) for host in (bare, f"www.{bare}"))


# --- addresses of documents


def parse_origin(url: str) -> Origin | str:
    """Return the origin of an address, or the reason why it has none."""
    if _UNFIT.search(url.strip()):
        return f"{url[:200]!r} is not an address: it has characters that addresses do not have"
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return f"{url[:200]!r} is not an address"
    scheme = parts.scheme.lower()
    if not scheme:
        return f"{url[:200]!r} is not an address"
    if not parts.netloc:
        return f"{scheme}: addresses are not opened, only http and https"
    name, port = split_port(parts.netloc.rpartition("@")[2])
    host = canonical_host(name)
    if host is None or (port or 0) > MAX_PORT:
        return f"{url[:200]!r} names no host that can be asked"
    return Origin(scheme, host, DEFAULT_PORTS.get(scheme, 0) if port is None else port)


def browser_form(url: str) -> str:
    """Return an address that was typed as browsers read it: tabs and line breaks dropped, ``\\`` as ``/``, blanks
    escaped."""
    return re.sub(r"[\t\r\n]", "", url).strip().replace("\\", "/").replace(" ", "%20")


def host_of(url: str) -> str:
    """Return host and port as the address writes them, in lower case and without a user; empty where it has none."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""


def split_port(netloc: str) -> tuple[str, int | None]:
    """``[::1]:80`` is ``[::1]`` and 80."""
    host, colon, port = netloc.rpartition(":")
    if colon and port.isascii() and port.isdecimal() and (host.endswith("]") or ":" not in host):
        return host, int(port)
    return netloc.removesuffix(":") if not netloc.endswith("]") and netloc.count(":") == 1 else netloc, None


# --- hosts


def canonical_host(name: str) -> str | None:
    """Return the host as browsers write it, or None where it is no host.

    Lower case, ``xn--`` for internationalised labels, no dot at the end; IP addresses in their plain form, without
    brackets.
    """
    bare = name.removeprefix("[").removesuffix("]")
    if ":" in bare:
        try:
            return str(IPv6Address(bare.split("%")[0]))
        except ValueError:
            return None
    host = (to_ascii(bare) or "").rstrip(".")
    if not host or "%" in host:
        return None
    if _NUMBER.fullmatch(host.rsplit(".", 1)[-1]):
        address = _ipv4(host)
        return None if address is None else str(address)
    return host


def to_ascii(name: str) -> str | None:
    """Return a host name in ASCII, by UTS 46 as browsers apply it; None where it has letters that no name may have."""
    if name.isascii():
        return name.lower()
    try:
        mapped = idna.uts46_remap(name, std3_rules=False, transitional=False)
    except idna.IDNAError:
        return None
    return ".".join(one if one.isascii() else "xn--" + one.encode("punycode").decode() for one in mapped.split("."))


def bracketed(host: str) -> str:
    """A canonical host as addresses write it: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


# --- IP addresses


def literal_address(host: str) -> Address | None:
    """Return the address that a canonical host is, or None where it is a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def private_address(host: str, addresses: Iterable[str]) -> Address | None:
    """Return the first address of ``host`` that is not one of the public internet. ``addresses``: what its name
    resolves to."""
    own = literal_address(host)
    if own is None and (host == "localhost" or host.endswith(".localhost")):
        return LOOPBACK  # browsers do not ask a name server for these
    known = [own] if own is not None else [ip_address(one.split("%")[0]) for one in addresses]
    return next((one for one in known if is_private(one)), None)


def is_private(address: Address) -> bool:
    """Private, loopback, link-local, shared, reserved, multicast or unspecified, also within an IPv6 address."""
    if isinstance(address, IPv6Address):
        inner = _inner(address)
        if inner is not None:
            return is_private(inner)
        if address.sixtofour is not None or address.teredo is not None:
            return True  # tunnels: the address does not say where they end
    return not address.is_global or address.is_multicast


def _inner(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64 or address in _IPV4_COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _ipv4(text: str) -> IPv4Address | None:
    """One to four numbers, decimal, octal or hexadecimal; the last one fills what is left."""
    pieces = text.split(".")
    if len(pieces) > 4 or not all(_NUMBER.fullmatch(piece) for piece in pieces):
        return None
    try:
        *first, last = [_number(piece) for piece in pieces]
    except ValueError:
        return None
    if any(one > 255 for one in first) or last >= 256 ** (4 - len(first)):
        return None
    return IPv4Address(sum(one << (8 * (3 - at)) for at, one in enumerate(first)) + last)


def _number(text: str) -> int:
    if text[:2].lower() == "0x":
        return int(text[2:] or "0", 16)
    return int(text, 8) if len(text) > 1 and text.startswith("0") else int(text)
