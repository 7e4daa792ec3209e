"""The proxy that says who looks: which peers are believed, and what their headers say. Pure.

Nobody is believed by default. A header of any other peer is not read: it is refused.
"""

from __future__ import annotations

import hmac
import ipaddress
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from services.console.web.people.roles import WebPerson, WebRole
from shared.errors import PermanentError
from shared.settings import Settings

SECRET_HEADER = "exhibit-proxy-secret"  # noqa: S105  the name of a header
MOST_NAME_CHARS, LEAST_SECRET_CHARS = 200, 16
LOOPBACK = (ipaddress.IPv4Network("127.0.0.0/8"), ipaddress.IPv6Network("::1/128"))
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class ProxyRefusal:
    """Why nobody is let in. ``message`` is for whoever asks, and says nothing of what is right."""

    status: int
    message: str


@dataclass(frozen=True)
class TrustedProxy:
    """``address``: under which people reach the console, such as ``https://console.example``. ``roles``: what each
    word of the header means. ``secret``: that the proxy sends along; empty: none is needed."""

    address: str
    networks: tuple[Network, ...]
    user_header: str
    roles_header: str
    roles: Mapping[str, WebRole]
    secret: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        return self.address.partition("://")[2]

    @property
    def is_https(self) -> bool:
        return self.address.startswith("https://")

    def believes(self, peer: str) -> bool:
        """Return whether an address is one of the proxy."""
        try:
            address = ipaddress.ip_address(peer)
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None)
        return any((mapped or address) in network for network in self.networks)

    def person(self, peer: str, headers: Iterable[tuple[bytes, bytes]]) -> WebPerson | ProxyRefusal:
        """Return who looks."""
        if not self.believes(peer):
            return ProxyRefusal(403, "This server answers to its proxy only.")
        given: dict[str, list[bytes]] = {}
        for name, value in headers:
            given.setdefault(name.decode("latin-1").lower(), []).append(value)
        secrets = given.get(SECRET_HEADER, [])
        if self.secret and not (len(secrets) == 1 and hmac.compare_digest(secrets[0], self.secret.encode())):
            return ProxyRefusal(403, "This server answers to its proxy only.")
        users, roles = given.get(self.user_header, []), given.get(self.roles_header, [])
        if len(users) != 1 or len(roles) > 1:
            # Two of a name: a proxy that adds its header to one that was sent to it.
            return ProxyRefusal(403, "The proxy does not say who you are.")
        name = _readable(users[0])
        if not name or len(name) > MOST_NAME_CHARS or "," in name:
            return ProxyRefusal(403, "The proxy does not say who you are.")
        words = [word.strip() for word in _readable(roles[0]).split(",")] if roles else []
        known = frozenset(self.roles[word] for word in words if word in self.roles)
        if not known:
            return ProxyRefusal(403, "You have no role here. Whoever runs the console gives roles.")
        return WebPerson(name, known)


def _readable(value: bytes) -> str:
    """Return the text of a header; empty for one with anything that is not shown as it is."""
    try:
        text = unicodedata.normalize("NFC", value.decode("utf-8").strip())
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""


def proxy_of(settings: Settings) -> TrustedProxy | None:
    """Return the proxy of the settings; None where they name none.

    Raises:
        PermanentError: a part of it is missing, or cannot be read (``invalid_settings``).
    """
    parts = {
        "EXHIBIT_WEB_PROXIES": settings.web_proxies,
        "EXHIBIT_WEB_ADDRESS": settings.web_address,
        "EXHIBIT_WEB_USER_HEADER": settings.web_user_header,
        "EXHIBIT_WEB_ROLES_HEADER": settings.web_roles_header,
    }
    if not any(parts.values()):
        if settings.web_host != "127.0.0.1":
            raise _bad("EXHIBIT_WEB_HOST is for a console behind a proxy: name its addresses, EXHIBIT_WEB_PROXIES")
        return None
    missing = [name for name, value in parts.items() if not value]
    if missing:
        raise _bad(f"a console behind a proxy needs {', '.join(missing)} as well")
    networks = tuple(_network(one) for one in settings.web_proxies.split(","))
    user_header, roles_header = settings.web_user_header.lower(), settings.web_roles_header.lower()
    if len({user_header, roles_header, SECRET_HEADER}) < 3:
        raise _bad("EXHIBIT_WEB_USER_HEADER and EXHIBIT_WEB_ROLES_HEADER are two headers, each of its own")
    secret = settings.web_proxy_secret.get_secret_value() if settings.web_proxy_secret is not None else ""
    if not secret and any(one.version == own.version and one.overlaps(own) for one in networks for own in LOOPBACK):
        raise _bad(
            "a proxy on this machine is one of many programs that can connect to the console: give both a secret, "
            f"EXHIBIT_WEB_PROXY_SECRET, which the proxy sends as the header {SECRET_HEADER}"
        )
    if secret and len(secret) < LEAST_SECRET_CHARS:
        raise _bad(f"EXHIBIT_WEB_PROXY_SECRET has less than {LEAST_SECRET_CHARS} characters")
    roles = _roles(settings.web_roles) if settings.web_roles else {str(role): role for role in WebRole}
    return TrustedProxy(settings.web_address or "", networks, user_header, roles_header, roles, secret)


def _network(text: str) -> Network:
    try:
        network = ipaddress.ip_network(text.strip())
    except ValueError as exc:
        raise _bad(f"EXHIBIT_WEB_PROXIES: {text.strip()!r} is no address and no network: {exc}") from exc
    if network.prefixlen == 0:
        raise _bad("EXHIBIT_WEB_PROXIES: a network of all addresses would believe everybody")
    return network


def _roles(text: str) -> dict[str, WebRole]:
    roles: dict[str, WebRole] = {}
    for part in text.split(","):
        word, _, role = (one.strip() for one in part.partition("="))
        if not word or role not in set(WebRole):
            names = ", ".join(WebRole)
            raise _bad(f"EXHIBIT_WEB_ROLES: {part.strip()!r} is not WORD=ROLE with one of {names}")
        roles[word] = WebRole(role)
    return roles


def _bad(message: str) -> PermanentError:
    return PermanentError(message, code="invalid_settings")
