"""Which hosts may be reached, and at which addresses: a name is resolved once, checked, and that address is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from shared.hosts import Origin, canonical_host, fits_any, literal_address, parse_origin, private_address, split_port

Resolve = Callable[[str], Awaitable[tuple[str, ...]]]
"""Returns the addresses of a host name; empty: it is unknown."""


class AccessDenied(Exception):
    """This address may not be reached. The message says what to declare if it should."""


@dataclass(frozen=True)
class Admitted:
    """An address that was checked. ``addresses``: of its host, to one of which the connection is made."""

    origin: Origin
    addresses: tuple[str, ...]


@dataclass(frozen=True)
class HostAccess:
    """``allowed`` and ``private`` are rules as in :mod:`shared.hosts`."""

    allowed: tuple[str, ...]
    private: tuple[str, ...]

    def check(self, url: str) -> Origin:
        """Return the origin of an address that the tool may reach by its name. Raises AccessDenied."""
        origin = parse_origin(url)
        if isinstance(origin, str):
            raise AccessDenied(origin)
        if origin.scheme not in ("http", "https"):
            raise AccessDenied(f"{origin.scheme}: addresses are not opened, only http and https")
        if "@" in url.partition("://")[2].partition("/")[0]:
            raise AccessDenied("an address with a user name or a password is not opened")
        if not fits_any(origin, self.allowed):
            named = ", ".join(self.allowed) or "none"
            raise AccessDenied(f"{origin.netloc} is none of the hosts that the tool may reach ({named})")
        return origin

    async def admit(self, url: str, resolve: Resolve) -> Admitted:
        """Return the address with those of its host. Raises AccessDenied, and LookupError for an unknown name."""
        origin = self.check(url)
        literal = literal_address(origin.host) is not None
        addresses = (origin.host,) if literal else await resolve(origin.host)
        inside = private_address(origin.host, addresses)
        if inside is not None and not fits_any(origin, self.private):
            shown = "" if str(inside) == origin.host else f" ({inside})"
            told = f"{origin.netloc} is a private address{shown}"
            raise AccessDenied(f"{told}; should the tool reach it, name the host in private_hosts")
        if not addresses:
            raise LookupError(f"the name {origin.host} is not known")
        return Admitted(origin, tuple(addresses))


def host_access(hosts: Iterable[str], private_hosts: Iterable[str], base_url: str = "") -> HostAccess:
    """Return the access of a declaration. Without ``hosts`` it is that of the base address alone."""
    allowed = tuple(hosts)
    if not allowed and base_url:
        origin = parse_origin(base_url)
        allowed = (origin.rule,) if isinstance(origin, Origin) else ()
    return HostAccess(allowed, (*private_hosts, *filter(_is_private_itself, allowed)))


def _is_private_itself(rule: str) -> bool:
    """Whether a rule names a private address, or localhost: it says so where it is written."""
    host = canonical_host(split_port(rule.strip())[0])
    return host is not None and not rule.startswith("*") and private_address(host, ()) is not None
