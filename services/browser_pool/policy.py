"""Pure: where a session may go. Names are not resolved here: their addresses come in as arguments.

Hosts are named as ``host`` (any port), ``host:port`` or ``*.domain`` (every name below it); ``www.`` of a host is the
same host. Addresses are read as browsers read them: ``0x7f.1``, ``2130706433`` and ``[::ffff:127.0.0.1]`` are loopback.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

Address = IPv4Address | IPv6Address

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
LOOPBACK = IPv4Address("127.0.0.1")
_NAT64 = IPv6Network("64:ff9b::/96")
_IPV4_COMPATIBLE = IPv6Network("::/96")
_UNFIT = re.compile(r"[\x00-\x20\\\x7f]")
"""Browsers drop or turn these; whoever writes one means to be read in two ways."""
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")


@dataclass(frozen=True)
class Bounds:
    """``allowed``: where documents may come from. ``private``: which hosts may be private or link-local addresses."""

    allowed: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


@dataclass(frozen=True)
class Place:
    """A host as browsers know it, and the port that is really asked."""

    scheme: str
    host: str
    port: int

    @property
    def told(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS.get(self.scheme) else f"{host}:{self.port}"


# --- decisions


def document_refusal(url: str, addresses: Iterable[str], bounds: Bounds) -> str | None:
    """Why the document at ``url`` may not be opened in a tab, or None. ``addresses`` are those its name stands for."""
    if url == "about:blank":
        return None
    place = place_of(url)
    if isinstance(place, str):
        return place
    if place.scheme not in ("http", "https"):
        return f"{place.scheme}: addresses are not opened, only http and https"
    if not named(place, bounds.allowed):
        hosts = ", ".join(bounds.allowed) or "none yet"
        return (
            f"{place.told} is none of the hosts this task may open ({hosts}); should it be one, add it to allowed_hosts"
        )
    return private_refusal(place, addresses, bounds)


def part_refusal(url: str, addresses: Iterable[str], bounds: Bounds) -> str | None:
    """Why a frame or another part of a page may not be loaded from ``url``: public hosts serve parts of many sites."""
    place = place_of(url)
    if isinstance(place, str):
        return place if url.lower().startswith(("http", "ws")) else None
    return private_refusal(place, addresses, bounds)


def private_refusal(place: Place, addresses: Iterable[str], bounds: Bounds) -> str | None:
    inside = private_address(place.host, addresses)
    if inside is None or named(place, bounds.private):
        return None
    shown = "" if str(inside) == place.host else f" ({inside})"
    return (
        f"{place.told} is a private address{shown}; a task may open one only if its spec names it in allowed_hosts "
        "or start_url"
    )


def private_address(host: str, addresses: Iterable[str]) -> Address | None:
    """The first address of ``host`` that is not one of the public internet."""
    own = literal(host)
    if own is None and (host == "localhost" or host.endswith(".localhost")):
        return LOOPBACK  # whatever a name server says: browsers do not ask one
    known = [own] if own is not None else [ip_address(one.split("%")[0]) for one in addresses]
    return next((one for one in known if is_private(one)), None)


def is_private(address: Address) -> bool:
    """Private, loopback, link-local, shared, reserved, multicast or unspecified, also within an IPv6 address."""
    if isinstance(address, IPv6Address):
        inner = _inner(address)
        if inner is not None:
            return is_private(inner)
        if address.sixtofour is not None or address.teredo is not None:
            return True  # tunnels: where they end is anybody's guess
    return not address.is_global or address.is_multicast


def _inner(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64 or (address in _IPV4_COMPATIBLE and int(address) > 0xFFFF):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def named(place: Place, rules: Iterable[str]) -> bool:
    return any(_fits(place, rule) for rule in rules)


def _fits(place: Place, rule: str) -> bool:
    text = rule.strip()
    if text == "*":  # a person who sees the window goes where he likes
        return True
    below = text.startswith("*.")
    host, port = split_port(text.removeprefix("*."))
    known = canonical_host(host)
    if known is None or (port is not None and port != place.port):
        return False
    if below:
        return literal(known) is None and place.host.endswith(f".{known}")
    return literal(known) == literal(place.host) if literal(known) else _bare(place.host) == _bare(known)


def _bare(host: str) -> str:
    return host.removeprefix("www.")


def host_rule(url: str) -> str | None:
    """The host of ``url`` as a rule that fits it and no other port of it; None where it names none."""
    place = place_of(url)
    if isinstance(place, str):
        return None
    host = f"[{place.host}]" if ":" in place.host else place.host
    return f"{host}:{place.port}"


# --- reading addresses


def place_of(url: str) -> Place | str:
    """The host and port of ``url``, or why it has none."""
    if _UNFIT.search(url.strip()):
        return f"{url[:200]!r} is not an address: it has characters that addresses do not have"
    parts = urlsplit_or_none(url.strip())
    if parts is None or not parts.scheme:
        return f"{url[:200]!r} is not an address"
    scheme = parts.scheme.lower()
    if not parts.netloc:
        return f"{scheme}: addresses are not opened, only http and https"
    host, port = split_port(parts.netloc.rpartition("@")[2])
    known = canonical_host(host)
    if known is None:
        return f"{url[:200]!r} names no host that can be asked"
    return Place(scheme, known, DEFAULT_PORTS.get(scheme, 0) if port is None else port)


def urlsplit_or_none(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


def split_port(netloc: str) -> tuple[str, int | None]:
    """``[::1]:80`` is ``::1`` and 80."""
    host, colon, port = netloc.rpartition(":")
    if colon and port.isascii() and port.isdecimal() and (host.endswith("]") or ":" not in host):
        return host, int(port)
    return netloc.removesuffix(":") if not netloc.endswith("]") and netloc.count(":") == 1 else netloc, None


def canonical_host(host: str) -> str | None:
    """As browsers write it: lower case, ``xn--`` names, no dot at the end, plain addresses. None: it is no host."""
    bare = host.removeprefix("[").removesuffix("]")
    if ":" in bare:
        try:
            return str(IPv6Address(bare.split("%")[0]))
        except ValueError:
            return None
    name = _ascii(bare).rstrip(".")
    if not name or "%" in name:
        return None
    if _NUMBER.fullmatch(name.rsplit(".", 1)[-1]):
        address = _ipv4(name)
        return None if address is None else str(address)
    return name


def _ascii(host: str) -> str:
    try:
        return host.encode("idna").decode().lower()
    except UnicodeError:
        return host.lower()


def literal(host: str) -> Address | None:
    """The address a canonical host is, if it is no name."""
    try:
        return ip_address(host)
    except ValueError:
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
